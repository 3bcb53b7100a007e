// What broke a session's prompt cache, as scripted sessions of Claude Code, Codex and opencode show it through the release filter and
// providers with caches: each cause is found, and none is invented.
import { describe, expect, it } from "vitest";
import type { TurnReport } from "../../control-plane/prompt-cache/turn-report.ts";
import { agentRequest } from "./agent-session.ts";
import type { AgentRequest, ClientFormat } from "./agent-session.ts";
import { CHAT, CLAUDE, CODEX, OTHER_CLAUDE, ScriptedSession, TWO_KEYS } from "./doctor-session.ts";

type Json = Record<string, unknown>;
type Change = (body: Json, turn: number) => void;

const MODELS = { messages: CLAUDE, responses: CODEX, chat: CHAT };
const TURNS = 8;
/** The turn from which a change is there. */
const AT = 5;

interface Script {
  format: ClientFormat;
  /** Applied to the turns from `at` on. */
  change?: Change;
  /** AT without it. */
  at?: number;
  turns?: number;
  calls?: number;
  /** Before the turn. */
  before?: (session: ScriptedSession, turn: number) => void | Promise<void>;
  model?: (turn: number) => string;
}

function request({ format, change, calls, model, at = AT }: Script, turn: number): AgentRequest {
  const made = agentRequest(format, model?.(turn) ?? MODELS[format], turn, calls);
  const body = structuredClone(made.body);
  if (turn >= at) change?.(body, turn);
  return { ...made, body };
}

async function run(script: Script): Promise<TurnReport[]> {
  const session = new ScriptedSession();
  for (let turn = 0; turn < (script.turns ?? TURNS); turn++) {
    await script.before?.(session, turn);
    await session.send(request(script, turn));
  }
  return session.report();
}

const breaks = (reports: TurnReport[]) =>
  reports.flatMap((report) => (report.break === undefined ? [] : [report]));

const list = (body: Json, name: string): Json[] => body[name] as Json[];
const toolsOf = (body: Json) => list(body, "tools");
const CUT = { type: "object", properties: {} };

interface Cause {
  what: string;
  format: ClientFormat;
  change: Change;
  reason: string;
  path: string;
  how?: string;
  at?: number;
}

const CAUSES: Cause[] = [
  {
    what: "the description of a tool",
    format: "messages",
    change: (body) => Object.assign(toolsOf(body)[2] ?? {}, { description: "Timeout 600000 ms" }),
    reason: "tools",
    path: "tools[2].description",
  },
  {
    what: "the schema of a tool",
    format: "messages",
    change: (body) => Object.assign(toolsOf(body)[1] ?? {}, { input_schema: CUT }),
    reason: "tools",
    path: "tools[1].input_schema",
  },
  {
    what: "the name of a tool",
    format: "messages",
    change: (body) => Object.assign(toolsOf(body)[3] ?? {}, { name: "Run" }),
    reason: "tools",
    path: "tools[3]",
  },
  {
    what: "a new tool",
    format: "messages",
    change: (body) => toolsOf(body).splice(1, 0, { name: "new", input_schema: CUT }),
    reason: "tools",
    path: "tools[1]",
    how: "added",
  },
  {
    what: "a removed tool",
    format: "messages",
    change: (body) => toolsOf(body).splice(0, 1),
    reason: "tools",
    path: "tools[0]",
    how: "removed",
  },
  {
    what: "the order of tools",
    format: "messages",
    change: (body) => toolsOf(body).reverse(),
    reason: "tools",
    path: "tools[0]",
    how: "moved",
  },
  {
    what: "a date in the system prompt",
    format: "messages",
    change: (body) => Object.assign(list(body, "system")[1] ?? {}, { text: "Today is Monday." }),
    reason: "system",
    path: "system[1]",
  },
  {
    what: "an edited message",
    format: "messages",
    change: (body) => {
      const [result] = list(body, "messages")[2]?.["content"] as Json[];
      Object.assign(result ?? {}, { content: "[cleared]" });
    },
    // Earlier, what is lost is too little to report.
    at: 18,
    reason: "messages",
    path: "messages[2]",
  },
  {
    what: "whether Codex's tool is strict",
    format: "responses",
    change: (body) => Object.assign(toolsOf(body)[0] ?? {}, { strict: true }),
    reason: "tools",
    path: "tools[0]",
  },
  {
    what: "the parameters of Codex's tool",
    format: "responses",
    change: (body) => Object.assign(toolsOf(body)[0] ?? {}, { parameters: CUT }),
    reason: "tools",
    path: "tools[0].parameters",
  },
  {
    what: "Codex's instructions",
    format: "responses",
    change: (body) => Object.assign(body, { instructions: `${String(body["instructions"])}.` }),
    // The end of a text of 6,000 words: what stands before it is still read.
    reason: "none",
    path: "instructions",
  },
  {
    what: "the begin of Codex's instructions",
    format: "responses",
    change: (body) => Object.assign(body, { instructions: `Be. ${String(body["instructions"])}` }),
    reason: "system",
    path: "instructions",
  },
  {
    what: "an item of Codex's input",
    format: "responses",
    change: (body) => list(body, "input").splice(0, 1),
    reason: "none",
    path: "input[0]",
    how: "removed",
  },
  {
    what: "opencode's date in the system prompt",
    format: "chat",
    change: (body) => {
      const first = list(body, "messages")[0] ?? {};
      first["content"] = `Today is Monday. ${String(first["content"])}`;
    },
    reason: "system",
    path: "messages[0]",
  },
  {
    what: "the description of opencode's tool",
    format: "chat",
    change: (body) =>
      Object.assign(toolsOf(body)[0]?.["function"] ?? {}, { description: "Another one" }),
    reason: "tools",
    path: "tools[0].function.description",
  },
];

