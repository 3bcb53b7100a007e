// Writes a request of the hub for the Responses API. Its members: members.ts.
// @see https://platform.openai.com/docs/api-reference/responses/create
import {
  EFFORT_NONE,
  EFFORT_UNSET,
  FORMAT_JSON,
  FORMAT_SCHEMA,
  SERVICE_STANDARD,
} from "../../../../hub/request/request";
import { writeHash } from "../../../../hub/request/call-id";
import * as feature from "../../../../hub/request/features";
import { effortWord, thinkingAsEffort } from "../../../../hub/request/request-effort";
import { isReasoningModel } from "../../../../hub/request/request-fitting";
import { isStrictSchema, writeMember, writeString } from "../../../../hub/request/request-writing";
import { readCount } from "../../../../bytes/json/number";
import { NO_NODE } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { FAST_MODE, isOpenaiTier } from "../../tier";
import * as member from "../members";
import { ResponsesTools } from "./write-tools";

/** "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16". */
const MIN_TOKENS: i64 = 16;
/** "Invalid 'safety_identifier': string too long. Expected a string with maximum length 64". */
const MAX_USER: u32 = 64;

export class ResponsesRequestWriter extends ResponsesTools {
  protected writeRequest(): void {
    const request = this.request;
    const tape = this.tape;
    const out = this.out;
    out.text('{"model":');
    out.span(this.model);
    this.fitToolChoice();
    thinkingAsEffort(request);
    // Unlike chat completions, every model reasons beside tools here.
    this.planEffort(false);
    this.replaceSchema();
    this.writeInput();
    if (this.report.fault !== null) return;
    this.writeTools();
    this.writeMaxTokens();
    this.writeSampling();
    this.dropUnsupported();
    this.writeReasoning();
    this.writeText();
    this.writeUser();
    if (request.serviceTier == SERVICE_STANDARD) out.text(',"service_tier":"default"');
    const features = request.features;
    if (!features.isEmpty) {
      this.writeFeatures(member.request);
      writeMember(tape, features.node(feature.METADATA), constant(',"metadata":'), out);
    }
    this.writeTier(features.node(feature.SERVICE_TIERS));
    this.writeCacheKey();
    // Chat completions and messages store nothing by default, the Responses API stores everything.
    const isStored = tape.isTrue(features.node(feature.STORE));
    out.span(isStored ? constant(',"store":true') : constant(',"store":false'));
    // Without a stored response the client has to carry the model's reasoning to its next turn. A model without any: 400.
    const isReasoning = isReasoningModel(this.efforts.effort, this.limits);
    if (isReasoning) out.text(',"include":["reasoning.encrypted_content"]');
    if (!features.isEmpty) this.writeLogprobs(!isReasoning);
    if (request.isStreaming) out.text(',"stream":true');
    out.byte(0x7d);
  }

  /** Clients probe with a single token, which the API rejects. */
  private writeMaxTokens(): void {
    const out = this.out;
    const node = this.request.maxTokens;
    if (!this.tape.isPresent(node)) return;
    out.text(',"max_output_tokens":');
    const count = readCount(this.tape, node);
    if (count > 0 && count < MIN_TOKENS) {
      out.integer(MIN_TOKENS);
      this.report.drop(this.report.paths.maxTokens);
    } else {
      this.fitMaxTokens(out);
    }
  }

  /** The API has no stop sequences and no top_k. */
  private dropUnsupported(): void {
    const tape = this.tape;
    const stop = this.request.stop;
    if (tape.isPresent(stop) && !(tape.isArray(stop) && tape.isEmpty(stop)))
      this.report.drop(this.report.paths.stop);
    if (tape.isPresent(this.request.topK)) this.report.drop(constant("top_k"));
  }

  /**
   * Writes which log probabilities come with the text. A model that reasons rejects them.
   * @see https://developers.openai.com/api/docs/guides/latest-model
   */
  private writeLogprobs(isSupported: bool): void {
    const features = this.request.features;
    const name = constant("logprobs");
    const asked = features.node(feature.LOGPROBS);
    const top = features.node(feature.TOP_LOGPROBS);
    const isSent = isSupported && this.tape.isTrue(asked) && !this.limits.isRefused(name);
    if (isSent) this.out.text(',"include":["message.output_text.logprobs"]');
    else if (this.tape.isPresent(asked)) this.report.dropForModel(name);
    this.writeLimited(top, constant('"top_logprobs":'), constant("top_logprobs"), isSent);
  }

  private writeReasoning(): void {
    const request = this.request;
    const tape = this.tape;
    const out = this.out;
    const effort = this.efforts.effort;
    if (effort == EFFORT_UNSET) return;
    out.text(',"reasoning":{"effort":"');
    out.span(effortWord(effort));
    out.byte(0x22);
    let display = request.features.node(feature.THINKING_DISPLAY);
    if (display == NO_NODE) display = tape.member(request.thinking, constant("display"));
    const isHidden = tape.equals(display, constant("omitted"));
    if (effort != EFFORT_NONE && !isHidden) out.text(',"summary":"auto"');
    out.byte(0x7d);
  }

  /** Words of other providers, such as Groq's `on_demand`, are rejected: "Invalid value". */
  private writeTier(node: u32): void {
    if (!this.tape.isPresent(node)) {
      this.writeFastMode(FAST_MODE);
      return;
    }
    if (isOpenaiTier(this.tape, node))
      writeMember(this.tape, node, constant(',"service_tier":'), this.out);
    else this.report.drop(constant("service_tier"));
  }

  private writeText(): void {
    const verbosity = this.request.features.node(feature.VERBOSITY);
    const format = this.request.outputFormat;
    const hasFormat = format == FORMAT_JSON || format == FORMAT_SCHEMA;
    if (!hasFormat && verbosity == NO_NODE) return;
    this.out.text(',"text":{');
    if (hasFormat) this.writeFormat();
    if (verbosity != NO_NODE) {
      if (hasFormat) this.out.byte(0x2c);
      writeMember(this.tape, verbosity, constant('"verbosity":'), this.out);
    }
    this.out.byte(0x7d);
  }

  private writeFormat(): void {
    const out = this.out;
    if (this.request.outputFormat == FORMAT_JSON || !this.limits.supportsOutputSchema) {
      out.text('"format":{"type":"json_object"}');
      return;
    }
    out.text('"format":{"type":"json_schema","name":');
    this.writeNamedSchema(constant('"response"'));
    out.span(
      isStrictSchema(this.tape, this.request.schema)
        ? constant(',"strict":true}')
        : constant(',"strict":false}'),
    );
  }

  private writeUser(): void {
    const tape = this.tape;
    const out = this.out;
    const user = this.request.user;
    if (!tape.isString(user)) return;
    if (!this.limits.supportsUser) {
      this.report.dropForModel(this.report.paths.user);
      return;
    }
    out.text(',"safety_identifier":');
    const pointer = tape.pointer(user);
    const size = tape.size(user);
    if (size <= MAX_USER) {
      writeString(pointer, size, out);
      return;
    }
    out.text('"user_');
    writeHash(pointer, size, out);
    out.byte(0x22);
  }
}
