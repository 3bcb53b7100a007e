// The two gateways of the soak, as users run them. They share a Redis and have the same configuration; the first has the disk that
// may be full and the model server, the second the clock that may be moved.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { identityOf, isAlive } from "../../control-plane/processes/process-identity.ts";
import {
  type Desk,
  freePorts,
  modelServersOf,
  openDesk,
  type Ports,
} from "../cli/gateway-command.ts";
import { WEATHER_TARGET } from "../envoy/prompt/fakes.ts";
import { freePort } from "../free-port.ts";
import { type Ports as ProviderPorts, PROVIDERS } from "../providers/scripts/nonce-words.ts";
import type { MovedClock } from "./clock.ts";
import { type Destination, MAX_OPEN, PLACES } from "./request.ts";
import { until } from "./until.ts";

export const KEYS = ["TEAM_0", "TEAM_1", "TEAM_2", "TEAM_3"] as const;
const secretOf = (key: string) => `a-secret-of-the-team-${key}-0123456789`;
/** Of requests that a provider does not respond to. */
const TIMEOUT = "12s";
const DRAIN = "15s";

/** `gateway spend --json`. */
export interface Spent {
  gateways: number;
  spend: { key: string | null; requests: number; costUsd: number }[];
  budgets: { budget: string; spentUsd: number }[];
}

/** A time in which a part of the machinery does not run, by performance.now(). */
export interface Gap {
  from: number;
  to: number;
  /** Whether Envoy still knows what the requests have cost whose records were lost. */
  isCharged?: boolean;
}

export interface SoakGateway {
  desk: Desk;
  ports: Ports;
  logDirectory: string;
  stateDirectory: string;
  /** Has a model server, for prompts on its ingress listener. */
  hasPrompts: boolean;
  generation: number;
  /** Takes requests; false from just before it is killed until it is ready again. */
  isUp: boolean;
  /** Times in which requests in flight may break. */
  outages: Gap[];
  /** Times in which records may be lost. */
  gaps: Gap[];
  destination: (key: string, isPrompt: boolean) => Destination;
  /** Writes the configuration; clients see by an alias which generation is active. */
  write: (generation: number) => void;
  up: () => Promise<void>;
  status: () => Promise<Status>;
  spent: () => Promise<Spent>;
  /** Whether a new connection is served by its newest configuration. */
  hasGeneration: () => Promise<boolean>;
  modelServer: () => Promise<number>;
  /** Lines and other writes that Envoy has lost since it was started. */
  failedWrites: () => Promise<number>;
  /** Nano-dollars of lost records that it reports to have added, in all of its log. */
  reportedLost: () => number;
  isReady: () => Promise<boolean>;
  close: () => Promise<void>;
}

export interface Surroundings {
  providers: ProviderPorts;
  redisUrl: string;
  /** Where its logs and its state are; undefined: where they are by default. */
  disk?: string | undefined;
  clock?: MovedClock | undefined;
  hasPrompts: boolean;
}

export async function openSoakGateway(surroundings: Surroundings): Promise<SoakGateway> {
  const { disk, clock, redisUrl, hasPrompts } = surroundings;
  const desk = openDesk();
  const ports = await freePorts();
  const metrics = await freePort();
  const place = disk ?? desk.directory;
  const [logDirectory, stateDirectory] = [join(place, "logs"), join(place, "state")];
  mkdirSync(logDirectory);
  mkdirSync(stateDirectory);
  desk.environment["XDG_STATE_HOME"] = stateDirectory;
  if (clock !== undefined) {
    const envoy = clock.wrap(desk.environment["ENVOY_BIN"] ?? "");
    Object.assign(desk.environment, clock.environment, { ENVOY_BIN: envoy });
  }
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_OPEN });
  const secrets = KEYS.map((key) => `${key}=${secretOf(key)}\n`).join("");
  writeFileSync(
    join(desk.directory, ".env"),
    `${secrets}REDIS_URL=${redisUrl}\nPROVIDER_KEY=a-key-of-the-providers\n`,
  );
  const status = async () => JSON.parse((await run("status", "--json")) || "{}") as Status;
  const run = async (...words: string[]) => {
    const { stdout } = await desk.run(...words);
    return stdout;
  };
  const gateway: SoakGateway = {
    ...{ desk, ports, logDirectory, stateDirectory, isUp: false, outages: [], gaps: [], status },
    ...{ hasPrompts, generation: 0 },
    destination: (key, isPrompt) => ({
      agent,
      port: isPrompt ? ports.ingress : ports.egress,
      key: secretOf(key),
    }),
    write(generation) {
      const text = configuration(surroundings, { ports, metrics, logDirectory, generation });
      writeFileSync(join(desk.directory, "gateway.yaml"), text);
    },
    async up() {
      const options = ["--concurrency", "1", "--reload-drain-time", DRAIN];
      const { code, stderr } = await desk.run("up", "--detach", ...options);
      if (code !== 0) throw new Error(`a gateway did not start: ${stderr}`);
      await until(gateway.isReady, "a gateway that was started is ready");
      gateway.isUp = true;
    },
    async spent() {
      return JSON.parse(await run("spend", "--per", "total", "--json")) as Spent;
    },
    async hasGeneration() {
      const response = await fetch(`http://127.0.0.1:${String(ports.egress)}/v1/models`, {
        headers: { authorization: `Bearer ${secretOf(KEYS[0])}`, connection: "close" },
      }).catch(() => undefined);
      const text = (await response?.text().catch(() => "")) ?? "";
      return text.includes(`"generation-${String(gateway.generation)}"`);
    },
    async modelServer() {
      const [pid] = modelServersOf((await status()).pid);
      if (pid === undefined || !hasPrompts) throw new Error("there is no model server");
      return pid;
    },
    async failedWrites() {
      const response = await fetch(`http://127.0.0.1:${String(metrics)}/metrics`);
      const text = await response.text();
      return Number(/^envoy_filesystem_write_failed(?:\{.*\})? (\d+)$/m.exec(text)?.[1] ?? 0);
    },
    reportedLost() {
      const file = join(logDirectory, "gateway.log");
      const log = existsSync(file) ? readFileSync(file, "utf8") : "";
      const found = log.matchAll(/Records of requests for ([\d.]+) USD were lost/g);
      return [...found].reduce((sum, [, usd]) => sum + Math.round(Number(usd) * 1e9), 0);
    },
    async isReady() {
      const url = `http://127.0.0.1:${String(ports.egress)}/readyz`;
      return fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    async close() {
      agent.destroy();
      await desk.run("down");
      await desk.clear();
    },
  };
  gateway.write(0);
  return gateway;
}

