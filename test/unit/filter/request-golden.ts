// Golden files of request translations: cases of a request, the target's limits, and what the provider gets.
import { readFileSync, writeFileSync } from "node:fs";
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
const golden = (name: string): string =>
  join(import.meta.dirname, `dialects/translate-request/${name}.golden`);

/** Returns the cases of a file. */
export function readCases(file: string): Case[] {
  const [, ...blocks] = readFileSync(golden(file), "utf8").split(/^= /m);
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

/** Rewrites the golden file from what the translation gives. */
function update(file: string, results: Map<string, string[]>): void {
  const [head = "", ...blocks] = readFileSync(golden(file), "utf8").split(/^= /m);
  const written = blocks.map((block) => {
    const [name = "", ...lines] = block.trimEnd().split("\n");
    const given = lines.filter((line) => /^[>@] /.test(line));
    return `= ${[name, ...given, ...(results.get(name) ?? [])].join("\n")}\n`;
  });
  writeFileSync(golden(file), head + written.join("\n"));
}

/** A test for each case of a file. `run`: translates its request. */
export function runGolden(file: string, run: (one: Case) => Translation): void {
  const cases = readCases(file);
  const results = new Map<string, string[]>();
  it.each(cases)("$name", (one) => {
    const result = run(one);
    results.set(one.name, resultLines(result));
    if (isUpdate) {
      if (results.size === cases.length) update(file, results);
      return;
    }
    expect(resultLines(result)).toEqual(one.expected);
  });
}
