// Claude Code and Codex in sessions of over 20 turns on two replicas of a provider, each with a prompt cache: one is ejected in the
// middle, and the gateway is reloaded. How much of the prompts came from caches, and what the sessions cost: docs/sessions.md has
// the figures.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, inject, it } from "vitest";
import { configurationOn, type Desk, freePorts, openDesk } from "../cli/gateway-command.ts";
import { freePort } from "../free-port.ts";
import { anthropicDialect } from "../providers/anthropic.ts";
import { scriptedBrain } from "../providers/brain.ts";
import type { Brain, Step } from "../providers/brain.ts";
import * as caches from "../providers/prompt-cache.ts";
import type { CacheUse, CachingOptions } from "../providers/prompt-cache.ts";
import { responsesDialect } from "../providers/responses.ts";
import { startServer } from "../providers/server.ts";
import type { Dialect, FakeProvider } from "../providers/server.ts";
import { startClaudeCode, startCodex } from "./agent.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");

const KEY = "key-of-the-replicas-0123";
const CALLS = 11;
/** Requests after which the replica that serves the session fails, and for how many. */
const HEALTHY = 6;
const FAILURES = 3;

interface AgentCase {
  agent: string;
  start: typeof startClaudeCode;
  dialect: (brain: Brain) => Dialect;
  /** Of the provider's documentation: tokens of the smallest prompt that is cached. */
  newCache: () => caches.PromptCache;
  caching: Pick<CachingOptions, "piecesOf" | "usageOf">;
  interface: string;
  base: string;
  call: (command: string) => Step;
}

const CASES: AgentCase[] = [
  {
    agent: "Claude Code",
    start: startClaudeCode,
    dialect: (brain) => anthropicDialect({ key: KEY, brain }),
    newCache: () => caches.markedCache(1024),
    caching: { piecesOf: caches.anthropicPieces, usageOf: caches.anthropicUsage },
    interface: "anthropic",
    base: "",
    call: (command) => ({
      calls: [{ tool: "Bash", arguments: { command, description: "Print" } }],
    }),
  },
  {
    agent: "Codex",
    start: startCodex,
    dialect: (brain) => responsesDialect({ key: KEY, brain }),
    newCache: () => caches.automaticCache(1024, 1),
    caching: { piecesOf: caches.responsesPieces, usageOf: caches.responsesUsage },
    interface: "openai_responses",
    base: "/v1",
    call: (command) => ({ calls: [{ tool: "exec_command", arguments: { cmd: command } }] }),
  },
];

const HALF = "Half of it is done.";
const END = "All of it is done.";

function stepsOf(call: AgentCase["call"]): Step[] {
  const printed = (from: number): Step[] =>
    Array.from({ length: CALLS }, (_, at) =>
      call(`seq ${String(from + at)} ${String(from + at + 60)}`),
    );
  return [...printed(0), { say: HALF }, ...printed(100), { say: END }];
}

/** Two replicas, and what their caches, and one that never fails, would have read. */
function replicas({ dialect, newCache, caching }: AgentCase, brain: Brain) {
  const inner = dialect(brain);
  const ideal = newCache();
  const used: { replica: number; use: CacheUse; ideal: CacheUse }[] = [];
  let failing: { replica: number; left: number } | undefined;
  const replica = (index: number): Dialect => {
    const uses: CacheUse[] = [];
    const cached = caches.withPromptCache(inner, {
      ...caching,
      cache: newCache(),
      onUse: (use) => uses.push(use),
    });
    return {
      ...inner,
      handle(request, next) {
        if (used.length === HEALTHY) failing ??= { replica: index, left: FAILURES };
        if (failing?.replica === index && failing.left > 0) {
          failing.left -= 1;
          return { response: inner.error(503, "down"), behaviour: { kind: "answer" } };
        }
        const handled = cached.handle(request, next);
        const body = request.json as Record<string, unknown>;
        for (const use of uses.splice(0)) {
          const pieces = caching.piecesOf(body);
          const prompt = { model: "m", key: undefined, mode: undefined, pieces };
          used.push({ replica: index, use, ideal: ideal(prompt) });
        }
        return handled;
      },
    };
  };
  return { all: [replica(0), replica(1)], used, left: () => failing?.left };
}

