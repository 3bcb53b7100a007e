// What the checks of one load share: the document, the part that fits the schema, and where problems are reported.
import type { Environment } from "../report/environment.ts";
import type { ConfigurationDocument } from "./yaml/yaml-document.ts";
import { pathText } from "../report/problem.ts";
import type { Path, Problem } from "../report/problem.ts";
import type { Substitution } from "./substitute.ts";
import { isSecretPlace, looksLikeSecret, withoutSecrets } from "../report/secrets.ts";

export interface DiagnosticOptions {
  hint?: string | undefined;
  /** Point at the key instead of the value. */
  part?: "key" | "value";
  /** Point at what this matches inside the value. */
  at?: RegExp;
}

/** What a configuration names outside of itself. */
export interface Machine {
  /** Of the configuration file: where its relative paths begin. */
  directory: string;
  /** Throws as `readFileSync`. */
  readFile: (path: string) => string;
  now: Date;
  /** What `gateway models --refresh` has fetched: from the URL `from`, which is empty for the public catalogues. */
  refreshedFacts?: { from: string; text: string };
  /** Where a listener without `address` listens. Default: this machine only. */
  defaultAddress?: string;
}

export interface Reading {
  document: ConfigurationDocument;
  environment: Environment;
  /** Absent: files that the configuration names are not looked at. */
  machine: Machine | undefined;
  problems: Problem[];
  warnings: Problem[];
  /** Names of entries with a problem: references to them get no second problem. */
  invalidNames: Set<string>;
  /** Returns the value for a message: quoted and short; never a secret or an environment value. */
  show(path: Path, value: unknown): string;
  /** Whether a message may repeat the value: neither a secret nor the environment's. */
  isShowable(path: Path, value: unknown): boolean;
  problem(path: Path, message: string, more?: DiagnosticOptions): void;
  warning(path: Path, message: string, more?: DiagnosticOptions): void;
}

export function startReading(
  document: ConfigurationDocument,
  environment: Environment,
  namesAt: Substitution["namesAt"],
  machine?: Machine,
): Reading {
  const problems: Problem[] = [...document.problems];
  const warnings: Problem[] = [];
  const add = (to: Problem[], path: Path, message: string, more: DiagnosticOptions = {}): void => {
    const place =
      more.at === undefined ? document.place(path, more.part) : document.placeOf(path, more.at);
    const hint = more.hint === undefined ? {} : { hint: withoutSecrets(more.hint) };
    // Names and hints repeat words of the file; this is the one gate that all of them pass.
    const safe = withoutSecrets(message);
    const shown = pathText(document.written(path));
    to.push({ file: document.file, ...place, path: shown, message: safe, ...hint });
  };
  return {
    document,
    environment,
    machine,
    problems,
    warnings,
    invalidNames: new Set(),
    isShowable: (path, value) =>
      namesAt(path) === undefined &&
      !isSecretPlace(path) &&
      !(typeof value === "string" && looksLikeSecret(value)),
    show: (path, value) => {
      const names = namesAt(path);
      return names === undefined ? show(path, value) : `the value of $${names.join(" and $")}`;
    },
    problem: (path, message, more) => {
      const quote = typographicQuote(document.value, path);
      const hint = `${quote ?? ""} is a typographic quote, which is a part of the text: write " in its place`;
      add(problems, path, message, quote === undefined ? more : { ...more, hint });
    },
    warning: (path, message, more) => {
      add(warnings, path, message, more);
    },
  };
}

/** Returns the quote at the beginning of a value or of its key, as word processors and chat programs write it. */
function typographicQuote(whole: unknown, path: Path): string | undefined {
  let value = whole;
  for (const key of path)
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return [path.at(-1), value]
    .map((word) => (typeof word === "string" ? /^[“”„‘’‚«»]/.exec(word)?.[0] : undefined))
    .find((quote) => quote !== undefined);
}

function show(path: Path, value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "an empty value";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (isSecretPlace(path)) return "this value";
  return showWord(typeof value === "string" ? value : (value as number | boolean));
}

/** A word of the file as a message may show it. */
export function showWord(word: string | number | boolean): string {
  if (typeof word !== "string") return String(word);
  if (looksLikeSecret(word)) return "a text that looks like a key (not shown)";
  return JSON.stringify(word.length > 60 ? `${word.slice(0, 57)}...` : word);
}
