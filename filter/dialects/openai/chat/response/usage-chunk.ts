// The chunk that `stream_options.include_usage` adds to a stream: an empty `choices` and a `usage` object
// (https://platform.openai.com/docs/api-reference/chat/streaming).
import { byteAt } from "../../../../bytes/text/at";
import { constant } from "../../../../bytes/text/bytes";
import { contains } from "../../../../bytes/text/find";
import { scan, SCAN_OK } from "../../../../bytes/json/scan";
import { scratchTape } from "../../../../bytes/json/tape";

const OPEN_BRACE: u32 = 0x7b;
/** What the usage chunk does not have. Inside of a string the quotes would be escaped. */
const A_CHOICE = constant('"choices":[{');
const tape = scratchTape();

/** Returns whether the data of an event is that chunk. `length` must not be 0. */
export function isUsageChunk(pointer: usize, length: u32): bool {
  if (byteAt(pointer) != OPEN_BRACE) return false;
  // Nearly every event has a choice: found by its bytes, because a scan would take five times as long.
  if (contains(pointer, length, A_CHOICE)) return false;
  if (scan(tape, pointer, length) != SCAN_OK) return false;
  const choices = tape.member(0, constant("choices"));
  return (
    tape.isArray(choices) &&
    tape.isEmpty(choices) &&
    tape.isObject(tape.member(0, constant("usage")))
  );
}
