// What holds for every request, not only for the examples: round trips keep what the table calls mapped, each body is
// one that the provider takes, and nothing that is JSON makes the filter trap.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { readAnthropicRequest } from "../../../providers/anthropic-request.ts";
import { isRefusal, readOpenaiRequest } from "../../../providers/openai-request.ts";
import { EFFORTS } from "../../../../model/model-limits.ts";
import { CHAT, MESSAGES, RequestTranslator, RESPONSES } from "../request-translator.ts";
import type { Limits, Options } from "../request-translator.ts";

let translator: RequestTranslator;
beforeAll(async () => {
  translator = await RequestTranslator.create();
});

/** Translates and answers the body; an error when it was refused. */
function body(request: unknown, from: number, to: number, options?: Options): unknown {
  const result = translator.translate(JSON.stringify(request), from, to, options);
  if (result.fault !== undefined) throw new Error(result.fault.message);
  return JSON.parse(result.body);
}

/** A text that is not blank and has no white space at its ends, which Anthropic's rules would change. */
const text = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((value) => value.trim() === value && value.isWellFormed());
const word = fc.stringMatching(/^[a-z]{1,8}$/);
const id = fc.stringMatching(/^[a-zA-Z0-9_-]{4,20}$/);
const json = fc.jsonValue({ maxDepth: 3 });
const input = fc.dictionary(word, json, { maxKeys: 3, noNullPrototype: true });
const base64 = fc.base64String({ minLength: 4, maxLength: 40 });
const schema = fc
  .dictionary(word, fc.constant({ type: "string" }), { maxKeys: 3, noNullPrototype: true })
  .map((properties) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }));

/** Members that are in the object only when they have a value. */
function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

interface Turn {
  user: string;
  image: string | undefined;
  answer: string | undefined;
  calls: { name: string; input: Record<string, unknown>; result: string }[];
}

const turn: fc.Arbitrary<Turn> = fc.record({
  user: text,
  image: maybe(base64),
  answer: maybe(text),
  calls: fc.array(fc.record({ name: word, input, result: text }), { maxLength: 3 }),
});
const conversation = fc.record({
  system: maybe(text),
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  last: text,
  ids: fc.uniqueArray(id, { minLength: 12, maxLength: 12 }),
});
const settings = fc.record({
  maxTokens: fc.integer({ min: 1, max: 100_000 }),
  temperature: maybe(fc.constantFrom(0, 0.25, 1)),
  stop: maybe(fc.array(text, { minLength: 1, maxLength: 4 })),
  user: maybe(word),
  isStreaming: fc.boolean(),
  choice: fc.constantFrom("auto", "none", "required", "named", undefined),
  isSingle: fc.boolean(),
  isStandard: fc.boolean(),
  schema: maybe(schema),
  effort: fc.constantFrom("low", "medium", "high", undefined),
});
type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;
type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never;

function chatMessages({ system, turns, last, ids }: Conversation): unknown[] {
  const left = [...ids];
  const messages: { role: string; content: unknown }[] =
    system === undefined ? [] : [{ role: "system", content: system }];
  for (const { user, image, answer, calls } of turns) {
    const url = `data:image/png;base64,${image}`;
    const parts = [
      { type: "text", text: user },
      { type: "image_url", image_url: { url } },
    ];
    messages.push({ role: "user", content: image === undefined ? user : parts });
    if (answer === undefined && calls.length === 0) continue;
    const made = calls.map((call) => ({ ...call, id: left.pop() ?? "" }));
    const tool_calls = made.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    }));
    const asked = tool_calls.length > 0 ? { tool_calls } : {};
    messages.push({ role: "assistant", content: answer ?? null, ...asked });
    for (const call of made)
      messages.push({ role: "tool", content: call.result, ...{ tool_call_id: call.id } });
  }
  // Neighbours of one role become one message: a word of the assistant keeps the users apart.
  if (messages.at(-1)?.role !== "assistant") messages.push({ role: "assistant", content: "So." });
  return [...messages, { role: "user", content: last }];
}

