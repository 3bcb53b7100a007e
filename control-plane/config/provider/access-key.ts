// `access_key`: a reference to an environment variable, or a list of them. A key in the file itself is refused, and never repeated.
import type { CredentialKind } from "../../../contract/credentials.ts";
import type { ProviderHeader } from "../../../model/model.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";
import { parseReferences } from "../reference.ts";
import { looksLikeSecret, namesCredential, suggestedVariable } from "../../report/secrets.ts";
import { suggestion } from "../../report/suggest.ts";

interface Wanted {
  /** What stands before the slash of `model`, for the hint. */
  provider: string | undefined;
  /** The environment variable that the hint proposes; absent: one of the provider's name. */
  variable?: string | undefined;
  needsKey: boolean;
  auth: CredentialKind;
  headers: readonly ProviderHeader[];
}

/** The environment variables that hold the keys; empty when there is none. */
export function readAccessKeys(
  reading: Reading,
  path: Path,
  entry: { access_key?: string | readonly (string | undefined)[] | undefined },
  wanted: Wanted,
): string[] {
  const { access_key: written } = entry;
  const variable = wanted.variable ?? suggestedVariable(wanted.provider);
  const hint = `write access_key: $${variable}, and put the key in the environment or in .env as ${variable}=…`;
  if (written === undefined) {
    if (isMissed(entry, wanted)) {
      const provider = wanted.provider ?? "the provider";
      reading.problem(path, `access_key is missing; ${provider} needs one`, { hint });
    }
    return [];
  }
  const at = [...path, "access_key"];
  const isList = typeof written !== "string";
  if (isList && written.length === 0) {
    reading.problem(at, "the list is empty; expected a reference to a key", { part: "key", hint });
  }
  const found = new Set<string>();
  (isList ? written : [written]).forEach((reference, index) => {
    if (reference === undefined) return;
    const place = isList ? [...at, index] : at;
    const name = readKeyReference(reading, place, reference, hint);
    if (name === undefined) return;
    if (found.has(name)) reading.problem(place, `${name} is in the list twice`);
    found.add(name);
  });
  if (found.size > 0) refuseSameHeader(reading, at, wanted);
  return [...found];
}

/** The environment variable that a key's reference names; undefined when it is not exactly one reference. */
export function readKeyReference(
  reading: Reading,
  path: Path,
  written: string,
  hint: string,
): string | undefined {
  const { parts, names, malformed } = parseReferences(written);
  const [name] = names;
  // What is no reference has its own problem.
  if (malformed.length > 0) return undefined;
  const variable = name === undefined ? variableOf(reading, written) : undefined;
  if (variable !== undefined) {
    reading.problem(path, "expected a reference to an environment variable", {
      hint: suggestion(`$${variable}`),
    });
    return undefined;
  }
  if (name === undefined || parts.length !== 1) {
    const message =
      name === undefined
        ? "a literal key is not allowed; expected a reference to an environment variable"
        : "expected exactly one reference";
    reading.problem(path, message, { hint });
    return undefined;
  }
  checkKeyValue(reading, path, name);
  return name;
}

/** How other programs refer to a variable: LiteLLM, VS Code, Windows, templates. */
const OTHER_REFERENCE =
  /^(?:os\.environ\/|env[:./]|%|\{\{\s*)?([A-Za-z_][A-Za-z0-9_]*)(?:%|\s*\}\})?$/;

/** The environment variable that is named without a dollar; undefined when the text may be a key. */
function variableOf({ environment }: Reading, written: string): string | undefined {
  const name = OTHER_REFERENCE.exec(written)?.[1];
  if (name === undefined || looksLikeSecret(name)) return undefined;
  const isUsual = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name) && name.length <= 60;
  return isUsual || environment[name] !== undefined ? name : undefined;
}

function isMissed(entry: object, { needsKey, headers }: Wanted): boolean {
  // An access_key of the wrong shape has a problem already.
  const wasGiven = Object.hasOwn(entry, "access_key");
  return needsKey && !wasGiven && !headers.some(({ name }) => namesCredential(name));
}

function refuseSameHeader(reading: Reading, path: Path, { auth, headers }: Wanted): void {
  if (!headers.some(({ name }) => name === auth.header)) return;
  const message = `access_key and the header ${auth.header} are the same credential; expected one of them`;
  reading.problem(path, message, { part: "key" });
}

function checkKeyValue(reading: Reading, path: Path, name: string): void {
  const value = reading.environment[name] ?? "";
  if (value === "" || /^[\x21-\x7e]+$/.test(value)) return;
  const message = `the value of ${name} contains white space, a line break or another invalid character`;
  reading.problem(path, message, { hint: `set ${name} to the key alone` });
}
