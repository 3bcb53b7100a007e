// The demonstration model: OpenAI's format, the same answer to the same request, and plainly no language model.
import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  demonstrationApp,
  startDemonstrationModel,
} from "../../../../../control-plane/supervisor/demonstration/demonstration-model.ts";
import { fetchAt } from "../../../../../control-plane/model-server/unix-socket.ts";
import { newSocketPath } from "../../../../gateway/socket-path.ts";

const app = demonstrationApp();
const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { enum: ["celsius"] },
        days: { type: "integer" },
      },
      required: ["city", "unit"],
    },
  },
};

interface Chunk {
  object: string;
  choices: {
    delta: {
      role?: string;
      content?: string | null;
      tool_calls?: { index: number; function: { name?: string; arguments: string } }[];
    };
    finish_reason: string | null;
  }[];
  usage?: { total_tokens: number } | null;
}

async function post(body: unknown): Promise<Response> {
  return app.request("/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

function ask(content: unknown, more: object = {}) {
  return { model: "gateway-demo", messages: [{ role: "user", content }], ...more };
}

async function streamed(body: object): Promise<{ chunks: Chunk[]; last: string | undefined }> {
  const response = await post({ ...body, stream: true });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const data = (await response.text())
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""));
  return { chunks: data.slice(0, -1).map((json) => JSON.parse(json) as Chunk), last: data.at(-1) };
}

describe("the demonstration model", () => {
  it("the demonstration model states that it is a demonstration, and repeats the prompt", async () => {
    const response = await post(ask("What is the capital of France?"));
    expect(response.status).toBe(200);
    const body = (await response.json()) as {
      object: string;
      model: string;
      choices: { message: { role: string; content: string }; finish_reason: string }[];
      usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
    };
    expect(body).toMatchObject({ object: "chat.completion", model: "gateway-demo" });
    expect(body.choices).toHaveLength(1);
    expect(body.choices[0]).toMatchObject({
      message: { role: "assistant" },
      finish_reason: "stop",
    });
    expect(body.choices[0]?.message.content).toMatch(/no language model/);
    expect(body.choices[0]?.message.content).toMatch(/What is the capital of France\?$/);
    expect(body.usage.prompt_tokens).toBe(6);
    expect(body.usage.total_tokens).toBe(6 + body.usage.completion_tokens);
  });

  it("the demonstration model gives the same bytes for the same request, and others for another", async () => {
    const texts = await Promise.all(
      ["a", "a", "b"].map(async (content) => (await post(ask(content))).text()),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it("the demonstration model streams role, pieces, finish and [DONE]; usage only where it is requested", async () => {
    const { chunks, last } = await streamed(ask("Hi"));
    expect(last).toBe("[DONE]");
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: "assistant", content: "" });
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.every((chunk) => !("usage" in chunk))).toBe(true);
    const plain = (await (await post(ask("Hi"))).json()) as {
      choices: { message: { content: string } }[];
    };
    const joined = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
    expect(joined).toBe(plain.choices[0]?.message.content);

    const counted = await streamed(ask("Hi", { stream_options: { include_usage: true } }));
    expect(counted.chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 1 } });
    expect(counted.chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  });

  it("the demonstration model stops at max_tokens", async () => {
    const response = await post(ask("Hi", { max_tokens: 2 }));
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: "This is " }, finish_reason: "length" }],
      usage: { completion_tokens: 2 },
    });
  });

  it.each([
    ["the prompt names it", ask("Please call get_weather", { tools: [weather] })],
    ["one is required", ask("Hi", { tools: [weather], tool_choice: "required" })],
    [
      "the choice names it",
      ask("Hi", {
        tools: [{ type: "function", function: { name: "other" } }, weather],
        tool_choice: { type: "function", function: { name: "get_weather" } },
      }),
    ],
  ])("the demonstration model calls a tool when %s", async (_, request) => {
    const response = await post(request);
    expect(await response.json()).toMatchObject({
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            content: null,
            tool_calls: [
              {
                type: "function",
                function: {
                  name: "get_weather",
                  arguments: '{"city":"demonstration","unit":"celsius"}',
                },
              },
            ],
          },
        },
      ],
    });
    const { chunks } = await streamed(request);
    const calls = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(calls[0]?.function).toEqual({ name: "get_weather", arguments: "" });
    expect(calls.map((call) => call.function.arguments).join("")).toBe(
      '{"city":"demonstration","unit":"celsius"}',
    );
  });

  it("the demonstration model calls no tool when none is wanted, and repeats what a tool returned", async () => {
    const text = async (request: object) => {
      const body = (await (await post(request)).json()) as {
        choices: { message: { content: string } }[];
      };
      return body.choices[0]?.message.content;
    };
    expect(await text(ask("Hi", { tools: [weather] }))).toMatch(/Hi$/);
    const none = ask("get_weather", { tools: [weather], tool_choice: "none" });
    expect(await text(none)).toMatch(/get_weather$/);
    const returned = {
      model: "gateway-demo",
      tools: [weather],
      messages: [
        { role: "user", content: "get_weather" },
        { role: "assistant", content: null, tool_calls: [] },
        { role: "tool", tool_call_id: "call_1", content: "21 degrees" },
      ],
    };
    expect(await text(returned)).toMatch(/The tool returned: 21 degrees$/);
  });

  it("the demonstration model reads content parts, and shortens a long prompt without cutting a character", async () => {
    const parts = [
      { type: "text", text: "🙂".repeat(500) },
      { type: "image_url", image_url: {} },
    ];
    const body = (await (await post(ask(parts))).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(body.choices[0]?.message.content).toMatch(/🙂{200}…$/u);
  });

  it.each([
    ["no JSON", "{", null],
    ["no messages", { model: "gateway-demo" }, "messages"],
    ["an empty list of messages", { model: "gateway-demo", messages: [] }, "messages"],
    ["a stream that is no boolean", ask("Hi", { stream: "yes" }), "stream"],
  ])("the demonstration model refuses %s with OpenAI's error", async (_, body, parameter) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { type: "invalid_request_error", param: parameter, code: null },
    });
  });

  it.each([
    ["a body that is too large", `"${"a".repeat(17 * 1024 * 1024)}"`, /too large/],
    ["one of too many values", `[${"[],".repeat(100_000)}[]]`, /too large/],
  ])("the demonstration model refuses %s before it reads it", async (_, body, message) => {
    const response = await post(body);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringMatching(message) as string },
    });
  });

  it("the demonstration model listens on a socket that its user alone can open, until it is closed", async () => {
    const path = newSocketPath();
    const { close } = await startDemonstrationModel(path);
    const get = () =>
      fetchAt(path, "http://demonstration/v1/models", {
        method: "GET",
        headers: {},
        signal: AbortSignal.timeout(10_000),
      });
    expect((await get()).status).toBe(404);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await close();
    await expect(get()).rejects.toThrow();
  });
});
