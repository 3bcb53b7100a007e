// Writes a request of the hub for Gemini. What becomes of each member: docs/dialects.md.
// @see https://ai.google.dev/api/generate-content
import { FORMAT_TEXT, SERVICE_FAST } from "../../../../hub/request/request";
import * as feature from "../../../../hub/request/features";
import { constant } from "../../../../bytes/text/bytes";
import { GeminiConfig } from "./write-generation-config";

const TIER = constant("service_tier");

export class GeminiWriter extends GeminiConfig {
  protected writeRequest(): void {
    const request = this.request;
    const limits = this.limits;
    const report = this.report;
    const out = this.out;
    this.fitToolChoice();
    this.findMix();
    // Models before Gemini 3 reject an output format beside tools.
    const supportsFormat =
      request.outputFormat == FORMAT_TEXT ||
      (limits.supportsOutputSchema && (limits.signsCalls || !this.hasTools()));
    if (!supportsFormat) {
      this.replaceFormat();
      report.dropForModel(report.paths.format);
    }
    this.writeContents();
    if (report.fault !== null) return;
    if (limits.supportsSystemRole && this.hasSystem()) {
      out.text(',"systemInstruction":{"parts":[');
      this.writeSystemParts();
      out.text("]}");
    }
    this.writeTools();
    if (this.tape.isString(request.user)) report.drop(report.paths.user);
    this.writeGenerationConfig(supportsFormat);
    if (!request.features.isEmpty) this.writeExtras();
    out.byte(0x7d);
  }

  /** "Must start with a letter or an underscore." */
  protected beginsNamesWithLetter(): bool {
    return true;
  }

  /** Writes Google's own members, and the tier. */
  private writeExtras(): void {
    this.writeFeature(
      feature.SAFETY_SETTINGS,
      constant('"safetySettings":'),
      constant("safety_settings"),
    );
    this.writeFeature(
      feature.CACHED_CONTENT,
      constant('"cachedContent":'),
      constant("cached_content"),
    );
    this.writeFeature(feature.LABELS, constant('"labels":'), constant("labels"));
    const tier = this.request.features.node(feature.SERVICE_TIERS);
    if (this.tape.equals(tier, constant("auto"))) return;
    if (this.tape.equals(tier, constant("flex")) || this.tape.equals(tier, constant("priority")))
      this.writeFeature(feature.SERVICE_TIERS, constant('"serviceTier":'), TIER);
    else if (this.request.serviceTier == SERVICE_FAST)
      this.writeFastMode(constant('"serviceTier":"priority"'));
    else if (this.tape.isPresent(tier)) this.report.drop(TIER);
  }
}
