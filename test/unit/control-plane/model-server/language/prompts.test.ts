// Prompts in other languages: a value that is found is right, what is not found is asked for, and no other target is chosen.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conversation, extraction, type Running, startServer, zeroshot } from "../running.ts";

const FOREIGN: [string, object][] = [
  ["Wie ist das Wetter in München für 3 Tage?", { city: "München", days: 3 }],
  ["Wetter in Berlin, 3 Tage", { city: "Berlin", days: 3 }],
  ["Quel temps fera-t-il à Paris pendant 3 jours ?", { city: "Paris", days: 3 }],
  ["¿Qué tiempo hará en Madrid en 3 días?", { city: "Madrid", days: 3 }],
  ["Che tempo fa a Roma domani?", { city: "Roma" }],
  ["Como está o tempo em Lisboa amanhã?", { city: "Lisboa" }],
  ["Wat is het weer in Amsterdam?", { city: "Amsterdam" }],
  ["Hur blir vädret i Stockholm imorgon?", { city: "Stockholm" }],
  ["Jaka jest pogoda w Warszawa?", { city: "Warszawa" }],
  ["Millainen sää on Helsinki?", { city: "Helsinki" }],
];

let server: Running;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
const WEATHER = { decision: "target", target: "get_current_weather" };

describe("a prompt in another language", () => {
  it.each(FOREIGN)(
    "a prompt in another language gives no wrong value: %s",
    async (text, values) => {
      const found = await extraction(server, conversation(text), WEATHER);
      expect(values).toMatchObject(found.values ?? found.known ?? {});
    },
  );

  it.each(FOREIGN.slice(0, 4))(
    "a prompt in another language gives its values in the trained languages: %s",
    async (text, values) => {
      const found = await extraction(server, conversation(text), WEATHER);
      expect(found.values).toEqual(values);
    },
  );

  it.each(FOREIGN)(
    "a prompt in another language is not led to another target: %s",
    async (text) => {
      const { decision, predicted_class: target } = await zeroshot(server, conversation(text));
      expect(decision === "none" || target === "get_current_weather").toBe(true);
    },
  );
});

it("an answer to a question belongs to no language", async () => {
  const first = "Wie wird das Wetter?";
  const asked = (await extraction(server, conversation(first), WEATHER)).content ?? "";
  const days = conversation(first, asked, "München", "I still need the number of days.", "3");
  const found = await extraction(server, days, WEATHER);
  expect(found.values).toMatchObject({ city: "München", days: 3 });
});
