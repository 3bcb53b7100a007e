// A member of a request that is true or false.
import { KIND_FALSE, Tape } from "../../bytes/json/tape";
import { RequestReport } from "./request-report";

/** Returns whether a member is true; rejects any other value than true and false. `name`: the member, which may be missing. */
export function readFlag(tape: Tape, node: u32, name: string, report: RequestReport): bool {
  if (!tape.isPresent(node) || tape.kind(node) == KIND_FALSE) return false;
  if (tape.isTrue(node)) return true;
  report.reject(name, "must be true or false.");
  return false;
}
