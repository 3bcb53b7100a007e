// The first event of a stream that carries content.
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";

const TYPE = constant("type");
const CREATED = constant("response.created");
const QUEUED = constant("response.queued");
const IN_PROGRESS = constant("response.in_progress");
const KEEPALIVE = constant("keepalive");

/** Every event but those that a provider sends before it knows whether it can respond. */
export function isFirstToken(tape: Tape): bool {
  const type = tape.member(0, TYPE);
  return (
    tape.isString(type) &&
    !tape.equals(type, CREATED) &&
    !tape.equals(type, QUEUED) &&
    !tape.equals(type, IN_PROGRESS) &&
    !tape.equals(type, KEEPALIVE)
  );
}
