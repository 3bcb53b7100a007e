// Writes the service tier and the metadata of a request.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
import * as feature from "../../../../hub/request/features";
import { HubRequest, SERVICE_STANDARD } from "../../../../hub/request/request";
import { RequestReport } from "../../../../hub/request/request-report";
import { writeValue } from "../../../../hub/request/request-writing";
import { Tape } from "../../../../bytes/json/tape";
import { byteAt, isDigit, isLetter } from "../../../../bytes/text/at";
import { findByte } from "../../../../bytes/text/find";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";

/** The signs that metadata may have besides letters, digits and spaces. */
const SIGNS = constant(":_@$#=/+,-.");

const MAX_ENTRIES: u32 = 16;
/** Of a key and of a value. Bytes. */
const MAX_TEXT: u32 = 256;

export function writeTier(request: HubRequest, out: ByteBuffer, report: RequestReport): void {
  const tape = request.tape;
  const tier = request.features.node(feature.SERVICE_TIERS);
  if (request.serviceTier == SERVICE_STANDARD) out.text(',"serviceTier":{"type":"default"}');
  if (!tape.isPresent(tier) || tape.equals(tier, constant("auto"))) return;
  if (!tape.equals(tier, constant("priority")) && !tape.equals(tier, constant("flex"))) {
    report.drop(constant("service_tier"));
    return;
  }
  out.text(',"serviceTier":{"type":');
  writeValue(tape, tier, out);
  out.byte(0x7d);
}

/** Writes metadata that the API accepts: at most 16 texts of a few characters. */
export function writeMetadata(request: HubRequest, out: ByteBuffer, report: RequestReport): void {
  const tape = request.tape;
  const node = request.features.node(feature.METADATA);
  if (!tape.isObject(node) || tape.isEmpty(node)) return;
  if (!isMetadata(tape, node)) {
    report.drop(constant("metadata"));
    return;
  }
  out.text(',"requestMetadata":');
  writeValue(tape, node, out);
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
