// Writes the service tier and the metadata of a request, and what Converse passes to the model as it is
// (`additionalModelRequestFields`): reasoning and `top_k`, whose form depends on the family.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
// @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html
import { Feature } from "../../../../hub/request/feature";
import * as feature from "../../../../hub/request/features";
import {
  EFFORT_NONE,
  EFFORT_UNSET,
  SERVICE_FAST,
  SERVICE_STANDARD,
} from "../../../../hub/request/request";
import { effortWord, isOtherEffort, nearestEffort } from "../../../../hub/request/request-effort";
import { FAMILY_GPT, FAMILY_GPT_OSS, FAMILY_NOVA } from "../../../../hub/request/request-report";
import { writeMember, writeValue } from "../../../../hub/request/request-writing";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { byteAt, isDigit, isLetter } from "../../../../bytes/text/at";
import { contains, findByte } from "../../../../bytes/text/find";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { ConverseTools } from "./write-tools";

/** The signs that metadata may have besides letters, digits and spaces. */
const SIGNS = constant(":_@$#=/+,-.");

const GUARDRAIL_CONFIG = constant(',"guardrailConfig":');
const PERFORMANCE_CONFIG = constant(',"performanceConfig":');

const MAX_ENTRIES: u32 = 16;
/** Of a key and of a value. Bytes. */
const MAX_TEXT: u32 = 256;

export abstract class ConverseOptions extends ConverseTools {
  protected writeTopK(): void {
    const topK = this.request.topK;
    if (this.isClaude) {
      writeMember(this.tape, topK, constant(',"top_k":'), this.extras);
    } else if (this.limits.family == FAMILY_NOVA) {
      writeMember(this.tape, topK, constant(',"inferenceConfig":{"topK":'), this.extras);
      this.extras.byte(0x7d);
    } else {
      this.report.dropForModel(constant("top_k"));
    }
  }

  /** Writes the effort for a family other than Claude. Returns it, EFFORT_UNSET if the request has none. */
  protected writeEffort(): i32 {
    const extras = this.extras;
    const wanted = this.request.effort;
    if (wanted == EFFORT_UNSET) return EFFORT_UNSET;
    const family = this.limits.family;
    const isForm = family == FAMILY_NOVA || family == FAMILY_GPT || family == FAMILY_GPT_OSS;
    const isOff = wanted == EFFORT_NONE && family == FAMILY_NOVA;
    let effort = EFFORT_UNSET;
    if (isForm) effort = isOff ? wanted : nearestEffort(this.limits.efforts, wanted);
    if (isOtherEffort(wanted, effort)) this.dropEffort();
    if (effort == EFFORT_UNSET) return effort;
    if (isOff) {
      extras.text(',"reasoningConfig":{"type":"disabled"}');
      return effort;
    }
    if (family == FAMILY_NOVA)
      extras.text(',"reasoningConfig":{"type":"enabled","maxReasoningEffort":"');
    else if (family == FAMILY_GPT) extras.text(',"reasoning":{"effort":"');
    else extras.text(',"reasoning_effort":"');
    extras.span(effortWord(effort));
    extras.span(family == FAMILY_GPT_OSS ? constant('"') : constant('"}'));
    return effort;
  }

  protected writeTier(): void {
    const tape = this.tape;
    const out = this.out;
    const tier = this.request.features.node(feature.SERVICE_TIERS);
    const name = constant(',"serviceTier":');
    if (this.writeOwn(feature.BEDROCK_TIER, name, tier, constant("service_tier"))) return;
    if (this.request.serviceTier == SERVICE_STANDARD) out.text(',"serviceTier":{"type":"default"}');
    if (tape.equals(tier, constant("auto"))) return;
    if (!tape.equals(tier, constant("priority")) && !tape.equals(tier, constant("flex"))) {
      if (this.request.serviceTier == SERVICE_FAST)
        this.writeFastMode(constant('"serviceTier":{"type":"priority"}'));
      else if (tape.isPresent(tier)) this.report.drop(constant("service_tier"));
      return;
    }
    out.text(',"serviceTier":{"type":');
    writeValue(tape, tier, out);
    out.byte(0x7d);
  }

  /** Writes metadata that the API accepts: at most 16 texts of a few characters. */
  protected writeMetadata(): void {
    const tape = this.tape;
    const node = this.request.features.node(feature.METADATA);
    const name = constant(',"requestMetadata":');
    if (this.writeOwn(feature.REQUEST_METADATA, name, node, constant("metadata"))) return;
    if (!tape.isObject(node) || tape.isEmpty(node)) return;
    if (isMetadata(tape, node)) writeMember(tape, node, name, this.out);
    else this.report.drop(constant("metadata"));
  }

