// Puts the environment's values in place of `$NAME` references; in secret places the references stay as they are.
import { isRecord } from "../../model/is-record.ts";
import type { ConfigurationDocument } from "./yaml/yaml-document.ts";
import type { Path } from "../report/problem.ts";
import type { Environment } from "../report/environment.ts";
import { parseReferences } from "./reference.ts";
import { isSecretPlace } from "../report/secrets.ts";

export interface Substitution {
  value: unknown;
  /** Texts that hold a substituted value. */
  substituted: { path: Path; names: string[] }[];
  /** Names of the variables whose values stand at `path`; undefined where nothing was substituted. */
  namesAt: (path: Path) => readonly string[] | undefined;
  /** References to variables that are not set, or empty: one for each name and value. */
  unset: { path: Path; name: string }[];
  malformed: { path: Path; written: string }[];
}

export function substitute(
  document: ConfigurationDocument,
  environment: Environment,
): Substitution {
  const substituted: Substitution["substituted"] = [];
  const unset: Substitution["unset"] = [];
  const malformed: Substitution["malformed"] = [];
  const names = new Map<string, readonly string[]>();

  const replace = (text: string, path: Path): string => {
    const reference = parseReferences(text);
    for (const written of reference.malformed) malformed.push({ path, written });
    for (const name of reference.names) {
      if ((environment[name] ?? "") === "") unset.push({ path, name });
    }
    if (isSecretPlace(path)) return text;
    if (reference.names.length > 0) {
      substituted.push({ path, names: reference.names });
      names.set(JSON.stringify(path), reference.names);
    }
    return reference.parts
      .map((part) => ("text" in part ? part.text : (environment[part.environment] ?? "")))
      .join("");
  };
  const walk = (value: unknown, path: Path): unknown => {
    if (typeof value === "string") return replace(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]),
    );
  };
  return {
    value: walk(document.value, []),
    substituted,
    namesAt: (path) => names.get(JSON.stringify(path)),
    unset,
    malformed,
  };
}

/** `port: $PORT` means a number: what an unquoted text would have been, had it stood in the file. */
export function plainMeaning(text: string): unknown {
  const trimmed = text.trim();
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(trimmed)) return Number(trimmed);
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  return text;
}
