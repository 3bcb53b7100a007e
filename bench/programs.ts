// What is measured, and the provider behind it: each a process on its own core, ended with the run.
import { createHash } from "node:crypto";
import { type KeyRow, pushAllKeys } from "../control-plane/keys/push-keys.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { loadConfiguration } from "../control-plane/config/load.ts";
import { formatProblem } from "../control-plane/report/problem.ts";
import type { GatewayModel } from "../model/model.ts";
import { pushLimits } from "../control-plane/spend/push-limits.ts";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import { requireEnvoy } from "../control-plane/supervisor/envoy-binary.ts";
import { renderBootstrap } from "../envoy/bootstrap.ts";
import { emptySecrets } from "../envoy/credential-filters.ts";
import { listenerSecrets } from "../envoy/listener-tls.ts";
import type { Bootstrap, Fields } from "../envoy/envoy-types.ts";
import { toYaml } from "../envoy/yaml.ts";
import {
  BEDROCK_KEY_MODEL,
  BEDROCK_MODEL,
  CHAT_MODEL,
  DEAD_MODEL,
  GEMINI_MODEL,
  MESSAGES_MODEL,
  RESPONSES_MODEL,
  SAFE_MODEL,
} from "./bodies.ts";

import { connecting, connectingBy, serving, type Tls } from "./tls.ts";

export const GATEWAY_CORE = "0";
const LOAD_CORE = "1";
const READY_WITHIN = 120_000;
/** Of a connection, so that no body is too large. Bytes. */
const BUFFER = 33_554_432;
/** What the providers' keys are here; the fake provider does not look. */
const KEYS = {
  OPENAI_API_KEY: "key-of-openai",
  ANTHROPIC_API_KEY: "key-of-anthropic",
  GEMINI_API_KEY: "key-of-gemini",
  AWS_BEARER_TOKEN_BEDROCK: "key-of-bedrock",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret-of-aws",
  /** What all requests send as their key. */
  CLIENT_KEY: "any",
  FLOOD_KEY: "flood",
  QUIET_KEY: "quiet",
};

export interface Program {
  name: string;
  port: number;
  pid: number;
  isPlain: boolean;
  /** Returns the headers of a request for a model, as `name: value`, if it is another gateway. */
  headersOf?: (model: string) => readonly string[];
  stop(): Promise<void>;
}

/** How Envoy is started: the words before its own, and the milliseconds until it has to answer. */
export interface EnvoyCommand {
  words: readonly string[];
  readyWithin: number;
  /** One if it is not set. */
  workers?: number;
}

/** Envoy on the gateway's core, or on these. */
export function pinned(envoy: string, cores = GATEWAY_CORE): EnvoyCommand {
  return { words: ["taskset", "-c", cores, envoy], readyWithin: READY_WITHIN };
}

