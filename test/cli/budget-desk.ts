// Gateways with budgets, as users run them, in front of a provider whose prices are known.
import { type Agent, request } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import type { PricedProvider } from "../providers/scripts/priced.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

/** `gateway spend --json`. */
export interface Spent {
  gateways: number;
  spend: {
    key: string | null;
    /** Of requests whose records were lost it may be null. */
    model: string | null;
    requests: number;
    costUsd: number;
    estimatedUsd: number;
  }[];
  budgets: { budget: string; spentUsd: number; leftUsd: number }[];
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface BudgetGateway {
  desk: Desk;
  ports: Ports;
  /** Writes the configuration; `keys` become variables of .env whose values are their names, made long. */
  write: (configuration: string, environment?: Record<string, string>) => void;
  up: () => Promise<void>;
  status: () => Promise<Status>;
  /** Kills the process of the gateway, and nothing else. */
  kill: () => Promise<void>;
  spent: (...words: string[]) => Promise<Spent>;
  /** Sends a prompt; rejects if the response is not whole. */
  ask: (prompt: Prompt) => Promise<Answer>;
  ready: () => Promise<{
    status: number;
    body: { status: string; reason?: string; note?: string };
  }>;
  close: () => Promise<void>;
}

export interface Prompt {
  number: number;
  key?: string;
  model?: string;
  /** Tokens that the provider reports. */
  input?: number;
  output?: number;
  stream?: boolean;
}

/** The value of a key's variable. */
export const secretOf = (key: string) => `a-secret-of-the-team-${key}-0123456789`;

export async function openGateway(agent: Agent): Promise<BudgetGateway> {
  const desk = openDesk();
  const ports = await freePorts();
  const status = async () => JSON.parse((await desk.run("status", "--json")).stdout) as Status;
  return {
    desk,
    ports,
    write(configuration, environment = {}) {
      writeFileSync(join(desk.directory, "gateway.yaml"), configuration);
      const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
      writeFileSync(join(desk.directory, ".env"), lines.join(""));
    },
    async up() {
      const { code, stderr } = await desk.run("up", "--detach", "--concurrency", "1");
      expect(code, stderr).toBe(0);
    },
    status,
    async kill() {
      const { pid, envoyPid } = await status();
      expect(pid).toBeGreaterThan(1);
      process.kill(pid, "SIGKILL");
      await expect.poll(() => isRunning(envoyPid ?? 0)).toBe(false);
    },
    async spent(...words) {
      const { code, stdout, stderr } = await desk.run("spend", "--json", ...words);
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout) as Spent;
    },
    ask: (prompt) => ask(agent, ports.egress, prompt),
    async ready() {
      const response = await fetch(`http://127.0.0.1:${String(ports.egress)}/readyz`);
      return { status: response.status, body: (await response.json()) as { status: string } };
    },
    async close() {
      await desk.run("down");
      await desk.clear();
    },
  };
}

/** Returns the configuration of a gateway on these ports, whose models cost a dollar for a million tokens. */
export function configurationWith(
  { ports }: BudgetGateway,
  provider: PricedProvider,
  models: readonly string[],
  keys: string,
  more: string,
): string {
  const entries = models.map(
    (name) => `  - {model: fake/${name}, provider_interface: openai, base_url: "${provider.url}"}`,
  );
  const prices = models.map((name) => `  fake/${name}: {input: 1, output: 1}`);
  return configurationOn(
    ports,
    ["llm_providers:", ...entries, "pricing:", ...prices, more].join("\n"),
  ).replace(/egress: \{(.*)\}/, `egress: {$1, api_keys: [${keys}]}`);
}

function ask(
  agent: Agent,
  port: number,
  { number, key = "TEAM", model = "fake/m0", input = 500, output = 500, stream = false }: Prompt,
): Promise<Answer> {
  const content = [number, input, output].join(" ");
  const body = JSON.stringify({
    model,
    messages: [{ role: "user", content }],
    ...(stream ? { stream } : {}),
  });
  const headers = { "content-type": "application/json", authorization: `Bearer ${secretOf(key)}` };
  return new Promise((resolve, reject) => {
    const path = "/v1/chat/completions";
    const outgoing = request({ port, path, method: "POST", agent, headers }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (part: string) => (text += part));
      incoming.on("error", reject);
      incoming.on("end", () => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
    outgoing.on("error", reject);
    outgoing.setTimeout(30_000, () => outgoing.destroy(new Error("no response")));
    outgoing.end(body);
  });
}

function isRunning(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
