// What the tests of filter/dialects/texts.ts call (test/unit/filter/dialects/texts.test.ts).
import { CLIENT_DIALECTS } from "../../../filter/dialects/dialect-registry";
import { TextRole, TextVisitor } from "../../../filter/dialects/texts";
import { scan } from "../../../filter/bytes/json/scan";
import { Tape } from "../../../filter/bytes/json/tape";
import { ByteBuffer, PADDING } from "../../../filter/bytes/text/bytes";

const tape = new Tape();
const out = new ByteBuffer();

export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function free(pointer: usize): void {
  heap.free(pointer);
}

/** Writes a line for each text, `role start end`, and one for each message, `role`. */
class Listing extends TextVisitor {
  beginMessage(role: TextRole): void {
    out.integer(role);
    out.text("\n");
  }

  visit(texts: Tape, text: u32, role: TextRole): void {
    out.integer(role);
    out.text(" ");
    out.integer(texts.start(text));
    out.text(" ");
    out.integer(texts.end(text));
    out.text("\n");
  }
}

/** Returns whether the body was scanned. */
export function list(body: usize, length: u32, dialect: i32): bool {
  out.clear();
  if (scan(tape, body, length) != 0) return false;
  CLIENT_DIALECTS[dialect].texts(tape, new Listing());
  return true;
}

export function outputPointer(): usize {
  return out.pointer;
}

export function outputLength(): u32 {
  return out.length;
}
