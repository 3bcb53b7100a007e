// The first event of a stream that carries content.
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

/** An event with any part but an empty text, with the reason why the response ended, or for a blocked prompt. */
export function isFirstToken(tape: Tape): bool {
  if (
    tape.isString(tape.member(tape.member(0, constant("promptFeedback")), constant("blockReason")))
  )
    return true;
  const candidates = tape.member(0, constant("candidates"));
  if (!tape.isArray(candidates)) return false;
  const end = tape.next(candidates);
  for (let one = tape.first(candidates); one < end; one = tape.next(one)) {
    if (tape.isString(tape.member(one, constant("finishReason")))) return true;
    if (hasContent(tape, tape.member(tape.member(one, constant("content")), constant("parts"))))
      return true;
  }
  return false;
}

function hasContent(tape: Tape, parts: u32): bool {
  if (!tape.isArray(parts)) return false;
  const end = tape.next(parts);
  for (let part = tape.first(parts); part < end; part = tape.next(part)) {
    const text = tape.member(part, constant("text"));
    if (!tape.isString(text) || tape.size(text) > 0) return true;
  }
  return false;
}