describe("what a client changed", () => {
  it.each(CAUSES)("$what is found in $format: $path", async (cause) => {
    const { at = AT, path, how = "changed" } = cause;
    const turns = at + 3;
    const reports = await run({ ...cause, turns });
    const found = breaks(reports);
    expect(reports[at]?.changed).toEqual({ path, how });
    expect(reports.map(({ kind }) => kind)).toEqual([
      "first",
      ...Array.from({ length: turns - 1 }, () => "next"),
    ]);
    if (cause.reason === "none") expect(found).toEqual([]);
    else {
      expect(found.map(({ id }) => id)).toEqual([`request-${at}`]);
      expect(found[0]?.break?.reason).toBe(cause.reason);
      expect(found[0]?.text).toContain(path);
    }
  });

  it("a setting that counts is named if the cache was lost with it", async () => {
    const reports = await run({
      format: "messages",
      change: (body) => Object.assign(body, { tool_choice: { type: "any" } }),
      before: (session, turn) => {
        if (turn === AT) session.forget();
      },
    });
    expect(breaks(reports).map(({ id, break: lost, changed }) => [id, lost?.reason, changed?.path])) //
      .toEqual([[`request-${AT}`, "settings", "tool_choice"]]);
  });

  it("the cost of a break is what the lost tokens cost more than from the cache", async () => {
    const reports = await run({
      format: "messages",
      change: (body) => toolsOf(body).reverse(),
    });
    const [report] = breaks(reports);
    const before = reports[AT - 1]?.tokens?.input ?? 0;
    expect(before).toBeGreaterThan(5000);
    expect(report?.break?.lostTokens).toBe(before);
    // All of it is written again: 3.75 in place of 0.30 dollars of a million.
    expect(report?.break?.cost).toBe(Math.round(before * (3750 - 300)));
  });
});

describe("where a request went", () => {
  const reasons = (reports: TurnReport[]) =>
    breaks(reports).map(({ id, break: lost }) => [id, lost?.reason]);

  it("another model of the client is the reason", async () => {
    const reports = await run({
      format: "messages",
      model: (turn) => (turn < AT ? CLAUDE : OTHER_CLAUDE),
    });
    expect(reasons(reports)).toEqual([[`request-${AT}`, "model"]]);
  });

  it("a fallback is the reason, also when the first target is back", async () => {
    const reports = await run({
      format: "messages",
      turns: 12,
      model: () => "failing",
      before: (session, turn) => {
        session.isDown = turn >= AT && turn < 10;
      },
    });
    // Back at the first target only what the turns in between have added is missing.
    expect(reasons(reports)[0]).toEqual([`request-${AT}`, "fallback"]);
    expect(reasons(reports).slice(1).flat()).not.toContain("unknown");
  });

  it("another target of the same alias is the reason", async () => {
    const session = new ScriptedSession();
    const sent = (turn: number) =>
      session.send(request({ format: "messages", model: () => "weighted" }, turn));
    const { target: first } = await sent(0);
    let turn = 0;
    // By weight, it comes soon.
    let target = first;
    while (target === first && turn < 60) ({ target } = await sent(++turn));
    const reports = session.report();
    expect(reasons(reports)).toEqual([[`request-${turn}`, "target"]]);
    expect(breaks(reports)[0]?.text).toContain(`it went to another target (${target ?? ""})`);
  });

  it("another key of the target is the reason, if the session's has reached its limit", async () => {
    const reports = await run({
      format: "messages",
      model: () => TWO_KEYS,
      before: (session, turn) => {
        if (turn === AT) session.limited.add(session.lastKey);
      },
    });
    expect(reasons(reports)).toEqual([[`request-${AT}`, "key"]]);
    expect(breaks(reports)[0]?.text).toMatch(/^it used another key of the target \(key [12]\)/);
  });

  it("a pause that is longer than caches are kept is the reason", async () => {
    const reports = await run({
      format: "messages",
      before: (session, turn) => {
        if (turn !== AT) return;
        session.wait(600);
        session.forget();
      },
    });
    expect(reasons(reports)).toEqual([[`request-${AT}`, "expired"]]);
  });

  it("a provider that lost the prompt is no other reason", async () => {
    const reports = await run({
      format: "responses",
      before: (session, turn) => {
        if (turn === AT) session.forget();
      },
    });
    expect(reasons(reports)).toEqual([[`request-${AT}`, "unknown"]]);
  });

  it("more than 20 blocks in a turn are the reason at Anthropic", async () => {
    const reports = await run({ format: "messages", turns: 9, calls: 15 });
    expect(new Set(breaks(reports).map(({ break: lost }) => lost?.reason))).toEqual(
      new Set(["blocks"]),
    );
  });
});

