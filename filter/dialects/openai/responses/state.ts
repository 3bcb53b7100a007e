// Whether a request refers to something that its provider has stored.
// @see https://platform.openai.com/docs/guides/conversation-state
import { KIND_FALSE, NO_NODE, Tape } from "../../../bytes/json/tape";
import { constant, Span } from "../../../bytes/text/bytes";

/** Members whose value is the id of something stored. */
const STORED: Span[] = [
  constant("previous_response_id"),
  constant("conversation"),
  constant("prompt"),
];

/** Returns whether the provider responds before it has begun, so that the client polls for the result. */
export function runsInBackground(tape: Tape): bool {
  // A provider may read another value as true.
  const value = tape.member(0, constant("background"));
  return tape.isPresent(value) && tape.kind(value) != KIND_FALSE;
}

/** A response to `background: true` is polled at the provider that gave it. */
export function refersToState(tape: Tape): bool {
  for (let i = 0; i < STORED.length; i++) {
    if (tape.isPresent(tape.member(0, STORED[i]))) return true;
  }
  if (runsInBackground(tape)) return true;
  const input = tape.member(0, constant("input"));
  if (!tape.isArray(input)) return false;
  const end = tape.next(input);
  for (let item = tape.first(input); item < end; item = tape.next(item)) {
    if (tape.isObject(item) && refersToItem(tape, item)) return true;
  }
  return false;
}

/** An object without type and role is a reference, too: `{"id": "msg_1"}`. */
function refersToItem(tape: Tape, item: u32): bool {
  const type = tape.member(item, constant("type"));
  if (tape.equals(type, constant("item_reference"))) return true;
  if (!tape.isPresent(type) && tape.member(item, constant("role")) == NO_NODE) return true;
  return (
    hasFile(tape, tape.member(item, constant("content"))) ||
    hasFile(tape, tape.member(item, constant("output")))
  );
}

function hasFile(tape: Tape, parts: u32): bool {
  if (!tape.isArray(parts)) return false;
  const end = tape.next(parts);
  for (let part = tape.first(parts); part < end; part = tape.next(part)) {
    if (tape.isPresent(tape.member(part, constant("file_id")))) return true;
  }
  return false;
}
