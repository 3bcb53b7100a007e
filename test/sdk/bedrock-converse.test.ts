// The official Node SDKs of each client API on Amazon Bedrock's Converse, which is a strict fake: complete and as a binary
// stream, with tools, images, structured output, reasoning over two turns, errors and fail-over.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startConverseProvider } from "../providers/converse.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { thrown } from "./node-errors.ts";

const KEYS = { BEDROCK_KEY: "bedrock-key-1", OPENAI_API_KEY: "sk-openai-1" };
const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const PROFILE = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc123";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CITY = { name: "Paris é 😀", people: 2_100_000 };
const SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, people: { type: "number" } },
  required: ["name", "people"],
  additionalProperties: false,
};
/** Longer than Bedrock's 64, as tools of MCP servers are. */
const LONG_NAME = "mcp__a_server_with_a_very_long_name__and_a_tool_with_a_long_name.too";

let bedrock: FakeProvider;
let openai: FakeProvider;
let gateway: Gateway;
let openaiClient: OpenAI;
let anthropicClient: Anthropic;

beforeAll(async () => {
  bedrock = await startConverseProvider({ key: KEYS.BEDROCK_KEY });
  openai = await startOpenaiProvider({ key: KEYS.OPENAI_API_KEY });
  const common = `access_key: $BEDROCK_KEY, base_url: "${bedrock.url}"`;
  gateway = await startGateway({
    config: `version: v0.1.0
llm_providers:
  - { name: claude, model: "bedrock/${CLAUDE}", provider_interface: converse, ${common}, default: true }
  - { name: profile, model: "bedrock/${PROFILE}", limits: { model_family: claude }, ${common} }
  - { name: nova, model: "bedrock/amazon.nova-pro-v1:0", ${common}, fallbacks: [openai/gpt-4o-mini] }
  - { name: guarded, model: "bedrock/amazon.nova-lite-v1:0", ${common}, guardrail: { id: gr1, version: 1, trace: enabled, stream: async }, performance: optimized }
  - { model: openai/gpt-4o-mini, access_key: $OPENAI_API_KEY, base_url: "${openai.url}/v1" }
`,
    environment: KEYS,
    adapt(model) {
      for (const listener of [model.ingress, model.egress]) listener.timeoutMs = 5_000;
    },
  });
  const options = { apiKey: "any-key", maxRetries: 0 };
  openaiClient = new OpenAI({ ...options, baseURL: `${gateway.url}/v1` });
  anthropicClient = new Anthropic({ ...options, baseURL: gateway.url });
});
afterAll(async () => {
  expect([...bedrock.violations(), ...openai.violations()]).toEqual([]);
  await gateway.stop();
  await Promise.all([bedrock.stop(), openai.stop()]);
});

interface Call {
  id: string;
  name: string;
  input: unknown;
}

/** What a client got. */
interface Got {
  text: string;
  calls: Call[];
  end: string | null | undefined;
  /** What the client keeps for its next turn. */
  kept: unknown[];
  thoughts: string;
}

interface Asked {
  content: string;
  image?: boolean;
  schema?: boolean;
  tools?: string[];
  thinks?: boolean;
  /** The turn before, and the results of its calls. */
  before?: { content: string; got: Got; results: string[] };
}

interface Client {
  name: string;
  ask(model: string, asked: Asked, isStream: boolean): Promise<Got>;
  /** Why it ended: as usual, with calls, too long, refused. */
  ends: [string, string, string, string];
  errors: typeof OpenAI | typeof Anthropic;
}

const schemaOf = (): object => ({ type: "object", properties: { place: { type: "string" } } });

