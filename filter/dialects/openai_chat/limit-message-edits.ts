// Chat completions on both sides: what the limits of the target change inside the messages, but for where system text
// stands (edit-system.ts).
import { RequestLimits, RequestReport } from "../../hub/request-report";
import { Edits } from "../../bytes/json/edit";
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import { ListEdit } from "../list-edit";

const MESSAGES = constant("messages");
const ROLE = constant("role");
const DEVELOPER = constant("developer");
const QUOTED_SYSTEM = constant('"system"');

const members = new ListEdit();

export function limitMessageMembers(
  tape: Tape,
  limits: RequestLimits,
  edits: Edits,
  report: RequestReport,
): void {
  // Where system text moves, the roles are changed with it.
  const renames = !limits.takesDeveloperRole && limits.takesSystemRole && limits.takesLaterSystem;
  if (!renames && limits.refusesInMessages.length == 0) return;
  const list = tape.member(0, MESSAGES);
  if (!tape.isArray(list)) return;
  const end = tape.next(list);
  for (let message = tape.first(list); message < end; message = tape.next(message)) {
    if (renames) renameDeveloper(tape, message, edits);
    if (tape.isObject(message)) removeMembers(tape, message, limits, edits, report);
  }
}

function renameDeveloper(tape: Tape, message: u32, edits: Edits): void {
  const role = tape.member(message, ROLE);
  if (tape.equals(role, DEVELOPER))
    edits.replace(tape.outerStart(role), tape.outerEnd(role), QUOTED_SYSTEM);
}

function removeMembers(
  tape: Tape,
  message: u32,
  limits: RequestLimits,
  edits: Edits,
  report: RequestReport,
): void {
  members.begin();
  const end = tape.next(message);
  for (let key = tape.first(message); key < end; key = tape.next(key + 1)) {
    const next = tape.next(key + 1);
    const to = tape.outerEnd(key + 1);
    const index = indexOf(tape, key, limits);
    if (index >= 0 && asksForSomething(tape, key + 1))
      report.dropLimited(limits.refusedPaths[index]);
    const nextStart = next < end ? tape.outerStart(next) : to;
    members.item(tape.outerStart(key), to, nextStart, index >= 0, edits);
  }
}

function indexOf(tape: Tape, key: u32, limits: RequestLimits): i32 {
  const names = limits.refusesInMessages;
  for (let i = 0; i < names.length; i++) {
    if (tape.equals(key, names[i])) return i;
  }
  return -1;
}

/** Null, "" and [] say nothing. */
function asksForSomething(tape: Tape, value: u32): bool {
  if (tape.isString(value)) return tape.size(value) > 0;
  return tape.isPresent(value) && !(tape.isArray(value) && tape.isEmpty(value));
}
