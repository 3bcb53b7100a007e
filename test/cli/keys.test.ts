// Keys of run time with a real gateway: created, used, changed, rotated and revoked by the command line and the admin API.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hashOf } from "../../control-plane/keys/key-records.ts";
import { stateDirectory } from "../../control-plane/supervisor/state.ts";
import { type PricedProvider, startPricedProvider } from "../providers/scripts/priced.ts";
import { type BudgetGateway, configurationWith, openGateway } from "./budget-desk.ts";
import { freePort } from "../free-port.ts";

const SOON = { timeout: 30_000, interval: 50 };
const TOKEN = "a-token-of-the-admin-0123456789";

let gateway: BudgetGateway;
let provider: PricedProvider;
let adminPort: number;
const agent = new Agent({ keepAlive: true });

beforeEach(async () => {
  provider = await startPricedProvider();
  gateway = await openGateway(agent);
  adminPort = await freePort();
  const more = [
    "keys: {defaults: {ratelimits: [{requests: 1000, unit: minute}]}}",
    "groups: {research: {models: [fake/*]}}",
    "users: {eve@example.com: {budget: {amount: 0.00003 USD, per: month}}}",
    `observability: {metrics: {port: ${String(adminPort)}, token: $METRICS_TOKEN}}`,
  ].join("\n");
  const configuration = configurationWith(gateway, provider, ["m0", "m1"], "$TEAM", more);
  gateway.write(configuration, { TEAM: "a-key-of-the-configuration-0123", METRICS_TOKEN: TOKEN });
  await gateway.up();
});
afterEach(async () => {
  await gateway.close();
  await provider.stop();
});

const ask = async (key: string, model = "fake/m0") => {
  const response = await fetch(
    `http://127.0.0.1:${String(gateway.ports.egress)}/v1/chat/completions`,
    {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "1 5 5" }] }),
    },
  );
  await response.text();
  return response.status;
};

/** Runs a command of keys, and returns its JSON. */
const run = async (...words: string[]) => {
  const { code, stdout, stderr } = await gateway.desk.run(...words, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { id: string; key: string; status: string };
};

it(
  "a key works from its creation to its revocation, without a reload",
  { timeout: 240_000 },
  async () => {
    expect(await ask("gwk_nobody")).toBe(401);
    expect(await ask("a-key-of-the-configuration-0123")).toBe(200);
    const one = await run(
      "keys",
      "create",
      "ann-laptop",
      "--owner",
      "ann@example.com",
      "--model",
      "fake/m0",
    );
    expect(await ask(one.key)).toBe(200);
    expect(await ask(one.key, "fake/m1")).toBe(403);
    await run("keys", "update", "ann-laptop", "--group", "research", "--model", "all");
    expect(await ask(one.key, "fake/m1")).toBe(200);
    await run("keys", "update", "ann-laptop", "--disable");
    expect(await ask(one.key)).not.toBe(200);
    await run("keys", "update", "ann-laptop", "--enable");
    const two = await run("keys", "rotate", "ann-laptop", "--grace", "1h");
    expect([await ask(one.key), await ask(two.key)]).toEqual([200, 200]);
    // A crash of Envoy, or a restart of the gateway, keeps the keys.
    await gateway.kill();
    await gateway.up();
    await expect.poll(() => ask(two.key), SOON).toBe(200);
    await run("keys", "revoke", "ann-laptop");
    expect([await ask(one.key), await ask(two.key)]).toEqual([401, 401]);
    const failed = await gateway.desk.run("keys", "update", "ann-laptop", "--enable");
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringContaining("no such key") as string,
    ]);

    // By the admin API, with the token.
    const api = `http://127.0.0.1:${String(adminPort)}/api/v1/keys`;
    const headers = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };
    expect((await fetch(api)).status).toBe(401);
    const created = await fetch(api, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "by-api" }),
    });
    const { key } = (await created.json()) as { key: string };
    expect(await ask(key)).toBe(200);

    // An import of LiteLLM's keys: users keep theirs.
    const row = {
      token: hashOf("sk-of-litellm-1234567890"),
      key_alias: "old",
      key_name: "sk-...7890",
      models: [],
    };
    writeFileSync(join(gateway.desk.directory, "keys.json"), JSON.stringify([row]));
    await run("keys", "import", "keys.json", "--from", "litellm");
    expect(await ask("sk-of-litellm-1234567890")).toBe(200);
    expect(
      (await gateway.desk.run("keys", "import", "keys.json", "--from", "litellm")).stdout,
    ).toBe("Imported 0 keys and 0 groups. There already: 1.\n");

    // Nothing that the gateway has written has a key.
    const environment = { ...gateway.desk.environment };
    const directories = [
      gateway.desk.logs,
      stateDirectory(
        {
          path: join(gateway.desk.directory, "gateway.yaml"),
          name: "gateway.yaml",
          isBuiltIn: false,
        },
        environment,
      ),
    ];
    for (const directory of directories) {
      for (const name of readdirSync(directory, { recursive: true, withFileTypes: true })) {
        if (!name.isFile()) continue;
        const text = readFileSync(join(name.parentPath, name.name), "latin1");
        for (const secret of [one.key, two.key, key, "sk-of-litellm-1234567890"])
          expect(text, name.name).not.toContain(secret);
      }
    }
  },
);

it(
  "the budget of a user counts all keys of the user, and no others",
  { timeout: 240_000 },
  async () => {
    const create = async (name: string, owner: string) =>
      (await run("keys", "create", name, "--owner", owner)).key;
    const [one, two] = [
      await create("one", "eve@example.com"),
      await create("two", "eve@example.com"),
    ];
    const other = await create("other", "bob@example.com");
    await run("users", "create", "bob@example.com", "--budget", "0.00001 USD/month");
    await expect.poll(() => ask(other), SOON).toBe(200);
    // 0.00001 USD each.
    expect([await ask(one), await ask(two), await ask(one)]).toEqual([200, 200, 200]);
    expect([await ask(one), await ask(two), await ask(other)]).toEqual([429, 429, 429]);
    await run("users", "update", "bob@example.com", "--budget", "1 USD/month");
    await expect.poll(() => ask(other), SOON).toBe(200);
    expect(await ask(two)).toBe(429);
    const refused = await gateway.desk.run(
      "users",
      "update",
      "eve@example.com",
      "--budget",
      "none",
    );
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("user of the configuration") as string,
    ]);
    // Restarts forget nothing.
    await gateway.kill();
    await gateway.up();
    expect(await ask(two)).toBe(429);
    await expect.poll(() => ask(other), SOON).toBe(200);
    const { stdout } = await gateway.desk.run("spend", "--by", "user", "--csv");
    expect(stdout).toMatch(/eve@example\.com,.*0\.00003/);
  },
);
