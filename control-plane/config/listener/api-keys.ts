// `listeners.<name>.api_keys`: references to the keys of which a client has to send one.
import { MAX_API_KEY } from "../../../contract/words.ts";
import { readKeyReference } from "../provider/access-key.ts";
import type { Path } from "../diagnostics/problem.ts";
import type { Environment } from "../environment.ts";
import type { Reading } from "../reading.ts";
import { parseReferences } from "../reference.ts";

const HINT =
  "write api_keys: [$TEAM_KEY], and put the key in the environment or in .env as TEAM_KEY=…";
/** Shorter keys can be tried out. */
const SHORT_KEY = 16;

interface Listener {
  api_keys?: readonly (string | undefined)[] | undefined;
}
type Listeners = Readonly<Record<string, Listener | undefined>> | readonly (Listener | undefined)[];

/** Names of environment variables; undefined where anybody may use the listener. */
export function readApiKeys(
  reading: Reading,
  path: Path,
  written: readonly (string | undefined)[] | undefined,
): string[] | undefined {
  if (written === undefined) return undefined;
  const at = [...path, "api_keys"];
  if (written.length === 0) {
    reading.problem(at, "the list is empty, so no client would be accepted", {
      part: "key",
      hint: `${HINT}; or remove api_keys to accept all clients`,
    });
  }
  const found = new Set<string>();
  written.forEach((reference, index) => {
    if (reference === undefined) return;
    const place = [...at, index];
    const name = readKeyReference(reading, place, reference, HINT);
    if (name === undefined) return;
    if (found.has(name)) reading.problem(place, `${name} is in the list twice`);
    checkLength(reading, place, name);
    found.add(name);
  });
  return [...found];
}

function checkLength(reading: Reading, path: Path, name: string): void {
  const { length } = reading.environment[name] ?? "";
  if (length > MAX_API_KEY) {
    const message = `the value of ${name} has ${length} characters; the maximum is ${MAX_API_KEY}`;
    reading.problem(path, message, { hint: "generate a key: openssl rand -hex 32" });
  } else if (length > 0 && length < SHORT_KEY) {
    const message = `the value of ${name} is short and can be guessed`;
    reading.warning(path, message, { hint: "generate a longer key: openssl rand -hex 32" });
  }
}

/** A client that holds a provider's key needs no gateway: no key of a provider may be one of a listener. */
export function refuseSharedKeys(
  reading: Reading,
  listeners: Listeners | undefined,
  providerKeys: ReadonlySet<string>,
): void {
  for (const [key, settings] of Object.entries(listeners ?? {})) {
    const index = Array.isArray(listeners) ? Number(key) : key;
    settings?.api_keys?.forEach((reference, at) => {
      const [name] = parseReferences(reference ?? "").names;
      const same =
        name === undefined ? undefined : sameKey(reading.environment, name, providerKeys);
      if (name === undefined || same === undefined) return;
      const what = same === name ? "is a provider's key too" : `is the same key as ${same}`;
      reading.problem(["listeners", index, "api_keys", at], `${name} ${what}`, {
        hint: "generate a separate key for clients: openssl rand -hex 32",
      });
    });
  }
}

/** The one of `names` that is `name`, or has its value. */
function sameKey(
  environment: Environment,
  name: string,
  names: ReadonlySet<string>,
): string | undefined {
  if (names.has(name)) return name;
  const value = environment[name] ?? "";
  return value === "" ? undefined : [...names].find((other) => environment[other] === value);
}
