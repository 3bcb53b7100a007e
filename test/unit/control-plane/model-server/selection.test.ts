// Which target a conversation is meant for: scores, thresholds, and dialogues about parameters that only the messages hold.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  dialogueOf,
  readsAsAnswer,
} from "../../../../control-plane/model-server/read-conversation.ts";
import { questionFor } from "../../../../control-plane/model-server/question.ts";
import { select } from "../../../../control-plane/model-server/selection.ts";
import { conversation, type Running, startServer, zeroshot } from "./running.ts";

let server: Running;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const ASKED = questionFor([
  { name: "city", description: "The city." },
  { name: "days", description: "Number of days" },
]);

describe("one turn", () => {
  it.each([
    ["What is the weather in Seattle?", "get_current_weather"],
    ["will it rain in Lyon tomorrow", "get_current_weather"],
    ["convert 20 dollars to euros", "convert_currency"],
    ["please reboot device 7", "reboot_device"],
    ["where is my parcel?", "order_status"],
  ])("a prompt is meant for a target: %s", async (text, target) => {
    const chosen = await zeroshot(server, conversation(text));
    expect(chosen).toMatchObject({ predicted_class: target, decision: "target" });
    expect(chosen.candidates[0]).toBe(target);
    expect(chosen.scores[target]).toBe(chosen.predicted_class_score);
  });

  it.each(["write a poem about autumn", "hello", "what is the capital of Peru?", "", "\0"])(
    "a prompt is meant for none: %j",
    async (text) => {
      const chosen = await zeroshot(server, conversation(text));
      expect(chosen).toMatchObject({ decision: "none", candidates: [] });
    },
  );

  it.each([
    "How does a forecast work?",
    "Which countries use the euro?",
    "Who invented the router?",
    "How long does a delivery usually take in Japan?",
  ])("a prompt about a target's topic is meant for none: %s", async (text) => {
    expect((await zeroshot(server, conversation(text))).decision).toBe("none");
  });
});

describe("a correction of the last call", () => {
  const WEATHER = ["What is the weather in Berlin for 3 days?", "Rain, then sun."];
  it.each(["and in Hamburg?", "what about Rome?", "Rome?", "for 5 days", "no, in Paris"])(
    "a correction of the last call keeps its target: %s",
    async (text) => {
      expect(await zeroshot(server, conversation(...WEATHER, text))).toMatchObject({
        predicted_class: "get_current_weather",
        decision: "target",
      });
    },
  );

  it.each(["thanks", "and now tell me a joke", "why?", "and who are you?", "no"])(
    "a prompt after a call is no correction: %s",
    async (text) => {
      expect((await zeroshot(server, conversation(...WEATHER, text))).decision).toBe("none");
    },
  );

  it("a request for another target ends the corrections of the last call", async () => {
    const found = await zeroshot(server, conversation(...WEATHER, "please reboot device 12"));
    expect(found).toMatchObject({ predicted_class: "reboot_device", decision: "target" });
  });

  it("a correction is of the last of several calls", async () => {
    const first = ["convert 20 dollars to euros", "18 euros."];
    expect(
      await zeroshot(server, conversation(...first, ...WEATHER, "and in Hamburg?")),
    ).toMatchObject({ predicted_class: "get_current_weather" });
  });
});

describe("thresholds", () => {
  const request = {
    input: "a",
    labels: [{ name: "x", description: "", examples: [] }],
    parameters: {},
    messages: conversation("a"),
  };
  it.each([
    [0.9, true, "target"],
    [0.79, true, "ask_model"],
    [0.31, true, "ask_model"],
    [0.29, true, "none"],
    [0.51, false, "target"],
    [0.49, false, "none"],
  ])("thresholds decide: score %f, language model %s: %s", async (score, asksModel, decision) => {
    const thresholds = { threshold: 0.5, certain: 0.8, possible: 0.3 };
    const chosen = await select(
      { score: () => Promise.resolve([score]), thresholds, asksModel },
      request,
    );
    expect(chosen.decision).toBe(decision);
  });
});

describe("a question for parameters", () => {
  it("a question for parameters makes a dialogue of the turns around it", () => {
    const messages = conversation("hi", "Hello.", "weather please", ASKED, "Seattle", ASKED, "5");
    expect(dialogueOf(messages)).toEqual({
      turns: ["weather please", "Seattle", "5"],
      questions: [ASKED, ASKED],
    });
    expect(dialogueOf(conversation("weather"))).toBeUndefined();
    expect(dialogueOf(conversation("a", "An answer.", "b"))).toBeUndefined();
  });

  it("the content of a question for parameters is read in parts", () => {
    const parts = (text: string) => [{ type: "text", text }, { type: "image_url" }];
    const messages = [
      { role: "user", content: parts("weather") },
      { role: "assistant", content: parts(ASKED) },
      { role: "user", content: parts("Seattle") },
    ];
    expect(dialogueOf(messages)?.turns).toEqual(["weather", "Seattle"]);
  });

  it.each(["Seattle", "5 days", "it's Seattle", "How about Rome?", "Rome?", "the second one"])(
    "a dialogue keeps its target: %s",
    async (text) => {
      const chosen = await zeroshot(server, conversation("weather forecast please", ASKED, text));
      expect(chosen).toMatchObject({
        predicted_class: "get_current_weather",
        decision: "target",
        candidates: ["get_current_weather"],
      });
    },
  );

  it.each([
    ["never mind, tell me a joke", "none"],
    ["What is the capital of Peru?", "none"],
    ["write a poem about autumn", "none"],
    ["convert 250 dollars to euros", "convert_currency"],
    ["please reboot device 12", "reboot_device"],
  ])("a change of topic leaves the dialogue: %s", async (text, expected) => {
    const chosen = await zeroshot(server, conversation("weather forecast please", ASKED, text));
    expect(chosen.decision === "none" ? "none" : chosen.predicted_class).toBe(expected);
  });

  it("a question of a language model is a dialogue only where the turn before was meant for a target", async () => {
    const running = conversation("what is the weather like?", "For which city?", "Seattle");
    expect(await zeroshot(server, running)).toMatchObject({
      predicted_class: "get_current_weather",
      decision: "target",
    });
    const other = conversation("tell me a joke", "About what animal?", "elephants");
    expect((await zeroshot(server, other)).decision).toBe("none");
  });

  it("a wish does not answer a question for parameters", () => {
    expect(readsAsAnswer("")).toBe(false);
    expect(readsAsAnswer("word ".repeat(16))).toBe(false);
    expect(readsAsAnswer("Could you translate this")).toBe(false);
  });
});