function chatRequest(talk: Conversation, set: Settings): Record<string, unknown> {
  const names = [...new Set(talk.turns.flatMap(({ calls }) => calls.map(({ name }) => name)))];
  const [first] = names;
  const tools = names.map((name) => ({
    type: "function",
    function: { name, description: "Does it.", parameters: { type: "object", properties: {} } },
  }));
  const named = { type: "function", function: { name: first } };
  const hasTools = tools.length > 0;
  // A single call is said with a choice there; without one it comes back as auto.
  const choice = set.choice === undefined && set.isSingle ? "auto" : set.choice;
  const isSingle = set.isSingle && hasTools && choice !== "none";
  return present({
    model: "upstream-model",
    messages: chatMessages(talk),
    tools: hasTools ? tools : undefined,
    tool_choice: hasTools ? (choice === "named" ? named : choice) : undefined,
    parallel_tool_calls: isSingle ? false : undefined,
    max_tokens: set.maxTokens,
    temperature: set.effort === undefined ? set.temperature : undefined,
    stop: set.stop,
    response_format:
      set.schema === undefined
        ? undefined
        : {
            type: "json_schema",
            json_schema: { name: "answer", schema: set.schema, strict: true },
          },
    reasoning_effort: set.effort,
    user: set.user,
    service_tier: set.isStandard ? "default" : undefined,
    stream: set.isStreaming ? true : undefined,
    stream_options: set.isStreaming ? { include_usage: true } : undefined,
  });
}

/** Texts of one user turn, joined as chat joins them, so that both ways of saying them compare. */
function joined(request: unknown): unknown {
  const copy = structuredClone(request) as { messages: { role: string; content: unknown }[] };
  const merged: typeof copy.messages = [];
  for (const message of copy.messages) {
    const previous = merged.at(-1);
    if (message.role === "user" && previous?.role === "user") {
      previous.content = [...partsOf(previous.content), ...partsOf(message.content)];
    } else {
      merged.push(message);
    }
  }
  for (const message of merged) message.content = plain(message.content);
  return { ...copy, messages: merged };
}

const partsOf = (content: unknown): unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content as unknown[]);

/** Texts that are neighbours are paragraphs of one text, also after tool results and images. */
function plain(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const merged: { type: string; text?: string }[] = [];
  for (const part of content as { type: string; text?: string }[]) {
    const previous = merged.at(-1);
    if (part.type === "text" && previous?.type === "text") {
      merged[merged.length - 1] = { ...previous, text: `${previous.text}\n\n${part.text}` };
    } else {
      merged.push(part);
    }
  }
  const [only] = merged;
  return merged.length === 1 && only?.type === "text" ? only.text : merged;
}

