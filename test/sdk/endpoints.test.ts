// The official SDKs at the endpoints that pass by model: the openai and anthropic packages of Node and Python.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen } from "../providers/listen.ts";
import type { Listening } from "../providers/listen.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { runScenarios, scenariosIn } from "./python.ts";

const WIDTH = 1536;
const PYTHON = "endpoints_client.py";
const SOUND = Buffer.from(Array.from({ length: 25_600 }, (_, at) => at % 256));

/** What OpenAI responds: base64 only if the request has it. */
function embeddings({ model, input, encoding_format: format }: Record<string, unknown>): object {
  if (model !== "text-embedding-3-small") throw new Error(`the model is ${String(model)}`);
  const texts = Array.isArray(input) ? input : [input];
  const data = texts.map((_, index) => {
    const vector = Float32Array.from({ length: WIDTH }, (__, at) => at / 2);
    const embedding =
      format === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", index, embedding };
  });
  return { object: "list", data, model, usage: { prompt_tokens: 2, total_tokens: 2 } };
}

async function transcription(type: string, body: Buffer): Promise<object> {
  const request = new Response(new Uint8Array(body), { headers: { "content-type": type } });
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- slow for servers, strict for a test
  const form = await request.formData();
  const file = form.get("file");
  const model = form.get("model");
  if (!(file instanceof Blob) || typeof model !== "string") throw new Error("no file or model");
  return { text: `${file.size} bytes for ${model}` };
}

async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const type = incoming.headers["content-type"] ?? "";
  const [path = ""] = (incoming.url ?? "").split("?");
  const json = type.startsWith("application/json")
    ? (JSON.parse(body.toString()) as Record<string, unknown>)
    : {};
  if (path === "/v1/audio/speech") {
    outgoing.writeHead(200, { "content-type": "audio/mpeg" }).end(SOUND);
    return;
  }
  const responses: Record<string, () => object | Promise<object>> = {
    "/v1/embeddings": () => embeddings(json),
    "/v1/audio/transcriptions": () => transcription(type, body),
    "/v1/moderations": () => ({
      id: "modr-1",
      model: json["model"] ?? "omni-moderation-latest",
      results: [],
    }),
    "/v1/files": () => ({
      id: "file-1",
      object: "file",
      bytes: 3,
      filename: "a",
      purpose: "batch",
      created_at: 1,
    }),
    "/v1/messages/count_tokens": () => ({ input_tokens: 14 }),
  };
  const response = await (responses[path] ?? (() => ({ error: { message: `no ${path}` } })))();
  const status = "error" in response ? 404 : 200;
  outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(response));
}

let provider: Listening;
let gateway: Gateway;
let openai: OpenAI;
let anthropic: Anthropic;
let python: Map<string, string>;

beforeAll(async () => {
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      outgoing.writeHead(400, { "content-type": "application/json" });
      outgoing.end(JSON.stringify({ error: { message } }));
    });
  });
  provider = await listen(server, () => {
    server.closeAllConnections();
  });
  const at = `http://127.0.0.1:${provider.port}`;
  gateway = await startGateway({
    config: `
version: v0.1.0
llm_providers:
  - { model: openai/gpt-4o, base_url: ${at}/v1, access_key: $KEY, default: true }
  - { model: openai/text-embedding-3-small, base_url: ${at}/v1, access_key: $KEY }
  - { model: openai/whisper-1, base_url: ${at}/v1, access_key: $KEY }
  - { model: openai/tts-1, base_url: ${at}/v1, access_key: $KEY }
  - { model: anthropic/claude-sonnet-4-5, base_url: "${at}", access_key: $KEY }
model_aliases:
  embed: { target: openai/text-embedding-3-small }
  ears: { target: openai/whisper-1 }
  voice: { target: openai/tts-1 }
  careful: { target: anthropic/claude-sonnet-4-5 }
  other: { target: openai/gpt-4o }
`,
    environment: { KEY: "key" },
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "any-key", maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: "any-key", maxRetries: 0 });
  python = await runScenarios(PYTHON, { GATEWAY_URL: gateway.url });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

describe("Python", () => {
  it.each(scenariosIn(PYTHON))("%s", (name) => {
    expect(python.get(name)).toBe("");
  });
});

describe("Node", () => {
  it("embeddings of a default call have the full width", async () => {
    const response = await openai.embeddings.create({ model: "embed", input: ["one", "two"] });
    expect(response.data.map(({ embedding }) => embedding.length)).toEqual([WIDTH, WIDTH]);
    expect(response.data[1]?.embedding[1]).toBe(0.5);
  });

  it("a file is transcribed by the model behind an alias", async () => {
    const file = await toFile(SOUND, "speech.wav");
    const response = await openai.audio.transcriptions.create({ model: "ears", file });
    expect(response.text).toBe(`${SOUND.length} bytes for whisper-1`);
  });

  it("speech is binary", async () => {
    const response = await openai.audio.speech.create({
      model: "voice",
      voice: "alloy",
      input: "Hi",
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(SOUND)).toBe(true);
  });

  it("a model is retrieved by any of its names", async () => {
    expect(await openai.models.retrieve("openai/gpt-4o")).toMatchObject({ owned_by: "openai" });
    expect(await openai.models.retrieve("embed")).toMatchObject({ id: "embed", object: "model" });
    await expect(openai.models.retrieve("nothing")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    expect(await anthropic.models.retrieve("careful")).toMatchObject({ lifecycle: "active" });
    await expect(anthropic.models.retrieve("nothing")).rejects.toBeInstanceOf(
      Anthropic.NotFoundError,
    );
  });

  it("tokens are counted, or estimated", async () => {
    const messages = [{ role: "user" as const, content: "Hello, how are you today?" }];
    const counted = await anthropic.messages.countTokens({ model: "careful", messages });
    expect(counted.input_tokens).toBe(14);
    const estimated = await anthropic.messages
      .countTokens({ model: "other", messages })
      .withResponse();
    expect(estimated.response.headers.get("x-gateway-estimated")).toBe("input_tokens");
    expect(estimated.data.input_tokens).toBe(12);
  });

  it("a stored response of a provider without a store is not found", async () => {
    const error = await openai.responses.retrieve("resp_1").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect((error as Error).message).toContain("Response with id 'resp_1' not found.");
  });
});
