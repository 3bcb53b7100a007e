// Writes a request of the hub for Gemini. What becomes of each member: docs/dialects.md.
// @see https://ai.google.dev/api/generate-content
import { FORMAT_TEXT } from "../../../../hub/request/request";
import { GeminiConfig } from "./write-generation-config";

export class GeminiWriter extends GeminiConfig {
  protected writeRequest(): void {
    const request = this.request;
    const limits = this.limits;
    const report = this.report;
    const out = this.out;
    this.fitToolChoice();
    // Models before Gemini 3 reject an output format beside tools.
    const supportsFormat =
      request.outputFormat == FORMAT_TEXT ||
      (limits.supportsOutputSchema && (limits.signsCalls || request.tools.count == 0));
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
    out.byte(0x7d);
  }
}