describe("chat completions → messages → chat completions", () => {
  it("a chat request through Messages keeps everything that the table calls mapped", () => {
    fc.assert(
      fc.property(conversation, settings, (talk, set) => {
        const request = chatRequest(talk, set);
        const there = body(request, CHAT, MESSAGES);
        expect(readAnthropicRequest(there, () => true)).toBeTypeOf("object");
        const back = body(there, MESSAGES, CHAT);
        expect(joined(back)).toEqual(joined(request));
      }),
      { numRuns: 200 },
    );
  });

  it("a chat request through Messages loses nothing that the table calls mapped", () => {
    fc.assert(
      fc.property(conversation, settings, (talk, set) => {
        const request = JSON.stringify(chatRequest(talk, set));
        const result = translator.translate(request, CHAT, MESSAGES, { limits: { strict: true } });
        expect(result.fault).toBeUndefined();
        expect(result.dropped).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

describe("messages → chat completions → messages", () => {
  const limits = { reasoning_content: true, reasoning_details: true, top_k: true };
  const thinking = fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("thinking"), thinking: text, signature: base64 }),
      fc.record({ type: fc.constant("redacted_thinking"), data: base64 }),
    ),
    { maxLength: 3 },
  );

  function messagesRequest(talk: Conversation, set: Settings, thoughts: unknown[]): unknown {
    const request = body(chatRequest(talk, set), CHAT, MESSAGES) as {
      messages: { role: string; content: unknown }[];
    };
    for (const message of request.messages) {
      if (message.role !== "assistant" || thoughts.length === 0) continue;
      message.content = [...thoughts, ...partsOf(message.content)];
    }
    return request;
  }

  it("a Messages request through Chat Completions keeps everything that the table calls mapped, signed thinking too", () => {
    fc.assert(
      fc.property(conversation, settings, thinking, (talk, set, thoughts) => {
        const request = messagesRequest(talk, set, thoughts);
        const there = body(request, MESSAGES, CHAT, { limits });
        const back = body(there, CHAT, MESSAGES);
        expect(joined(back)).toEqual(joined(request));
      }),
      { numRuns: 200 },
    );
  });

  it("a Messages request becomes a chat request that OpenAI accepts", () => {
    fc.assert(
      fc.property(conversation, settings, (talk, set) => {
        const request = messagesRequest(talk, { ...set, effort: undefined }, []);
        const read = readOpenaiRequest(body(request, MESSAGES, CHAT));
        expect(isRefusal(read) ? read.message : "").toBe("");
      }),
      { numRuns: 100 },
    );
  });
});

/** The same conversation as items; the outputs are in any order after their calls. */
function responsesRequest(
  talk: Conversation,
  set: Settings,
  seed: number,
): Record<string, unknown> {
  const chat = chatRequest(talk, set) as {
    messages: ChatMessage[];
    tools?: { function: object }[];
    tool_choice?: unknown;
    parallel_tool_calls?: boolean;
    response_format?: { json_schema: object };
  };
  const [first] = chat.messages;
  const system = first?.role === "system" ? first.content : undefined;
  const named = chat.tool_choice as { function?: { name: string } } | string | undefined;
  return present({
    instructions: seed % 2 === 0 ? system : undefined,
    input: itemsOf(
      seed % 2 === 0 && system !== undefined ? chat.messages.slice(1) : chat.messages,
      seed,
    ),
    tools: chat.tools?.map((tool) => ({ type: "function", ...tool.function })),
    tool_choice: typeof named === "object" ? { type: "function", ...named.function } : named,
    parallel_tool_calls: chat.parallel_tool_calls,
    max_output_tokens: set.maxTokens,
    temperature: set.effort === undefined ? set.temperature : undefined,
    text: chat.response_format && {
      format: { type: "json_schema", ...chat.response_format.json_schema },
    },
    reasoning: set.effort && { effort: set.effort },
    user: set.user,
    service_tier: set.isStandard ? "default" : undefined,
    stream: set.isStreaming ? true : undefined,
  });
}

interface ChatMessage {
  role: string;
  content: string | null | { type: string; text?: string; image_url?: { url: string } }[];
  tool_calls?: { id: string; function: object }[];
  tool_call_id?: string;
}

function itemsOf(messages: ChatMessage[], seed: number): unknown[] {
  const items: unknown[] = [];
  let outputs: unknown[] = [];
  const flush = (): void => {
    items.push(...(seed % 3 === 0 ? outputs.reverse() : outputs));
    outputs = [];
  };
  for (const { role, content, tool_calls = [], tool_call_id } of messages) {
    if (role === "tool") {
      outputs.push({ type: "function_call_output", call_id: tool_call_id, output: content });
      continue;
    }
    flush();
    if (typeof content === "string") items.push({ role, content });
    else if (content !== null) items.push({ type: "message", role, content: content.map(partOf) });
    for (const { id, function: called } of tool_calls)
      items.push({ type: "function_call", call_id: id, ...called });
  }
  flush();
  return items;
}

function partOf(part: { type: string; text?: string; image_url?: { url: string } }): unknown {
  const { text: inner, image_url } = part;
  if (image_url === undefined) return { type: "input_text", text: inner };
  return { type: "input_image", image_url: image_url.url };
}

describe("responses → chat completions and messages", () => {
  const seeds = fc.nat(11);

  it("a Responses request becomes the request that the same conversation as Chat Completions becomes", () => {
    fc.assert(
      fc.property(conversation, settings, seeds, (talk, all, seed) => {
        const set = { ...all, stop: undefined };
        const there = body(responsesRequest(talk, set, seed), RESPONSES, MESSAGES);
        expect(there).toEqual(body(chatRequest(talk, set), CHAT, MESSAGES));
        expect(readAnthropicRequest(there, () => true)).toBeTypeOf("object");
      }),
      { numRuns: 300 },
    );
  });

  it("a Responses request is the same conversation as Chat Completions", () => {
    fc.assert(
      fc.property(conversation, settings, seeds, (talk, all, seed) => {
        const set = { ...all, stop: undefined };
        const there = body(responsesRequest(talk, set, seed), RESPONSES, CHAT);
        expect(joined(there)).toEqual(joined(chatRequest(talk, set)));
        const read = readOpenaiRequest(
          body(responsesRequest(talk, { ...set, effort: undefined }, seed), RESPONSES, CHAT),
        );
        expect(isRefusal(read) ? read.message : "").toBe("");
      }),
      { numRuns: 300 },
    );
  });

  it("a Responses request drops nothing that the table calls mapped", () => {
    fc.assert(
      fc.property(conversation, settings, seeds, (talk, set, seed) => {
        const request = JSON.stringify(responsesRequest(talk, set, seed));
        for (const to of [CHAT, MESSAGES]) {
          const result = translator.translate(request, RESPONSES, to, { limits: { strict: true } });
          expect(result.fault).toBeUndefined();
          expect(result.dropped).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });

  /** Items in any order: turns, calls without outputs, outputs without calls, repeated ids. */
  const ids = fc.constantFrom("a", "b", "c");
  const anyItem = fc.oneof(
    fc.record({ role: fc.constantFrom("user", "developer", "assistant"), content: text }),
    fc.record({
      type: fc.constant("function_call"),
      call_id: ids,
      name: word,
      arguments: fc.constant("{}"),
    }),
    fc.record({ type: fc.constant("custom_tool_call"), call_id: ids, name: word, input: text }),
    fc.record({
      type: fc.constantFrom("function_call_output", "custom_tool_call_output"),
      call_id: ids,
      output: text,
    }),
    fc.record({
      type: fc.constant("reasoning"),
      summary: fc.array(fc.record({ type: fc.constant("summary_text"), text }), { maxLength: 2 }),
      encrypted_content: fc.constantFrom("gw1.a.c2ln", "gw1.r.c2ln", "gAAA", ""),
    }),
    fc.record({ type: fc.constantFrom("web_search_call", "brand_new"), id: id }),
  );

  it("a Responses request becomes messages that a provider accepts, whatever the order of the items", () => {
    fc.assert(
      fc.property(fc.array(anyItem, { minLength: 1, maxLength: 12 }), (items) => {
        const request = { input: [...items, { role: "user", content: "So?" }] };
        const result = translator.translate(JSON.stringify(request), RESPONSES, MESSAGES);
        if (result.fault !== undefined) {
          // The only reason: a call without an output.
          expect(result.fault.message).toMatch(/has no output/);
          return;
        }
        const read = readAnthropicRequest(JSON.parse(result.body), () => true);
        expect(typeof read === "string" ? read : "").toBe("");
        const chat = translator.translate(JSON.stringify(request), RESPONSES, CHAT);
        const asked = readOpenaiRequest(JSON.parse(chat.body));
        expect(isRefusal(asked) ? asked.message : "").toBe("");
      }),
      { numRuns: 1000 },
    );
  });
});

describe("nothing that is JSON makes the filter trap", () => {
  const flag = fc.boolean();
  const tokens = fc.integer({ min: 1, max: 100_000 });
  const limits: fc.Arbitrary<Limits> = fc.record(
    {
      max_output_tokens: tokens,
      default_max_tokens: tokens,
      max_tokens_member: fc.constantFrom("any", "max_tokens", "max_completion_tokens"),
      sampling: fc.constantFrom("any", "one", "without_reasoning", "none"),
      stop: flag,
      user: flag,
      top_k: flag,
      system_role: fc.constantFrom("anywhere", "first", "none"),
      developer_role: flag,
      system_messages: flag,
      efforts: fc.subarray([...EFFORTS]),
      reasons_by_default: flag,
      reasoning_with_tools: flag,
      thinking: fc.constantFrom("none", "budget", "adaptive", "both"),
      thinking_off: fc.constantFrom("disabled", "between_tools", "none"),
      call_ids: fc.constantFrom("any", "short"),
      user_after_tool: flag,
      reasoning_content: flag,
      reasoning_details: flag,
      forced_tools: fc.constantFrom("all", "named", "none"),
      output_schema: flag,
      prefill: flag,
      cache_control: flag,
      stream_usage: flag,
      refuses: fc.subarray(["seed", "metadata", "messages[].name", "messages[].refusal"]),
      strict: flag,
    },
    { requiredKeys: [] },
  );

  const PAIRS = [
    [CHAT, MESSAGES],
    [MESSAGES, CHAT],
    [RESPONSES, CHAT],
    [RESPONSES, MESSAGES],
    [CHAT, RESPONSES],
    [MESSAGES, RESPONSES],
  ] as const;

  /** Translated or refused with a 400; a body is JSON. */
  function run(request: string, options: Options): void {
    const results = [CHAT, MESSAGES, RESPONSES].map((from) =>
      translator.edit(request, from, options),
    );
    for (const [from, to] of PAIRS) results.push(translator.translate(request, from, to, options));
    for (const result of results) {
      if (result.fault === undefined) JSON.parse(result.body);
      else expect(result.fault.status).toBe(400);
    }
  }

  it("no request of any JSON object traps the filter", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), limits, (request, set) => {
        run(JSON.stringify(request), { limits: set, prompt: "P" });
      }),
      { numRuns: 150 },
    );
  });

  /** Values that have the right names in the wrong places. */
  const names = (
    "messages role content type text system user assistant tool tool_calls id function name " +
    "arguments tools tool_choice image_url url file file_data source data media_type base64 " +
    "tool_use tool_result tool_use_id input thinking signature reasoning_details index " +
    "cache_control response_format json_schema schema stop max_tokens temperature allowed_tools " +
    "document image content url metadata user_id properties required additionalProperties " +
    "message input_text output_text refusal input_image input_file file_url function_call call_id " +
    "function_call_output output custom_tool_call custom_tool_call_output custom namespace format " +
    "grammar definition additional_tools configuration_update reasoning summary encrypted_content " +
    "gw1.a. gw1.r. item_reference agent_message prompt_cache_breakpoint text instructions effort"
  ).split(" ");
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(
      ...names,
      "",
      " ",
      "data:image/png;base64,",
      "data:,",
      0,
      1,
      -1,
      1e300,
    ),
    fc.constantFrom<unknown>(null, true, false, [], {}),
    fc.string(),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      leaf,
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...names), tie("tree"), { maxKeys: 5, noNullPrototype: true }),
    ),
  }));

  it("the right names in the wrong places", () => {
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), tree, tree, limits, (list, a, b, set) => {
        const request = { messages: list, system: a, tools: [b], tool_choice: a, stop: b };
        run(JSON.stringify({ ...request, input: list, text: a, reasoning: b }), { limits: set });
      }),
      { numRuns: 300 },
    );
  });

  it("good requests with one value replaced", () => {
    fc.assert(
      fc.property(conversation, settings, tree, fc.nat(), limits, (talk, set, value, at, lim) => {
        const asked = at % 2 === 0 ? chatRequest(talk, set) : responsesRequest(talk, set, at % 12);
        const chat = JSON.stringify(asked);
        const starts = [...chat.matchAll(/[:,[](?=["\d{[])/g)].map(({ index }) => index + 1);
        const start = starts[at % starts.length] ?? 0;
        const end = endOfValue(chat, start);
        const request = `${chat.slice(0, start)}${JSON.stringify(value)}${chat.slice(end)}`;
        if (isJson(request)) run(request, { limits: lim });
      }),
      { numRuns: 300 },
    );
  });

  function endOfValue(text: string, start: number): number {
    for (let end = start + 1; end <= Math.min(text.length, start + 400); end++) {
      if (isJson(text.slice(start, end))) return end;
    }
    return start;
  }

  function isJson(text: string): boolean {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  }
});
