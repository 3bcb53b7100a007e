// The content log through the real Envoy: one line per captured request, cut to its limit, without credentials.
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, parts } from "./ask.ts";
import type { DialectName } from "./ask.ts";
import type { ContentLine } from "../exchanges/content-line.ts";

const KEY = "a-key-of-the-team-0123";
const LIMIT = 2048;

let all: WithFakes;
let count = 0;
const newId = () => `content-log-${++count}`;
const headers = (id: string) => ({
  "x-request-id": id,
  authorization: `Bearer ${KEY}`,
  "x-customer": "someone",
});

beforeAll(async () => {
  all = await startWithFakes({
    aliases: "  two: { target: openai/gpt-4o, fallbacks: [anthropic/claude-test] }\n",
    environment: { TEAM_KEY: KEY },
    adapt(model) {
      model.observability = {
        metrics: { address: "127.0.0.1", port: 9464 },
        content: { maxBytes: LIMIT, redactHeaders: ["x-customer"] },
      };
      model.egress.apiKeys = [
        { variable: "TEAM_KEY", name: "TEAM_KEY", groups: ["research", "eu"], owner: "ann" },
      ];
      model.filterEnvironment.push("TEAM_KEY");
    },
  });
});
afterAll(() => all.stop());

function lines(): string[] {
  const file = all.gateway.logFile("content");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

async function contentOf(id: string): Promise<ContentLine> {
  const own = () => lines().filter((line) => line.includes(`"id":"${id}"`));
  await expect.poll(() => own().length).toBe(1);
  return JSON.parse(own()[0] ?? "") as ContentLine;
}

const CLIENTS: DialectName[] = ["chat", "messages", "responses"];
const CASES = CLIENTS.flatMap((client) =>
  ["fast", "careful", "two"].flatMap((model) =>
    [false, true].map((stream) => ({ client, model, stream })),
  ),
);

it.each(CASES)("$client, $model, stream: $stream", async ({ client, model, stream }) => {
  const id = newId();
  if (model === "two") all.openai.next({ kind: "error", status: 503 });
  const response = await ask(all.gateway, client, { model, stream, headers: headers(id) });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const content = await contentOf(id);
  expect(content.response).toBe(text.slice(0, LIMIT));
  expect(JSON.parse(content.request)).toMatchObject({ model });
  expect(content).toMatchObject({ key: "TEAM_KEY", group: "research,eu", user: "ann" });
  const own = new Map(content.headers);
  expect([own.get("authorization"), own.get("x-customer")]).toEqual(["***", "***"]);
  expect(own.get("content-type")).toBe("application/json");
  expect(JSON.stringify(content)).not.toContain(KEY);
});

it("the content log cuts long texts and reports it", async () => {
  const id = newId();
  const long = "ä".repeat(3000);
  const response = await ask(all.gateway, "chat", {
    model: "fast",
    text: long,
    headers: headers(id),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const content = await contentOf(id);
  expect(content.request_bytes).toBeGreaterThan(6000);
  expect(Buffer.byteLength(content.request)).toBeLessThanOrEqual(LIMIT + 2);
});

it("the content log has the part that a client got before it hung up", async () => {
  const id = newId();
  all.anthropic.next({ kind: "stall", afterEvents: 3 });
  const abort = new AbortController();
  const options = { stream: true, headers: headers(id), signal: abort.signal };
  const response = await ask(all.gateway, "messages", options);
  for await (const part of parts(response)) if (part.includes("message_start")) break;
  abort.abort();
  expect((await contentOf(id)).response).toContain("message_start");
});

it("the content log has the gateway's errors, and nothing of a client without a key", async () => {
  const unknown = newId();
  const response = await ask(all.gateway, "chat", {
    model: "no-such-model",
    headers: headers(unknown),
  });
  expect(response.status).toBe(404);
  expect((await contentOf(unknown)).response).toBe(await response.text());
  const rejected = newId();
  const before = lines().length;
  const refused = await ask(all.gateway, "chat", { headers: { "x-request-id": rejected } });
  expect(refused.status).toBe(401);
  await expect.poll(() => lines().length).toBe(before + 1);
  expect(lines().at(-1)).toBe("-");
});
