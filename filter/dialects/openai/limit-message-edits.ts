// Fits the messages or items of a body to what the target's model supports.
import { RequestLimits, RequestReport } from "../../hub/request/request-report";
import { Edits } from "../../bytes/json/edit";
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import { ListEdit } from "../list-edit";

const members = new ListEdit();

/** `renames`: whether role developer becomes system. */
export function limitMessages(
  tape: Tape,
  list: u32,
  renames: bool,
  limits: RequestLimits,
  edits: Edits,
  report: RequestReport,
): void {
  if (!renames && limits.refusesInMessages.length == 0) return;
  if (!tape.isArray(list)) return;
  const end = tape.next(list);
  for (let message = tape.first(list); message < end; message = tape.next(message)) {
    if (renames) renameDeveloper(tape, message, edits);
    if (tape.isObject(message)) removeMembers(tape, message, limits, edits, report);
  }
}

function renameDeveloper(tape: Tape, message: u32, edits: Edits): void {
  const role = tape.member(message, constant("role"));
  if (tape.equals(role, constant("developer")))
    edits.replace(tape.outerStart(role), tape.outerEnd(role), constant('"system"'));
}

function removeMembers(
  tape: Tape,
  message: u32,
  limits: RequestLimits,
  edits: Edits,
  report: RequestReport,
): void {
  members.begin(tape, message);
  const end = tape.next(message);
  for (let key = tape.first(message); key < end; key = tape.next(key + 1)) {
    const index = tape.indexIn(key, limits.refusesInMessages);
    if (index >= 0 && asksForSomething(tape, key + 1))
      report.dropForModel(unchecked(limits.refusedPaths[index]));
    members.item(tape, key, index >= 0, edits);
  }
}

/** Returns whether a value is more than null, "" or []. */
function asksForSomething(tape: Tape, value: u32): bool {
  if (tape.isString(value)) return tape.size(value) > 0;
  return tape.isPresent(value) && !(tape.isArray(value) && tape.isEmpty(value));
}
