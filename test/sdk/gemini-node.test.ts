// The official Node SDKs of each client API on Gemini, which is a strict fake: complete and as a stream, text, images, tools,
// structured output, reasoning over two turns, and each class of errors; before Gemini 3 and since.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ChatCompletion, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startGeminiProvider } from "../providers/gemini.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { thrown } from "./node-errors.ts";

const KEYS = { GEMINI_API_KEY: "AIza-test", OPENAI_API_KEY: "sk-openai-1", TOKEN: "ya29.token" };
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const MODELS = ["gemini-3-pro", "gemini-2.5-flash", "vertex/gemini-3-flash"];
const PARAMETERS = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const ASKED = 'call weather({"city":"Oslo"}) and call weather({"city":"Rome é"})';
const SAID = 'The tools said: {"city":"Oslo"} is sunny; {"city":"Rome é"} is sunny';
const CACHED = 4;

let gemini: FakeProvider;
let vertex: FakeProvider;
let openaiFake: FakeProvider;
let gateway: Gateway;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  gemini = await startGeminiProvider({ key: KEYS.GEMINI_API_KEY, cachedTokens: CACHED });
  vertex = await startGeminiProvider({ token: KEYS.TOKEN, cachedTokens: CACHED });
  openaiFake = await startOpenaiProvider({ key: KEYS.OPENAI_API_KEY });
  gateway = await startGateway({
    config: `version: v0.1.0
llm_providers:
  - { model: gemini/gemini-3-pro, access_key: $GEMINI_API_KEY, base_url: "${gemini.url}" }
  - { model: gemini/gemini-2.5-flash, access_key: $GEMINI_API_KEY, base_url: "${gemini.url}" }
  - { model: gemini/gemini-wrong-key, access_key: $OPENAI_API_KEY, base_url: "${gemini.url}" }
  - { model: vertex/gemini-3-flash, project: my-project, access_key: $TOKEN, base_url: "${vertex.url}" }
  - { name: pair, model: gemini/gemini-3-flash, access_key: $GEMINI_API_KEY, base_url: "${gemini.url}", fallbacks: [openai/gpt-4o] }
  - { model: openai/gpt-4o, access_key: $OPENAI_API_KEY, base_url: "${openaiFake.url}/v1" }
`,
    environment: KEYS,
  });
  const options = { apiKey: "any-key", maxRetries: 0 };
  openai = new OpenAI({ ...options, baseURL: `${gateway.url}/v1` });
  anthropic = new Anthropic({ ...options, baseURL: gateway.url });
});
afterAll(async () => {
  const providers = [gemini, vertex, openaiFake];
  expect(providers.flatMap((one) => one.violations())).toEqual([]);
  await gateway.stop();
  await Promise.all(providers.map((one) => one.stop()));
});

describe.each([
  ["complete", false],
  ["streamed", true],
] as const)("the OpenAI SDK and gemini-2.5-flash, %s", (_, stream) => {
  type Request = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "model">;
  const ask = (request: Request): Promise<ChatCompletion> =>
    stream
      ? openai.chat.completions
          .stream({ model: "gemini-2.5-flash", ...request, stream: true })
          .finalChatCompletion()
      : openai.chat.completions.create({ model: "gemini-2.5-flash", ...request });

  it("an SDK on Gemini sends audio and reads two choices with log probabilities", async () => {
    const { choices } = await ask({
      n: 2,
      logprobs: true,
      top_logprobs: 2,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "hear this" },
            { type: "input_audio", input_audio: { data: PIXEL, format: "wav" } },
          ],
        },
      ],
    });
    expect(gemini.requests.at(-1)?.json).toMatchObject({
      contents: [{ parts: [{}, { inlineData: { mimeType: "audio/wav", data: PIXEL } }] }],
      generationConfig: { candidateCount: 2, responseLogprobs: true, logprobs: 2 },
    });
    expect(choices.map(({ index }) => index)).toEqual([0, 1]);
    for (const { message, logprobs, finish_reason } of choices) {
      expect(message.content).toBe("You said: hear this (and sent 1 images)");
      expect(finish_reason).toBe("stop");
      const tokens = logprobs?.content ?? [];
      expect(tokens.map(({ token }) => token).join("")).toBe(message.content);
      expect(tokens[0]?.top_logprobs.map(({ logprob }) => logprob)).toEqual([-0.5, -1]);
    }
  });
});

