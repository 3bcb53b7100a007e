// Which steps a prompt takes, and what a step's response leads to, in the TypeScript host: each case ends at another step.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { loadCase } from "./case.ts";

const configuration = readFileSync(
  join(import.meta.dirname, "../config/prompt-targets/config.yaml"),
  "utf8",
);
const { filterConfig, environment, removed } = loadCase({ name: "prompt-steps", configuration });
const host = await FilterHost.load(
  await compileFilter(join(import.meta.dirname, "../../build/filter.wasm")),
  { filterConfig, environment },
);

/** Response of a callout by its path; a number is a status without a body. The APIs have other paths. */
type Responses = Record<string, object | string | number | undefined>;

const toolCall = (name: string, values: object) => ({
  choices: [
    { message: { tool_calls: [{ function: { name, arguments: JSON.stringify(values) } }] } },
  ],
});
const BOOKING = { guests: 2, date: "2026-11-22" };
const BOOKED: Responses = {
  "/guard": { jailbreak_verdict: false },
  "/embeddings": { data: [] },
  "/zeroshot": { decision: "target", predicted_class: "book_table" },
  "/v1/chat/completions": toolCall("book_table", BOOKING),
  "/hallucination": { missing: [] },
  "/tables": "booked",
  "/": "default API",
};
const STEPS = ["/guard", "/embeddings", "/zeroshot", "/v1/chat/completions", "/hallucination"];
const MODEL = "sent to the model";

function prompt(changes: Responses) {
  const responses = { ...BOOKED, ...changes };
  const body = Buffer.from(
    JSON.stringify({ model: "big", messages: [{ role: "user", content: "A table for two" }] }),
  );
  const { calls, response, sent, trap } = host.exchange({
    listener: "ingress",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["host", "localhost"]],
      body,
    },
    calls: ({ headers }) => {
      const response = responses[pathOf(headers)];
      if (response === undefined) return undefined;
      const status = typeof response === "number" ? response : 200;
      const text = typeof response === "object" ? JSON.stringify(response) : String(response);
      return {
        headers: [
          [":status", String(status)],
          ["x-gateway-details", "via_upstream"],
        ],
        body: Buffer.from(text),
      };
    },
    upstream: () => ({
      status: 200,
      headers: [["content-type", "application/json"]],
      chunks: [Buffer.from(JSON.stringify({ choices: [{ message: { content: MODEL } }] }))],
    }),
    removed,
  });
  const content = JSON.parse(Buffer.from(response.body).toString()) as {
    choices?: { message: { content: string } }[];
    error?: { message: string };
    metadata?: { prompt_target: { name: string } };
  };
  return {
    trap,
    steps: calls.map(({ headers }) => pathOf(headers)),
    status: response.status,
    text: content.choices?.[0]?.message.content ?? content.error?.message,
    target: content.metadata?.prompt_target.name,
    sent: sent.map((request) => Buffer.from(request.body).toString()),
  };
}

function pathOf(headers: readonly (readonly [string, string])[]): string {
  return headers.find(([name]) => name === ":path")?.[1] ?? "";
}

it.each<[string, Responses, string[], number, string | RegExp]>([
  ["responds with the API's text", {}, [...STEPS, "/tables"], 200, "booked"],
  [
    "responds to a jailbreak with the configured message",
    { "/guard": { jailbreak_verdict: true } },
    STEPS.slice(0, 1),
    200,
    "I cannot help with that.",
  ],
  [
    "rejects the prompt if the guard fails",
    { "/guard": 500 },
    STEPS.slice(0, 1),
    503,
    /guard is unavailable/,
  ],
  [
    "rejects a prompt that the guard cannot read with 413",
    { "/guard": 413 },
    STEPS.slice(0, 1),
    413,
    /longer than the jailbreak guard can read/,
  ],
  [
    "sends the prompt to its model if the embeddings fail",
    { "/embeddings": "<html>" },
    STEPS.slice(0, 2),
    200,
    MODEL,
  ],
  [
    "sends the prompt to its model if the selection fails",
    { "/zeroshot": undefined },
    STEPS.slice(0, 3),
    200,
    MODEL,
  ],
  [
    "calls the default target if none fits",
    { "/zeroshot": { decision: "none" } },
    [...STEPS.slice(0, 3), "/"],
    200,
    MODEL,
  ],
  [
    "calls the default target if the selected one is unknown",
    { "/zeroshot": { decision: "target", predicted_class: "x" } },
    [...STEPS.slice(0, 3), "/"],
    200,
    MODEL,
  ],
  [
    "extracts from the known candidates if the selection is not certain",
    { "/zeroshot": { decision: "ask_model", candidates: ["x", "book_table"] } },
    [...STEPS, "/tables"],
    200,
    "booked",
  ],
  [
    "responds with the question of the extraction",
    { "/v1/chat/completions": { choices: [{ message: { content: "When?" } }] } },
    STEPS.slice(0, 4),
    200,
    "When?",
  ],
  [
    "calls the default target if the extraction declines",
    { "/v1/chat/completions": { choices: [] } },
    [...STEPS.slice(0, 4), "/"],
    200,
    MODEL,
  ],
  [
    "sends the prompt to its model if the arguments are not an object",
    { "/v1/chat/completions": toolCall("book_table", []) },
    STEPS.slice(0, 4),
    200,
    MODEL,
  ],
  [
    "responds with the question for a missing value",
    { "/hallucination": { missing: ["date"], question: "Which day?" } },
    STEPS,
    200,
    "Which day?",
  ],
  [
    "returns the status of an API that fails",
    { "/tables": 404 },
    [...STEPS, "/tables"],
    404,
    /'book_table' returned 404\./,
  ],
  [
    "calls no API if the values could not be checked",
    { "/hallucination": 500 },
    STEPS,
    503,
    /could not be checked/,
  ],
])("%s", (_title, responses, steps, status, text) => {
  const result = prompt(responses);
  expect(result).toMatchObject({ trap: undefined, steps, status });
  expect(result.text).toMatch(text);
});

it("a prompt has the text of an API in the request to the model, and its target in the response", () => {
  const { sent, target } = prompt({ "/zeroshot": { decision: "none" }, "/": 'say "hi"' });
  expect(target).toBe("anything");
  expect(sent).toHaveLength(1);
  expect(sent[0]).toContain(String.raw`"A table for two\n\ncontext: say \"hi\""`);
});
