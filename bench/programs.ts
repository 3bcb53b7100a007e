// What is measured, and the provider behind it: each a process on its own core, ended with the run.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { loadConfiguration } from "../control-plane/config/load.ts";
import { formatProblem } from "../control-plane/config/diagnostics/problem.ts";
import { GatewayError } from "../control-plane/config/diagnostics/gateway-error.ts";
import { renderBootstrap } from "../envoy/bootstrap.ts";
import { emptySecrets } from "../envoy/cloud-credentials.ts";
import type { Bootstrap } from "../envoy/types.ts";
import { toYaml } from "../envoy/yaml.ts";
import {
  BEDROCK_KEY_MODEL,
  BEDROCK_MODEL,
  CHAT_MODEL,
  GEMINI_MODEL,
  MESSAGES_MODEL,
  RESPONSES_MODEL,
  SAFE_MODEL,
} from "./bodies.ts";

const GATEWAY_CORE = "0";
const LOAD_CORE = "1";
const READY_WITHIN = 15_000;
/** What the providers' keys are here; the fake provider does not look. */
const KEYS = {
  OPENAI_API_KEY: "key-of-openai",
  ANTHROPIC_API_KEY: "key-of-anthropic",
  GEMINI_API_KEY: "key-of-gemini",
  AWS_BEARER_TOKEN_BEDROCK: "key-of-bedrock",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret-of-aws",
};

export interface Program {
  name: string;
  port: number;
  pid: number;
  isPlain: boolean;
  stop(): Promise<void>;
}

/** How Envoy is started: the words before its own, and the milliseconds until it has to answer. */
export interface EnvoyCommand {
  words: readonly string[];
  readyWithin: number;
}

/** Envoy on the gateway's core. */
export function pinned(envoy: string): EnvoyCommand {
  return { words: ["taskset", "-c", GATEWAY_CORE, envoy], readyWithin: READY_WITHIN };
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** The fake provider, on the core of the load. */
export async function startProvider(file: string): Promise<Program> {
  const port = await freePort();
  const child = spawn("taskset", ["-c", LOAD_CORE, file, String(port)], {
    // It ends with this pipe, even if this process is killed.
    stdio: ["pipe", "inherit", "inherit"],
  });
  return started("provider", port, child, `http://127.0.0.1:${String(port)}/`, READY_WITHIN);
}

/** Envoy with nothing but a router: no filter, no log. What any gateway made of Envoy costs at least. */
export async function startPlain(envoy: EnvoyCommand, directory: string, provider: number) {
  const port = await freePort();
  const config = plainConfig(port, provider);
  return startEnvoy("plain Envoy", envoy, directory, JSON.stringify(config), port, "/", true);
}

/** What a gateway's configuration has besides, by the gateway's name. `provider`: its port, which serves as the collector. */
const MORE: Readonly<Record<string, (provider: number) => string>> = {
  observed: () => "observability: {}",
  traced: (provider) => tracing(provider, 100),
  untraced: (provider) => tracing(provider, 0),
};
/** The gateway with usage records (`--observed`). */
export const OBSERVED = ["observed"];
/** The gateway with tracing: of every request, and of none (`--traced`). */
export const TRACED = ["traced", "untraced"];

function tracing(port: number, percent: number): string {
  return `tracing: {endpoint: "http://127.0.0.1:${String(port)}", protocol: http, random_sampling: ${String(percent)}}`;
}

export interface GatewayOptions {
  name: string;
  envoy: EnvoyCommand;
  directory: string;
  /** Port of the fake provider. */
  provider: number;
  /** File of the compiled filter. */
  filter: string;
  /** Models that are configured besides those of the cases, and prompt targets. */
  models?: number;
  targets?: number;
  /** Changes what is rendered. */
  adapt?: (bootstrap: Bootstrap) => Bootstrap;
}

/** The gateway as `gateway up` runs it, access logs included, with one worker. */
export async function startGateway(options: GatewayOptions): Promise<Program> {
  const { name, envoy, directory } = options;
  const [ingress, egress] = [await freePort(), await freePort()];
  const bootstrap = gatewayConfig(ingress, egress, options);
  const config = toYaml(options.adapt === undefined ? bootstrap : options.adapt(bootstrap));
  return startEnvoy(name, envoy, directory, config, egress, "/healthz", false);
}

function gatewayConfig(
  ingress: number,
  egress: number,
  { name, provider, filter, directory, models = 0, targets = 0 }: GatewayOptions,
): Bootstrap {
  const text = [
    "version: v0.1.0",
    "listeners:",
    `  ingress: {address: 127.0.0.1, port: ${String(ingress)}}`,
    `  egress: {address: 127.0.0.1, port: ${String(egress)}}`,
    "llm_providers:",
    `  - model: openai/${CHAT_MODEL}`,
    `    base_url: http://127.0.0.1:${String(provider)}`,
    "    access_key: $OPENAI_API_KEY",
    `  - model: openai/${RESPONSES_MODEL}`,
    `    base_url: http://127.0.0.1:${String(provider)}`,
    "    access_key: $OPENAI_API_KEY",
    "    limits: {responses_api: true}",
    `  - model: anthropic/${MESSAGES_MODEL}`,
    `    base_url: http://127.0.0.1:${String(provider)}`,
    "    access_key: $ANTHROPIC_API_KEY",
    `  - model: gemini/${GEMINI_MODEL}`,
    `    base_url: http://127.0.0.1:${String(provider)}`,
    "    access_key: $GEMINI_API_KEY",
    `  - model: bedrock/${BEDROCK_MODEL}`,
    `    base_url: http://127.0.0.1:${String(provider)}`,
    "    region: eu-central-1",
    "    credential: {type: aws, source: environment}",
    `  - model: bedrock/${BEDROCK_KEY_MODEL}`,
    `    base_url: http://127.0.0.1:${String(provider)}`,
    "    region: eu-central-1",
    "    access_key: $AWS_BEARER_TOKEN_BEDROCK",
    ...Array.from({ length: models }, (_, at) => moreModel(at, provider)),
    "model_aliases:",
    `  ${SAFE_MODEL}: {target: openai/${CHAT_MODEL}, fallbacks: [anthropic/${MESSAGES_MODEL}]}`,
    MORE[name]?.(provider) ?? "",
    ...(targets > 0 ? moreTargets(targets, provider) : []),
  ].join("\n");
  const loaded = loadConfiguration({ file: "bench.yaml", text }, KEYS);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join("\n"));
  const tokensDirectory = join(directory, "tokens");
  mkdirSync(tokensDirectory, { recursive: true });
  for (const { file, text: secret } of emptySecrets(loaded.model, tokensDirectory))
    writeFileSync(file, secret);
  const place = {
    filterPath: filter,
    logDirectory: directory,
    tokensDirectory,
    adminSocketPath: join(directory, "admin.sock"),
    modelServerSocketPath: join(directory, "model-server.sock"),
    ownEgressSocketPath: join(directory, "own-egress.sock"),
    caFile: "/etc/ssl/certs/ca-certificates.crt",
  };
  return renderBootstrap(loaded.model, place);
}

