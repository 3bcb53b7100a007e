// Claude Code and Codex in sessions of over thirty turns, on strict fakes of six providers: tools of an MCP server with long names,
// the agents' own tools, an image that a tool reads, and a search. `sessions.ts` has what each pair must show.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { usageLines } from "../gateway/usage-lines.ts";
import { scriptedBrain } from "../providers/brain.ts";
import type { Brain, ScriptedCall, Session, Step } from "../providers/brain.ts";
import type { FakeProvider } from "../providers/server.ts";
import { startClaudeCode, startCodex } from "./agent.ts";
import { AGENTS, PROVIDERS, SESSION_KEY, sessionRows, TEXT_ONLY } from "./sessions.ts";
import type { AgentName } from "./sessions.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");

/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const ENDPOINTS = { "Claude Code": "/v1/messages", Codex: "/v1/responses" };
const STARTS = { "Claude Code": startClaudeCode, Codex: startCodex };

const UNITS = ["celsius", "kelvin"];
const HALF = "Half of it is done.";
const END = "All rooms are warm.";
const QUERY = "warm rooms";

function instrument(room: number, unit = room % 2): ScriptedCall {
  return { tool: `Reads instrument ${unit}.`, arguments: { room } };
}

/** Calls the MCP tools, some at once with the shell, reads the picture, and searches. */
function stepsOf(agent: AgentName, picture: string): Step[] {
  const isClaude = agent === "Claude Code";
  const command = "echo made-$((40+2))";
  const shell = isClaude
    ? { tool: "Bash", arguments: { command, description: "Add" } }
    : { tool: "exec_command", arguments: { cmd: command } };
  const view = isClaude
    ? { tool: "Read", arguments: { file_path: picture } }
    : { tool: "view_image", arguments: { path: picture } };
  const rooms = (from: number, to: number): Step[] =>
    Array.from({ length: to - from }, (_, index) => ({ calls: [instrument(from + index)] }));
  return [
    ...rooms(0, 8),
    { calls: [instrument(8, 0), instrument(8, 1), shell] },
    { calls: [view] },
    ...rooms(9, 14),
    { say: HALF },
    // Claude Code has a tool that makes a separate request; Codex offers the provider's search in each.
    isClaude
      ? { calls: [{ tool: "WebSearch", arguments: { query: QUERY } }] }
      : { search: QUERY, calls: [instrument(14)] },
    ...rooms(15, 30),
    { calls: [shell] },
    { say: END },
  ];
}

let gateway: Gateway;
const fakes = new Map<string, FakeProvider>();
/** By the words of the first prompt. */
const scripts = new Map<string, Brain>();
/** The last session that a provider saw, by the same words. */
const seen = new Map<string, { session: Session; turns: number }>();

const brain: Brain = (session) => {
  const name = [...scripts.keys()].find((one) => session.asked.some((text) => text.includes(one)));
  if (name === undefined) return scriptedBrain([])(session);
  seen.set(name, { session, turns: (seen.get(name)?.turns ?? 0) + 1 });
  return scripts.get(name)?.(session) ?? {};
};

beforeAll(async () => {
  const entries: string[] = [];
  for (const { name, model, keys, start } of PROVIDERS) {
    const fake = await start(brain);
    fakes.set(name, fake);
    entries.push(`  - { model: "${model}", ${keys.replace("$URL", fake.url)} }`);
  }
  const aliases = PROVIDERS.map(({ name, model }) => `  agent-${name}: { target: "${model}" }`);
  gateway = await startGateway({
    config: `version: v0.1.0
observability: {}
model_aliases:
${aliases.join("\n")}
llm_providers:
${entries.join("\n")}
`,
    environment: { KEY: SESSION_KEY },
    adapt({ ingress, egress }) {
      for (const listener of [ingress, egress]) listener.timeoutMs = 60_000;
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([...fakes.values()].map((fake) => fake.stop()));
});

interface Done {
  /** The calls of the MCP server's tools, in order. */
  called: { name: string; room: number }[];
  session: Session;
  turns: number;
}

/** Runs a session to its end. */
async function run(agent: AgentName, name: string): Promise<Done> {
  if ("missing" in agents) throw new Error(agents.missing);
  const temporary = mkdtempSync(join(tmpdir(), "gateway-tools-"));
  const file = join(temporary, "calls");
  const server = join(import.meta.dirname, "local-tools.ts");
  const one = STARTS[agent]({
    directory: agents.directory,
    gatewayUrl: gateway.url,
    model: `agent-${name}`,
    mcp: { name: "instruments", command: process.execPath, words: [server, file] },
    allowed: ["mcp__instruments", "Bash", "Read", "WebSearch"],
  });
  const title = `Session of ${agent} on ${name}.`;
  try {
    const picture = join(one.directory, "picture.png");
    writeFileSync(picture, Buffer.from(PNG, "base64"));
    scripts.set(title, scriptedBrain(stepsOf(agent, picture)));
    expect(await one.ask(title)).toBe(HALF);
    expect(await one.ask("Go on.")).toBe(END);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const last = seen.get(title);
    if (last === undefined) throw new Error("no provider saw the session");
    return { ...last, called: lines.map((line) => JSON.parse(line) as Done["called"][number]) };
  } finally {
    one.remove();
    rmSync(temporary, { recursive: true });
  }
}

it("docs/clients.md has a row for the sessions on each provider", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/clients.md"), "utf8");
  expect(page.replaceAll(/ +/g, " ")).toContain(sessionRows().join("\n"));
});

// Two at a time: an agent takes a processor while it starts.
describe.runIf(canTest).each(PROVIDERS)("on $name", (one) => {
  it.concurrent.each(AGENTS)("%s works to the end of a session", async (agent) => {
    const { name } = one;
    const { called, session, turns } = await run(agent, name);
    expect(turns).toBeGreaterThanOrEqual(30);
    expect(called).toEqual(
      session.calls
        .filter(({ arguments: values }) => "room" in (values as object))
        .map(({ arguments: values }, index) => {
          const { room } = values as { room: number };
          const unit = room === 8 ? index - 8 : room % 2;
          return {
            name: `temperature_of_the_room_with_this_number_in_the_building_in_${UNITS[unit] ?? ""}`,
            room,
          };
        }),
    );
    for (const { arguments: values, result } of session.calls) {
      const { room } = values as { room?: number };
      if (room !== undefined) expect(result).toMatch(new RegExp(`of room ${room} says 20\\.`));
      else if (JSON.stringify(values).includes("made-")) expect(result).toContain("made-42");
      else if (JSON.stringify(values).includes(QUERY)) expect(result).toMatch(one.search);
      else if (one.images === TEXT_ONLY) expect(result).toBe(TEXT_ONLY);
    }
    const isShown = session.images.some((data) => one.images !== TEXT_ONLY && data === PNG);
    expect(isShown).toBe(one.images !== TEXT_ONLY);
    // Only the Responses API has an item for a search.
    if (agent === "Codex" && name === "openai") expect(session.searches).toBe(1);
    const fake = fakes.get(name);
    expect([fake?.refusals, fake?.violations()]).toEqual([[], []]);
    const own = usageLines(gateway).flatMap(({ record }) =>
      record?.requested === `agent-${name}` && record.endpoint === ENDPOINTS[agent] ? [record] : [],
    );
    const dropped = new Set(own.flatMap((record) => record.dropped?.split(",") ?? []));
    expect([...dropped].toSorted()).toEqual(one.dropped[agent]);
  });
});
