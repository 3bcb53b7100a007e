// What may be a name: of a model, an entry or an alias. Names reach headers, JSON and Envoy's configuration.
import { NONE } from "../../model/model-names.ts";
import type { Path } from "../report/problem.ts";
import type { DiagnosticOptions, Reading } from "./reading.ts";

const MAX_NAME_LENGTH = 200;

/** Returns the name if it is safe; otherwise undefined, after reporting a problem. */
export function checkName(
  reading: Reading,
  path: Path,
  name: string | undefined,
  part: NonNullable<DiagnosticOptions["part"]> = "value",
): string | undefined {
  if (name === undefined) return undefined;
  const fault = faultOf(name);
  if (fault === undefined) return name;
  reading.problem(path, fault, { part });
  return undefined;
}

function faultOf(name: string): string | undefined {
  if (name === "") return "the name is empty";
  if (name === NONE) {
    return "nothing can be called none: in a request it leaves the choice to the gateway";
  }
  if (name.length > MAX_NAME_LENGTH) return `the name is longer than ${MAX_NAME_LENGTH} characters`;
  if (/[^\x20-\x7e]/.test(name)) {
    return "the name has a control character or a letter outside ASCII";
  }
  if (/^ | $/.test(name)) return "the name begins or ends with a space";
  return /["'`\\*<>]/.test(name) ? "the name holds a character of \"'`\\*<>" : undefined;
}
