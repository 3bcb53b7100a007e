// The first event of a stream that carries content.
import { Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";

const TYPE = constant("type");

/** What a provider sends before it knows whether it can respond, and beginnings of what has nothing in it yet. */
const EMPTY: StaticArray<Span> = [
  constant("response.created"),
  constant("response.queued"),
  constant("response.in_progress"),
  constant("response.content_part.added"),
  constant("response.reasoning_summary_part.added"),
  constant("keepalive"),
];

export function isFirstToken(tape: Tape): bool {
  const type = tape.member(0, TYPE);
  if (!tape.isString(type)) return false;
  for (let i = 0; i < EMPTY.length; i++) {
    if (tape.equals(type, unchecked(EMPTY[i]))) return false;
  }
  if (!tape.equals(type, constant("response.output_item.added"))) return true;
  const kind = tape.member(tape.member(0, constant("item")), TYPE);
  return !tape.equals(kind, constant("message")) && !tape.equals(kind, constant("reasoning"));
}
