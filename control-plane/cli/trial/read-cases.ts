// The cases of `gateway targets eval`: every mistake in the file at once, with line and column, before anything is measured.
import { isRecord } from "../../../model/is-record.ts";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type ConfigurationDocument, readDocument } from "../../config/yaml/yaml-document.ts";
import { type Path, pathText, type Problem, sortProblems } from "../../report/problem.ts";
import { suggest, suggestion } from "../../report/suggest.ts";
import { ConfigurationProblems } from "../../config/diagnostics/configuration-problems.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import type { PromptTarget } from "../../../model/prompts.ts";
import { type Case, NONE, REFUSED } from "./score.ts";

const KEYS = ["prompt", "target", "parameters"];
const EXAMPLE =
  "for example - {prompt: How warm is it in Oslo?, target: weather, parameters: {city: Oslo}}";

/** Throws ConfigurationProblems with every mistake, or a GatewayError (exit 2) when the file cannot be read. */
export function readCases(file: string, targets: readonly PromptTarget[]): Case[] {
  const document = readDocument({ file, text: readText(file) });
  const problems = [...document.problems];
  const cases = document.isDamaged ? [] : new CasesReader(document, targets, problems).read();
  if (problems.length === 0) return cases;
  const named = { name: file, path: resolve(file), isBuiltIn: false };
  throw new ConfigurationProblems(named, sortProblems(problems));
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a directory" : code;
    throw new GatewayError(`${file} cannot be read: ${reason ?? String(error)}.`, { exitCode: 2 });
  }
}

class CasesReader {
  readonly #document: ConfigurationDocument;
  readonly #targets: readonly PromptTarget[];
  readonly #problems: Problem[];

  constructor(
    document: ConfigurationDocument,
    targets: readonly PromptTarget[],
    problems: Problem[],
  ) {
    this.#document = document;
    this.#targets = targets;
    this.#problems = problems;
  }

  read(): Case[] {
    const { value } = this.#document;
    if (!Array.isArray(value) || value.length === 0) {
      const found = value === undefined || Array.isArray(value) ? "nothing" : "something else";
      this.#problem([], `expected a list of cases, and there is ${found}`, EXAMPLE);
      return [];
    }
    return value.map((entry: unknown, index) => this.#case([index], entry));
  }

  #case(path: Path, entry: unknown): Case {
    if (!isRecord(entry)) {
      this.#problem(path, "expected a case", EXAMPLE);
      return { prompt: "", target: NONE };
    }
    for (const key of Object.keys(entry)) {
      if (KEYS.includes(key)) continue;
      const expected = `a case has ${KEYS.join(", ")}`;
      const hint = suggestion(suggest(key, KEYS)) ?? expected;
      this.#problem([...path, key], "unknown key", hint, "key");
    }
    const target = this.#target(path, entry);
    const parameters = this.#parameters(path, entry["parameters"], target);
    const prompt = this.#text(path, entry, "prompt");
    return { prompt, target: target ?? NONE, ...(parameters === undefined ? {} : { parameters }) };
  }

  #target(path: Path, entry: Record<string, unknown>): string | undefined {
    // YAML reads `target: null` and an empty one as nothing: what was meant is a word.
    const name = this.#text(path, entry, "target");
    const known = [...this.#targets.map((target) => target.name), NONE, REFUSED];
    if (name === "" || known.includes(name)) return name === "" ? undefined : name;
    const hint = suggestion(suggest(name, known)) ?? `expected one of ${known.join(", ")}`;
    this.#problem([...path, "target"], `no prompt target is called ${JSON.stringify(name)}`, hint);
    return undefined;
  }

  #parameters(
    path: Path,
    found: unknown,
    name: string | undefined,
  ): Record<string, unknown> | undefined {
    if (found === undefined) return undefined;
    const at = [...path, "parameters"];
    if (!isRecord(found)) {
      this.#problem(at, "expected a mapping of names to values");
      return undefined;
    }
    const target = this.#targets.find((one) => one.name === name);
    const known = target?.parameters.map((parameter) => parameter.name) ?? [];
    for (const parameter of Object.keys(found)) {
      if (name === undefined || known.includes(parameter)) continue;
      const hint = suggestion(suggest(parameter, known));
      this.#problem([...at, parameter], `${name} has no such parameter`, hint, "key");
    }
    return found;
  }

  #text(path: Path, entry: Record<string, unknown>, key: string): string {
    const found = entry[key];
    if (typeof found === "string" && found.trim() !== "") return found;
    if (typeof found === "number") return String(found);
    const message = found === undefined ? `${key} is missing` : `expected a text`;
    this.#problem(found === undefined ? path : [...path, key], message);
    return "";
  }

  #problem(path: Path, message: string, hint?: string, part: "key" | "value" = "value"): void {
    this.#problems.push({
      file: this.#document.file,
      ...this.#document.place(path, part),
      path: pathText(path),
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}