interface Own {
  ports: Ports;
  metrics: number;
  logDirectory: string;
  generation: number;
}

function configuration({ providers, hasPrompts }: Surroundings, own: Own): string {
  const { ports, metrics, logDirectory, generation } = own;
  const keys = KEYS.map((key) => `{key: $${key}, budget: {amount: 90000 USD, per: total}}`);
  const models = PLACES.flatMap((place) => PROVIDERS.map((name) => `${place}-${name}`));
  const prices = models.map((name) => `  ${fullName(name)}: {input: 1, output: 1}`);
  const prompts = `prompt_targets:\n${WEATHER_TARGET}\nendpoints: {api: {endpoint: "127.0.0.1:${String(providers.chat.healthy)}", protocol: http}}\n`;
  return `
listeners:
  ingress: {address: 127.0.0.1, port: ${String(ports.ingress)}}
  egress: {address: 127.0.0.1, port: ${String(ports.egress)}, timeout: ${TIMEOUT}, api_keys: [${keys.join(", ")}]}
llm_providers:
${models.map((name) => `  - ${entry(name, providers)}`).join("\n")}
model_aliases: {generation-${String(generation)}: {target: healthy-chat}}
pricing:
${prices.join("\n")}
budgets: [{amount: 900000 USD, per: total}]
redis: {url: $REDIS_URL, on_failure: allow}
access_log: {directory: ${logDirectory}, max_file_size: 256KiB, keep_files: 3}
observability: {metrics: {port: ${String(metrics)}}}
${hasPrompts ? prompts : ""}`;
}

const VENDORS = { chat: "openai", messages: "anthropic", gemini: "gemini" } as const;
/** The provider that stands in. */
const FALLBACKS = { chat: "messages", messages: "gemini", gemini: "chat" } as const;

function providerOf(name: string) {
  const found = PROVIDERS.find((provider) => name.endsWith(provider));
  if (found === undefined) throw new Error(`no provider has the model ${name}`);
  return found;
}

const fullName = (name: string) => `${VENDORS[providerOf(name)]}/${name}`;

function entry(name: string, ports: ProviderPorts): string {
  const provider = providerOf(name);
  const isHealthy = name.startsWith("healthy");
  const port = ports[provider][isHealthy ? "healthy" : "faulty"];
  const url = `http://127.0.0.1:${String(port)}${provider === "chat" ? "/v1" : ""}`;
  const more = isHealthy ? "" : ", decompress_responses: true";
  const fallback = name.startsWith("safe") ? `, fallbacks: [healthy-${FALLBACKS[provider]}]` : "";
  return `{name: ${name}, model: ${fullName(name)}, base_url: "${url}", access_key: $PROVIDER_KEY${more}${fallback}}`;
}

/** Kills a process, and waits until it is gone. */
export async function killHard(pid: number): Promise<void> {
  const identity = identityOf(pid);
  process.kill(pid, "SIGKILL");
  await until(() => !isAlive(identity), "a process that was killed is gone");
}
