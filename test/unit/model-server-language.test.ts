// What is English, and that nothing is guessed from what is not: the embedded extractor asks.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ownVocabulary,
  readsAsEnglish,
} from "../../control-plane/model-server/extraction/language.ts";
import {
  conversation,
  extraction,
  type Running,
  startServer,
  zeroshot,
} from "./model-server/running.ts";

const CITY = { name: "city", description: "The city.", required: true, type: "string" as const };
const DAYS = {
  name: "days",
  description: "Number of days",
  required: true,
  type: "integer" as const,
};
const OWN = ownVocabulary(
  ["get_current_weather", "Get the current weather or the forecast of a city"],
  [CITY, DAYS],
);

const FOREIGN = [
  "Wie ist das Wetter in München für 3 Tage?",
  "Wetter in Berlin morgen",
  "Quel temps fera-t-il à Paris demain ?",
  "¿Qué tiempo hará en Madrid en 3 días?",
  "Che tempo fa a Roma domani?",
  "Como está o tempo em Lisboa amanhã?",
  "Wat is het weer in Amsterdam?",
  "Hur blir vädret i Stockholm imorgon?",
  "Jaka jest pogoda w Krakowie?",
  "İstanbul'da hava nasıl?",
  "Millainen sää on Helsingissä?",
  "Milyen idő lesz Budapesten?",
  "Bagaimana cuaca di Jakarta?",
  "東京の天気は？",
  "Какая погода в Москве?",
  "ما هو الطقس في القاهرة؟",
  "दिल्ली का मौसम कैसा है?",
];

describe("a text", () => {
  it.each(FOREIGN)("in another language is known as such: %s", (text) => {
    expect(readsAsEnglish(text, OWN)).toBe(false);
  });

  it.each([
    "weather Seattle 3 days",
    "Weather in São Paulo",
    "What is the weather in 北京?",
    "how hot is it in Málaga tomorrow",
    "weather in Los Angeles",
    "weather for La Paz, days: 3",
    "Will it rain in Köln?",
  ])("in English is known as such, whatever names it has: %s", (text) => {
    expect(readsAsEnglish(text, OWN)).toBe(true);
  });

  it("in English is missed seldom", () => {
    const file = join(
      import.meta.dirname,
      "../../control-plane/model-server/training/ordinary.txt",
    );
    const texts = readFileSync(file, "utf8").trim().split("\n");
    const missed = texts.filter((text) => !readsAsEnglish(text, new Set()));
    expect(missed.length).toBeLessThan(texts.length / 20);
  });

  it("of unknown words is not English", () => {
    expect(["", "1234", "xyzzy plugh", "🌧?"].map((text) => readsAsEnglish(text, OWN))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("the embedded extractor", () => {
  let server: Running;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());
  const WEATHER = { decision: "target", target: "get_current_weather" };

  it.each(FOREIGN)("asks for a value instead of guessing it: %s", async (text) => {
    const found = await extraction(server, conversation(text), WEATHER);
    expect(found.values).toBeUndefined();
    expect(found.content).toMatch(/^I still need .*the city.* and the number of days\.$/);
  });

  it("takes the answers, which are of no language", async () => {
    const first = "Wie wird das Wetter in München für 3 Tage?";
    const asked = (await extraction(server, conversation(first), WEATHER)).content ?? "";
    const days = conversation(first, asked, "München", "I still need the number of days.", "3");
    const found = await extraction(server, days, WEATHER);
    expect(found.values).toMatchObject({ city: "München", days: 3 });
  });

  it.each(FOREIGN)("is not led to another target: %s", async (text) => {
    const { decision, predicted_class: target } = await zeroshot(server, conversation(text));
    expect(decision === "none" || target === "get_current_weather").toBe(true);
  });
});
