// Writes a request of the hub for Converse. The model is in the path.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
import { isBlank } from "../../../../bytes/json/blank";
import {
  BLOCK_TEXT,
  EFFORT_HIGH,
  FORMAT_SCHEMA,
  ROLE_SYSTEM,
} from "../../../../hub/request/request";
import { markConversation } from "../../../../hub/request/cache-marks";
import { FAMILY_CLAUDE, FAMILY_NOVA } from "../../../../hub/request/request-report";
import { thinkingAsEffort } from "../../../../hub/request/request-effort";
import { escape } from "../../../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { writeStrictSchema } from "../../../anthropic/claude-schema";
import { ConverseOptions } from "./write-options";

const schema = scratchBuffer();

export class ConverseWriter extends ConverseOptions {
  /** Members of `inferenceConfig`, with a comma before each. */
  private inference: ByteBuffer = scratchBuffer();

  protected writeRequest(): void {
    const out = this.out;
    this.isClaude = this.limits.family == FAMILY_CLAUDE;
    this.cachePoints = 0;
    this.extras.clear();
    this.inference.clear();
    this.fitToolChoice();
    this.writeThinking();
    this.prepareMessages();
    if (this.limits.supportsCacheControl)
      markConversation(this.request, this.limits.addsCaching, this.isClaude);
    out.byte(0x7b);
    this.writeSystem();
    this.writeTools();
    this.writeMessages();
    if (this.report.fault !== null) return;
    const hasStop = this.writeStop(constant(',"stopSequences":['), false, this.inference);
    this.writeObject(constant(',"inferenceConfig":{'), this.inference);
    this.addModelFields();
    this.writeObject(constant(',"additionalModelRequestFields":{'), this.extras);
    this.writeResponseFields(this.isClaude && hasStop);
    if (this.request.outputFormat == FORMAT_SCHEMA && this.limits.supportsOutputSchema)
      this.writeOutputSchema();
    this.writePolicies();
    this.writeTier();
    this.writeMetadata();
    if (this.tape.isString(this.request.user)) this.report.drop(this.report.paths.user);
    out.byte(0x7d);
  }

  /** Writes how much the model reasons into `extras`, and what that leaves of the other members into `inference`. */
  private writeThinking(): void {
    const request = this.request;
    const tape = this.tape;
    const report = this.report;
    const inference = this.inference;
    // Nova supports no sampling parameters and no maximum of tokens at a high effort.
    let allowsLimits = true;
    if (this.isClaude) {
      if (tape.isObject(request.ownThinking)) request.thinking = request.ownThinking;
      this.planThinking();
      this.writeThinkingMembers(false, this.extras);
    } else {
      this.planNoThinking();
      thinkingAsEffort(request);
      allowsLimits = this.writeEffort() < EFFORT_HIGH || this.limits.family != FAMILY_NOVA;
    }
    // A budget that the gateway chose requires a maximum of tokens.
    if (this.chosenMaxTokens != 0 && this.budget > 0) {
      inference.text(',"maxTokens":');
      inference.integer(this.chosenMaxTokens);
    } else {
      // The model's maximum is the default of the API.
      report.defaultedMaxTokens = 0;
      if (tape.isPresent(request.maxTokens)) {
        if (allowsLimits) {
          inference.text(',"maxTokens":');
          this.fitMaxTokens(inference);
        } else report.dropForModel(report.paths.maxTokens);
      }
    }
    if (!allowsLimits) {
      if (tape.isPresent(request.temperature)) report.dropForModel(constant("temperature"));
      if (tape.isPresent(request.topP)) report.dropForModel(constant("top_p"));
      return;
    }
    if (this.writeSampling(constant(',"topP":'), inference)) this.writeTopK();
  }

  /** Writes all system texts in order. */
  private writeSystem(): void {
    const request = this.request;
    const out = this.out;
    this.replaceUnenforced();
    const start = out.length;
    out.text('"system":[');
    const empty = out.length;
    if (this.prompt.length > 0) this.writeText(this.prompt);
    for (let i: u32 = 0; i < request.blocks.count; i++) {
      const block = request.block(i);
      if (block.role != ROLE_SYSTEM || block.kind != BLOCK_TEXT) continue;
      if (isBlank(block.text, block.textLength)) continue;
      this.writeContentBlock(block);
      this.writeBlockCache(block);
    }
    if (this.instruction.length > 0) this.writeText(this.instruction);
    if (out.length == empty) out.length = start;
    else out.text("],");
  }

  /** Writes members as an object; nothing if there are none. */
  private writeObject(name: Span, members: ByteBuffer): void {
    if (members.length == 0) return;
    this.out.span(name);
    this.out.bytes(members.pointer + 1, members.length - 1);
    this.out.byte(0x7d);
  }

  /** Writes the schema of the response, which is a string. */
  private writeOutputSchema(): void {
    schema.clear();
    writeStrictSchema(this.tape, this.request.schema, schema);
    this.out.text(
      ',"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"',
    );
    escape(schema.pointer, schema.length, this.out);
    this.out.text('"}}}}');
  }
}