describe.each(MODELS)("the OpenAI SDK, chat completions, %s", (model) => {
  type Request = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "model">;
  const ways: [string, (request: Request) => Promise<ChatCompletion>][] = [
    ["complete", (request) => openai.chat.completions.create({ model, ...request })],
    [
      "streamed",
      (request) =>
        openai.chat.completions
          .stream({ model, ...request, stream: true, stream_options: { include_usage: true } })
          .finalChatCompletion(),
    ],
  ];
  const user = (content: string): ChatCompletionMessageParam => ({ role: "user", content });
  const weather = {
    type: "function" as const,
    function: { name: "weather", parameters: PARAMETERS },
  };

  describe.each(ways)("%s", (_, ask) => {
    it("an SDK on Gemini reads text and usage", async () => {
      const { choices, usage } = await ask({
        messages: [{ role: "system", content: "Brief." }, user("hello é 😀")],
        temperature: 0.3,
        stop: ["x"],
      });
      expect(choices[0]).toMatchObject({
        message: { content: "You said: hello é 😀" },
        finish_reason: "stop",
      });
      expect(usage?.prompt_tokens_details?.cached_tokens).toBe(CACHED);
      expect(usage?.total_tokens).toBe(
        (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0),
      );
    });

    it("an SDK on Gemini sends images", async () => {
      const image_url = { url: `data:image/png;base64,${PIXEL}` };
      const { choices } = await ask({
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "look" },
              { type: "image_url", image_url },
            ],
          },
        ],
      });
      expect(choices[0]?.message.content).toBe("You said: look (and sent 1 images)");
    });

    it("parallel tools and their results, over two turns", async () => {
      const messages = [user(ASKED)];
      const first = await ask({ messages, tools: [weather], reasoning_effort: "low" });
      const message = first.choices[0]?.message;
      const calls = message?.tool_calls ?? [];
      expect(first.choices[0]?.finish_reason).toBe("tool_calls");
      expect(calls).toHaveLength(2);
      messages.push({ role: "assistant", content: message?.content ?? null, tool_calls: calls });
      // The last result first.
      for (const call of calls.toReversed()) {
        const city = call.type === "function" ? call.function.arguments : "";
        messages.push({ role: "tool", tool_call_id: call.id, content: `${city} is sunny` });
      }
      const { choices } = await ask({ messages, tools: [weather], reasoning_effort: "low" });
      expect(choices[0]?.message.content).toBe(SAID);
    });

    it("an SDK on Gemini reads structured output", async () => {
      const { choices } = await ask({
        messages: [user('[say {"city":"Oslo"}]')],
        response_format: {
          type: "json_schema",
          json_schema: { name: "city", strict: true, schema: PARAMETERS },
        },
      });
      expect(JSON.parse(choices[0]?.message.content ?? "")).toEqual({ city: "Oslo" });
    });

    it("reasoning is shown", async () => {
      const { choices } = await ask({ messages: [user("think")], reasoning_effort: "medium" });
      expect(choices[0]?.message.content).toBe("You said: think");
      if (_ === "complete")
        expect(choices[0]?.message).toMatchObject({
          reasoning_content: "They wrote 5 characters.",
        });
    });

    it.each([
      [400, OpenAI.BadRequestError],
      [401, OpenAI.AuthenticationError],
      [403, OpenAI.PermissionDeniedError],
      [404, OpenAI.NotFoundError],
      [429, OpenAI.RateLimitError],
      [500, OpenAI.InternalServerError],
      [503, OpenAI.InternalServerError],
    ])("an SDK on Gemini throws the class of an error %i", async (status, type) => {
      const error = await thrown(ask({ messages: [user(`[error ${status}]`)] }));
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({ status });
    });

    it("an SDK on Gemini reads a refusal", async () => {
      const provider = model.startsWith("vertex") ? vertex : gemini;
      provider.next({ kind: "answer", answer: { text: "Once", stop: "refusal" } });
      const { choices } = await ask({ messages: [user("tell")] }).catch((error: unknown) => {
        // The SDK throws where a stream was stopped by a filter.
        if (_ === "streamed") return { choices: [{ finish_reason: "content_filter" }] };
        throw error;
      });
      expect(choices[0]?.finish_reason).toBe("content_filter");
    });
  });

  it("an error in the middle of a stream is thrown", async () => {
    const stream = await openai.chat.completions.create({
      model,
      messages: [user("[error event 1] and more text")],
      stream: true,
    });
    const error = await thrown(
      (async () => {
        for await (const _ of stream);
      })(),
    );
    expect(error).toBeInstanceOf(OpenAI.APIError);
  });
});

