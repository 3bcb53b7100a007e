// The flow of a prompt whose model server and whose API answer anything: shapes half right, texts, failures, nothing.
import fc from "fast-check";
import type { Text } from "./json-text.ts";
import { among, any, boolean, list, number, object, oneOf, string, words } from "./json-text.ts";

export interface FuzzedPrompt {
  body: string;
  /** By path of the call; any other path is the API's. `undefined`: the call is reset. */
  answers: Record<string, CallAnswer | null>;
}

export interface CallAnswer {
  status: string;
  body: string;
}

const TARGETS = ["currency_exchange", "book_table", "anything", "nothing_of_the_kind"];
const target = words(...TARGETS);
const values = object({
  often: {
    from: words("USD", "EUR", "ROC"),
    to: string,
    amount: number,
    guests: number,
    date: words("2026-11-22", "soon"),
  },
  seldom: { outside: boolean, wishes: list(string), contact: any },
});
const turn = oneOf(
  object({
    always: {
      role: words("user"),
      content: oneOf(
        string,
        words("How much is 20 USD in EUR?"),
        list(object({ always: { type: words("text"), text: string } })),
      ),
    },
  }),
  object({ always: { role: words("assistant", "system"), content: string } }),
);

const toolCall = object({
  always: {
    id: string,
    type: words("function"),
    function: object({
      always: {
        name: target,
        arguments: fc.oneof(
          values.map((text) => JSON.stringify(text)),
          string,
        ),
      },
    }),
  },
});
const SHAPES: Record<string, Text> = {
  "/guard": object({ always: { jailbreak_verdict: boolean }, seldom: { score: number } }),
  "/embeddings": object({ always: { object: words("list"), data: list(any) } }),
  "/zeroshot": object({
    always: {
      predicted_class: oneOf(target, among("null")),
      decision: words("target", "ask_model", "none", "other"),
      candidates: list(target),
      scores: object({}),
    },
  }),
  "/v1/chat/completions": object({
    always: {
      choices: list(
        object({
          always: {
            message: object({
              often: { content: oneOf(string, among("null")), tool_calls: list(toolCall, 2) },
            }),
          },
        }),
        2,
      ),
    },
  }),
  "/hallucination": object({ always: { missing: list(words("to", "guests")), question: string } }),
  "": fc.oneof(any, string, among("", "plain text", "\u{0}", "x".repeat(70_000))),
};

const answer = (shape: Text): fc.Arbitrary<CallAnswer | null> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ status: fc.constant("200"), body: shape }) },
    {
      weight: 2,
      arbitrary: fc.record({
        status: fc.constantFrom("204", "302", "400", "404", "500", "503", "504", "abc", ""),
        body: fc.oneof(shape, among("", "<html>")),
      }),
    },
    { weight: 1, arbitrary: fc.constant(null) },
  );

export const fuzzedPrompts: fc.Arbitrary<FuzzedPrompt> = fc.record({
  body: object({
    always: { model: words("none", "big"), messages: list(turn, 5) },
    often: { stream: boolean },
    seldom: { metadata: any, tools: list(any) },
  }),
  answers: fc.record(
    Object.fromEntries(Object.entries(SHAPES).map(([path, shape]) => [path, answer(shape)])),
  ),
});
