// System prompts: any text that can stand in a JSON string; white space around it does not count.
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";

/** Undefined when there is none, or nothing but white space. */
export function readSystemPrompt(
  reading: Reading,
  path: Path,
  written: string | undefined,
): string | undefined {
  if (written === undefined) return undefined;
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(written) || !written.isWellFormed()) {
    reading.problem(path, "the text holds a control character");
    return undefined;
  }
  const text = written.trim();
  return text === "" ? undefined : text;
}