describe.each(MODELS)("the Anthropic SDK, messages, %s", (model) => {
  type Request = Omit<Anthropic.MessageCreateParamsNonStreaming, "model" | "max_tokens">;
  const ways: [string, (request: Request) => Promise<Anthropic.Message>][] = [
    ["complete", (request) => anthropic.messages.create({ model, max_tokens: 4000, ...request })],
    [
      "streamed",
      (request) =>
        anthropic.messages.stream({ model, max_tokens: 4000, ...request }).finalMessage(),
    ],
  ];
  const user = (content: Anthropic.MessageParam["content"]): Anthropic.MessageParam => ({
    role: "user",
    content,
  });
  const tools = [{ name: "weather", input_schema: PARAMETERS }];
  const thinking = { type: "enabled" as const, budget_tokens: 2000 };

  describe.each(ways)("%s", (_, ask) => {
    it("an SDK on Gemini reads text, images and usage", async () => {
      const source = { type: "base64" as const, media_type: "image/png" as const, data: PIXEL };
      const { content, usage, stop_reason } = await ask({
        system: "Brief.",
        messages: [
          user([
            { type: "text", text: "look é" },
            { type: "image", source },
          ]),
        ],
      });
      expect(content).toMatchObject([
        { type: "text", text: "You said: look é (and sent 1 images)" },
      ]);
      expect([stop_reason, usage.cache_read_input_tokens]).toEqual(["end_turn", CACHED]);
    });

    it("thinking and parallel tools over two turns", async () => {
      const messages = [user(ASKED)];
      const first = await ask({ messages, tools, thinking });
      expect(first.stop_reason).toBe("tool_use");
      expect(first.content[0]).toMatchObject({ type: "thinking" });
      const uses = first.content.filter((block) => block.type === "tool_use");
      expect(uses.map(({ input }) => input)).toEqual([{ city: "Oslo" }, { city: "Rome é" }]);
      messages.push(
        { role: "assistant", content: first.content },
        user([
          ...uses.toReversed().map(({ id, input }) => ({
            type: "tool_result" as const,
            tool_use_id: id,
            content: `${JSON.stringify(input)} is sunny`,
          })),
        ]),
      );
      const { content } = await ask({ messages, tools, thinking });
      expect(content.at(-1)).toMatchObject({ text: SAID });
    });

    it("an SDK on Gemini reads structured output", async () => {
      const { content } = await ask({
        messages: [user('[say {"city":"Oslo"}]')],
        output_config: { format: { type: "json_schema", schema: PARAMETERS } },
      });
      expect(content).toMatchObject([{ type: "text", text: '{"city":"Oslo"}' }]);
    });

    it.each([
      [400, Anthropic.BadRequestError],
      [401, Anthropic.AuthenticationError],
      [403, Anthropic.PermissionDeniedError],
      [404, Anthropic.NotFoundError],
      [429, Anthropic.RateLimitError],
      [500, Anthropic.InternalServerError],
      [503, Anthropic.InternalServerError],
    ])("an SDK on Gemini throws the class of an error %i", async (status, type) => {
      const error = await thrown(ask({ messages: [user(`[error ${status}]`)] }));
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({ status });
    });
  });
});