  /** Writes a member in the API's form, which takes precedence over `other`, its like in the client's. Returns whether there is one. */
  private writeOwn(own: Feature, name: Span, other: u32, path: Span): bool {
    const node = this.request.features.node(own);
    if (!this.tape.isPresent(node)) return false;
    writeMember(this.tape, node, name, this.out);
    if (this.tape.isPresent(other)) this.report.drop(path);
    return true;
  }

  /** Writes the guardrail and the latency. The configured ones take precedence, so that no client leaves out a guardrail. */
  protected writePolicies(): void {
    const limits = this.limits;
    const configured = this.request.isStreaming ? limits.streamPolicies : limits.policies;
    this.out.span(configured);
    this.writePolicy(feature.GUARDRAIL, GUARDRAIL_CONFIG, configured);
    this.writePolicy(feature.PERFORMANCE, PERFORMANCE_CONFIG, configured);
  }

  private writePolicy(own: Feature, name: Span, configured: Span): void {
    const tape = this.tape;
    const node = this.request.features.node(own);
    if (!tape.isPresent(node)) return;
    if (contains(configured.pointer, configured.length, name)) {
      this.report.drop(memberOf(name));
      return;
    }
    const mode = tape.member(node, constant("streamProcessingMode"));
    if (mode == NO_NODE || this.request.isStreaming) {
      writeMember(tape, node, name, this.out);
      return;
    }
    // Only a stream has the mode.
    this.report.drop(constant("guardrailConfig.streamProcessingMode"));
    this.out.span(name);
    this.out.byte(0x7b);
    for (let key = tape.first(node), end = tape.next(node); key < end; key = tape.next(key + 1)) {
      if (key + 1 == mode) continue;
      this.separate();
      copyMember(tape, key, this.out);
    }
    this.out.byte(0x7d);
  }

  /**
   * Adds the client's members for the model to `extras`; what has been written there is the client's too, in its format. Members are
   * compared with that alone: with each other, a million of them would hold up the worker.
   */
  protected addModelFields(): void {
    const tape = this.tape;
    const extras = this.extras;
    const fields = this.request.features.node(feature.MODEL_FIELDS);
    if (!tape.isPresent(fields)) return;
    if (!tape.isObject(fields)) {
      this.report.reject("additionalModelRequestFields", "must be an object.");
      return;
    }
    const written = extras.length;
    const end = tape.next(fields);
    for (let key = tape.first(fields); key < end; key = tape.next(key + 1)) {
      const start = extras.length;
      extras.byte(0x2c);
      copyMember(tape, key, extras);
      const length = tape.outerEnd(key) - tape.outerStart(key) + 2;
      name.pointer = extras.pointer + start;
      name.length = length;
      if (!contains(extras.pointer, written, name)) continue;
      extras.length = start;
      this.report.dropUnknown(constant("additionalModelRequestFields."), tape, key);
    }
  }

  /** Writes which members of the model's response are asked for. `hasStop`: also Claude's stop sequence. */
  protected writeResponseFields(hasStop: bool): void {
    const tape = this.tape;
    const out = this.out;
    const paths = this.request.features.node(feature.MODEL_RESPONSE_FIELDS);
    const isAsked = tape.hasItems(paths);
    if (!isAsked && !hasStop) return;
    out.text(',"additionalModelResponseFieldPaths":[');
    // Which sequence ended the response: in a response, and in a stream.
    if (hasStop) out.text('"/stop_sequence","/delta/stop_sequence"');
    if (isAsked) {
      this.separate();
      out.bytes(tape.pointer(paths) + 1, tape.size(paths) - 2);
    }
    out.byte(0x5d);
  }
}

const name = new Span(0, 0);

/** Returns a member's name of `,"name":`. */
function memberOf(text: Span): Span {
  name.pointer = text.pointer + 2;
  name.length = text.length - 4;
  return name;
}

/** Copies a member with its name. */
function copyMember(tape: Tape, key: u32, out: ByteBuffer): void {
  const start = tape.outerStart(key);
  out.bytes(tape.base + start, tape.outerEnd(key + 1) - start);
}

function isMetadata(tape: Tape, node: u32): bool {
  let count: u32 = 0;
  for (let key = tape.first(node), end = tape.next(node); key < end; key = tape.next(key + 1)) {
    if (++count > MAX_ENTRIES || !isText(tape, key) || tape.size(key) == 0) return false;
    if (!isText(tape, key + 1)) return false;
  }
  return true;
}

function isText(tape: Tape, node: u32): bool {
  if (!tape.isString(node) || tape.size(node) > MAX_TEXT) return false;
  for (let i: u32 = 0; i < tape.size(node); i++) {
    const byte = byteAt(tape.pointer(node), i);
    const isSign = findByte(SIGNS.pointer, SIGNS.pointer + SIGNS.length, byte) != 0;
    if (!isLetter(byte) && !isDigit(byte) && byte != 0x20 && !isSign) return false;
  }
  return true;
}
