// An error body, by the pattern of a dialect's row in contract/dialects.ts.
import { DialectRow } from "../../contract/dialects";
import { Fault } from "../hub/faults/fault";
import { escapeText, escapeWire } from "../bytes/json/text";
import { ByteBuffer } from "../bytes/text/bytes";

/** For dialects whose errors do not show it. */
export const NO_REQUEST_ID = new ByteBuffer();

/** Appends the pattern with the values of the fault. `details`: further members of the error, or empty. */
export function writeFault(
  row: DialectRow,
  fault: Fault,
  details: string,
  requestId: ByteBuffer,
  out: ByteBuffer,
): void {
  const pattern = row.errorBody;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charCodeAt(at);
    if (character != 0x24) {
      out.byte(character);
      continue;
    }
    // The names differ in their first letters.
    const name = pattern.charCodeAt(at + 1);
    while (isNamePart(pattern.charCodeAt(at + 1))) at++;
    if (name == 0x6d) quote(fault.message, out);
    else if (name == 0x74) quote(typeOf(row, fault), out);
    else if (name == 0x64) out.text(details);
    else if (name == 0x70) quoteOrNull(fault.member, out);
    else if (name == 0x63) quoteOrNull(fault.code, out);
    else quoteId(requestId, out);
  }
}

/** Only OpenAI's errors have a code, and types that do not follow from the status. */
function typeOf(row: DialectRow, fault: Fault): string {
  const isOwn = fault.type.length > 0 && row.errorBody.includes("$code");
  return isOwn ? fault.type : row.errorType(fault.status);
}

function isNamePart(character: i32): bool {
  return character == 0x5f || (character >= 0x61 && character <= 0x7a);
}

function quoteId(requestId: ByteBuffer, out: ByteBuffer): void {
  if (requestId.length == 0) {
    out.text("null");
    return;
  }
  out.byte(0x22);
  escapeWire(requestId.pointer, requestId.length, out);
  out.byte(0x22);
}

function quoteOrNull(text: string, out: ByteBuffer): void {
  if (text.length == 0) out.text("null");
  else quote(text, out);
}

function quote(text: string, out: ByteBuffer): void {
  out.byte(0x22);
  escapeText(text, out);
  out.byte(0x22);
}
