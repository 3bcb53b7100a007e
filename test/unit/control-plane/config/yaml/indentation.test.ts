// Wrong indentation is explained as that: which key stands where, and which one it should line up with.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { wrongIndentation } from "../../../../../control-plane/config/yaml/indentation.ts";
import { loadConfiguration } from "../../../../../control-plane/config/load.ts";

const GOLDENS = `${import.meta.dirname}/../../../../config`;
const texts = readdirSync(GOLDENS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ name, text: readFileSync(`${GOLDENS}/${name}/config.yaml`, "utf8") }));
const isValid = (text: string): boolean =>
  parseDocument(text, { uniqueKeys: false, logLevel: "silent" }).errors.length === 0;
const valid = texts.filter(({ text }) => isValid(text));

it.each(valid)("valid YAML gives no problem: $name", ({ text }) => {
  expect(wrongIndentation(text)).toBeUndefined();
});

describe("a line that is moved by one space", () => {
  const moved = valid.flatMap(({ name, text }) => {
    const lines = text.split("\n");
    return lines.flatMap((line, index) => {
      if (!/^ +(?:- )?[\w"'-]+:/.test(line)) return [];
      return [line.slice(1), ` ${line}`].flatMap((other, side) => {
        const changed = lines.with(index, other).join("\n");
        const what = `${name}, line ${index + 1}, ${side === 0 ? "left" : "right"}`;
        return isValid(changed) ? [] : [{ what, changed, line: index + 1 }];
      });
    });
  });

  it("a line that is moved by one space is reported, or the first line that it leaves without its place", () => {
    expect(moved.length).toBeGreaterThan(500);
    const missed = moved.flatMap(({ what, changed, line }) => {
      const result = loadConfiguration({ file: "gateway.yaml", text: changed }, {});
      const problems = result.ok ? [] : result.problems;
      const [first] = problems;
      const isFound =
        problems.length === 1 &&
        first?.message.startsWith("wrong indentation: ") === true &&
        first.line >= line;
      return isFound ? [] : [`${what}: ${first?.line} ${first?.message}`];
    });
    expect(missed).toEqual([]);
  });
});
