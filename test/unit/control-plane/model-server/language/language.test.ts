// Prompts in seven languages over the whole path: the target that is chosen, and the values that are found. The rates are
// minimums; docs/model-server.md has those of the last measurement.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  glossOf,
  languageOf,
} from "../../../../../control-plane/model-server/language/language.ts";
import { LANGUAGE_CASES, measure, UNSEEN_CASES } from "../languages.ts";
import { type Running, startServer } from "../running.ts";

const NAMES = [...new Set(LANGUAGE_CASES.cases.map(({ language }) => language))];

describe.each([
  // Minimum shares of the prompts that select their target, and of the values.
  ["known", LANGUAGE_CASES, { chosen: 0.9, found: 0.9 }],
  ["unseen", UNSEEN_CASES, { chosen: 0.25, found: 0.6 }],
] as const)("%s cases", (_, set, least) => {
  let server: Running;
  beforeAll(async () => {
    server = await startServer({ targets: set.targets, guard: undefined });
  });
  afterAll(() => server.close());

  it.each(NAMES)("prompts of %s select their targets with their values", async (language) => {
    const rates = await measure(server, set, language);
    const problems = rates.problems.join("\n");
    expect(rates.chosen / rates.prompts, problems).toBeGreaterThanOrEqual(least.chosen);
    expect(rates.found / rates.stated, problems).toBeGreaterThanOrEqual(least.found);
    expect([rates.wrong, rates.fires], problems).toEqual([0, 0]);
  });
});

describe("a language", () => {
  it.each(LANGUAGE_CASES.cases.map(({ language, prompt }) => [language, prompt]))(
    "%s is recognised: %s",
    (language, prompt) => {
      expect(languageOf(prompt) ?? "en").toBe(language);
    },
  );

  it.each([
    "weather paris",
    "convert 50 USD to EUR",
    "hotel restaurant taxi",
    "",
    "7",
    "東京の天気",
  ])("a language is not mistaken for another: %s", (prompt) => {
    expect(languageOf(prompt)).toBeUndefined();
  });
});

describe("a gloss", () => {
  it("a gloss is the text in English words, in which codes and names stay", () => {
    expect(glossOf("Wann wird die Bestellung A-7781 nach Köln geliefert?")?.text).toBe(
      "when will be the order A-7781 to Köln delivered?",
    );
  });

  it("a gloss has the spans of the original", () => {
    const text = "Quanto custa a encomenda para São Paulo amanhã?";
    const gloss = glossOf(text);
    const spans = ["order", "São Paulo", "Paulo", "tomorrow"].map((words) => {
      const start = gloss?.text.indexOf(words) ?? -1;
      const span = gloss?.original({ start, end: start + words.length });
      return text.slice(span?.start, span?.end);
    });
    expect(spans).toEqual(["encomenda", "São Paulo", "Paulo", "amanhã"]);
  });
});
