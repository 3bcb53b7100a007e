// Writes the service tier and the metadata of a request, and what Converse passes to the model as it is
// (`additionalModelRequestFields`): reasoning and `top_k`, whose form depends on the family.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
// @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html
import * as feature from "../../../../hub/request/features";
import { EFFORT_NONE, EFFORT_UNSET, SERVICE_STANDARD } from "../../../../hub/request/request";
import { effortWord, isOtherEffort, nearestEffort } from "../../../../hub/request/request-effort";
import { FAMILY_GPT, FAMILY_GPT_OSS, FAMILY_NOVA } from "../../../../hub/request/request-report";
import { writeMember, writeValue } from "../../../../hub/request/request-writing";
import { Tape } from "../../../../bytes/json/tape";
import { byteAt, isDigit, isLetter } from "../../../../bytes/text/at";
import { findByte } from "../../../../bytes/text/find";
import { constant } from "../../../../bytes/text/bytes";
import { ConverseTools } from "./write-tools";

/** The signs that metadata may have besides letters, digits and spaces. */
const SIGNS = constant(":_@$#=/+,-.");

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
    if (this.request.serviceTier == SERVICE_STANDARD) out.text(',"serviceTier":{"type":"default"}');
    if (!tape.isPresent(tier) || tape.equals(tier, constant("auto"))) return;
    if (!tape.equals(tier, constant("priority")) && !tape.equals(tier, constant("flex"))) {
      this.report.drop(constant("service_tier"));
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
    if (!tape.isObject(node) || tape.isEmpty(node)) return;
    if (isMetadata(tape, node)) writeMember(tape, node, constant(',"requestMetadata":'), this.out);
    else this.report.drop(constant("metadata"));
  }
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