const CHAT: Client = {
  name: "chat completions",
  ends: ["stop", "tool_calls", "length", "content_filter"],
  errors: OpenAI,
  async ask(model, { content, image, schema, tools = [], thinks, before }, isStream) {
    type Message = OpenAI.ChatCompletionMessageParam;
    const user: Message = {
      role: "user",
      content: image
        ? [
            { type: "text", text: content },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ]
        : content,
    };
    const history =
      before === undefined
        ? [user]
        : [
            { role: "user", content: before.content },
            ...before.got.kept,
            ...before.results.map((result, index) => ({
              role: "tool",
              tool_call_id: before.got.calls[index]?.id,
              content: result,
            })),
          ];
    const request = {
      model,
      messages: history as Message[],
      ...(tools.length > 0 && {
        tools: tools.map((name) => ({
          type: "function" as const,
          function: { name, parameters: { ...schemaOf() } },
        })),
      }),
      ...(schema && {
        response_format: {
          type: "json_schema" as const,
          json_schema: { name: "city", schema: SCHEMA, strict: true },
        },
      }),
      ...(thinks && { reasoning_effort: "low" as const }),
    };
    const completion = isStream
      ? await openaiClient.chat.completions.stream(request).finalChatCompletion()
      : await openaiClient.chat.completions.create(request);
    const [choice] = completion.choices;
    const message = choice?.message as unknown as Record<string, unknown> & {
      tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    };
    delete message["parsed"];
    return {
      text: (message["content"] ?? "") as string,
      calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
        id,
        name,
        input: JSON.parse(input) as unknown,
      })),
      end: choice?.finish_reason,
      kept: [message],
      thoughts: (message["reasoning_content"] ?? "") as string,
    };
  },
};

const MESSAGES: Client = {
  name: "messages",
  ends: ["end_turn", "tool_use", "max_tokens", "refusal"],
  errors: Anthropic,
  async ask(model, { content, image, schema, tools = [], thinks, before }, isStream) {
    type Message = Anthropic.MessageParam;
    const picture = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: PIXEL },
    };
    const results = before?.results.map((result, index) => ({
      type: "tool_result",
      tool_use_id: before.got.calls[index]?.id,
      content: result,
    }));
    const messages =
      before === undefined
        ? [{ role: "user", content: image ? [{ type: "text", text: content }, picture] : content }]
        : [
            { role: "user", content: before.content },
            { role: "assistant", content: before.got.kept },
            { role: "user", content: results },
          ];
    const request = {
      model,
      max_tokens: 4000,
      messages: messages as Message[],
      ...(tools.length > 0 && {
        tools: tools.map((name) => ({ name, input_schema: { type: "object" as const } })),
      }),
      ...(schema && {
        output_config: { format: { type: "json_schema" as const, schema: SCHEMA } },
      }),
      ...(thinks && { thinking: { type: "enabled" as const, budget_tokens: 1500 } }),
    };
    const message = isStream
      ? await anthropicClient.messages.stream(request).finalMessage()
      : await anthropicClient.messages.create(request);
    return {
      text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      calls: message.content.flatMap((block) =>
        block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
      ),
      end: message.stop_reason,
      kept: message.content,
      thoughts: message.content
        .map((block) => (block.type === "thinking" ? block.thinking : ""))
        .join(""),
    };
  },
};

