// Claude Code and Codex as MCP clients: they find the prompt targets at /mcp, call one, and send its result to their model.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startWithTools } from "../envoy/mcp/set-up.ts";
import type { WithTools } from "../envoy/mcp/set-up.ts";
import { startClaudeCode, startCodex } from "./agent.ts";
import type { Agent } from "./agent.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");

const KEY = "ingress-0123456789abcdef0123456789abcd";
let all: WithTools;
beforeAll(async () => {
  all = await startWithTools({
    timeoutMs: 60_000,
    config: "listeners: {ingress: {api_keys: [$TEAM_KEY]}}\n",
    environment: { TEAM_KEY: KEY },
  });
});
afterAll(() => all.stop());

interface Case {
  name: string;
  start: () => Agent;
  /** The name of a tool, for the agent's model: the model's dialect has namespaces or not. */
  toolName: (tool: string) => string;
}

function options(model: string) {
  if ("missing" in agents) throw new Error(agents.missing);
  const mcp = { url: all.url, key: KEY };
  return { directory: agents.directory, gatewayUrl: all.gateway.url, model, mcp };
}

const flat = (tool: string) => `mcp__gateway__${tool}`;
const CASES: Case[] = [
  {
    name: "Claude Code, on messages",
    start: () => startClaudeCode(options("careful")),
    toolName: flat,
  },
  {
    name: "Codex, on chat completions",
    start: () => startCodex(options("fast")),
    toolName: flat,
  },
  {
    name: "Codex, on responses",
    start: () => startCodex(options("deep")),
    toolName: (tool) => tool,
  },
];

describe.runIf(canTest).each(CASES)("$name", ({ name, start, toolName }) => {
  it("a coding agent calls a target with its arguments, and its model gets the API's response", async () => {
    const agent = start();
    try {
      const values = JSON.stringify({ city: name, note: "by an agent" });
      const answer = await agent.ask(`call ${toolName("weather")}(${values})`);
      const path = `/weather/${encodeURIComponent(name)}/now?units=metric&days=3&note=by%20an%20agent`;
      expect(all.api.requests.map((request) => request.path)).toContain(path);
      expect(answer).toMatch(/^The tools said: /);
      expect(answer).toContain(path);
    } finally {
      agent.remove();
    }
  });

  it("a wrong argument gives the agent's model the sentence about it", async () => {
    const agent = start();
    try {
      const answer = await agent.ask(`call ${toolName("book")}({"guests": "four"})`);
      expect(answer).toContain("'guests' must be an integer");
    } finally {
      agent.remove();
    }
  });
});
