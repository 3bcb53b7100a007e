// The model server's endpoints by HTTP: shapes, errors, limits, and texts that are meant to break it.
import { existsSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelServerApp } from "../../../../control-plane/model-server/app.ts";
import { modelServerOptions } from "../../../../control-plane/model-server/options.ts";
import { startModelServer } from "../../../../control-plane/model-server/start.ts";
import { newSocketPath } from "../../../gateway/socket-path.ts";
import { conversation, type Running, startServer } from "./running.ts";
import { LABELS, TOOLS } from "./targets.ts";

let server: Running;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

async function answer(path: string, body: unknown) {
  const response = await server.post(path, body);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("the model server", () => {
  it("the model server returns 503 until its models are loaded", async () => {
    const app = modelServerApp({
      options: modelServerOptions.parse({}),
      models: () => undefined,
      now: () => new Date(),
      log: () => undefined,
    });
    const statuses = await Promise.all([
      app.request("/healthz"),
      app.request("/models"),
      app.request("/embeddings", {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": "13" },
        body: '{"input":"a"}',
      }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect((await server.get("/healthz")).status).toBe(200);
  });

  it("the model server stops listening when it is closed", async () => {
    const path = newSocketPath();
    const closing = await startModelServer(path, {}, { environment: process.env });
    await closing.ready;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await closing.close();
    expect(existsSync(path)).toBe(false);
  });

  it("the model server listens where a killed one left its socket", async () => {
    const path = newSocketPath();
    writeFileSync(path, "");
    const next = await startModelServer(path, {}, { environment: process.env });
    expect(statSync(path).isSocket()).toBe(true);
    await next.close();
  });

  it("the model server names the missing file if there is no model", async () => {
    const without = await startModelServer(
      newSocketPath(),
      {},
      { environment: { XDG_CACHE_HOME: "/nowhere" } },
    );
    await expect(without.ready).rejects.toThrow(/all-MiniLM-L6-v2 is not installed/);
    await without.close();
  });

  it("the model server refuses wrong options, with their place", async () => {
    await expect(
      startModelServer(newSocketPath(), { selection: { threshold: 2 } }, { environment: {} }),
    ).rejects.toThrow(/selection.threshold/);
  });

  it("the model server lists its models", async () => {
    const response = await server.get("/models");
    expect(await response.json()).toMatchObject({
      object: "list",
      data: [{ id: "all-MiniLM-L6-v2", object: "model" }],
    });
  });

  it("the model server embeds one text or several", async () => {
    const one = await answer("/embeddings", { input: "weather", model: "any" });
    expect(one.body).toMatchObject({
      object: "list",
      model: "all-MiniLM-L6-v2",
      data: [{ object: "embedding", index: 0 }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    });
    const two = await answer("/embeddings", { input: ["weather", "money"] });
    expect(two.body["data"]).toMatchObject([{ index: 0 }, { index: 1 }]);
  });

  it.each([
    ["/embeddings", {}, /input/],
    ["/embeddings", "{", /not valid JSON/],
    ["/zeroshot", { input: "a", labels: [] }, /labels/],
    ["/zeroshot", { input: "a", labels: ["b"], messages: "none" }, /messages/],
    ["/v1/chat/completions", { messages: [] }, /messages/],
    ["/v1/chat/completions", { messages: conversation("a"), tools: [{}] }, /tools.0.function/],
    ["/hallucination", { parameters: {} }, /prompt/],
    ["/guard", { input: 1 }, /input/],
    ["/guard", { input: "a", task: "toxicity" }, /task/],
  ])("the model server returns 400 in OpenAI's shape: %s %o", async (path, body, message) => {
    const { status, body: error } = await answer(path, body);
    expect(status).toBe(400);
    expect(error).toMatchObject({
      error: {
        message: expect.stringMatching(message) as string,
        type: "invalid_request_error",
      },
    });
  });

  it("the model server returns 404 for other paths, and for /guard without a guard", async () => {
    expect((await answer("/other", {})).status).toBe(404);
    const plain = await startServer({ guard: undefined });
    expect((await plain.post("/guard", { input: "a" })).status).toBe(404);
    await plain.close();
  });

  const texts = {
    "64 KB of words": "weather in Seattle ".repeat(3400),
    "64 KB of digits": "1".repeat(65_536),
    "64 KB of quotation marks": `"`.repeat(65_536),
    "64 KB of prepositions": "in ".repeat(21_800),
    "64 KB of at signs": "a@".repeat(32_768),
    "64 KB of dates": "tomorrow ".repeat(7_280),
    "control characters": "weather in Sea\0ttle\r\n\u0007 for 3 days",
    "right-to-left marks": "weather in \u202EelttaeS\u202C for \u200F3 days",
    "the names of an object's own members": "__proto__ constructor toString",
  };
  it.each(Object.entries(texts))(
    "the model server answers every endpoint in time: %s",
    async (_, text) => {
      const messages = conversation(text);
      const parameters = { city: text.slice(0, 4096), days: 3, __proto__: "x" };
      const statuses = await Promise.all([
        answer("/embeddings", { input: text }),
        answer("/guard", { input: text }),
        answer("/zeroshot", { ...LABELS, input: text, messages }),
        answer("/v1/chat/completions", {
          messages,
          tools: TOOLS,
          metadata: { decision: "target", target: "get_current_weather" },
        }),
        answer("/hallucination", { prompt: text, parameters, target: "get_current_weather" }),
      ]);
      expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    },
  );

  it("the model server continues after all that with an empty log", () => {
    expect(server.log).toEqual([]);
  });
});