/** Envoy on the core of the load. */
function onLoadCore(envoy: string): EnvoyCommand {
  return { words: ["taskset", "-c", LOAD_CORE, envoy], readyWithin: READY_WITHIN };
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

/**
 * Starts Envoy with nothing but a router: no filter, no log. What any gateway made of Envoy costs at least. With TLS it has
 * the settings that the gateway renders.
 */
export async function startPlain(
  envoy: EnvoyCommand,
  directory: string,
  provider: number,
  tls?: Tls,
): Promise<Program> {
  const port = await freePort();
  const parts =
    tls === undefined
      ? {}
      : tls.side === "provider"
        ? { cluster: connecting(tls, provider) }
        : { chain: serving(tls, OFFERED), manager: { http2_protocol_options: WINDOWS } };
  const config = JSON.stringify(plainConfig(port, provider, parts));
  return startEnvoy(
    "plain Envoy",
    envoy,
    directory,
    config,
    await reached(port, directory, tls),
    "/",
    true,
  );
}

/** What the gateway offers clients, and its windows. */
const OFFERED = ["h2", "http/1.1"];
const WINDOWS = {
  initial_stream_window_size: BUFFER,
  initial_connection_window_size: BUFFER,
};

const proxies: Program[] = [];

/** Starts an Envoy on the core of the load, which is not measured. It ends with `stopProxies`. */
async function startProxy(directory: string, port: number, config: object): Promise<void> {
  const envoy = onLoadCore(requireEnvoy(process.env).file);
  const text = JSON.stringify(config);
  mkdirSync(directory, { recursive: true });
  proxies.push(await startEnvoy("TLS proxy", envoy, directory, text, port, undefined, true));
}

export async function stopProxies(): Promise<void> {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
}

/** Returns the port at which the provider is reached: with TLS, of a proxy in front of it. */
export async function startTlsProvider(directory: string, provider: number, tls: Tls) {
  const port = await freePort();
  const chain = serving(tls, [tls.protocol]);
  await startProxy(join(directory, "provider"), port, plainConfig(port, provider, { chain }));
  return port;
}

/** Returns the port to which the load generator sends: the program's, or with TLS to clients that of a proxy in front of it. */
async function reached(measured: number, directory: string, tls: Tls | undefined): Promise<number> {
  if (tls?.side !== "clients") return measured;
  const port = await freePort();
  const config = plainConfig(port, measured, { cluster: connectingBy(tls, measured) });
  await startProxy(join(directory, "clients"), port, config);
  return port;
}

/** The gateway of the scenarios (`--scenarios`): three keys, one of which has a rate limit, and a model that is not there. */
export const SCENARIOS_GATEWAY = "scenarios";
/** `authorization` of a client with the limited key, and of one with another. */
export const FLOOD = `Bearer ${KEYS.FLOOD_KEY}`;
export const QUIET = `Bearer ${KEYS.QUIET_KEY}`;

/** Keys of the listener, by the gateway's name. */
const CLIENT_KEYS: Readonly<Record<string, string>> = {
  keyed: ", api_keys: [$CLIENT_KEY]",
  [SCENARIOS_GATEWAY]:
    ", api_keys: [$CLIENT_KEY, $QUIET_KEY, {key: $FLOOD_KEY, name: flood, ratelimits: [{requests: 6000, unit: minute}]}]",
};

/** What a gateway's configuration has besides, by the gateway's name. `provider`: its port, which serves as the collector. */
const MORE: Readonly<Record<string, (provider: number) => string>> = {
  observed: () => "observability: {}",
  keyed: () => "observability: {}",
  runtime_keys: () => "observability: {}\nkeys: {}",
  budgets: () => BUDGETS,
  budgets1000: () => BUDGETS,
  traced: (provider) => tracing(provider, 100),
  untraced: (provider) => tracing(provider, 0),
};
/** Three budgets for each request; the key's is for the model here, because no case has a key. */
const BUDGETS = `observability: {}
pricing: {openai/${CHAT_MODEL}: {input: 1.25, output: 10}, openai/${RESPONSES_MODEL}: {input: 1.25, output: 10}}
budgets:
  - {amount: 1000000 USD, per: total}
  - {model: openai/${CHAT_MODEL}, amount: 1000000 USD, per: day}
  - {model: openai/${CHAT_MODEL}, amount: 1000000 USD, per: month}`;
/** Budgets in the table that are of no request. */
const OTHER_BUDGETS = 997;
/** The gateway with budgets and usage records: three, and a thousand (`--budgets`). */
export const BUDGETED = ["budgets", "budgets1000"];

/** The gateway with usage records, and a key of the configuration, or a hundred thousand of run time (`--keys`). */
export const KEYED = ["keyed", "runtime_keys"];
const RUNTIME_KEYS = 100_000;

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
  tls?: Tls | undefined;
  /** Changes what is rendered. */
  adapt?: (bootstrap: Bootstrap) => Bootstrap;
}

