// An agent's session through Envoy: a chat client reads its conversation from Claude's cache, streamed, and from OpenAI's by its key.
import { afterAll, beforeAll, expect, it } from "vitest";
import { agentRequest, TURNS } from "../exchanges/agent-session.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { usageLines } from "../gateway/usage-lines.ts";
import { anthropicDialect } from "../providers/anthropic.ts";
import { openaiDialect } from "../providers/openai.ts";
import * as caches from "../providers/prompt-cache.ts";
import type { CacheUse } from "../providers/prompt-cache.ts";
import { startServer } from "../providers/server.ts";
import type { FakeProvider } from "../providers/server.ts";

const KEY = "a-key-of-the-provider";

let gateway: Gateway;
let claude: FakeProvider;
let grok: FakeProvider;
const counted: CacheUse[] = [];
const onUse = (use: CacheUse): void => void counted.push(use);

beforeAll(async () => {
  claude = await startServer(
    caches.withPromptCache(anthropicDialect({ key: KEY }), {
      cache: caches.markedCache(1024),
      piecesOf: caches.anthropicPieces,
      usageOf: caches.anthropicUsage,
      onUse,
    }),
  );
  grok = await startServer(
    caches.withPromptCache(openaiDialect({ key: KEY }), {
      cache: caches.automaticCache(1024, 8),
      piecesOf: caches.chatPieces,
      usageOf: caches.chatUsage,
      keyHeader: "x-grok-conv-id",
      onUse,
    }),
  );
  gateway = await startGateway({
    config: `
version: v0.1.0
observability: {}
llm_providers:
  - { model: anthropic/claude-sonnet-4-5, access_key: $KEY, base_url: "${claude.url}" }
  - { model: xai/grok-4.5, access_key: $KEY, base_url: "${grok.url}/v1" }
`,
    environment: { KEY },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([claude.stop(), grok.stop()]);
});

it.each([
  ["chat", "anthropic/claude-sonnet-4-5"],
  ["responses", "xai/grok-4.5"],
] as const)(
  "a %s client reads nine tenths of its input from the cache of %s",
  async (format, model) => {
    counted.length = 0;
    const before = usageLines(gateway).length;
    for (let turn = 0; turn < TURNS; turn++) {
      const { path, headers, body } = agentRequest(format, model, turn);
      const response = await fetch(gateway.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...Object.fromEntries(headers) },
        body: JSON.stringify({ ...body, stream: true }),
      });
      expect(response.status, await response.text()).toBe(200);
    }
    const read = counted.reduce((sum, use) => sum + use.read, 0);
    const total = counted.reduce((sum, use) => sum + use.total, 0);
    expect(read / total).toBeGreaterThanOrEqual(0.9);
    await expect.poll(() => usageLines(gateway).length).toBe(before + TURNS);
    const recorded = usageLines(gateway)
      .slice(before)
      .map(({ record }) => ({
        total: record?.input ?? 0,
        read: record?.cache_read ?? 0,
        written: record?.cache_write ?? 0,
      }));
    expect(recorded).toEqual(counted);
  },
);
