// Checks a value against the schema: every schemaIssue becomes a problem, and what fits is left for the later checks.
import type { z } from "zod";
import { isRecord } from "../../model/is-record.ts";
import type { Path } from "../report/problem.ts";
import { correctDuration } from "./quantity.ts";
import type { Reading } from "./reading.ts";
import { configurationSchema } from "./schema.ts";
import type { Substitution } from "./substitute.ts";
import { plainMeaning } from "./substitute.ts";
import { suggest, suggestion } from "../report/suggest.ts";
import { knownKeysHint, unknownKeyHint } from "./diagnostics/unknown-key.ts";

type Issue = z.core.$ZodIssue;

interface SchemaIssue {
  path: Path;
  /** What was expected there, as the end of a sentence. */
  expected: string;
  issue: Issue;
}

export function checkShape(
  reading: Reading,
  { value, namesAt, malformed }: Substitution,
): Record<string, unknown> {
  const copy: unknown = structuredClone(value ?? {});
  let schemaIssues = schemaIssuesOf(copy);
  const retyped = schemaIssues.filter(({ path }) => {
    const found = valueAt(copy, path);
    if (typeof found !== "string" || namesAt(path) === undefined || reading.document.isQuoted(path))
      return false;
    setAt(copy, path, plainMeaning(found));
    return true;
  });
  if (retyped.length > 0) schemaIssues = schemaIssuesOf(copy);
  const broken = new Set(malformed.map(({ path }) => JSON.stringify(path)));
  for (const schemaIssue of schemaIssues) {
    // A reference that is none has its own problem.
    if (!broken.has(JSON.stringify(schemaIssue.path)))
      reportSchemaIssue(reading, copy, schemaIssue);
  }
  // After all are reported: each report reads the value.
  for (const schemaIssue of schemaIssues) prune(copy, schemaIssue);
  return isRecord(copy) ? copy : {};
}

function schemaIssuesOf(value: unknown): SchemaIssue[] {
  const result = configurationSchema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => flatten(issue, []));
}

/** Replaces the issue of a union by those of the branch that the value was meant for, if there is exactly one. */
function flatten(issue: Issue, above: Path): SchemaIssue[] {
  const path = [...above, ...(issue.path as (string | number)[])];
  if (issue.code === "invalid_union") {
    const meant = issue.errors.filter((branch) =>
      branch.every((inner) => inner.path.length > 0 || inner.code === "unrecognized_keys"),
    );
    const [only] = meant;
    if (meant.length === 1 && only !== undefined) {
      return only.flatMap((inner) => flatten(inner, path));
    }
  }
  return [{ path, expected: issue.message, issue }];
}

function reportSchemaIssue(
  reading: Reading,
  value: unknown,
  { path, expected, issue }: SchemaIssue,
): void {
  if (issue.code === "unrecognized_keys") {
    reportUnknownKeys(reading, path, issue.keys);
    return;
  }
  const found = valueAt(value, path);
  if (found === undefined) {
    const parent = path.slice(0, -1);
    const key = String(path.at(-1) ?? "the file");
    reading.problem(parent, `${key} is missing; expected ${expected}`);
    return;
  }
  if (found === null) {
    reading.problem(path, `has no value; expected ${expected}`, { part: "key" });
    return;
  }
  reading.problem(path, `expected ${expected}, not ${reading.show(path, found)}`, {
    hint: reading.isShowable(path, found)
      ? (entryHint(path, found) ?? schemaIssueHint(found, issue))
      : schemaIssueHint(undefined, issue),
  });
}

function reportUnknownKeys(reading: Reading, path: Path, keys: readonly string[]): void {
  let listing = knownKeysHint(path);
  for (const key of keys) {
    const better = unknownKeyHint(path, key);
    reading.problem([...path, key], "unknown key", { part: "key", hint: better ?? listing });
    // Said once for each mapping.
    if (better === undefined) listing = undefined;
  }
}

/** Returns the hint for a list of names; each model needs a separate entry. */
function entryHint(path: Path, found: unknown): string | undefined {
  const isEntry = path.length === 2 && PROVIDER_LISTS.has(path[0] ?? "");
  const isModel = typeof found === "string" && /^[\w.-]+\/[\w./:-]+$/.test(found);
  return isEntry && isModel ? `write - model: ${found}` : undefined;
}

const PROVIDER_LISTS: ReadonlySet<string | number> = new Set(["llm_providers", "model_providers"]);

/** How the phrases of a duration and of an amount of money begin. */
const DURATION = "a duration";
const MONEY = "an amount";

/** `found` is undefined where a hint must not repeat it. */
function schemaIssueHint(found: unknown, issue: Issue): string | undefined {
  if (issue.message === "v0.1.0") return "write v0.1.0";
  if (issue.code === "invalid_value" && typeof found === "string") {
    return suggestion(suggest(found, issue.values.map(String)));
  }
  if (issue.code !== "invalid_type") {
    if (typeof found !== "string" || !issue.message.startsWith(DURATION)) return undefined;
    if (/^\d+$/.test(found)) return `give a unit: ${found}s, ${found}ms or ${found}m`;
    const correct = correctDuration(found);
    return correct === undefined || correct === found ? undefined : `write ${correct}`;
  }
  if (typeof found === "string" && issue.expected !== "string") {
    if (/^\d+$/.test(found) && issue.expected !== "boolean") return `write ${found} without quotes`;
    if (issue.expected === "boolean" && /^(?:true|yes|on|false|no|off)$/i.test(found)) {
      return `write ${/^(?:true|yes|on)$/i.test(found) ? "true" : "false"}, without quotes`;
    }
  }
  if (typeof found === "number" && issue.expected === "string") {
    if (issue.message.startsWith(MONEY)) return `write ${found} USD`;
    return issue.message.startsWith(DURATION)
      ? `give a unit: ${found}s, ${found}ms or ${found}m`
      : `put it in quotes: "${found}"`;
  }
  return undefined;
}

function prune(value: unknown, { path, issue }: SchemaIssue): void {
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys) setAt(value, [...path, key], undefined);
  } else if (path.length > 0) {
    setAt(value, path, undefined);
  }
}

/** What stands at `path` in plain data; undefined when there is nothing. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const part of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part))
      return undefined;
    found = (found as Record<string | number, unknown>)[part];
  }
  return found;
}

function setAt(value: unknown, path: Path, to: unknown): void {
  const parent = valueAt(value, path.slice(0, -1));
  const last = path.at(-1);
  if (typeof parent === "object" && parent !== null && last !== undefined) {
    if (Object.hasOwn(parent, last)) (parent as Record<string | number, unknown>)[last] = to;
  }
}
