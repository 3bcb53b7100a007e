// Other gateways that the scenarios are measured against: each is installed from its registry into the user's cache at its first
// use, and starts on the measured core in front of the fake provider, which is its only provider.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import { CHAT_MODEL, DEAD_MODEL, MESSAGES_MODEL } from "./bodies.ts";
import { freePort, GATEWAY_CORE, type Program, started } from "./programs.ts";

export interface PeerPlace {
  /** Port of the fake provider. */
  provider: number;
  /** For its configuration and its log. */
  directory: string;
  /** Library that keeps it on 127.0.0.1 (src/loopback.c). */
  loopback: string;
}

interface Peer {
  name: string;
  /** Installs it if it is not there, and returns the words that start it. */
  words: (place: PeerPlace & { port: number }) => string[];
  /** Path that responds when it runs. */
  readyPath: string;
  /** Headers of a request for a model, as `name: value`. */
  headers?: (provider: number, model: string) => string[];
  environment?: Record<string, string>;
}

const PORTKEY = "@portkey-ai/gateway@1.15.2";
/** With the newest one (1.19.19) each stream is an error 500: "immutable". */
const PORTKEY_SERVER = { "@hono/node-server": "1.13.7" };
/** Nothing listens there. */
const DEAD_PORT = "1";
/** The newest one whose `litellm-proxy-extras` is on PyPI. */
const LITELLM = "litellm[proxy]==1.108.4";
/** A start with Python's imports, on a busy machine. */
const READY_WITHIN = 300_000;

const litellm = (name: string, isRust: boolean): Peer => ({
  name,
  words({ provider, directory, port }) {
    const home = cacheOf("litellm-1.108.4");
    const program = join(home, "bin/litellm");
    if (!existsSync(program)) {
      install("python3", ["-m", "venv", home]);
      install(join(home, "bin/pip"), ["install", "--quiet", LITELLM]);
    }
    const model = (name: string, vendor: string, path: string) =>
      `  - model_name: ${name}
    litellm_params:
      model: ${vendor}/${name}
      api_base: http://127.0.0.1:${String(provider)}${path}
      api_key: any
`;
    const dead = model(DEAD_MODEL, "openai", "/v1").replace(String(provider), DEAD_PORT);
    const models = [model(CHAT_MODEL, "openai", "/v1"), model(MESSAGES_MODEL, "anthropic", "")];
    const fallbacks = `router_settings: {num_retries: 0, fallbacks: [{${DEAD_MODEL}: [${CHAT_MODEL}]}]}`;
    const file = join(directory, `${name}.yaml`);
    writeFileSync(file, `model_list:\n${models.join("")}${dead}${fallbacks}\n`);
    const words = ["--config", file, "--host", "127.0.0.1", "--port", String(port)];
    return [program, ...words, "--num_workers", "1"];
  },
  readyPath: "/health/liveliness",
  environment: {
    LITELLM_LOG: "ERROR",
    // It checks no key, which saves it work.
    LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: "true",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    // The fake provider has no stream of Responses, which it would request for a Messages client.
    LITELLM_USE_CHAT_COMPLETIONS_URL_FOR_ANTHROPIC_MESSAGES: "true",
    // Used for Messages at Anthropic alone; all other endpoints stay in Python (litellm/rust_bridge/catalog.py).
    LITELLM_RUST: isRust ? "true" : "false",
  },
});

