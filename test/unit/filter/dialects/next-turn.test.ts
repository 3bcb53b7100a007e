// The next turn: what a client keeps of a translated response and sends back must reach the provider as it once said it.
import { beforeAll, describe, expect, test } from "vitest";
import { ANTHROPIC_STREAMS } from "../anthropic-streams.ts";
import { readGeminiRequest } from "../../../providers/gemini-request.ts";
import { GEMINI_STREAMS, sseOf } from "../gemini-streams.ts";
import { OPENAI_STREAMS } from "../openai-streams.ts";
import {
  ANTHROPIC,
  GEMINI as FROM_GEMINI,
  OPENAI,
  Responses,
  RESPONSES as TO_RESPONSES,
} from "../response-translator.ts";
import { CHAT, GEMINI, MESSAGES, RequestTranslator, RESPONSES } from "../request-translator.ts";
import { RESPONSES_STREAMS } from "../responses-streams.ts";
import { anthropicMessage, openaiCompletion } from "../sdk-streams.ts";

let replies: Responses;
let requests: RequestTranslator;
beforeAll(async () => {
  [replies, requests] = await Promise.all([Responses.load(), RequestTranslator.create()]);
});

type Json = Record<string, unknown>;

function find(cases: readonly { name: string; sse: string }[], start: string): string {
  const found = cases.find(({ name }) => name.startsWith(start));
  if (found === undefined) throw new Error(`no case "${start}"`);
  return found.sse;
}

describe("a chat client of a messages provider", () => {
  const direction = { from: ANTHROPIC, to: OPENAI };
  const sse = find(ANTHROPIC_STREAMS, "thinking with signatures");
  const said = [
    { type: "thinking", thinking: "Let me see.\n", signature: "EqQBCgIYAhIM" },
    { type: "redacted_thinking", data: "EmwKAhgBEgy3" },
    { type: "thinking", thinking: "And then?", signature: "c2ln" },
    { type: "text", text: "Yes." },
    { type: "tool_use", id: "t", name: "f", input: {} },
  ];

  function nextTurn(message: unknown): unknown {
    const { body, fault } = requests.translate(
      JSON.stringify({
        model: "m",
        messages: [
          { role: "user", content: "hi" },
          message,
          { role: "tool", tool_call_id: "t", content: "sunny" },
        ],
      }),
      CHAT,
      MESSAGES,
    );
    expect(fault).toBeUndefined();
    return (JSON.parse(body) as { messages: { content: unknown }[] }).messages[1]?.content;
  }

  test("a chat client of a messages provider can send back the message of a complete response", () => {
    const { text } = replies.complete(direction, sse);
    const { choices } = JSON.parse(text) as { choices: { message: Json }[] };
    expect(nextTurn(choices[0]?.message)).toEqual(said);
  });

  test("a chat client of a messages provider can send back the message which Node's SDK builds from a stream", async () => {
    const { text } = replies.stream(direction, [new TextEncoder().encode(sse)]);
    const { choices } = await openaiCompletion(text);
    const message: Json = { ...choices[0]?.message };
    delete message["parsed"];
    expect(nextTurn(message)).toEqual(said);
  });
});

