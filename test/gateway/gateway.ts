// A real gateway for tests: Envoy with the rendered configuration and the release filter, on free ports, in a directory of its own.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { formatProblem } from "../../control-plane/report/problem.ts";
import { requireEnvoy } from "../../control-plane/supervisor/envoy-binary.ts";
import type { GatewayModel } from "../../model/model.ts";
import { proxyVariables } from "../../model/proxy.ts";
import { renderBootstrap } from "../../envoy/bootstrap.ts";
import { emptySecrets } from "../../envoy/credential-filters.ts";
import { listenerSecrets } from "../../envoy/listener-tls.ts";
import type { Bootstrap } from "../../envoy/envoy-types.ts";
import { toYaml } from "../../envoy/yaml.ts";
import { parseLogLine } from "./log-line.ts";
import type { LogLine } from "./log-line.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
/** For what comes on any machine, however busy it is. */
const PATIENCE_MS = 60_000;
const SYSTEM_ROOTS = "/etc/ssl/certs/ca-certificates.crt";

export interface GatewayOptions {
  /** Text of gateway.yaml; `$NAME` is resolved in `environment`. */
  config: string;
  environment?: Record<string, string>;
  /** What Envoy has of it, if it is not all. */
  envoyEnvironment?: Record<string, string>;
  /** Changes what the configuration cannot say in a test, for example where a provider's name leads to. */
  adapt?: (model: GatewayModel) => void;
  /** Changes what is rendered, for example a time that is too long for a test. */
  adaptBootstrap?: (bootstrap: Bootstrap) => void;
  /** PEM file of the certificate authorities that providers are verified against. */
  caFile?: string;
  /** Another module in the place of the release filter. */
  filterPath?: string;
  /** Unix socket of the demonstration model. */
  demonstrationSocketPath?: string;
  /** Unix socket of the model server. */
  modelServerSocketPath?: string;
  /** Worker threads of Envoy, each with a VM of its own. Default 2. */
  concurrency?: number;
  /** Envoy's log level. Default `warning`. */
  logLevel?: string;
}

export type LogName = "llm" | "ingress" | "internal";

export interface Gateway {
  /** `http://127.0.0.1:<port>` of the egress listener. */
  url: string;
  ports: { ingress: number; egress: number };
  pid: number;
  /** Parsed lines of one access log so far. */
  log(name: LogName): LogLine[];
  /** Path of an access log. */
  logFile(name: LogName | "usage" | "content"): string;
  /** Waits until the log has `count` lines that pass, and gives them. */
  waitForLog(name: LogName, test: (line: LogLine) => boolean, count?: number): Promise<LogLine[]>;
  /** All that Envoy wrote to its own log. */
  envoyLog(): string;
  /** Path of the rendered envoy.yaml. */
  envoyFile: string;
  /** Where the model server comes in. */
  ownEgressSocketPath: string;
  /** Where limits of budgets are set. */
  budgetsSocketPath: string;
  /** Where Envoy reads the access tokens of providers. */
  tokensDirectory: string;
  /** GET of Envoy's administration. */
  admin(path: string): Promise<string>;
  /** Ends Envoy and removes its directory. */
  stop(): Promise<void>;
}

