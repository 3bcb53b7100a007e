// A day of an invented company's requests, the same in every run, served as the gateway serves its own: for screenshots, and for
// what needs more history than a test can wait for.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { formatProblem } from "../../control-plane/report/problem.ts";
import type { GatewayModel } from "../../model/model.ts";
import { clusterOf, statNameOf } from "../../model/upstreams.ts";
import type { BudgetGauge } from "../../control-plane/observability/envoy-stats.ts";
import { keysApi } from "../../control-plane/keys/api/key-routes.ts";
import { EndedSessions } from "../../control-plane/observability/sign-in/page-session.ts";
import { Observability } from "../../control-plane/observability/observability.ts";
import { freePort } from "../free-port.ts";
import { Usage } from "../../control-plane/usage/usage-follower.ts";

/** 2026-11-22 14:03:30 UTC. */
export const NOW = Date.UTC(2026, 10, 22, 14, 3, 30);

interface DemoModel {
  target: string;
  share: number;
  /** Milliseconds to the first token, and output tokens per second. */
  first: number;
  rate: number;
  cached: number;
}

const MODELS: DemoModel[] = [
  { target: "anthropic/claude-sonnet-4-5", share: 34, first: 780, rate: 72, cached: 0.72 },
  { target: "openai/gpt-4.1", share: 27, first: 410, rate: 95, cached: 0.41 },
  { target: "openai/gpt-4.1-mini", share: 23, first: 260, rate: 150, cached: 0.2 },
  { target: "gemini/gemini-2.5-flash", share: 11, first: 340, rate: 190, cached: 0.1 },
  { target: "ollama/llama3.1:8b", share: 5, first: 120, rate: 48, cached: 0 },
];
const KEYS = ["TEAM_SEARCH", "TEAM_SUPPORT", "CODE_AGENTS", "NIGHTLY_EVALS"];
const DIALECTS = [
  ["openai_chat", "/v1/chat/completions"],
  ["anthropic_messages", "/v1/messages"],
  ["openai_responses", "/v1/responses"],
] as const;

const RATE_LIMITED =
  "Rate limit reached for requests per minute in organization org-example: limit 500, used 500, requested 1. Please try again in 120 ms.";
const BUDGETS: BudgetGauge[] = [
  {
    name: "key TEAM_SEARCH a day",
    subject: { kind: "key", name: "TEAM_SEARCH" },
    per: "day",
    limit: 25e9,
    spent: 10.16e9,
    resets: Date.UTC(2026, 10, 23),
  },
  {
    name: "model anthropic/claude-sonnet-4-5 a month",
    subject: { kind: "model", name: "anthropic/claude-sonnet-4-5" },
    per: "month",
    limit: 400e9,
    spent: 400e9,
    resets: Date.UTC(2026, 11, 1),
  },
  { name: "all requests in total", per: "total", limit: 5_000e9, spent: 1_204e9 },
];

function configuration(port: number, token: string): string {
  const key = (target: string) => (target.startsWith("ollama") ? "" : ", access_key: $KEY");
  const entries = MODELS.map(({ target }) => `  - {model: "${target}"${key(target)}}`);
  return [
    "listeners:",
    "  egress: {address: 127.0.0.1, port: 12000, api_keys: [$TEAM_SEARCH, $TEAM_SUPPORT, $CODE_AGENTS, $NIGHTLY_EVALS]}",
    "llm_providers:",
    ...entries,
    "pricing:",
    "  ollama/llama3.1:8b: {input: 0, output: 0}",
    `observability: {metrics: {port: ${String(port)}${token === "" ? "" : ", token: $TOKEN"}}}`,
  ].join("\n");
}

/** A session of twelve turns. */
export const DEMO_SESSION = "7c1d9a52-session";

export interface Demo {
  url: string;
  /** The id of a request with a fallback. */
  storyId: string;
  /** Returns what the admin API has ended. */
  ended: () => string[];
  /** Adds a request of now. */
  add: (id: string, more?: object) => void;
  stop: () => Promise<void>;
}