describe("a messages client of a chat provider", () => {
  const direction = { from: OPENAI, to: ANTHROPIC };

  async function nextTurn(sse: string): Promise<Json | undefined> {
    const { text } = replies.stream(direction, [new TextEncoder().encode(sse)]);
    const { content } = await anthropicMessage(text);
    expect((JSON.parse(replies.complete(direction, sse).text) as Json)["content"]).toEqual(content);
    const results = content.flatMap((block) =>
      block.type === "tool_use"
        ? [{ type: "tool_result", tool_use_id: block.id, content: "done" }]
        : [],
    );
    const { body, fault } = requests.translate(
      JSON.stringify({
        model: "m",
        max_tokens: 10,
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content },
          { role: "user", content: results.length > 0 ? results : "go on" },
        ],
      }),
      MESSAGES,
      CHAT,
      { limits: { reasoning_content: true, reasoning_details: true } },
    );
    expect(fault).toBeUndefined();
    return (JSON.parse(body) as { messages: Json[] }).messages[1];
  }

  test("reasoning comes back as the text it was", async () => {
    expect(await nextTurn(find(OPENAI_STREAMS, "DeepSeek"))).toMatchObject({
      role: "assistant",
      content: "Four.",
      reasoning_content: "First, think.",
    });
  });

  test("signed and encrypted reasoning comes back", async () => {
    const message = await nextTurn(find(OPENAI_STREAMS, "OpenRouter"));
    const details = message?.["reasoning_details"] as Json[];
    expect(details).toMatchObject([
      { type: "reasoning.text", text: "Let me see.", signature: "c2ln" },
      { type: "reasoning.encrypted", data: "ZW5j" },
    ]);
  });

  test("parallel tool calls come back with their arguments", async () => {
    const message = await nextTurn(find(OPENAI_STREAMS, "OpenAI: parallel"));
    const calls = message?.["tool_calls"] as { id: string; function: { arguments: string } }[];
    expect(calls.map(({ id }) => id)).toEqual(["call_a", "call_b"]);
    expect(calls.map((call) => JSON.parse(call.function.arguments) as unknown)).toEqual([
      { city: 'Paris "}{' },
      { zone: ["a", { b: 1 }] },
    ]);
  });

  test("ids that the gateway made are accepted by everybody", async () => {
    const message = await nextTurn(find(OPENAI_STREAMS, "calls without ids"));
    for (const { id } of message?.["tool_calls"] as { id: string }[]) {
      expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    }
  });
});

/** The reasoning of a request's items, messages or blocks, as its provider reads it. */
function reasoningIn(body: string): unknown[] {
  const found: unknown[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { encrypted_content, signature, data } = value as Json;
    for (const carrier of [encrypted_content, signature, data])
      if (carrier !== undefined) found.push(carrier);
    Object.values(value).forEach(visit);
  };
  visit(JSON.parse(body));
  return found;
}

describe("a conversation that goes from Claude to OpenAI and back", () => {
  const signed = find(ANTHROPIC_STREAMS, "thinking with signatures");
  const encrypted = find(RESPONSES_STREAMS, "reasoning, a text and two calls");
  const ofClaude = ["EqQBCgIYAhIM", "EmwKAhgBEgy3", "c2ln"];

  function bodyFor(from: number, to: number, turns: Json[]): string {
    const request = JSON.stringify({ model: "m", max_tokens: 100, messages: turns });
    const { body, fault } =
      from === to ? requests.edit(request, from) : requests.translate(request, from, to);
    expect(fault).toBeUndefined();
    return body;
  }

  test("each provider gets its own reasoning only, from a messages client", () => {
    const content = (sse: string): unknown =>
      (JSON.parse(replies.complete({ from: TO_RESPONSES, to: ANTHROPIC }, sse).text) as Json)[
        "content"
      ];
    const turns: Json[] = [
      { role: "user", content: "hi" },
      // Claude's own message, as a messages client keeps it.
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "T", signature: ofClaude[0] },
          { type: "redacted_thinking", data: ofClaude[1] },
          { type: "text", text: "Yes." },
        ],
      },
      { role: "user", content: "and?" },
      { role: "assistant", content: content(encrypted) },
      {
        role: "user",
        content: ["call_a", "call_b"].map((id) => ({
          type: "tool_result",
          tool_use_id: id,
          content: "done",
        })),
      },
    ];
    expect(reasoningIn(bodyFor(MESSAGES, RESPONSES, turns))).toEqual(["gAAAAdone"]);
    expect(reasoningIn(bodyFor(MESSAGES, MESSAGES, turns))).toEqual(ofClaude.slice(0, 2));
    expect(reasoningIn(bodyFor(MESSAGES, CHAT, turns))).toEqual([]);
  });

  test("all items of reasoning go back, also if they have one id", () => {
    const xai = RESPONSES_STREAMS.find(({ name }) => name.endsWith("(xAI)"));
    const body = JSON.stringify(xai?.whole);
    const both = ["gAAAAone", "gAAAAtwo"];
    const messages = JSON.parse(
      replies.complete({ from: TO_RESPONSES, to: ANTHROPIC }, body).text,
    ) as Json;
    const chat = JSON.parse(replies.complete({ from: TO_RESPONSES, to: OPENAI }, body).text) as {
      choices: { message: Json }[];
    };
    const user = { role: "user", content: "go on" };
    const kept = { role: "assistant", content: messages["content"] };
    expect(reasoningIn(bodyFor(MESSAGES, RESPONSES, [user, kept, user]))).toEqual(both);
    const turn = chat.choices[0]?.message ?? {};
    expect(reasoningIn(bodyFor(CHAT, RESPONSES, [user, turn, user]))).toEqual(both);
  });

  test("each provider gets its own reasoning only, from a chat client", () => {
    const message = (from: number, sse: string): Json => {
      const { text } = replies.complete({ from, to: OPENAI }, sse);
      return (JSON.parse(text) as { choices: { message: Json }[] }).choices[0]?.message ?? {};
    };
    const results = (turn: Json): Json[] =>
      (turn["tool_calls"] as { id: string }[]).map(({ id }) => ({
        role: "tool",
        tool_call_id: id,
        content: "done",
      }));
    const first = message(ANTHROPIC, signed);
    const second = message(TO_RESPONSES, encrypted);
    const turns = [
      { role: "user", content: "hi" },
      first,
      ...results(first),
      second,
      ...results(second),
    ];
    expect(reasoningIn(bodyFor(CHAT, RESPONSES, turns))).toEqual(["gAAAAdone"]);
    expect(reasoningIn(bodyFor(CHAT, MESSAGES, turns))).toEqual(ofClaude);
  });
});

