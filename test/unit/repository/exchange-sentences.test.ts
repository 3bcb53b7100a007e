// Every exchange case begins with a sentence that says what it shows.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const EXCHANGES = join(import.meta.dirname, "../../exchanges");

it("each exchange case begins with a different sentence", () => {
  const cases = globSync("*/*.http", { cwd: EXCHANGES });
  const sentences = cases.map((name) => {
    const [sentence = ""] = readFileSync(join(EXCHANGES, name), "utf8").split("\n");
    return { name, sentence };
  });
  expect(cases.length).toBeGreaterThan(500);
  const isSentence = /^# (?:[A-Z]|xAI ).{20,130}\.$/;
  expect(sentences.filter(({ sentence }) => !isSentence.test(sentence))).toEqual([]);
  const texts = new Set(sentences.map(({ sentence }) => sentence));
  expect(sentences.filter(({ sentence }) => !texts.delete(sentence))).toEqual([]);
});
