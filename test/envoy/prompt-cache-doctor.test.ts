// The prompt-cache doctor through Envoy: a session of Claude Code whose tools change, and that goes to a fallback, streamed.
import { afterAll, beforeAll, expect, it } from "vitest";
import { reportSession } from "../../control-plane/prompt-cache/session-doctor.ts";
import { agentRequest } from "../exchanges/agent-session.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { usageLines } from "../gateway/usage-lines.ts";
import { anthropicDialect } from "../providers/anthropic.ts";
import * as caches from "../providers/prompt-cache.ts";
import { startServer } from "../providers/server.ts";
import type { Dialect, FakeProvider } from "../providers/server.ts";

const KEY = "a-key-of-the-provider";
const TURNS = 12;
const CHANGED_AT = 4;
/** The turns at which the first provider fails. */
const DOWN = [8, 9];

let gateway: Gateway;
let first: FakeProvider;
let second: FakeProvider;
let isDown = false;
const seen: { place: string; body: string }[] = [];

function claude(place: string): Dialect {
  const plain = anthropicDialect({ key: KEY });
  const cached = caches.withPromptCache(plain, {
    cache: caches.markedCache(1024),
    piecesOf: caches.anthropicPieces,
    usageOf: caches.anthropicUsage,
  });
  return {
    ...cached,
    handle(request, next) {
      if (isDown && place === "first")
        return { response: plain.error(503, "down"), behaviour: { kind: "answer" } };
      seen.push({ place, body: JSON.stringify(request.json) });
      return cached.handle(request, next);
    },
  };
}

beforeAll(async () => {
  [first, second] = await Promise.all([
    startServer(claude("first")),
    startServer(claude("second")),
  ]);
  gateway = await startGateway({
    config: `version: v0.1.0
observability: {}
llm_providers:
  - {model: anthropic/claude-sonnet-4-5, access_key: $KEY, base_url: "${first.url}"}
  - {model: house/qwen3-coder, provider_interface: claude, access_key: $KEY, base_url: "${second.url}"}
model_aliases:
  coder: {target: anthropic/claude-sonnet-4-5, fallbacks: [house/qwen3-coder]}
`,
    environment: { KEY },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([first.stop(), second.stop()]);
});

it("a changed tool and a fallback are the reasons of a session's breaks, and nothing else", async () => {
  for (let turn = 0; turn < TURNS; turn++) {
    isDown = DOWN.includes(turn);
    const { path, headers, body } = agentRequest("messages", "coder", turn);
    const changed = structuredClone(body) as { tools: { description: string }[] };
    if (turn >= CHANGED_AT && changed.tools[2] !== undefined)
      changed.tools[2].description = "Times out after 600000 ms.";
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...Object.fromEntries(headers) },
      body: JSON.stringify({ ...changed, stream: true }),
    });
    expect(response.status, await response.text()).toBe(200);
  }
  await expect.poll(() => usageLines(gateway).length).toBe(TURNS);
  const reports = reportSession(usageLines(gateway), { priceOf: () => undefined });
  expect(reports.map(({ kind }) => kind)).toEqual([
    "first",
    ...Array.from({ length: TURNS - 1 }, () => "next"),
  ]);
  expect(
    reports
      .map(({ break: lost }, turn) => [turn, lost?.reason] as const)
      .filter(([, reason]) => reason !== undefined),
  ) //
    .toEqual([
      [CHANGED_AT, "tools"],
      [DOWN[0], "fallback"],
    ]);
  expect(reports[CHANGED_AT]?.changed).toEqual({ path: "tools[2].description", how: "changed" });
});

it("the attribution block of Claude Code reaches Anthropic's API, and not the fallback", () => {
  const bodies = (wanted: string) =>
    seen.filter(({ place }) => place === wanted).map(({ body }) => body);
  const has = (body: string) => body.includes("x-anthropic-billing-header");
  expect(bodies("first").every(has)).toBe(true);
  expect(bodies("second")).toHaveLength(DOWN.length);
  expect(bodies("second").some(has)).toBe(false);
});