describe.runIf(canTest)("a session on two replicas with prompt caches", () => {
  let desk: Desk | undefined;
  let providers: FakeProvider[] = [];

  afterEach(async () => {
    await desk?.run("down");
    await desk?.clear();
    await Promise.all(providers.map((one) => one.stop()));
  });

  it.each(CASES)("$agent reads from caches through an ejection and a reload", async (one) => {
    if ("missing" in agents) throw new Error(agents.missing);
    const { all, used, left } = replicas(one, scriptedBrain(stepsOf(one.call)));
    providers = await Promise.all(all.map((dialect) => startServer(dialect)));
    const ports = await freePorts();
    const entries = providers.map(
      ({ url }, at) =>
        `  - {model: p${String(at)}/gpt-5.5, provider_interface: ${one.interface}, base_url: "${url}${one.base}", access_key: $KEY}`,
    );
    const prices = providers.map(
      (_, at) =>
        `  p${String(at)}/gpt-5.5: {input: 3, output: 15, cache_read: 0.3, cache_write: 3.75}`,
    );
    const rest = `llm_providers:
${entries.join("\n")}
pricing:
${prices.join("\n")}
model_aliases:
  shared: {targets: [{model: p0/gpt-5.5}, {model: p1/gpt-5.5}]}
upstream: {outlier_detection: {consecutive_failures: 1, ejection_time: 1s}}
observability: {metrics: {port: ${String(await freePort())}}}
`;
    desk = openDesk({ "gateway.yaml": configurationOn(ports, rest), ".env": `KEY=${KEY}\n` });
    const { code, stderr } = await desk.run("up", "--detach");
    expect(code, stderr).toBe(0);
    const agent = one.start({
      directory: agents.directory,
      gatewayUrl: `http://127.0.0.1:${String(ports.egress)}`,
      model: "shared",
    });
    try {
      expect(await agent.ask("Print some numbers.")).toBe(HALF);
      const file = join(desk.directory, "gateway.yaml");
      writeFileSync(
        file,
        readFileSync(file, "utf8").replace("model_aliases:", "$&\n  more: {target: p0/gpt-5.5}"),
      );
      const reload = await desk.run("reload");
      expect(reload.code, reload.stderr).toBe(0);
      expect(await agent.ask("Go on.")).toBe(END);
    } finally {
      agent.remove();
    }
    // The replica has failed, and the other one has served.
    expect(left()).toBeLessThan(FAILURES);
    expect(new Set(used.map(({ replica }) => replica)).size).toBe(2);
    const read = (whose: "use" | "ideal") => used.reduce((sum, turn) => sum + turn[whose].read, 0);
    const [session] = await shown<Shown>(desk);
    expect(session?.turns).toBeGreaterThanOrEqual(2 * CALLS + 2);
    expect(session?.costUsd).toBeGreaterThan(0);
    // What the gateway has counted is what the caches have reported.
    expect(session?.cachedTokens).toBe(read("use"));
    // Each time the session moves, its prompt is written once more.
    expect(read("use") / read("ideal")).toBeGreaterThanOrEqual(0.8);
    // The doctor finds what was written once more, and nothing else.
    const turns = await shown<ShownTurn>(desk, session?.session ?? "", "-n", "100");
    const served = turns.filter(({ inputTokens }) => inputTokens !== null);
    expect(served).toHaveLength(used.length);
    const moves = used.flatMap(({ replica }, at) =>
      at > 0 && used[at - 1]?.replica !== replica ? [at] : [],
    );
    const broken = served.flatMap((turn, at) =>
      turn.break === null ? [] : [{ at, ...turn.break }],
    );
    expect(broken[0]).toMatchObject({ at: moves[0], reason: "fallback" });
    // Other breaks are what the client itself has changed: one that never fails has lost that as well.
    for (const { at, reason } of broken)
      if (reason !== "fallback" && reason !== "target")
        expect(lostAt(used, at), reason).toBeGreaterThanOrEqual(1024);
  });
});

/** Returns how many tokens of the turn before an ideal provider has not read from its cache. */
function lostAt(used: readonly { ideal: CacheUse }[], at: number): number {
  const [before, now] = [used[at - 1]?.ideal, used[at]?.ideal];
  return Math.min(before?.total ?? 0, now?.total ?? 0) - (now?.read ?? 0);
}

/** Returns what `gateway sessions` prints. */
async function shown<Row>(desk: Desk, ...words: string[]): Promise<Row[]> {
  const { stdout } = await desk.run("sessions", ...words, "--json");
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}

interface ShownTurn {
  inputTokens: number | null;
  break: { reason: string; lostTokens: number; costUsd: number | null } | null;
}

interface Shown {
  session: string;
  turns: number;
  inputTokens: number;
  cachedTokens: number;
  costUsd: number;
}
