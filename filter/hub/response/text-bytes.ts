// Counts what a model has written in an event of a stream, for streams that end before their usage comes.
import { Tape } from "../../bytes/json/tape";
import { byteAt } from "../../bytes/text/at";
import { constant, Span } from "../../bytes/text/bytes";

const COLON: u32 = 0x3a;

/** Members whose string the model has written, in all dialects. */
const TEXTS: Span[] = [
  constant("content"),
  constant("text"),
  constant("thinking"),
  constant("arguments"),
  constant("partial_json"),
  constant("refusal"),
];
/** The arguments of a call, in a string or an object. */
const ARGUMENTS: Span[] = [constant("input"), constant("args")];
/** Some providers send the same reasoning by both names, and a third time in `reasoning_details`. */
const REASONING: Span[] = [constant("reasoning"), constant("reasoning_content")];

/** The text that the last call has counted last, 0 if there was none. */
export let lastText: usize = 0;

export function noteText(pointer: usize): void {
  lastText = pointer;
}

/** Returns the bytes of all texts in an event, of whichever dialect. */
export function textBytes(tape: Tape): u32 {
  lastText = 0;
  let bytes: u32 = 0;
  let reasoning: u32 = 0;
  for (let node: u32 = 0, end = tape.count; node < end; node++) {
    if (!tape.isString(node) || byteAt(tape.pointer(node), tape.size(node) + 1) != COLON) continue;
    const value = node + 1;
    const size = tape.size(value);
    const isString = tape.isString(value);
    if (isString && tape.indexIn(node, REASONING) >= 0) {
      reasoning = max(reasoning, size);
    } else if (
      (isString && tape.indexIn(node, TEXTS) >= 0) ||
      ((isString || tape.isObject(value)) && tape.indexIn(node, ARGUMENTS) >= 0)
    ) {
      bytes += size;
    } else {
      if (tape.equals(node, constant("reasoning_details"))) node = tape.next(value) - 1;
      continue;
    }
    lastText = tape.pointer(value);
    node = tape.next(value) - 1;
  }
  return bytes + reasoning;
}