export async function startDemo(token = ""): Promise<Demo> {
  const directory = mkdtempSync(join(tmpdir(), "gateway-demo-"));
  const port = await freePort();
  const environment: Record<string, string> = { KEY: "k".repeat(30), TOKEN: token };
  for (const key of KEYS) environment[key] = key.toLowerCase().repeat(3);
  const text = configuration(port, token);
  const result = loadConfiguration({ file: "gateway.yaml", text }, environment);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  const log = join(directory, "access_usage.log");
  writeFileSync(log, dayOfLines());
  const usage = new Usage({ directory, report: () => undefined });
  usage.follow(log);
  const ended = new EndedSessions();
  const delivered = () => Promise.resolve();
  const api = keysApi({
    ...{ keys: () => undefined, version: "0", now: () => NOW },
    sessions: () => ({ ended, delivered }),
  });
  const observability = new Observability({
    ...{ directory, usage },
    versions: { gateway: "0", envoy: "0" },
    envoyStats: () => Promise.resolve(envoyPage(result.model)),
    report: () => undefined,
    budgets: () => BUDGETS,
    adminApi: () => Promise.resolve(api),
    now: () => NOW,
  });
  await observability.use({ model: result.model, logDirectory: directory, environment });
  const random = generator(7);
  return {
    url: `http://127.0.0.1:${String(port)}`,
    storyId: STORY,
    ended: () => [...ended.all.keys()],
    add(id, more = {}) {
      appendFileSync(log, lineOf(random, NOW / 1000 - 2, { id, ...more }));
    },
    async stop() {
      await observability.close();
      rmSync(directory, { recursive: true });
    },
  };
}

const STORY = "4f6f1c3a-93b1-4c1e-8a55-2b4f0d7c9e10";

function dayOfLines(): string {
  const random = generator(1);
  const lines: { at: number; text: string }[] = [];
  const end = NOW / 1000;
  for (let minute = 0; minute < 1440; minute++) {
    const hour = ((end / 3600 - minute / 60) % 24) + 24;
    const share = 0.25 + 0.75 * Math.exp(-(((hour % 24) - 13.5) ** 2) / 18);
    const count = Math.round(share * (5 + 4 * random()));
    for (let at = 0; at < count; at++) {
      const start = end - 30 - minute * 60 - random() * 60;
      lines.push({ at: start, text: lineOf(random, start) });
    }
  }
  for (let at = 0; at < 46; at++) {
    const start = end - 7 - random() * 50;
    lines.push({ at: start, text: lineOf(random, start) });
  }
  lines.push(...sessionLines(end));
  lines.push({ at: end - 6, text: storyLine(end - 6) });
  lines.push({ at: end - 9, text: failedLine(random, end - 9) });
  lines.sort((one, other) => one.at - other.at);
  return lines.map(({ text }) => text).join("");
}

/** Hashes of the messages of a session, four digits each. */
const MESSAGES = Array.from({ length: 23 }, (_, at) => String(1000 + at)).join("");

/** Turns of one session: the fifth one waited longer than its cache was kept, the eighth failed. */
function sessionLines(end: number): { at: number; text: string }[] {
  return Array.from({ length: 12 }, (_, turn) => {
    const at = end - 1500 + turn * 60 + (turn >= 4 ? 660 : 0);
    const isLost = turn === 0 || turn === 4;
    const input = 18_000 + turn * 2_400;
    const isFailed = turn === 7;
    const record = {
      ...{ id: `${DEMO_SESSION}-${String(turn)}`, listener: "egress", endpoint: "/v1/messages" },
      ...{ dialect: "anthropic_messages", key: "CODE_AGENTS", user: "ann@example.com" },
      ...{ session: DEMO_SESSION, agent: "claude-cli/2.1.330", requested: "claude-sonnet-4-5" },
      ...(turn === 9 ? { subagent: "agent-7" } : {}),
      ...{ target: "anthropic/claude-sonnet-4-5", stream: 1, owner: "provider" },
      // Four digits of each part's hash: the prompt grows by a call and its result in each turn.
      prompt: {
        system: "d1a0f00d",
        count: 2 * turn + 1,
        messages: MESSAGES.slice(0, 8 * turn + 4),
      },
      ...(isFailed
        ? { code: "overloaded_error", message: "Overloaded." }
        : {
            ...{ input, cache_read: isLost ? 0 : input - 2_400, output: 300 + turn * 20 },
            ...{ cache_write: isLost ? input : 2_400, first_token: 900, finish: "tool_calls" },
          }),
    };
    const numbers = `${isFailed ? "529" : "200"} - 5200 1 900000 900 210 4120 9120`;
    return { at, text: `${at.toFixed(3)} ${numbers} ${JSON.stringify(record)}\n` };
  });
}