/** Loads the configuration, makes ports free ones, and lets the test adapt the model. Throws with all problems. */
function readModel(options: GatewayOptions): GatewayModel {
  const source = { file: "gateway.yaml", text: options.config };
  const result = loadConfiguration(source, options.environment ?? {});
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  const { model } = result;
  for (const listener of [model.ingress, model.egress]) {
    listener.address = "127.0.0.1";
    listener.port = 0;
  }
  options.adapt?.(model);
  return model;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const directory = mkdtempSync(join(tmpdir(), "gateway-test-"));
  const logDirectory = join(directory, "logs");
  const adminSocketPath = join(directory, "admin");
  const ownEgressSocketPath = join(directory, "egress.sock");
  const budgetsSocketPath = join(directory, "budgets.sock");
  const envoyFile = join(directory, "envoy.yaml");
  mkdirSync(logDirectory);
  const model = readModel(options);
  const secretsDirectory = join(directory, "certificates");
  mkdirSync(secretsDirectory);
  for (const { file, text } of listenerSecrets(model, secretsDirectory)) writeFileSync(file, text);
  const tokensDirectory = join(directory, "tokens");
  mkdirSync(tokensDirectory);
  for (const { file, text } of emptySecrets(model, tokensDirectory)) writeFileSync(file, text);
  const bootstrap = renderBootstrap(model, {
    filterPath: options.filterPath ?? FILTER,
    logDirectory,
    adminSocketPath,
    ownEgressSocketPath,
    budgetsSocketPath,
    secretsDirectory,
    tokensDirectory,
    caFile: options.caFile ?? SYSTEM_ROOTS,
    demonstrationSocketPath:
      options.demonstrationSocketPath ?? join(directory, "demonstration.sock"),
    modelServerSocketPath: options.modelServerSocketPath ?? join(directory, "model-server.sock"),
  });
  options.adaptBootstrap?.(bootstrap);
  writeFileSync(envoyFile, toYaml(bootstrap));
  const envoy = spawn(
    requireEnvoy(process.env).file,
    [
      ["-c", envoyFile, "--use-dynamic-base-id"],
      ["--concurrency", String(options.concurrency ?? 2)],
      ["--log-level", options.logLevel ?? "warning"],
      ["--file-flush-interval-msec", "50", "--drain-time-s", "1"],
    ].flat(),
    {
      env: {
        ...(options.envoyEnvironment ?? options.environment),
        ...proxyVariables(model, options.environment ?? {}),
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let output = "";
  envoy.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const envoyLog = (): string => output;
  const admin = (path: string): Promise<string> => getFromSocket(adminSocketPath, path);
  const ports = await waitUntilReady(envoy, admin).catch(async (error: unknown) => {
    await end(envoy);
    const said = envoyLog();
    rmSync(directory, { recursive: true, force: true });
    throw new Error(`Envoy did not start: ${said}`, { cause: error });
  });
  const log = (name: LogName): LogLine[] => readLog(join(logDirectory, `access_${name}.log`));
  return {
    url: `http://127.0.0.1:${ports.egress}`,
    ports,
    pid: envoy.pid ?? 0,
    log,
    logFile: (name) => join(logDirectory, `access_${name}.log`),
    waitForLog: (name, test, count = 1) => waitForLines(() => log(name).filter(test), count),
    envoyLog,
    envoyFile,
    ownEgressSocketPath,
    budgetsSocketPath,
    tokensDirectory,
    admin,
    async stop() {
      await end(envoy);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function readLog(file: string): LogLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  // What follows the last line break is being written.
  return lines.slice(0, -1).map(parseLogLine);
}

async function waitForLines(read: () => LogLine[], count: number): Promise<LogLine[]> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const lines = read();
    if (lines.length >= count) return lines;
    if (Date.now() > until) throw new Error(`the log has ${lines.length} of ${count} lines`);
    await sleep(20);
  }
}

async function waitUntilReady(
  envoy: ChildProcess,
  admin: (path: string) => Promise<string>,
): Promise<Gateway["ports"]> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    if (envoy.exitCode !== null) throw new Error(`Envoy ended with ${envoy.exitCode}`);
    const state = await admin("/ready").catch(() => "");
    if (state.startsWith("LIVE")) return listenerPorts(await admin("/listeners?format=json"));
    if (Date.now() > until) throw new Error(`Envoy is not ready: ${state}`);
    await sleep(20);
  }
}

function listenerPorts(json: string): Gateway["ports"] {
  const { listener_statuses: listeners } = JSON.parse(json) as {
    listener_statuses: {
      name: string;
      local_address: { socket_address?: { port_value: number } };
    }[];
  };
  const portOf = (name: string): number => {
    const found = listeners.find((listener) => listener.name === name);
    const port = found?.local_address.socket_address?.port_value;
    if (port === undefined) throw new Error(`Envoy has no listener ${name}: ${json}`);
    return port;
  };
  return { ingress: portOf("ingress"), egress: portOf("egress") };
}

function getFromSocket(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, headers: { connection: "close" } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => {
        resolve(text);
      });
      response.on("error", reject);
    });
    asked.on("error", reject);
    asked.end();
  });
}

async function end(envoy: ChildProcess): Promise<void> {
  if (envoy.exitCode !== null || envoy.signalCode !== null) return;
  const ended = new Promise((resolve) => envoy.once("exit", resolve));
  envoy.kill("SIGTERM");
  const isSlow = Symbol("slow");
  const first = await Promise.race([ended, sleep(PATIENCE_MS, isSlow, { ref: false })]);
  if (first !== isSlow) return;
  envoy.kill("SIGKILL");
  await ended;
}
