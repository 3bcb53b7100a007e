// A problem of the user's configuration with its place, as `validate` and `up` print it.
import { looksLikeSecret } from "./secrets.ts";

/** Keys and list indices from the top of the document: `["llm_providers", 0, "model"]`. */
export type Path = readonly (string | number)[];

export interface Problem {
  /** As the user named it. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units as editors count. */
  column: number;
  /** For example `llm_providers[0].model`; empty for the document itself. */
  path: string;
  /** What is wrong and what was expected. Never holds a secret. */
  message: string;
  /** What to write instead. */
  hint?: string;
}

/** `["llm_providers", 0, "model"]` → `llm_providers[0].model`. A key that looks like a secret is not repeated. */
export function pathText(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "string" && looksLikeSecret(part)) text += "[(not shown)]";
    else if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** One or two lines: `gateway.yaml:12:5: llm_providers[0].model: …`, and the hint indented below. */
export function formatProblem(problem: Problem): string {
  return paintProblem(problem, (place) => place);
}

/** As `formatProblem`, for a terminal. @param paint colours the place */
export function paintProblem(problem: Problem, paint: (place: string) => string): string {
  const place = paint(`${problem.file}:${problem.line}:${problem.column}`);
  const subject = problem.path === "" ? "" : `${problem.path}: `;
  const hint = problem.hint === undefined ? "" : `\n    ${problem.hint}`;
  return `${place}: ${subject}${problem.message}${hint}`;
}

/** In the order of the file, without the same sentence twice at one place. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const unique = new Map<string, Problem>();
  for (const problem of problems) {
    const key = JSON.stringify([problem.line, problem.column, problem.path, problem.message]);
    if (!unique.has(key)) unique.set(key, problem);
  }
  return [...unique.values()].sort(
    (one, other) => one.line - other.line || one.column - other.column,
  );
}