/** The gateway as `gateway up` runs it, access logs included, with one worker. */
export async function startGateway(options: GatewayOptions): Promise<Program> {
  const { name, envoy, directory } = options;
  const [ingress, egress] = [await freePort(), await freePort()];
  const bootstrap = gatewayConfig(ingress, egress, options);
  const config = toYaml(options.adapt === undefined ? bootstrap : options.adapt(bootstrap));
  const port = await reached(egress, directory, options.tls);
  const program = await startEnvoy(name, envoy, directory, config, port, "/healthz", false);
  if (BUDGETED.includes(name)) await openBudgets(directory);
  if (name === "runtime_keys") await pushRuntimeKeys(directory);
  return program;
}

/** Gives Envoy the keys: that of all requests, and others. */
async function pushRuntimeKeys(directory: string): Promise<void> {
  const keys: Record<string, KeyRow> = {};
  for (let number = 0; number < RUNTIME_KEYS; number++) {
    const key = number === 0 ? KEYS.CLIENT_KEY : `key-${String(number)}`;
    const hash = createHash("sha256").update(key).digest("hex");
    keys[hash] = { id: `key_${String(number)}`, name: key };
  }
  await pushAllKeys(join(directory, "budgets.sock"), { keys, groups: {}, users: {} });
}

/** Gives all budgets a limit that no case reaches. */
async function openBudgets(directory: string): Promise<void> {
  const socket = join(directory, "budgets.sock");
  const { budgets } = await pushLimits(socket, []);
  await pushLimits(
    socket,
    budgets.map(({ id }) => ({ id, limit: 1e15, resets: 0 })),
  );
}

function gatewayConfig(
  ingress: number,
  egress: number,
  { name, provider, filter, directory, models = 0, targets = 0, tls }: GatewayOptions,
): Bootstrap {
  const scheme = tls?.side === "provider" ? "https" : "http";
  const address = `${scheme}://127.0.0.1:${String(provider)}`;
  const text = [
    "version: v0.1.0",
    "listeners:",
    `  ingress: {address: 127.0.0.1, port: ${String(ingress)}}`,
    `  egress: {address: 127.0.0.1, port: ${String(egress)}${listenerTls(tls)}${CLIENT_KEYS[name] ?? ""}}`,
    "llm_providers:",
    `  - model: openai/${CHAT_MODEL}`,
    `    base_url: ${address}`,
    "    access_key: $OPENAI_API_KEY",
    `  - model: openai/${RESPONSES_MODEL}`,
    `    base_url: ${address}`,
    "    access_key: $OPENAI_API_KEY",
    "    limits: {responses_api: true}",
    `  - model: anthropic/${MESSAGES_MODEL}`,
    `    base_url: ${address}`,
    "    access_key: $ANTHROPIC_API_KEY",
    `  - model: gemini/${GEMINI_MODEL}`,
    `    base_url: ${address}`,
    "    access_key: $GEMINI_API_KEY",
    `  - model: bedrock/${BEDROCK_MODEL}`,
    `    base_url: ${address}`,
    "    region: eu-central-1",
    "    credential: {type: aws, source: environment}",
    `  - model: bedrock/${BEDROCK_KEY_MODEL}`,
    `    base_url: ${address}`,
    "    region: eu-central-1",
    "    access_key: $AWS_BEARER_TOKEN_BEDROCK",
    ...Array.from({ length: models }, (_, at) => moreModel(`model-${String(at)}`, address)),
    // Nothing listens there.
    ...(name === SCENARIOS_GATEWAY ? [moreModel(DEAD_MODEL, "http://127.0.0.1:1")] : []),
    "model_aliases:",
    ...(name === SCENARIOS_GATEWAY
      ? [`  ${DEAD_MODEL}: {target: openai/${DEAD_MODEL}, fallbacks: [openai/${CHAT_MODEL}]}`]
      : []),
    `  ${SAFE_MODEL}: {target: openai/${CHAT_MODEL}, fallbacks: [anthropic/${MESSAGES_MODEL}]}`,
    MORE[name]?.(provider) ?? "",
    ...(targets > 0 ? moreTargets(targets, provider) : []),
  ].join("\n");
  const loaded = loadConfiguration({ file: "bench.yaml", text }, KEYS);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join("\n"));
  if (name === "budgets1000") addBudgets(loaded.model);
  const secretsDirectory = join(directory, "secrets");
  mkdirSync(secretsDirectory, { recursive: true });
  for (const { file, text: secret } of listenerSecrets(loaded.model, secretsDirectory))
    writeFileSync(file, secret);
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
    budgetsSocketPath: join(directory, "budgets.sock"),
    secretsDirectory,
    caFile: tls?.authority ?? "/etc/ssl/certs/ca-certificates.crt",
  };
  return renderBootstrap(loaded.model, place);
}