describe.each(MODELS)("the OpenAI SDK, responses, %s", (model) => {
  type Request = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "model">;
  const ways: [string, (request: Request) => Promise<OpenAI.Responses.Response>][] = [
    ["complete", (request) => openai.responses.create({ model, ...request })],
    [
      "streamed",
      async (request) => {
        const stream = openai.responses.stream({ model, ...request, stream: true });
        return stream.finalResponse();
      },
    ],
  ];
  const weather = {
    type: "function" as const,
    name: "weather",
    parameters: PARAMETERS,
    strict: true,
  };

  describe.each(ways)("%s", (_, ask) => {
    it("an SDK on Gemini reads text and usage", async () => {
      const { output_text, usage, status } = await ask({
        instructions: "Brief.",
        input: "hello é",
      });
      expect([output_text, status]).toEqual(["You said: hello é", "completed"]);
      expect(usage?.input_tokens_details.cached_tokens).toBe(CACHED);
    });

    it("reasoning and parallel tools over two turns", async () => {
      const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: ASKED }];
      const reasoning = { effort: "low" as const, summary: "auto" as const };
      const first = await ask({ input, tools: [weather], reasoning });
      const calls = first.output.filter((item) => item.type === "function_call");
      expect(calls).toHaveLength(2);
      input.push(
        ...calls.map(({ call_id, name, arguments: text }) => ({
          type: "function_call" as const,
          call_id,
          name,
          arguments: text,
        })),
        ...calls.toReversed().map(({ call_id, arguments: text }) => ({
          type: "function_call_output" as const,
          call_id,
          output: `${text} is sunny`,
        })),
      );
      expect((await ask({ input, tools: [weather], reasoning })).output_text).toBe(SAID);
    });

    it("an SDK on Gemini reads structured output", async () => {
      const format = {
        type: "json_schema" as const,
        name: "city",
        strict: true,
        schema: PARAMETERS,
      };
      const { output_text } = await ask({ input: '[say {"city":"Oslo"}]', text: { format } });
      expect(JSON.parse(output_text)).toEqual({ city: "Oslo" });
    });

    it.each([400, 404, 429, 500])(
      "an SDK on Gemini throws the class of an error %i",
      async (status) => {
        const error = await thrown(ask({ input: `[error ${String(status)}]` }));
        expect(error).toMatchObject({ status });
      },
    );
  });
});

it.each(MODELS)("an SDK on Gemini counts the tokens of a request for %s", async (model) => {
  const request = {
    model,
    system: "Be brief.",
    messages: [{ role: "user" as const, content: "How many tokens are these?" }],
    tools: [{ name: "weather", input_schema: PARAMETERS }],
  };
  const { data, response } = await anthropic.messages.countTokens(request).withResponse();
  const { usage } = await anthropic.messages.create({ ...request, max_tokens: 100 });
  expect(data.input_tokens).toBe(usage.input_tokens + CACHED);
  expect(response.headers.has("x-gateway-estimated")).toBe(false);
});

it("a wrong key is the client's 401", async () => {
  const request = {
    model: "gemini-wrong-key",
    messages: [{ role: "user" as const, content: "hi" }],
  };
  expect(await thrown(openai.chat.completions.create(request))).toBeInstanceOf(
    OpenAI.AuthenticationError,
  );
});

it("RetryInfo is retry-after", async () => {
  gemini.next({ kind: "error", status: 429 });
  const messages = [{ role: "user" as const, content: "hi" }];
  const error = await thrown(openai.chat.completions.create({ model: "gemini-3-pro", messages }));
  expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get("retry-after")).toBe("35");
});

it("a tool loop moves to OpenAI and back", async () => {
  const tool = { type: "function" as const, function: { name: "weather", parameters: PARAMETERS } };
  const messages: ChatCompletionMessageParam[] = [
    { role: "user", content: 'call weather({"city":"Oslo"})' },
  ];
  const first = await openai.chat.completions.create({ model: "pair", messages, tools: [tool] });
  const message = first.choices[0]?.message;
  const [call] = message?.tool_calls ?? [];
  expect(call?.id).toMatch(/^gw1_g/);
  messages.push(
    { role: "assistant", content: null, tool_calls: message?.tool_calls ?? [] },
    { role: "tool", tool_call_id: call?.id ?? "", content: "sunny" },
  );
  gemini.next({ kind: "error", status: 503 });
  const second = await openai.chat.completions.create({ model: "pair", messages, tools: [tool] });
  expect(second.choices[0]?.message.content).toBe("The tools said: sunny");
  const sent = openaiFake.requests.at(-1)?.body ?? "";
  expect(sent).not.toContain("gw1_");
  expect(openaiFake.requests.at(-1)?.headers["x-goog-api-key"]).toBeUndefined();
  const back = await openai.chat.completions.create({ model: "pair", messages, tools: [tool] });
  expect(back.choices[0]?.message.content).toBe("The tools said: sunny");
});