export const PEERS: readonly Peer[] = [
  {
    name: "portkey",
    words({ port }) {
      const home = cacheOf("portkey-1.15.2-streams");
      const script = join(home, "node_modules/@portkey-ai/gateway/build/start-server.js");
      if (!existsSync(script)) {
        mkdirSync(home, { recursive: true });
        writeFileSync(join(home, "package.json"), JSON.stringify({ overrides: PORTKEY_SERVER }));
        const options = ["--ignore-scripts", "--no-audit", "--legacy-peer-deps"];
        install("npm", ["install", "--prefix", home, ...options, PORTKEY]);
      }
      return [process.execPath, script, "--headless", `--port=${String(port)}`];
    },
    readyPath: "/",
    headers(provider, model) {
      const at = (port: string) => `http://127.0.0.1:${port}/v1`;
      const own = String(provider);
      if (model !== DEAD_MODEL) {
        const vendor = model === MESSAGES_MODEL ? "anthropic" : "openai";
        return [`x-portkey-provider: ${vendor}`, `x-portkey-custom-host: ${at(own)}`];
      }
      const target = { provider: "openai", api_key: "any" };
      const targets = [
        { ...target, custom_host: at(DEAD_PORT) },
        { ...target, custom_host: at(own), override_params: { model: CHAT_MODEL } },
      ];
      return [`x-portkey-config: ${JSON.stringify({ strategy: { mode: "fallback" }, targets })}`];
    },
    environment: { TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost", NODE_ENV: "production" },
  },
  litellm("litellm", false),
  litellm("litellm-rust", true),
  {
    // Built from its source with link-time optimisation (bench/README.md): 30 minutes of two cores.
    name: "agentgateway",
    words({ provider, directory, port }) {
      const program = process.env["AGENTGATEWAY"] ?? "";
      if (!existsSync(program))
        throw new GatewayError("agentgateway is not measured: AGENTGATEWAY names no program.", {
          hint: "bench/README.md has how it is built.",
        });
      const file = join(directory, "agentgateway.yaml");
      const model = (name: string, vendor: string, path: string) => `  - name: ${name}
    provider: ${vendor}
    params: {baseUrl: "http://127.0.0.1:${String(provider)}${path}", apiKey: any}
`;
      const models = [model(CHAT_MODEL, "openAI", "/v1"), model(MESSAGES_MODEL, "anthropic", "")];
      writeFileSync(
        file,
        `config: {adminAddr: "127.0.0.1:0", statsAddr: "127.0.0.1:0", readinessAddr: "127.0.0.1:0"}
frontendPolicies: {http: {maxBufferSize: 33554432}}
llm:
  port: ${String(port)}
  models:
${models.join("")}`,
      );
      return [program, "-f", file];
    },
    readyPath: "/",
    // It has one core, as the others.
    environment: { WORKER_THREADS: "1" },
  },
];

/** Installs and starts another gateway. Throws a GatewayError if that is not possible on this machine. */
export async function startPeer(name: string, place: PeerPlace): Promise<Program> {
  const peer = PEERS.find((one) => one.name === name);
  if (peer === undefined) {
    const names = PEERS.map((one) => one.name).join(", ");
    throw new GatewayError(`There is no start of '${name}': ${names}.`);
  }
  mkdirSync(place.directory, { recursive: true });
  const port = await freePort();
  const [program = "", ...words] = peer.words({ ...place, port });
  const log = openSync(join(place.directory, `${name}.log`), "w");
  const child = spawn("taskset", ["-c", GATEWAY_CORE, program, ...words], {
    stdio: ["ignore", log, log],
    env: { ...process.env, LD_PRELOAD: place.loopback, OPENAI_API_KEY: "any", ...peer.environment },
  });
  const url = `http://127.0.0.1:${String(port)}${peer.readyPath}`;
  const running = await started(name, port, child, url, READY_WITHIN).catch((error: unknown) => {
    if (!(error instanceof GatewayError)) throw error;
    const written = readFileSync(join(place.directory, `${name}.log`), "utf8").trim();
    throw new GatewayError(error.message, { hint: written.slice(-1000) });
  });
  return { ...running, headersOf: (model) => peer.headers?.(place.provider, model) ?? [] };
}

function cacheOf(name: string): string {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(cache, "gateway/bench", name);
}

function install(program: string, words: string[]): void {
  console.error(`Installing: ${program} ${words.join(" ")}`);
  const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new GatewayError(`${words.at(-1) ?? ""} cannot be installed: ${stderr}`);
}