function addBudgets({ budgets }: GatewayModel): void {
  for (let number = 0; number < OTHER_BUDGETS; number++)
    budgets?.push({ subject: { key: `key-${String(number)}` }, amount: 1e9, per: "month" });
}

function listenerTls(tls: Tls | undefined): string {
  if (tls?.side !== "clients") return "";
  return `, tls: {certificate: ${tls.certificate}, key: ${tls.key}}`;
}

function moreModel(model: string, address: string): string {
  return [
    `  - model: openai/${model}`,
    `    base_url: ${address}`,
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

/** What a plain Envoy has besides, in its filter chain, its connection manager and its cluster. */
interface PlainParts {
  chain?: Fields;
  manager?: Fields;
  cluster?: Fields;
}

function plainConfig(port: number, provider: number, parts: PlainParts = {}): object {
  const at = (port_value: number) => ({ socket_address: { address: "127.0.0.1", port_value } });
  const manager =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
  const buffers = { per_connection_buffer_limit_bytes: BUFFER };
  const routes = [{ match: { prefix: "/" }, route: { cluster: "provider", timeout: "60s" } }];
  const connectionManager = {
    "@type": `type.googleapis.com/${manager}`,
    stat_prefix: "plain",
    ...parts.manager,
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
      listeners: [
        {
          name: "plain",
          address: at(port),
          ...buffers,
          filter_chains: [{ filters, ...parts.chain }],
        },
      ],
      clusters: [
        {
          name: "provider",
          type: "STATIC",
          ...buffers,
          ...parts.cluster,
          load_assignment: { cluster_name: "provider", endpoints },
        },
      ],
    },
  };
}

/** Starts Envoy. */
export async function startEnvoy(
  name: string,
  envoy: EnvoyCommand,
  directory: string,
  config: string,
  port: number,
  /** Polled until there is a response; undefined: only the connection counts. */
  readyPath: string | undefined,
  isPlain: boolean,
): Promise<Program> {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "envoy.yaml");
  writeFileSync(file, config);
  const log = openSync(join(directory, "envoy.log"), "w");
  const concurrency = ["--concurrency", String(envoy.workers ?? 1)];
  const words = [...concurrency, "--disable-hot-restart", "-l", "error", "-c", file];
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
      readyPath === undefined ? undefined : `http://127.0.0.1:${String(port)}${readyPath}`,
      envoy.readyWithin,
    );
    return { ...program, isPlain };
  } catch (error) {
    const said = readFileSync(join(directory, "envoy.log"), "utf8").trim();
    throw error instanceof GatewayError ? new GatewayError(`${error.message}\n${said}`) : error;
  }
}

/** Waits until the program answers. */
export async function started(
  name: string,
  port: number,
  child: ChildProcess,
  url: string | undefined,
  within: number,
): Promise<Program> {
  const exit = once(child, "exit");
  const stop = async () => {
    child.kill();
    await exit;
  };
  for (const end = Date.now() + within; Date.now() < end;) {
    if (child.exitCode !== null) break;
    const isUp = url === undefined ? isOpen(port) : responds(url);
    if (await isUp) return { name, port, pid: child.pid ?? 0, isPlain: false, stop };
    await pause(50);
  }
  if (child.exitCode === null) await stop();
  throw new GatewayError(`${name} did not start.`);
}

/** A proxy in front of a program that is not up yet responds 503. */
async function responds(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1000) });
    await response.bytes();
    return response.status !== 503;
  } catch {
    return false;
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
      .on("connect", () => {
        socket.destroy();
        resolve(true);
      })
      .on("error", () => {
        resolve(false);
      });
  });
}
