// A request to count the tokens of a request: the members that it accepts, the others are rejected.
// @see https://platform.openai.com/docs/api-reference/responses/input-tokens
import { scan, SCAN_OK } from "../../bytes/json/scan";
import { scratchTape } from "../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";

const MEMBERS: Span[] = [
  constant("model"),
  constant("input"),
  constant("instructions"),
  constant("tools"),
  constant("tool_choice"),
  constant("parallel_tool_calls"),
  constant("reasoning"),
  constant("text"),
];

const tape = scratchTape();
const kept = scratchBuffer();

/** Cuts a request in `out` down to those members. */
export function cutToCount(out: ByteBuffer): void {
  if (scan(tape, out.pointer, out.length) != SCAN_OK) return;
  kept.clear();
  const end = tape.next(0);
  for (let key = tape.first(0); key < end; key = tape.next(key + 1)) {
    if (!isCounted(key)) continue;
    kept.byte(kept.length == 0 ? 0x7b : 0x2c);
    const from = tape.outerStart(key);
    kept.bytes(out.pointer + from, tape.outerEnd(key + 1) - from);
  }
  kept.byte(0x7d);
  tape.reset();
  out.clear();
  out.bytes(kept.pointer, kept.length);
}

function isCounted(key: u32): bool {
  for (let i = 0; i < MEMBERS.length; i++) {
    if (tape.equals(key, MEMBERS[i])) return true;
  }
  return false;
}
