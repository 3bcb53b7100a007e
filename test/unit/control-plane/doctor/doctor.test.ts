// `gateway doctor` against servers on this machine: each fault becomes a finding with what to do, and no key is in any of them.
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { examine } from "../../../../control-plane/doctor/doctor.ts";
import { checkDownloads } from "../../../../control-plane/doctor/downloads.ts";
import type { Finding } from "../../../../control-plane/doctor/finding.ts";
import { checkDescriptors } from "../../../../control-plane/doctor/machine.ts";
import { embeddedModelDirectory } from "../../../../control-plane/model-server/embedded-model.ts";
import {
  cachedEnvoyFile,
  DOWNLOADED_ENVOY,
} from "../../../../control-plane/supervisor/envoy-binary.ts";
import { freePort } from "../../../free-port.ts";
import { createAuthority } from "../../../gateway/certificates.ts";

const KEY = "sk-good-key-0123456789abcdef";
const WRONG = "sk-wrong-key-0123456789abcdef";

let directory: string;
let servers: Server[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-doctor-"));
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  rmSync(directory, { recursive: true });
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

interface Request {
  path: string;
  headers: Record<string, unknown>;
}

/** A provider that knows one key and one model, and what it was asked. */
function provider(seen: Request[], date = new Date()): RequestListener {
  return (request, response) => {
    const { authorization, "x-api-key": apiKey, "x-goog-api-key": goog } = request.headers;
    seen.push({ path: request.url ?? "", headers: request.headers });
    const isKnown = [authorization, apiKey, goog].some((one) => String(one).endsWith(KEY));
    response.setHeader("date", date.toUTCString());
    response.statusCode = isKnown ? 200 : 401;
    const list = { data: [{ id: "known" }], models: undefined, has_more: false };
    response.end(isKnown ? JSON.stringify(list) : `{"error":"Incorrect API key ${WRONG}"}`);
  };
}

async function findings(
  providers: string,
  environment: Record<string, string> = {},
  isOnline = true,
): Promise<Finding[]> {
  const [ingress, egress] = [await freePort(), await freePort()];
  const path = join(directory, "gateway.yaml");
  const listeners = `listeners:\n  ingress: {port: ${ingress}}\n  egress: {port: ${egress}}\n`;
  writeFileSync(path, `${listeners}llm_providers:\n${providers}`);
  const file = { name: "gateway.yaml", path, isBuiltIn: false };
  const own = { HOME: directory, PATH: process.env["PATH"], KEY, WRONG, ...environment };
  const found = await examine(file, own, { isOnline });
  expect(JSON.stringify(found)).not.toMatch(/sk-(?:good|wrong)/);
  for (const { level, hint } of found) expect(hint === undefined).toBe(level === "ok");
  return found;
}

function linesOf(found: readonly Finding[], check: string): string[] {
  return found.flatMap((one) => (one.check === check ? [`${one.level}: ${one.message}`] : []));
}

const entry = (model: string, url: string, key = "KEY", word = "openai") =>
  `  - {model: ${model}, access_key: $${key}, base_url: "${url}", provider_interface: ${word}}\n`;

describe("gateway doctor --online", () => {
  it("gateway doctor --online tries each key once, by the list of models of each API", async () => {
    const seen: Request[] = [];
    const port = await listen(createServer(provider(seen)));
    const url = `http://127.0.0.1:${port}`;
    const found = await findings(
      [
        entry("own/known", `${url}/v1`),
        entry("own/unknown", `${url}/v1`),
        entry("own/second", `${url}/v1`, "WRONG"),
        entry("other/known", url, "KEY", "anthropic"),
        entry("gemini/known", `${url}/v1beta`, "KEY", "gemini"),
      ].join(""),
    );
    const host = `127.0.0.1:${port}`;
    expect(linesOf(found, "providers")).toEqual([
      `ok: own (${host}) accepts $KEY`,
      "warning: own does not list the model unknown",
      `problem: own (${host}) rejects $WRONG (401)`,
      `ok: other (${host}) accepts $KEY`,
      `ok: gemini (${host}) accepts $KEY`,
    ]);
    expect(seen.map(({ path }) => path).sort()).toEqual([
      "/v1/models",
      "/v1/models",
      "/v1/models",
      "/v1beta/models",
    ]);
    const anthropic = seen.find(({ headers }) => headers["x-api-key"] === KEY);
    expect(anthropic?.headers["anthropic-version"]).toBe("2023-06-01");
  });

  it("gateway doctor --online reports a clock that differs, a refused connection, and an API without a list", async () => {
    const old = new Date(Date.now() - 600_000);
    const late = await listen(createServer(provider([], old)));
    const none = await listen(
      createServer((_, response) => {
        response.statusCode = 404;
        response.end();
      }),
    );
    const found = await findings(
      entry("late/known", `http://127.0.0.1:${late}`) +
        entry("closed/m", "http://127.0.0.1:9") +
        entry("none/m", `http://127.0.0.1:${none}`),
    );
    expect(linesOf(found, "clock").join("\n")).toMatch(
      /^problem: the clock of this machine is 60\d s ahead of 127\.0\.0\.1/m,
    );
    expect(linesOf(found, "providers")).toContain(
      "problem: cannot connect to closed (127.0.0.1:9) (ECONNREFUSED)",
    );
    expect(linesOf(found, "providers")).toContain(
      `ok: none (127.0.0.1:${none}) responds (404); it has no list of models to try $KEY with`,
    );
  });

  it("gateway doctor --online reports a provider that compresses, unless its responses are decompressed", async () => {
    const seen: Request[] = [];
    const plain = provider(seen);
    const port = await listen(
      createServer((request, response) => {
        response.setHeader("content-encoding", "gzip");
        plain(request, response);
      }),
    );
    const one = entry("own/known", `http://127.0.0.1:${port}`);
    const found = (text: string) => findings(text).then((all) => linesOf(all, "providers"));
    expect((await found(one)).at(-1)).toMatch(/^problem: own .* compresses .*: gzip/);
    const decompressed = one.replace("{", "{decompress_responses: true, ");
    expect((await found(decompressed)).join("\n")).not.toContain("compresses");
    expect(seen[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it("gateway doctor --online verifies certificates with SSL_CERT_FILE, and reports when one expires", async () => {
    const authority = createAuthority();
    const { cert, key } = authority.issue("localhost");
    const port = await listen(createTlsServer({ cert, key }, provider([])));
    const url = `https://localhost:${port}`;
    const trusted = join(directory, "ca.pem");
    writeFileSync(trusted, authority.cert);
    const good = await findings(entry("own/known", url), { SSL_CERT_FILE: trusted });
    expect(linesOf(good, "providers")).toEqual([`ok: own (localhost:${port}) accepts $KEY`]);
    expect(linesOf(good, "tls").at(-1)).toMatch(/the certificate of localhost:\d+ is valid until/);
    const other = join(directory, "other.pem");
    writeFileSync(other, createAuthority().cert);
    const bad = await findings(entry("own/known", url), { SSL_CERT_FILE: other });
    expect(linesOf(bad, "tls").at(-1)).toMatch(
      /^problem: the certificate of own .* cannot be verified/,
    );
  });
});

describe("gateway doctor", () => {
  it("gateway doctor contacts no provider, and looks up names only", async () => {
    const seen: Request[] = [];
    const port = await listen(createServer(provider(seen)));
    const found = await findings(
      entry("own/known", `http://127.0.0.1:${port}`) +
        entry("gone/m", "https://no-such-host.invalid"),
      {},
      false,
    );
    expect(seen).toEqual([]);
    expect(linesOf(found, "providers")).toEqual([]);
    expect(linesOf(found, "dns")[0]).toMatch(/^problem: no-such-host\.invalid cannot be resolved/);
  });

  it("gateway doctor reports placeholders, keys of other providers, proxies and occupied ports", async () => {
    const found = await findings(
      "  - {model: openai/gpt-4o, access_key: $OPENAI_API_KEY}\n  - {model: anthropic/claude-sonnet-4-5, access_key: $KEY}\n",
      { OPENAI_API_KEY: "changeme", HTTPS_PROXY: "http://proxy.test:3128" },
      false,
    );
    expect(linesOf(found, "keys")).toEqual([
      "problem: $OPENAI_API_KEY (openai) is a placeholder, not a key",
      "warning: $KEY (anthropic) does not look like a key of anthropic",
    ]);
    expect(linesOf(found, "proxies")).toEqual([
      "ok: http://proxy.test:3128 is the proxy for api.openai.com:443, api.anthropic.com:443",
      "warning: HTTPS_PROXY: clients on this machine may send their requests for the gateway to the proxy",
    ]);
    expect(linesOf(found, "ports")[0]).toMatch(/^ok: .* are free$/);
  });

  it("gateway doctor reports an occupied port and a directory that cannot be made", async () => {
    const port = await listen(createServer());
    const path = join(directory, "gateway.yaml");
    writeFileSync(
      path,
      `listeners:\n  egress: {port: ${port}}\nllm_providers: [{model: demo/d}]\n`,
    );
    const file = { name: "gateway.yaml", path, isBuiltIn: false };
    mkdirSync(join(directory, "state"), { mode: 0o755 });
    const found = await examine(file, { HOME: directory, PATH: "" }, { isOnline: false });
    expect(linesOf(found, "ports")[0]).toMatch(new RegExp(`^problem: Port ${port} .* is used by`));
    expect(linesOf(found, "versions").at(-1)).toContain("Envoy 1.40.0 is not installed");
  });

  it("gateway doctor lists the problems of the configuration, and checks the machine all the same", async () => {
    const found = await findings("  - {model: nonsense}\n", {}, false);
    expect(linesOf(found, "configuration")[0]).toMatch(
      /^problem: gateway\.yaml:\d+:\d+: llm_providers/,
    );
    expect(linesOf(found, "descriptors")).toHaveLength(1);
  });

  it.each([
    ["1024", "warning"],
    ["64", "problem"],
    ["65536", "ok"],
    ["unlimited", "ok"],
  ])("a limit of %s open files is a %s", (soft, level) => {
    const line = `Max open files            ${soft}                 1048576              files`;
    expect(checkDescriptors(line)[0]?.level).toBe(level);
  });
});

describe("what was downloaded", () => {
  const environment = () => ({ HOME: directory, XDG_CACHE_HOME: directory, PATH: "" });

  /** As large as the real one, with other content. */
  function replaceEnvoy(): string {
    const file = cachedEnvoyFile(environment());
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "", { mode: 0o755 });
    truncateSync(file, DOWNLOADED_ENVOY?.bytes);
    return file;
  }

  it("a download is a problem if a file does not have its checksum", async () => {
    const file = replaceEnvoy();
    const model = embeddedModelDirectory(environment());
    mkdirSync(model);
    writeFileSync(join(model, "model.onnx"), "damaged");
    expect(await checkDownloads(environment())).toEqual(
      [
        [file, "Envoy 1.40.0"],
        [model, "the model all-MiniLM-L6-v2"],
      ].map(([place = "", what = ""]) => ({
        check: "downloads",
        level: "problem",
        message: `${place} is damaged or was replaced: it has not the checksum of ${what}`,
        hint: "download it again: gateway fetch",
      })),
    );
  });

  it("a download is not checked if ENVOY_BIN replaces it", async () => {
    replaceEnvoy();
    const own = { ...environment(), ENVOY_BIN: "/bin/true" };
    expect(await checkDownloads(own)).toMatchObject([{ level: "ok" }]);
  });

  it("a download is sound if every file has its checksum", async () => {
    const installed = embeddedModelDirectory(process.env);
    mkdirSync(dirname(embeddedModelDirectory(environment())), { recursive: true });
    symlinkSync(installed, embeddedModelDirectory(environment()));
    const [found] = await checkDownloads(environment());
    expect(found?.message).toBe(
      `the model all-MiniLM-L6-v2 in ${join(directory, "gateway")} has its checksum`,
    );
  });
});
