// Other gateways that the scenarios are measured against: each is installed from its registry into the user's cache at its first
// use, and starts on the measured core in front of the fake provider, which is its only provider.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import { CHAT_MODEL, MESSAGES_MODEL } from "./bodies.ts";
import { freePort, GATEWAY_CORE, type Program, started } from "./programs.ts";

export interface PeerPlace {
  /** Port of the fake provider. */
  provider: number;
  /** For its configuration and its log. */
  directory: string;
}

interface Peer {
  name: string;
  /** Installs it if it is not there, and returns the words that start it. */
  words: (place: PeerPlace & { port: number }) => string[];
  /** Path that responds when it runs. */
  readyPath: string;
  /** Headers of every request, as `name: value`. */
  headers?: (provider: number) => string[];
  environment?: Record<string, string>;
}

const PORTKEY = "@portkey-ai/gateway@1.15.2";
const LITELLM = "litellm[proxy]==1.109.1";
/** A start with Python's imports, on a busy machine. */
const READY_WITHIN = 300_000;

const litellm = (name: string, isRust: boolean): Peer => ({
  name,
  words({ provider, directory, port }) {
    const home = cacheOf("litellm-1.109.1");
    const program = join(home, "bin/litellm");
    if (!existsSync(program)) {
      install("python3", ["-m", "venv", home]);
      install(join(home, "bin/pip"), ["install", "--quiet", LITELLM]);
    }
    const model = (as: string) =>
      `  - model_name: ${as}
    litellm_params:
      model: openai/${CHAT_MODEL}
      api_base: http://127.0.0.1:${String(provider)}/v1
      api_key: any${isRust ? "\n      rust: true" : ""}
`;
    const file = join(directory, "litellm.yaml");
    writeFileSync(file, `model_list:\n${model(CHAT_MODEL)}${model(MESSAGES_MODEL)}`);
    const words = ["--config", file, "--host", "127.0.0.1", "--port", String(port)];
    return [program, ...words, "--num_workers", "1"];
  },
  readyPath: "/health/liveliness",
  environment: { LITELLM_LOG: "ERROR", LITELLM_LOCAL_MODEL_COST_MAP: "True" },
});

export const PEERS: readonly Peer[] = [
  {
    name: "portkey",
    words({ port }) {
      const home = cacheOf("portkey-1.15.2");
      const script = join(home, "node_modules/@portkey-ai/gateway/build/start-server.js");
      if (!existsSync(script))
        install("npm", ["install", "--prefix", home, "--ignore-scripts", "--no-audit", PORTKEY]);
      return [process.execPath, script, "--headless", `--port=${String(port)}`];
    },
    readyPath: "/",
    headers: (provider) => [
      "x-portkey-provider: openai",
      `x-portkey-custom-host: http://127.0.0.1:${String(provider)}/v1`,
    ],
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
      writeFileSync(
        file,
        `binds:
- port: ${String(port)}
  listeners:
  - routes:
    - backends:
      - ai:
          name: provider
          provider: {openAI: {model: ${CHAT_MODEL}}}
          hostOverride: 127.0.0.1:${String(provider)}
      policies:
        ai:
          routes:
            /v1/chat/completions: completions
            /v1/messages: messages
        backendAuth: {key: any}
`,
      );
      return [program, "-f", file];
    },
    readyPath: "/",
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
    env: { ...process.env, OPENAI_API_KEY: "any", ...peer.environment },
  });
  const url = `http://127.0.0.1:${String(port)}${peer.readyPath}`;
  const running = await started(name, port, child, url, READY_WITHIN);
  return { ...running, headers: peer.headers?.(place.provider) ?? [] };
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
