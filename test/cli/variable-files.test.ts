// Keys from files, in the layout of the kubelet: a changed Secret or ConfigMap is a reload, and no request is lost.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { stateDirectory } from "../../control-plane/supervisor/state.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import { configurationOn, defaultLogs } from "./gateway-command.ts";
import { mountAsKubelet, type Mount } from "./kubelet.ts";
import { ask, keepAsking } from "./reload-traffic.ts";
import type { FakeProvider } from "../providers/server.ts";
import { desk, ports, SECONDS, stream, WHOLE_STREAM } from "./reload-desk.ts";

const FIRST = "sk-first-value-in-a-file";
const SECOND = "sk-second-value-in-a-file";
const OTHER = "sk-other-value-in-a-file";
const ACCEPTED = { key: [FIRST, SECOND, OTHER] };

/** The credentials that a provider got. */
const sentTo = ({ requests }: FakeProvider) =>
  new Set(requests.map(({ headers }) => headers["authorization"]));

describe("variables in files", () => {
  let secrets: Mount;
  let mounted: Mount;
  let provider: FakeProvider;
  beforeEach(async () => {
    provider = await startOpenaiProvider(ACCEPTED);
  });
  afterEach(() => provider.stop());

  const entry = (model: string, variable: string, url = provider.url) =>
    `  - {model: house/${model}, base_url: ${url}/v1, provider_interface: openai, access_key: $${variable}}\n`;
  const configure = (entries: string) => ({
    "gateway.yaml": configurationOn(ports, `llm_providers:\n${entries}`),
  });

  async function start(entries = entry("first", "HOUSE_KEY")): Promise<void> {
    secrets = mountAsKubelet(join(desk.directory, "secrets"), { HOUSE_KEY: `${FIRST}\n` });
    mounted = mountAsKubelet(join(desk.directory, "app"), configure(entries));
    desk.environment["GATEWAY_VARIABLES_DIR"] = secrets.directory;
    const up = await desk.run(
      ...["up", "--detach", "--watch", "--concurrency", "2", "app/gateway.yaml"],
    );
    expect(up.code, up.stderr).toBe(0);
  }

  it("a changed Secret is a reload: the next request has the new key, no request is lost, and streams end", async () => {
    await start();
    const client = keepAsking(ports.egress, {}, { count: 4 });
    const long = stream(20, 100);
    await vi.waitFor(() => {
      expect(client.answered()).toBeGreaterThan(10);
    }, SECONDS);
    expect(sentTo(provider)).toEqual(new Set([`Bearer ${FIRST}`]));
    for (const key of [SECOND, OTHER, SECOND]) {
      secrets.update({ HOUSE_KEY: key });
      await vi.waitFor(() => {
        expect(provider.requests.at(-1)?.headers["authorization"]).toBe(`Bearer ${key}`);
      }, SECONDS);
    }
    expect((await long).text).toMatch(WHOLE_STREAM);
    expect(await client.stop()).toEqual([]);
    const { stdout } = await desk.run("status", "app/gateway.yaml");
    expect(stdout).not.toContain(SECOND);
  });

  it("a new key is used when both its Secret and the configuration that names it are there, in either order", async () => {
    await start();
    const both = entry("first", "HOUSE_KEY") + entry("second", "OTHER_KEY");
    const askSecond = () => ask(ports.egress, { model: "house/second" });
    mounted.update(configure(both));
    await vi.waitFor(() => {
      expect(output()).toContain("OTHER_KEY is not set");
    }, SECONDS);
    secrets.update({ HOUSE_KEY: FIRST, OTHER_KEY: OTHER });
    await vi.waitFor(async () => {
      expect((await askSecond()).status).toBe(200);
    }, SECONDS);
    expect(provider.requests.at(-1)?.headers["authorization"]).toBe(`Bearer ${OTHER}`);
    mounted.update(configure(entry("first", "HOUSE_KEY")));
    await vi.waitFor(async () => {
      expect((await askSecond()).status).toBe(404);
    }, SECONDS);
    expect((await ask(ports.egress)).status).toBe(200);
    expect(output()).not.toContain("needs an Envoy restart");
  });

  it("a request with several attempts ends under the keys that it began with", async () => {
    const fallback = await startOpenaiProvider(ACCEPTED);
    try {
      const first = entry("first", "HOUSE_KEY").replace("}", ", fallbacks: [house/last]}");
      await start(first + entry("last", "HOUSE_KEY", fallback.url));
      provider.next({ kind: "hang" });
      const asked = ask(ports.egress, { content: "slow" });
      await provider.requestWith("slow");
      secrets.update({ HOUSE_KEY: SECOND });
      await vi.waitFor(async () => {
        await ask(ports.egress);
        expect(provider.requests.at(-1)?.headers["authorization"]).toBe(`Bearer ${SECOND}`);
      }, SECONDS);
      await provider.stop();
      expect((await asked).status).toBe(200);
      expect(sentTo(fallback)).toEqual(new Set([`Bearer ${FIRST}`]));
    } finally {
      await fallback.stop();
    }
  });

  it("a value in a file is in no log and no output, and only its user can read what Envoy gets", async () => {
    await start();
    await ask(ports.egress);
    const file = { name: "", path: join(desk.directory, "app/gateway.yaml"), isBuiltIn: false };
    const state = stateDirectory(file, desk.environment);
    const holding = filesIn(state).filter((path) => readFileSync(path, "latin1").includes(FIRST));
    expect(holding.map((path) => statSync(path).mode & 0o077)).toEqual(holding.map(() => 0));
    expect(holding.every((path) => path.includes("/discovery/"))).toBe(true);
    const shown = await Promise.all(
      [["status"], ["status", "--json"], ["render"], ["models"]].map((words) =>
        desk.run(...words, "app/gateway.yaml"),
      ),
    );
    for (const { code, stdout, stderr } of shown) {
      expect(code, stderr).toBe(0);
      expect(stdout + stderr).not.toContain(FIRST);
    }
    const logs = filesIn(join(desk.directory, "../gateway_logs"));
    expect(logs.filter((path) => readFileSync(path, "utf8").includes(FIRST))).toEqual([]);
    expect((await desk.run("down", "app/gateway.yaml")).code).toBe(0);
  });

  it("a directory that cannot be read, and a variable without a file, are errors of the configuration", async () => {
    secrets = mountAsKubelet(join(desk.directory, "secrets"), { OTHER_KEY: OTHER });
    mounted = mountAsKubelet(join(desk.directory, "app"), configure(entry("first", "HOUSE_KEY")));
    desk.environment["GATEWAY_VARIABLES_DIR"] = join(desk.directory, "nowhere");
    const missing = await desk.run("validate", "app/gateway.yaml");
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("GATEWAY_VARIABLES_DIR: ");
    desk.environment["GATEWAY_VARIABLES_DIR"] = secrets.directory;
    const unset = await desk.run("validate", "app/gateway.yaml");
    expect(unset.code).toBe(2);
    expect(unset.stderr).toContain("HOUSE_KEY is not set");
    desk.environment["HOUSE_KEY"] = FIRST;
    expect((await desk.run("validate", "app/gateway.yaml")).code).toBe(0);
  });
});

/** What the gateway in the background has reported since its start. */
function output(): string {
  const file = join(desk.directory, "app/gateway.yaml");
  return readFileSync(join(defaultLogs(file, desk.environment), "gateway.log"), "utf8");
}

/** Returns the files below a directory; no sockets. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => join(found.parentPath, found.name));
}
