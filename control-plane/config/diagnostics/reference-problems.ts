// Problems of `$NAME` references: variables that are not set, and keys that would be written to envoy.yaml.
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";
import { nameWithDefault, referenceTo } from "../reference.ts";
import { isSecretPlace, looksLikeSecret, namesCredential } from "../../report/secrets.ts";
import { valueAt } from "../shape.ts";
import type { Substitution } from "../substitute.ts";

/** `TLS_KEY_FILE` is where a key is, and not the key. */
const NAMES_PLACE = /_(?:FILE|PATH|DIR|DIRECTORY)$/i;

export function reportReferences(reading: Reading, { unset, malformed }: Substitution): void {
  for (const { path, name } of unset) {
    const state = reading.environment[name] === undefined ? "is not set" : "is empty";
    if (isShowable(path, name)) {
      reading.problem(path, `the environment variable ${name} ${state}`, {
        at: referenceTo(name),
        hint: `set ${name} in the environment or in .env`,
      });
    } else {
      reading.problem(
        path,
        `this is read as a reference to an environment variable that ${state}`,
        {
          at: referenceTo(name),
          hint: "write a literal dollar as $$",
        },
      );
    }
  }
  for (const { path, written } of malformed) {
    const name = nameWithDefault(written);
    if (name === undefined) {
      reading.problem(path, "this `${` begins no reference; expected ${NAME}", {
        at: /\$\{/,
        hint: "write a literal dollar as $$",
      });
      continue;
    }
    const shown = isShowable(path, name) ? name : "NAME";
    reading.problem(path, "defaults like ${NAME:-x} are not supported", {
      at: /\$\{/,
      hint: `write \${${shown}}, and set the variable in the environment or in .env`,
    });
  }
}

/** What follows a dollar where secrets stand can be a piece of a pasted key. */
function isShowable(path: Path, name: string): boolean {
  if (looksLikeSecret(name)) return false;
  return !isSecretPlace(path) || /^[A-Z_][A-Z0-9_]{0,60}$/.test(name);
}

/**
 * Substituted values are written to envoy.yaml, so no key may be among them: no variable that an
 * `access_key` refers to, and none whose name indicates a credential.
 */
export function refuseKeysElsewhere(
  reading: Reading,
  { substituted }: Substitution,
  draft: unknown,
  keys: ReadonlySet<string>,
): void {
  for (const { path, names } of substituted) {
    if (valueAt(draft, path) === undefined) continue;
    for (const name of names) {
      if (!keys.has(name) && (!namesCredential(name) || NAMES_PLACE.test(name))) continue;
      reading.problem(path, `${name} is a credential, and this value is written to files`, {
        at: referenceTo(name),
        hint: "use such references only in access_key and in headers of a provider",
      });
    }
  }
}
