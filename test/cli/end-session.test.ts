// `gateway sessions end` with a real gateway of two workers: the session's requests are rejected at once, also after a restart.
import { Agent } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type PricedProvider, startPricedProvider } from "../providers/scripts/priced.ts";
import { type BudgetGateway, configurationWith, openGateway, secretOf } from "./budget-desk.ts";
import { freePort } from "../free-port.ts";

const TOKEN = "a-token-of-the-admin-0123456789";
const WORKERS = "2";

let gateway: BudgetGateway;
let provider: PricedProvider;
let adminPort: number;

beforeEach(async () => {
  provider = await startPricedProvider();
  gateway = await openGateway(new Agent());
  adminPort = await freePort();
  gateway.write(configurationWith(gateway, provider, ["m0"], "$TEAM, $OTHER", more()), {
    TEAM: secretOf("TEAM"),
    OTHER: secretOf("OTHER"),
    METRICS_TOKEN: TOKEN,
  });
  await up();
});
afterEach(async () => {
  await gateway.close();
  await provider.stop();
});

const more = () => `observability: {metrics: {port: ${String(adminPort)}, token: $METRICS_TOKEN}}`;

async function up(): Promise<void> {
  const { code, stderr } = await gateway.desk.run("up", "--detach", "--concurrency", WORKERS);
  expect(code, stderr).toBe(0);
}

/** Sends requests on connections of their own, so that each worker gets some. Returns their statuses. */
async function ask(session: string, key = "TEAM"): Promise<number[]> {
  const url = `http://127.0.0.1:${String(gateway.ports.egress)}/v1/chat/completions`;
  const statuses = new Set<number>();
  for (let turn = 0; turn < 8; turn++) {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", connection: "close", "x-session-id": session },
        authorization: `Bearer ${secretOf(key)}`,
      },
      body: JSON.stringify({
        model: "fake/m0",
        messages: [{ role: "user", content: "1 5 5" }],
        stream: turn % 2 === 1,
      }),
    });
    await response.text();
    statuses.add(response.status);
  }
  return [...statuses];
}

it(
  "a session that is ended stays ended over a restart, others go on",
  { timeout: 240_000 },
  async () => {
    expect(await ask("ses_1")).toEqual([200]);
    const ended = await gateway.desk.run("sessions", "end", "ses_1");
    expect(ended.stdout).toMatch(/^Ended session ses_1, until 20\d\d-.*Z\.\n$/);
    expect([await ask("ses_1"), await ask("ses_2")]).toEqual([[402], [200]]);

    // Of one key, by the admin API.
    const api = `http://127.0.0.1:${String(adminPort)}/api/v1/sessions`;
    const headers = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };
    const post = async (id: string, body: object, more: object = headers) => {
      const response = await fetch(`${api}/${encodeURIComponent(id)}/end`, {
        ...{ method: "POST", headers: { ...more }, body: JSON.stringify(body) },
      });
      return { status: response.status, text: await response.text() };
    };
    expect(
      await post("ses_2", { key: "OTHER" }, { "content-type": "application/json" }),
    ).toMatchObject({ status: 401 });
    expect(await post("two words", {})).toMatchObject({ status: 400 });
    expect(await post("ses_2", { key: "OTHER" })).toMatchObject({
      ...{ status: 200, text: expect.stringContaining('"key":"OTHER"') as string },
    });
    expect([await ask("ses_2", "OTHER"), await ask("ses_2")]).toEqual([[402], [200]]);

    gateway.write(configurationWith(gateway, provider, ["m0", "m1"], "$TEAM, $OTHER", more()), {
      ...{ TEAM: secretOf("TEAM"), OTHER: secretOf("OTHER"), METRICS_TOKEN: TOKEN },
    });
    expect((await gateway.desk.run("reload")).code).toBe(0);
    expect([await ask("ses_1"), await ask("ses_2")]).toEqual([[402], [200]]);

    await gateway.desk.run("down");
    await up();
    expect([await ask("ses_1"), await ask("ses_2", "OTHER"), await ask("ses_2")]).toEqual([
      [402],
      [402],
      [200],
    ]);
    const listed = (await (await fetch(`${api}/ended`, { headers })).json()) as { data: object[] };
    expect(listed.data).toHaveLength(2);
    expect(listed.data).toContainEqual(expect.objectContaining({ session: "ses_2", key: "OTHER" }));
    const audit = await gateway.desk.run("audit", "--action", "sessions", "--json");
    expect(
      audit.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { action: "sessions.end", subject: "ses_1" },
      { action: "sessions.end", subject: "ses_2", after: { of_key_named: "OTHER" } },
    ]);
  },
);
