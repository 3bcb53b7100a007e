// What browsers get as it happens: rows, sums of the last minute, and an end for a tab that does not read.
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { History } from "../../../../control-plane/observability/history/history.ts";
import { observer } from "../../../../control-plane/observability/history/observed-request.ts";
import { Sketch } from "../../../../control-plane/observability/history/sketch.ts";
import { Live } from "../../../../control-plane/observability/live/live.ts";
import { envoyState } from "../../../../control-plane/observability/live/provider-state.ts";
import {
  eventText,
  Subscribers,
} from "../../../../control-plane/observability/live/subscribers.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";

const text = "llm_providers: [{model: openai/gpt-4o, access_key: $KEY}]\nobservability: {}\n";
const loaded = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k".repeat(30) });
if (!loaded.ok) throw new Error("the configuration is invalid");
const { model } = loaded;
const observe = observer(() => model);

let directory: string;
let log: string;
let usage: Usage;
let history: History;
let live: Live;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "live-"));
  log = join(directory, "access_usage.log");
  usage = new Usage({ directory, report: () => undefined, pollMs: 5 });
  history = new History({ usage, observe, now: Date.now });
  usage.attach(history);
  usage.follow(log);
  const envoyStats = () => Promise.reject(new Error("no Envoy"));
  live = new Live({ model: () => model, observe, history, envoyStats, now: Date.now });
});
afterEach(async () => {
  live.close();
  await usage.detach(history);
  rmSync(directory, { recursive: true });
});

/** Resolves when the history has the request. */
async function write(id: string): Promise<void> {
  const record = { id, listener: "egress", target: "openai/gpt-4o", input: 10, output: 5 };
  const start = (Date.now() / 1000).toFixed(3);
  appendFileSync(log, `${start} 200 - 1 1 900 100 50 10 20 ${JSON.stringify(record)}\n`);
  await expect.poll(() => history.withId(id), { interval: 5 }).toHaveLength(1);
}

interface Seen {
  ids: string[];
  requests: number | undefined;
}

/** Reads events until a condition holds. */
async function readUntil(
  stream: ReadableStream<Uint8Array> | undefined,
  isDone: (seen: Seen) => boolean,
): Promise<Seen> {
  const seen: Seen = { ids: [], requests: undefined };
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, name, data = "{}"] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? [];
      const event = JSON.parse(data) as { rows?: { id: string }[]; minute?: { requests: number } };
      if (name === "rows") seen.ids.push(...(event.rows ?? []).map(({ id }) => id));
      if (name === "snapshot") seen.requests = event.minute?.requests;
    }
    if (isDone(seen)) break;
  }
  return seen;
}

it("a browser gets the requests before it, and those that come", async () => {
  await write("before");
  const stream = live.subscribe();
  await write("after");
  const seen = await readUntil(stream, ({ ids, requests }) => ids.length === 2 && requests === 2);
  expect(seen).toEqual({ ids: ["before", "after"], requests: 2 });
});

it("the next browser gets what came without one, once", async () => {
  await write("one");
  await readUntil(live.subscribe(), ({ ids }) => ids.length === 1);
  await write("two");
  const seen = await readUntil(live.subscribe(), ({ ids }) => ids.length === 2);
  expect(seen.ids).toEqual(["one", "two"]);
});

it("a browser gets what is read while the file is locked, before and after its connection", async () => {
  await write("one");
  const other = new DatabaseSync(join(directory, "usage.db"));
  other.exec("BEGIN EXCLUSIVE");
  const first = live.subscribe();
  const record = { listener: "egress", target: "openai/gpt-4o", input: 10, output: 5 };
  const start = (Date.now() / 1000).toFixed(3);
  const line = (id: string) =>
    `${start} 200 - 1 1 900 100 50 10 20 ${JSON.stringify({ id, ...record })}\n`;
  appendFileSync(log, line("two"));
  const seen = await readUntil(first, ({ ids }) => ids.length === 2);
  expect(seen.ids).toEqual(["one", "two"]);
  expect(history.problem).toContain("live requests are shown");
  const late = await readUntil(live.subscribe(), ({ ids }) => ids.includes("two"));
  expect(late.ids.at(-1)).toBe("two");
  other.close();
});

it("a tab that does not read is dropped, and the others go on", async () => {
  const subscribers = new Subscribers();
  const idle = subscribers.subscribe([]);
  const other = subscribers.subscribe([]);
  const reader = other?.getReader();
  for (let at = 0; at < 40; at++) {
    subscribers.publish(eventText("rows", at));
    await reader?.read();
  }
  expect(subscribers.count).toBe(1);
  let events = 0;
  for await (const _ of idle ?? []) events += 1;
  expect(events).toBeLessThanOrEqual(32);
});

it("browsers are limited in number", () => {
  const subscribers = new Subscribers();
  const streams = Array.from({ length: 21 }, () => subscribers.subscribe([]));
  expect(streams.filter((stream) => stream === undefined)).toHaveLength(1);
  subscribers.close();
});

it("quantiles are within 2.5 %, also of sums and after saving", () => {
  const [one, other, restored] = [new Sketch(), new Sketch(), new Sketch()];
  for (let value = 1; value <= 1000; value++) (value % 2 === 0 ? one : other).add(value * 100);
  one.merge(other);
  restored.restore(one.save());
  for (const share of [0.01, 0.5, 0.95, 1]) {
    const found = restored.quantile(share) ?? 0;
    expect(Math.abs(found / (share * 100_000) - 1), String(share)).toBeLessThan(0.026);
  }
  expect(new Sketch().quantile(0.5)).toBeUndefined();
});

it("providers have their open requests and ejected hosts from Envoy", () => {
  const cluster = "api_openai_com_443_bearer";
  const page = [
    'envoy_http_downstream_rq_active{envoy_http_conn_manager_prefix="admin"} 1',
    'envoy_http_downstream_rq_active{envoy_http_conn_manager_prefix="egress"} 3',
    `envoy_cluster_membership_total{envoy_cluster_name="${cluster}"} 2`,
    `envoy_cluster_membership_total{envoy_cluster_name="attempt_${cluster}"} 2`,
    `envoy_cluster_upstream_rq_active{envoy_cluster_name="${cluster}"} 4`,
    `envoy_cluster_outlier_detection_ejections_active{envoy_cluster_name="${cluster}"} 1`,
  ].join("\n");
  expect(envoyState(page, model)).toEqual({
    open: 3,
    providers: [{ name: "openai", hosts: 2, ejected: 1, open: 4 }],
  });
});
