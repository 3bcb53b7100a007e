// What an imported file has without an equivalent, as lines of a comment: keys that were written into the file are left out.
import { stringify } from "yaml";
import { namesCredential, withoutSecrets } from "../config/secrets.ts";

const MAX_LINES = 12;
const HIDDEN = "(not shown)";

/** Returns lines of YAML for a comment. */
export function shownYaml(value: unknown): string[] {
  const lines = stringify(value, { lineWidth: 0 })
    .trimEnd()
    .split("\n")
    .map((line) => maskedLine(line));
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `… (${String(more)} more lines)`] : lines;
}

/** Returns a sentence or a line of YAML without what may be a key. References to the environment stay. */
export function maskedLine(line: string): string {
  const [, start = "", name = "", value = ""] =
    /^(\s*(?:- )?)([\w.-]+):\s+(\S.*)$/.exec(line) ?? [];
  const isReference = /^["']?(?:\$|os\.environ\/)/.test(value);
  const shown = namesCredential(name) && !isReference ? `${start}${name}: ${HIDDEN}` : line;
  return withoutKeys(shown);
}

/** Returns a text without what looks like a key, and without credentials in URLs. */
export function withoutKeys(text: string): string {
  return withoutSecrets(text).replaceAll(/:\/\/[^/@\s]+@/g, `://${HIDDEN}@`);
}

/** Returns the comment for a part that has no equivalent. */
export function leftOut(reason: string, part: unknown): string {
  return [
    ` Not imported: ${maskedLine(reason)}`,
    ...shownYaml(part).map((line) => `   ${line}`),
  ].join("\n");
}
