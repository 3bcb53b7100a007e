// The npm package as users get it: packed, installed by the machine's own npm and Node (20 or newer) into a temporary
// directory, and run there. Dependencies come from npm's cache (lock-registry.ts).
import { execFile, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { embeddedModelDirectory } from "../../control-plane/model-server/embedded-model.ts";
import { onnxRuntimeDirectory } from "../../control-plane/model-server/onnx-runtime.ts";
import { cachedEnvoyFile, requireEnvoy } from "../../control-plane/supervisor/envoy-binary.ts";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";
import { configurationOn, freePorts, type Ports } from "../cli/gateway-command.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { startLockRegistry } from "./lock-registry.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAX_BYTES = 12_000_000;
const KEY = "sk-from-the-shell";
/** Of npm, for what it does not get from its cache. */
const INSTALL_MS = 240_000;
/** `.ci/run` sets it: there, a machine that cannot install the package fails. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

const top = mkdtempSync(join(tmpdir(), "gateway-package-"));
const at = (...names: string[]) => join(top, ...names);
const PACKAGE = at("prefix/lib/node_modules/gateway");
let environment: Record<string, string>;
let archive: string;
/** Why the package is not installed here. */
let missing: string | undefined;

/** The machine's Node, not the one of this checkout's dependencies. */
function ownNode(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.find((folder) => {
    if (folder.startsWith(ROOT) || folder.includes("node_modules")) return false;
    try {
      accessSync(join(folder, "node"), constants.X_OK);
      accessSync(join(folder, "npm"), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function run(program: string, words: readonly string[], more: Record<string, string> = {}) {
  return spawnSync(program, words, {
    cwd: at("work"),
    encoding: "utf8",
    env: { ...environment, ...more },
    timeout: INSTALL_MS,
  });
}

/** The installed command, in a plain directory. */
const gateway = (...words: string[]) => run("gateway", words);

/** Installs the package. Returns why it cannot. */
async function install(): Promise<string | undefined> {
  const setting = (key: string) =>
    spawnSync("npm", ["config", "get", key], { cwd: ROOT, encoding: "utf8" }).stdout.trim();
  const registry = await startLockRegistry(join(ROOT, "package-lock.json"), setting("registry"));
  const npm = { npm_config_cache: setting("cache"), npm_config_registry: registry.url };
  const words = ["install", "--global", "--prefix", at("prefix"), "--prefer-offline", "--no-audit"];
  const { code, output } = await runBeside("npm", [...words, archive], npm);
  registry.close();
  const absent =
    registry.redirected.length === 0 ? "" : ` (not cached: ${registry.redirected.join()})`;
  return code === 0 ? undefined : `npm could not install it${absent}: ${output}`;
}

/** Runs a program that sends requests to this process. */
async function runBeside(
  program: string,
  words: readonly string[],
  more: Record<string, string>,
): Promise<{ code: unknown; output: string }> {
  const options = { cwd: at("work"), env: { ...environment, ...more }, timeout: INSTALL_MS };
  return new Promise((resolve) => {
    execFile(program, words, options, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, output: stdout + stderr });
    });
  });
}

/** What a first use has downloaded, in the temporary cache. */
function fillCache(): void {
  const link = (from: string, to: string) => {
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
  };
  const own = { XDG_CACHE_HOME: at("cache") };
  link(requireEnvoy(process.env).file, cachedEnvoyFile(own));
  link(embeddedModelDirectory(process.env), embeddedModelDirectory(own));
  link(join(ROOT, "node_modules"), join(onnxRuntimeDirectory(own), "node_modules"));
}

beforeAll(async () => {
  for (const folder of ["work", "home"]) mkdirSync(at(folder));
  const node = ownNode();
  const passed = ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap(
    (name): [string, string][] => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    },
  );
  environment = {
    ...Object.fromEntries(passed),
    PATH: [at("prefix/bin"), node ?? "", "/usr/bin", "/bin"].join(delimiter),
    HOME: at("home"),
    XDG_CACHE_HOME: at("cache"),
    XDG_STATE_HOME: at("state"),
    PIP_NO_INDEX: "1", // nothing is downloaded here
  };
  // npm pack as a user runs it: with this checkout's set-up, which is complete.
  const pack = spawnSync("npm", ["pack", "--pack-destination", top], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(pack.status, pack.stderr).toBe(0);
  archive = at(`gateway-${VERSION}.tgz`);
  missing = node === undefined ? "there is no Node and npm on PATH" : await install();
  if (missing !== undefined && isRequired) throw new Error(missing);
  if (missing !== undefined) console.log(`· The tests of the npm package are skipped: ${missing}`);
  else fillCache();
});
afterAll(() => {
  rmSync(top, { recursive: true, maxRetries: 20 });
});

it("the package is packed with JavaScript only, and nothing that it does not need", () => {
  const names = spawnSync("tar", ["-tzf", archive], { encoding: "utf8" }).stdout.trim().split("\n");
  const others = names.filter(
    (name) => !/^package\/(?:docs\/(?:clouds\/)?[\w-]+\.md$|deploy\/)/.test(name),
  );
  const topLevel = new Set(others.map((name) => name.split("/").slice(1, 3).join("/")));
  expect([...topLevel].sort()).toEqual([
    "LICENSE",
    "NOTICE",
    "README.md",
    "bin/gateway",
    "build/compiled",
    "gateway.schema.json",
    "package.json",
  ]);
  expect(names.filter((name) => /\.(?:ts|map)$|\btest|\.env|\.log$/.test(name))).toEqual([]);
  expect(names).toContain("package/docs/budgets.md");
  for (const file of ["grafana/gateway.json", "prometheus/alerts.yaml", "helm/gateway/Chart.yaml"])
    expect(names).toContain(`package/deploy/${file}`);
  expect(names).toContain("package/build/compiled/build/filter.wasm");
  expect(readFileSync(archive).length).toBeLessThan(MAX_BYTES);
});

describe("the installed command", () => {
  let ports: Ports;
  let provider: FakeProvider;

  beforeAll(async () => {
    provider = await startOpenaiProvider({ key: KEY, models: ["gpt-4o"] });
    ports = await freePorts();
    const providers = [
      "llm_providers:",
      "  - model: openai/gpt-4o",
      "    access_key: $OPENAI_API_KEY",
      `    base_url: ${provider.url}/v1`,
    ].join("\n");
    writeFileSync(at("work/gateway.yaml"), configurationOn(ports, providers));
    environment["OPENAI_API_KEY"] = KEY;
  });
  afterAll(() => provider.stop());
  beforeEach(({ skip }) => {
    skip(missing !== undefined, missing ?? "");
  });

  it("the installed command runs with the Node of the package", () => {
    expect(gateway("--version")).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
    expect(gateway("validate")).toMatchObject({ status: 0, stderr: "" });
    expect(gateway("complete", "bash").stdout).toContain("gateway");
    const { stdout } = gateway("doctor");
    expect(stdout).toMatch(/Node 24\./);
    expect(stdout).toContain("Envoy 1.40.0 (cache)");
  });

  it("the installed command writes a configuration whose first line names the schema of the package", () => {
    expect(gateway("init", "new.yaml")).toMatchObject({ status: 0 });
    const [first = ""] = readFileSync(at("work/new.yaml"), "utf8").split("\n");
    const [, schema = ""] = /^# yaml-language-server: \$schema=(\/.*)$/.exec(first) ?? [];
    expect(JSON.parse(readFileSync(schema, "utf8"))).toHaveProperty("properties.llm_providers");
  });

  it("fetch removes a download that has not its checksum, and doctor reports one", () => {
    const own = { XDG_CACHE_HOME: at("damaged") };
    const file = cachedEnvoyFile(own);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
    const doctor = run("gateway", ["doctor"], own);
    expect(doctor.stdout).toContain(`${file} is damaged or was replaced`);
    const fetched = run("gateway", ["fetch"], own);
    expect(fetched.stderr).toContain(`${file} is damaged or was replaced`);
    expect(fetched.stderr).toContain("Envoy 1.40.0 could not be downloaded");
    expect(existsSync(file)).toBe(false);
  });

  it("the installed command starts, serves a request, and stops, and writes nothing into its installation", async () => {
    const before = readdirSync(at("prefix"), { recursive: true }).length;
    const up = gateway("up", "--detach", "--concurrency", "1", "--drain-time", "1s");
    expect(up.status, up.stderr).toBe(0);
    try {
      const response = await fetch(`http://127.0.0.1:${String(ports.egress)}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Hello" }] }),
      });
      expect(response.status).toBe(200);
      expect(gateway("status")).toMatchObject({ status: 0 });
    } finally {
      expect(gateway("down")).toMatchObject({ status: 0 });
    }
    expect(readdirSync(at("prefix"), { recursive: true }).length).toBe(before);
    expect(readdirSync(at("home"))).toEqual(["gateway_logs"]);
  });

  it("the installed command runs the embedded model with the downloaded runtime", () => {
    const example = join(ROOT, "examples/prompt-targets/gateway.yaml");
    const prompt = "How much is 20 dollars in EUR?";
    const { status, stdout, stderr } = gateway("targets", "test", prompt, "--config", example);
    expect(status, stderr).toBe(0);
    expect(stdout).toContain("EUR");
  });

  it("the installed command downloads Envoy at its first start, and reports why it cannot", () => {
    const { status, stderr } = run("gateway", ["up"], { XDG_CACHE_HOME: at("empty") });
    expect(status).toBe(1);
    expect(stderr).toContain(
      "Envoy 1.40.0 could not be downloaded: no package index is configured.",
    );
  });

  describe("upgrade", () => {
    let registry: Server;
    let newest: string;

    beforeAll(async () => {
      registry = createServer((_request, response) => {
        response.setHeader("content-type", "application/json");
        const versions = { [newest]: { name: "@acme/gateway", version: newest } };
        const packument = { name: "@acme/gateway", "dist-tags": { latest: newest }, versions };
        response.end(JSON.stringify(packument));
      }).listen(0, "127.0.0.1");
      await once(registry, "listening");
    });
    afterAll(() => {
      registry.closeAllConnections();
      registry.close();
    });

    const check = (url: string) => {
      const settings = { npm_config_registry: url, npm_config_cache: mkdtempSync(at("npm-")) };
      return runBeside("gateway", ["upgrade", "--check"], settings);
    };

    it("an upgrade has no registry if the package came from a file", async () => {
      const { code, output } = await check("http://127.0.0.1:1/");
      expect(code).toBe(1);
      expect(output).toContain("is installed from a file");
      expect(gateway("upgrade").stdout).toBe(
        "npm install --global <file of the new version>.tgz\n",
      );
    });

    it("an upgrade compares with the registry of npm's configuration", async () => {
      const file = join(PACKAGE, "package.json");
      const { private: _private, ...manifest } = JSON.parse(readFileSync(file, "utf8")) as {
        private: boolean;
      };
      writeFileSync(file, JSON.stringify({ ...manifest, name: "@acme/gateway" }));
      const url = `http://127.0.0.1:${String((registry.address() as AddressInfo).port)}/`;
      newest = VERSION;
      expect(await check(url)).toMatchObject({ code: 0 });
      newest = "99.1.0";
      const { code, output } = await check(url);
      expect(code).toBe(3);
      expect(output).toContain("Newest:    99.1.0");
      expect(output).toContain("npm install --global @acme/gateway@latest");
      const offline = await check("http://127.0.0.1:1/");
      expect(offline.code).toBe(1);
      expect(offline.output).toContain("the npm registry cannot be reached");
    });
  });
});