function lineOf(random: () => number, start: number, more: object = {}): string {
  const model = pick(random, MODELS);
  const [dialect, endpoint] = DIALECTS[Math.floor(random() ** 1.6 * 3)] ?? DIALECTS[0];
  const stream = random() < 0.7;
  const input = Math.round(200 + 9000 * random() ** 3);
  const output = Math.round(20 + 900 * random() ** 2);
  const first = model.first * (0.6 + 1.6 * random() ** 3);
  const duration = Math.round(first + (1000 * output) / (model.rate * (0.8 + 0.4 * random())));
  const luck = random();
  const base = {
    id: idOf(random),
    listener: "egress",
    endpoint,
    dialect,
    key: KEYS[Math.floor(random() ** 1.4 * KEYS.length)],
    requested: random() < 0.2 ? "smart" : model.target,
    ...(stream ? { stream: 1, first_token: Math.round(first) } : {}),
  };
  if (luck < 0.012) {
    const record = {
      ...base,
      target: model.target,
      owner: "provider",
      error: "rate_limit_error",
      code: "rate_limit_exceeded",
      message: RATE_LIMITED,
    };
    return line(start, 429, Math.round(first), record, random, more);
  }
  if (luck < 0.02) {
    const record = { ...base, requested: "gpt-5-mini", owner: "gateway", error: "model_not_found" };
    return line(start, 404, 1, record, random, more, 0);
  }
  const answered = {
    ...base,
    target: model.target,
    input,
    cache_read: Math.round(input * model.cached * random()),
    output,
    finish: random() < 0.15 ? "tool_calls" : "stop",
    owner: "provider",
  };
  return line(start, 200, duration, answered, random, more);
}

/** A request that a provider rejected a moment ago. */
function failedLine(random: () => number, start: number): string {
  const [dialect, endpoint] = DIALECTS[0];
  const record = {
    ...{ id: idOf(random), listener: "egress", endpoint, dialect, key: "TEAM_SUPPORT" },
    ...{ requested: "gpt-4.1", target: "openai/gpt-4.1", owner: "provider" },
    ...{ error: "rate_limit_error", code: "rate_limit_exceeded", message: RATE_LIMITED },
  };
  return line(start, 429, 212, record, random, {});
}

/** A request whose first model failed twice. */
function storyLine(start: number): string {
  const record = {
    id: STORY,
    listener: "egress",
    endpoint: "/v1/messages",
    dialect: "anthropic_messages",
    key: "CODE_AGENTS",
    requested: "smart",
    target: "openai/gpt-4.1",
    first_target: "anthropic/claude-sonnet-4-5",
    fallbacks: 1,
    attempts: [
      {
        target: "anthropic/claude-sonnet-4-5",
        status: 529,
        error: "overloaded_error",
        message: "Overloaded. The model cannot take more requests at the moment.",
        ms: 412,
      },
      { target: "anthropic/claude-sonnet-4-5", error: "upstream_reset", ms: 655 },
    ],
    response_model: "gpt-4.1-2025-04-14",
    stream: 1,
    first_token: 1490,
    input: 8211,
    cache_read: 6144,
    output: 294,
    finish: "tool_calls",
    owner: "provider",
    dropped: "thinking, context_management",
  };
  return `${start.toFixed(3)} 200 - 4712 3 1490000 1080 340 33120 9120 ${JSON.stringify(record)}\n`;
}

function line(
  start: number,
  status: number,
  duration: number,
  record: object,
  random: () => number,
  more: object,
  attempts = 1,
): string {
  const overhead = Math.round(450 + 900 * random() ** 2);
  const text = JSON.stringify({ ...record, ...more });
  return `${start.toFixed(3)} ${String(status)} - ${String(duration)} ${String(attempts)} ${attempts === 0 ? "- - -" : `${String(duration * 500)} ${String(overhead)} 210`} 4120 9120 ${text}\n`;
}

function pick(random: () => number, models: DemoModel[]): DemoModel {
  let rest = random() * models.reduce((sum, { share }) => sum + share, 0);
  for (const model of models) {
    rest -= model.share;
    if (rest <= 0) return model;
  }
  throw new Error("no model");
}

function idOf(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The same numbers in every run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Envoy's metrics page: one host of the first provider is ejected. */
function envoyPage({ targets }: GatewayModel): string {
  const clusters = [...new Set(targets.map((target) => statNameOf(clusterOf(target))))];
  const lines = clusters.flatMap((name, at) => [
    `envoy_cluster_membership_total{envoy_cluster_name="${name}"} 2`,
    `envoy_cluster_upstream_rq_active{envoy_cluster_name="${name}"} ${String([4, 6, 2, 0][at] ?? 0)}`,
    `envoy_cluster_outlier_detection_ejections_active{envoy_cluster_name="${name}"} ${at === 0 ? "1" : "0"}`,
  ]);
  const open = 'envoy_http_downstream_rq_active{envoy_http_conn_manager_prefix="egress"} 12';
  return [open, ...lines, ""].join("\n");
}