describe("what is no break", () => {
  const stable = Array.from({ length: 50 }, (_, index) => index);
  const formats: ClientFormat[] = ["messages", "responses", "chat"];

  it("50 stable sessions have none, however many calls a turn has", async () => {
    for (const index of stable) {
      const format = formats[index % formats.length] ?? "chat";
      const calls = 1 + (index % 4);
      const reports = await run({ format, calls, turns: 6 + (index % 12) });
      expect(breaks(reports), `${format} ${calls}`).toEqual([]);
      expect(reports.slice(1).every(({ kind, changed }) => kind === "next" && !changed)).toBe(true);
    }
  }, 120_000);

  it("100 turns have none, and a change far back is named by its block", async () => {
    const turns = 100;
    const session = new ScriptedSession();
    for (let turn = 60; turn < turns; turn += 1)
      await session.send(request({ format: "responses" }, turn));
    expect(breaks(session.report())).toEqual([]);
    const last = request({ format: "responses" }, turns);
    const output = list(last.body, "input")
      .slice(16, 32)
      .find((item) => "output" in item);
    Object.assign(output ?? {}, { output: "[cleared]" });
    await session.send(last);
    const report = session.report().at(-1);
    expect(report?.changed).toEqual({ path: "input[16–31]", how: "changed" });
  });

  it("the attribution block that older versions of Claude Code change in each request", async () => {
    const reports = await run({
      format: "messages",
      change: (body, turn) =>
        Object.assign(list(body, "system")[0] ?? {}, {
          text: `x-anthropic-billing-header: cc_version=2.1.100; cch=${turn}f00;`,
        }),
    });
    expect(reports.map(({ changed }) => changed)).toEqual(Array(TURNS).fill(undefined));
  });

  it("a request with other tools and another prompt is a side request", async () => {
    const reports = await run({
      format: "messages",
      before: async (session, turn) => {
        if (turn !== AT) return;
        const title = request({ format: "messages" }, 0);
        title.body = {
          ...{ model: CLAUDE, max_tokens: 9, system: "Write a title.", tools: [] },
          messages: [{ role: "user", content: "Fix the bug." }],
        };
        await session.send(title);
        // Qwen Code's memory call has the history of the session.
        const memory = request({ format: "messages" }, turn);
        Object.assign(memory.body, {
          system: "Remember.",
          tools: [{ name: "remember", input_schema: CUT }],
        });
        await session.send(memory);
      },
    });
    expect(breaks(reports)).toEqual([]);
    expect(reports.map(({ kind }) => kind).slice(AT, AT + 3)).toEqual(["side", "side", "next"]);
  });

  it("a sub-agent is compared with its own turns", async () => {
    const session = new ScriptedSession();
    for (let turn = 0; turn < 4; turn++) {
      await session.send(request({ format: "messages" }, turn));
      const own = request({ format: "messages", calls: 2 }, turn);
      own.headers.push(["x-claude-code-agent-id", "agent-1"]);
      list(own.body, "system").splice(1, 1);
      await session.send(own);
    }
    const reports = session.report();
    expect(breaks(reports)).toEqual([]);
    expect(reports.map(({ kind }) => kind)).toEqual([
      "first",
      "first",
      ...Array.from({ length: 6 }, () => "next"),
    ]);
  });

  it("a summary in place of the messages is reported as that", async () => {
    const reports = await run({
      format: "messages",
      change: (body) => {
        const rest = list(body, "messages").slice(1 + 2 * AT);
        body["messages"] = [{ role: "user", content: "Summary: much was done." }, ...rest];
      },
    });
    expect(breaks(reports)).toEqual([]);
    expect(reports[AT]).toMatchObject({
      kind: "compacted",
      text: "the messages were replaced by a summary",
    });
  });

  it("an earlier message that the user goes back to is reported as that", async () => {
    const session = new ScriptedSession();
    for (const turn of [0, 1, 2, 3, 4, 2, 3])
      await session.send(request({ format: "messages" }, turn));
    const reports = session.report();
    expect(breaks(reports)).toEqual([]);
  });

  it("a provider that never reads from a cache has none", async () => {
    const reports = await run({
      format: "chat",
      change: (body) => toolsOf(body).reverse(),
      before: (session) => {
        session.forget();
      },
    });
    expect(breaks(reports)).toEqual([]);
    expect(reports[AT]?.changed?.path).toBe("tools[0]");
  });

  it("a failed request is none, and the next turn is compared with the one before", async () => {
    const reports = await run({
      format: "messages",
      before: async (session, turn) => {
        if (turn !== AT) return;
        session.isDown = true;
        await session.send(request({ format: "messages" }, turn));
        session.isDown = false;
      },
    });
    expect(reports[AT]?.kind).toBe("failed");
    expect(reports[AT + 1]).toMatchObject({ kind: "next", before: `request-${AT - 1}` });
    expect(breaks(reports)).toEqual([]);
  });
});