function moreModel(at: number, provider: number): string {
  return [
    `  - model: openai/model-${String(at)}`,
    `    base_url: http://127.0.0.1:${String(provider)}`,
    "    access_key: $OPENAI_API_KEY",
  ].join("\n");
}

function moreTargets(count: number, provider: number): string[] {
  const target = (at: number) => [
    `  - name: target_${String(at)}`,
    "    description: Reports the weather of a city",
    `    endpoint: {name: api, path: /target/${String(at)}}`,
    "    parameters:",
    "      - {name: city, description: The city, required: true, type: str}",
    "      - {name: days, description: How many days, type: int, default: 7}",
  ];
  return [
    "endpoints:",
    `  api: {endpoint: "127.0.0.1:${String(provider)}", protocol: http}`,
    "prompt_targets:",
    ...Array.from({ length: count }, (_, at) => target(at)).flat(),
  ];
}

function plainConfig(port: number, provider: number): object {
  const at = (port_value: number) => ({ socket_address: { address: "127.0.0.1", port_value } });
  const manager =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
  const buffers = { per_connection_buffer_limit_bytes: 33_554_432 };
  const routes = [{ match: { prefix: "/" }, route: { cluster: "provider", timeout: "60s" } }];
  const connectionManager = {
    "@type": `type.googleapis.com/${manager}`,
    stat_prefix: "plain",
    route_config: { virtual_hosts: [{ name: "all", domains: ["*"], routes }] },
    http_filters: [
      {
        name: "router",
        typed_config: {
          "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
        },
      },
    ],
  };
  const filters = [{ name: "http", typed_config: connectionManager }];
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: at(provider) } }] }];
  return {
    static_resources: {
      listeners: [{ name: "plain", address: at(port), ...buffers, filter_chains: [{ filters }] }],
      clusters: [
        {
          name: "provider",
          type: "STATIC",
          ...buffers,
          load_assignment: { cluster_name: "provider", endpoints },
        },
      ],
    },
  };
}

/** Starts Envoy with one worker. */
export async function startEnvoy(
  name: string,
  envoy: EnvoyCommand,
  directory: string,
  config: string,
  port: number,
  readyPath: string,
  isPlain: boolean,
): Promise<Program> {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "envoy.yaml");
  writeFileSync(file, config);
  const log = openSync(join(directory, "envoy.log"), "w");
  const words = ["--concurrency", "1", "--disable-hot-restart", "-l", "error", "-c", file];
  const [program = "", ...before] = envoy.words;
  const child = spawn(program, [...before, ...words], {
    stdio: ["ignore", log, log],
    env: { ...process.env, ...KEYS },
  });
  try {
    const program = await started(
      name,
      port,
      child,
      `http://127.0.0.1:${String(port)}${readyPath}`,
      envoy.readyWithin,
    );
    return { ...program, isPlain };
  } catch (error) {
    const said = readFileSync(join(directory, "envoy.log"), "utf8").trim();
    throw error instanceof GatewayError ? new GatewayError(`${error.message}\n${said}`) : error;
  }
}

/** Waits until the program answers. */
async function started(
  name: string,
  port: number,
  child: ChildProcess,
  url: string,
  within: number,
): Promise<Program> {
  const exit = once(child, "exit");
  const stop = async () => {
    child.kill();
    await exit;
  };
  for (const end = Date.now() + within; Date.now() < end;) {
    if (child.exitCode !== null) break;
    const isUp = await fetch(url, { signal: AbortSignal.timeout(1000) }).then(
      (response) => response.bytes().then(() => true),
      () => false,
    );
    if (isUp) return { name, port, pid: child.pid ?? 0, isPlain: false, stop };
    await pause(50);
  }
  if (child.exitCode === null) await stop();
  throw new GatewayError(`${name} did not start.`);
}