describe("a tool loop of Gemini", () => {
  const SIGNATURE = "Z2VtaW5pOvv/+A==";
  const sse = find(
    GEMINI_STREAMS.map(({ name, responses }) => ({ name, sse: sseOf(responses) })),
    "parallel calls",
  );
  const ids = ["fc-1", "fc-2", "fc-3"];
  /** What each client keeps of the response and sends back, with results in the wrong order. */
  const turns: { client: string; to: number; from: number; request: (text: string) => Json }[] = [
    {
      client: "chat",
      to: OPENAI,
      from: CHAT,
      request(text) {
        const { choices } = JSON.parse(text) as { choices: { message: Json }[] };
        const message = choices[0]?.message ?? {};
        const calls = message["tool_calls"] as { id: string }[];
        const results = calls
          .toReversed()
          .map(({ id }) => ({ role: "tool", tool_call_id: id, content: "done" }));
        return { messages: [{ role: "user", content: "hi" }, message, ...results] };
      },
    },
    {
      client: "messages",
      to: ANTHROPIC,
      from: MESSAGES,
      request(text) {
        const { content } = JSON.parse(text) as { content: { type: string; id: string }[] };
        const results = content
          .toReversed()
          .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "done" }));
        return {
          max_tokens: 10,
          messages: [
            { role: "user", content: "hi" },
            { role: "assistant", content },
            { role: "user", content: results },
          ],
        };
      },
    },
    {
      client: "responses",
      to: TO_RESPONSES,
      from: RESPONSES,
      request(text) {
        const { output } = JSON.parse(text) as { output: { call_id: string }[] };
        const results = output
          .toReversed()
          .map(({ call_id }) => ({ type: "function_call_output", call_id, output: "done" }));
        return { input: [{ role: "user", content: "hi" }, ...output, ...results] };
      },
    },
  ];

  describe.each(turns)("a $client client", ({ to, from, request }) => {
    const sent = (): string => {
      const { text } = replies.complete({ from: FROM_GEMINI, to }, sse);
      return JSON.stringify({ model: "m", ...request(text) });
    };

    test("a tool loop gives Gemini its ids, signature and order back", () => {
      const { body, dropped } = requests.translate(sent(), from, GEMINI);
      const { contents } = JSON.parse(body) as { contents: { parts: Json[] }[] };
      expect(
        readGeminiRequest(JSON.parse(body), "gemini-3-pro", (own) => own === SIGNATURE),
      ).toBeTypeOf("object");
      expect(contents[1]?.parts[0]).toMatchObject({ thoughtSignature: SIGNATURE });
      expect(contents[2]?.parts).toMatchObject(ids.map((id) => ({ functionResponse: { id } })));
      expect(dropped).toEqual([]);
    });

    test.each([
      ["chat", CHAT],
      ["messages", MESSAGES],
      ["responses", RESPONSES],
    ])("a tool loop of Gemini shows a provider of %s the short ids alone", (_, target) => {
      const { body } =
        from === target ? requests.edit(sent(), from) : requests.translate(sent(), from, target);
      expect(body).not.toContain("gw1_");
      for (const id of ids) expect(body.split(`"${id}"`)).toHaveLength(3);
    });
  });
});
