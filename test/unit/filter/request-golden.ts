// Golden files of request translations: cases of a request, the target's limits, and what the provider gets. `<name>.golden`,
// or a folder of that name with a file for each topic.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Options, Translation } from "./request-translator.ts";

export interface Case {
  name: string;
  request: string;
  options: Options;
  /** The lines that the translation is compared with. */
  expected: string[];
}

const isUpdate = process.env["UPDATE_GOLDEN"] === "1";
const FOLDER = join(import.meta.dirname, "dialects/translate-request");

const filesOf = (name: string): string[] =>
  globSync([`${name}.golden`, `${name}/*.golden`], { cwd: FOLDER }).sort();

const readGolden = (file: string): string => readFileSync(join(FOLDER, file), "utf8");

/** Returns the cases of a name. */
export function readCases(name: string): Case[] {
  const files = filesOf(name);
  if (files.length === 0) throw new Error(`there is no ${name}.golden in ${FOLDER}`);
  const blocks = files.flatMap((file) => readGolden(file).split(/^= /m).slice(1));
  return blocks.map((block) => {
    const [name = "", ...lines] = block.trimEnd().split("\n");
    const behind = (mark: string): string =>
      lines.find((line) => line.startsWith(`${mark} `))?.slice(2) ?? "";
    return {
      name,
      request: behind(">"),
      options: JSON.parse(behind("@") || "{}") as Options,
      expected: lines.filter((line) => /^[<!-] /.test(line)),
    };
  });
}

function resultLines({ body, fault, dropped }: Translation): string[] {
  if (fault !== undefined) return [`! ${fault.status} ${fault.member}: ${fault.message}`];
  return [`< ${body}`, ...(dropped.length > 0 ? [`- ${dropped.join(", ")}`] : [])];
}

/** Rewrites a golden file from what the translation gives. */
function update(file: string, results: Map<string, string[]>): void {
  const [head = "", ...blocks] = readGolden(file).split(/^= /m);
  const written = blocks.map((block) => {
    const [name = "", ...lines] = block.trimEnd().split("\n");
    const given = lines.filter((line) => /^[>@] /.test(line));
    return `= ${[name, ...given, ...(results.get(name) ?? [])].join("\n")}\n`;
  });
  writeFileSync(join(FOLDER, file), head + written.join("\n"));
}

/** A test for each case of a name. `run`: translates its request. */
export function runGolden(name: string, run: (one: Case) => Translation): void {
  const cases = readCases(name);
  const results = new Map<string, string[]>();
  it.each(cases)("$name", (one) => {
    const result = run(one);
    results.set(one.name, resultLines(result));
    if (isUpdate) {
      if (results.size === cases.length) for (const file of filesOf(name)) update(file, results);
      return;
    }
    expect(resultLines(result)).toEqual(one.expected);
  });
}