const RESPONSES: Client = {
  name: "responses",
  ends: ["completed", "completed", "max_output_tokens", "content_filter"],
  errors: OpenAI,
  async ask(model, { content, image, schema, tools = [], thinks, before }, isStream) {
    type Input = OpenAI.Responses.ResponseInput;
    const parts = [
      { type: "input_text", text: content },
      { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" },
    ];
    const input =
      before === undefined
        ? [{ role: "user", content: image ? parts : content }]
        : [
            { role: "user", content: before.content },
            ...before.got.kept,
            ...before.results.map((output, index) => ({
              type: "function_call_output",
              call_id: before.got.calls[index]?.id,
              output,
            })),
          ];
    const request = {
      model,
      input: input as Input,
      include: ["reasoning.encrypted_content" as const],
      store: false,
      ...(tools.length > 0 && {
        tools: tools.map((name) => ({
          type: "function" as const,
          name,
          parameters: { ...schemaOf() },
          strict: false,
        })),
      }),
      ...(schema && {
        text: {
          format: { type: "json_schema" as const, name: "city", schema: SCHEMA, strict: true },
        },
      }),
      ...(thinks && { reasoning: { effort: "low" as const } }),
    };
    const response = isStream
      ? await openaiClient.responses.stream(request).finalResponse()
      : await openaiClient.responses.create(request);
    return {
      text: response.output_text,
      calls: response.output.flatMap((item) =>
        item.type === "function_call"
          ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
          : [],
      ),
      end: response.incomplete_details?.reason ?? response.status,
      kept: response.output,
      thoughts: response.output
        .flatMap((item) => (item.type === "reasoning" ? item.summary : []))
        .map(({ text }) => text)
        .join(""),
    };
  },
};

const CLIENTS = [CHAT, MESSAGES, RESPONSES].flatMap((client) =>
  [false, true].map((isStream) => ({ client, isStream, how: isStream ? "a stream" : "whole" })),
);

describe.each(CLIENTS)("$client.name, $how", ({ client, isStream }) => {
  const ask = (model: string, asked: Asked): Promise<Got> => client.ask(model, asked, isStream);
  const [usual, withCalls, tooLong, refused] = client.ends;

  it.each([
    { model: "claude", id: CLAUDE },
    { model: "profile", id: PROFILE },
    { model: "nova", id: "amazon.nova-pro-v1:0" },
  ])("text of $model, whose id is one segment of the path", async ({ model, id }) => {
    const got = await ask(model, { content: "hello é 😀" });
    expect(got).toMatchObject({ text: "You said: hello é 😀", end: usual });
    const { path } = bedrock.requests.at(-1) ?? { path: "" };
    expect(path).toBe(`/model/${encodeURIComponent(id)}/converse${isStream ? "-stream" : ""}`);
  });

  it("an image reaches the model at Bedrock", async () => {
    const got = await ask("claude", { content: "look", image: true });
    expect(got.text).toBe("You said: look (and sent 1 images)");
  });

  it("structured output comes by the schema or by an instruction", async () => {
    for (const model of ["claude", "nova"]) {
      bedrock.next({ kind: "answer", answer: { text: JSON.stringify(CITY) } });
      const got = await ask(model, { content: "the city", schema: true });
      expect(JSON.parse(got.text)).toEqual(CITY);
      const sent = bedrock.requests.at(-1)?.body ?? "";
      expect(sent).toContain(
        model === "claude" ? '"jsonSchema"' : "It must match this JSON schema",
      );
    }
  });

  it("parallel tools, one of them without arguments, and their results", async () => {
    const content = "two tools";
    const tools = ["weather", LONG_NAME];
    // The fake gets the name that fits.
    bedrock.next({
      kind: "answer",
      answer: { text: "I look.", toolCalls: [{ name: "weather", arguments: { place: "Rome" } }] },
    });
    const first = await ask("claude", { content, tools });
    expect(first).toMatchObject({
      text: "I look.",
      calls: [{ name: "weather", input: { place: "Rome" } }],
      end: withCalls,
    });
    const sent = bedrock.requests.at(-1)?.json as {
      toolConfig: { tools: { toolSpec: { name: string } }[] };
    };
    const wire = sent.toolConfig.tools[1]?.toolSpec.name ?? "";
    expect(wire).toMatch(/^mcp__[a-z_]+_[0-9a-f]{16}$/);
    const toolCalls = [
      { name: wire, arguments: { place: "Paris" } },
      { name: "weather", arguments: {} },
    ];
    bedrock.next({ kind: "answer", answer: { toolCalls } });
    const got = await ask("claude", { content, tools });
    expect(got.calls).toMatchObject([
      { name: LONG_NAME, input: { place: "Paris" } },
      { name: "weather", input: {} },
    ]);
    const second = await ask("claude", {
      content,
      tools,
      before: { content, got, results: ["sunny", "rain"] },
    });
    expect(second.text).toBe("The tools said: sunny; rain");
  });

  it("signed reasoning over two turns", async () => {
    const content = 'call weather({"place":"Rome"})';
    const tools = ["weather"];
    const got = await ask("claude", { content, tools, thinks: true });
    expect(got.calls).toMatchObject([{ name: "weather" }]);
    if (!isStream || client !== CHAT) expect(got.thoughts).toMatch(/They wrote \d+ characters/);
    const second = await ask("claude", {
      content,
      tools,
      thinks: true,
      before: { content, got, results: ["sunny"] },
    });
    expect(second.text).toBe("The tools said: sunny");
    // The fake has verified the signature.
    expect(bedrock.requests.at(-1)?.body).toContain('"reasoningContent":{"reasoningText":');
  });

  it("an SDK on Bedrock reports why a response ended", async () => {
    bedrock.next({ kind: "answer", answer: { text: "cut", stop: "length" } });
    expect((await ask("claude", { content: "long" })).end).toBe(tooLong);
    bedrock.next({ kind: "answer", answer: { text: "no", stop: "refusal" } });
    expect((await ask("claude", { content: "bad" })).end).toBe(refused);
  });

  it.each([
    { status: 400, as: 400 },
    { status: 403, as: 403 },
    { status: 404, as: 404 },
    { status: 408, as: 504 },
    { status: 424, as: 502 },
    { status: 429, as: 429 },
    { status: 500, as: 500 },
    { status: 503, as: 503 },
  ])("the error $status is $as", async ({ status, as }) => {
    bedrock.next({ kind: "error", status, message: "The model is on fire." });
    const error = await thrown(ask("claude", { content: "hi" }));
    expect(error).toMatchObject({ status: as });
    expect(String(error)).toContain("The model is on fire.");
  });

  it("an SDK on Bedrock gets another model's response when Bedrock limits the rate", async () => {
    bedrock.next({ kind: "error", status: 429 });
    expect((await ask("nova", { content: "more" })).text).toBe("You said: more");
    expect(openai.requests.at(-1)?.body).toContain("more");
    const names = Object.keys(openai.requests.at(-1)?.headers ?? {});
    expect(names.filter((name) => name.startsWith("x-amz"))).toEqual([]);
  });

  if (!isStream) return;

  it("an exception in the middle of the stream is an error", async () => {
    bedrock.next({ kind: "errorEvent", afterEvents: 3 });
    expect(await thrown(ask("claude", { content: "hello, hello" }))).toBeInstanceOf(Error);
    bedrock.next({ kind: "reset", afterEvents: 3 });
    expect(await thrown(ask("claude", { content: "hello, hello" }))).toBeInstanceOf(Error);
  });

  it("an exception before the first token is another model's answer", async () => {
    bedrock.next({ kind: "errorEvent", afterEvents: 1 });
    expect((await ask("nova", { content: "again" })).text).toBe("You said: again");
    expect(openai.requests.at(-1)?.body).toContain("again");
  });

  it("an exception as the first event has its status", async () => {
    bedrock.next({ kind: "errorEvent", afterEvents: 0 });
    const error = await thrown(ask("claude", { content: "hi" }));
    expect(error).toMatchObject({ status: 503 });
  });
});

it.each(["claude", "profile", "nova"])(
  "an SDK on Bedrock counts the tokens of a request for %s",
  async (model) => {
    const messages = [{ role: "user" as const, content: "How many tokens are these?" }];
    const request = { model, system: "Be brief.", messages };
    const { data, response } = await anthropicClient.messages.countTokens(request).withResponse();
    expect(data.input_tokens).toBe(17);
    expect(response.headers.has("x-gateway-estimated")).toBe(false);
  },
);

it("cancelling in mid-stream ends Bedrock's work", async () => {
  const before = bedrock.requests.length;
  const stream = await openaiClient.chat.completions.create({
    model: "claude",
    messages: [{ role: "user", content: "[pieces 1000 pace 20]" }],
    stream: true,
  });
  for await (const _ of stream) break;
  expect(await (await bedrock.request(before)).wasCut).toBe(true);
});

interface Sent {
  guardrailConfig?: object;
  performanceConfig?: object;
  messages: { content: Record<string, { format?: string; context?: string }>[] }[];
}

const lastSent = (): Sent => bedrock.requests.at(-1)?.json as Sent;

describe.each([false, true])("Bedrock's own abilities, as a stream: %s", (isStream) => {
  it.each([CHAT, MESSAGES, RESPONSES])(
    "a configured guardrail stops a request of a $name client",
    async (client) => {
      const got = await client.ask("guarded", { content: "It is forbidden." }, isStream);
      expect(got).toMatchObject({ text: "The guardrail says no.", end: client.ends[3] });
      expect((await client.ask("guarded", { content: "Hi" }, isStream)).text).toBe("You said: Hi");
      expect(lastSent().guardrailConfig).toEqual({
        guardrailIdentifier: "gr1",
        guardrailVersion: "1",
        trace: "enabled",
        ...(isStream && { streamProcessingMode: "async" }),
      });
      expect(lastSent().performanceConfig).toEqual({ latency: "optimized" });
    },
  );

  it("members of Converse in the body of a chat request reach it, and the trace comes back", async () => {
    const request = {
      model: "claude",
      messages: [{ role: "user" as const, content: "It is forbidden." }],
      guardrailConfig: { guardrailIdentifier: "gr2", guardrailVersion: "DRAFT", trace: "enabled" },
      performanceConfig: { latency: "optimized" },
      requestMetadata: { team: "search" },
    };
    const end = { finish_reason: "content_filter" };
    const trace = { guardrail: { inputAssessment: { gr2: expect.anything() as object } } };
    if (!isStream) {
      const completion = await openaiClient.chat.completions.create(request);
      expect(completion).toMatchObject({ choices: [end], trace });
      return;
    }
    const chunks = [];
    const stream = await openaiClient.chat.completions.create({ ...request, stream: true });
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.flatMap(({ choices }) => choices).at(-1)).toMatchObject(end);
    expect(chunks.at(-1)).toMatchObject({ choices: [], trace });
  });

  it("a messages client gets what Claude cites of a document and a search result", async () => {
    const document = {
      type: "document" as const,
      title: "Report",
      context: "From 2025.",
      citations: { enabled: true },
      source: { type: "text" as const, media_type: "text/plain" as const, data: "cited text" },
    };
    const result = {
      type: "search_result" as const,
      source: "https://a.example",
      title: "A",
      citations: { enabled: true },
      content: [{ type: "text" as const, text: "cited text" }],
    };
    for (const source of [document, result]) {
      const content = [source, { type: "text" as const, text: "hello" }];
      const request = {
        model: "claude",
        max_tokens: 64,
        messages: [{ role: "user" as const, content }],
      };
      const message = isStream
        ? await anthropicClient.messages.stream(request).finalMessage()
        : await anthropicClient.messages.create(request);
      const [block] = message.content;
      expect(block).toMatchObject({
        text: "You said: hello",
        citations: [
          source === document
            ? {
                type: "char_location",
                cited_text: "cited",
                document_title: "Report",
                end_char_index: 5,
              }
            : { type: "search_result_location", source: "https://a.example", end_block_index: 1 },
        ],
      });
    }
  });

  it("a CSV file of a chat client is a document", async () => {
    const file = { filename: "a.csv", file_data: "data:text/csv;base64,YSxi" };
    const content = [
      { type: "text" as const, text: "hello" },
      { type: "file" as const, file },
    ];
    const request = { model: "claude", messages: [{ role: "user" as const, content }] };
    if (isStream) await openaiClient.chat.completions.stream(request).finalChatCompletion();
    else await openaiClient.chat.completions.create(request);
    expect(lastSent().messages[0]?.content[1]?.["document"]?.format).toBe("csv");
  });
});
