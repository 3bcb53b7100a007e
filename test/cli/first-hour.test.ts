// The first hour of a new user, from two keys in the environment to a budget that stops a client. Fakes stand in for the
// providers: the only lines of the file that a user would not write are their base_url and free ports.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, it } from "vitest";
import { freePort } from "../free-port.ts";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { type Desk, freePorts, openDesk } from "./gateway-command.ts";

const SECONDS = { timeout: 60_000, interval: 100 };
const KEYS = { OPENAI_API_KEY: "sk-openai-of-a-user", ANTHROPIC_API_KEY: "sk-ant-of-a-user" };
const TEAM_KEY = "0123456789abcdef0123456789abcdef";
/** Several requests of LONG, which the fakes repeat, cost as much: the last one exceeds it by less than the half. */
const BUDGET = "0.02 USD";
const LONG = "x".repeat(4000);

/** What `gateway spend --json` prints. */
interface Spend {
  spend: { model: string; requests: number; requestsWithoutPrice: number; costUsd: number }[];
  budgets: { amountUsd: number; spentUsd: number; leftUsd: number }[];
}

let desk: Desk;
let openai: FakeProvider;
let anthropic: FakeProvider;

beforeEach(async () => {
  openai = await startOpenaiProvider({ key: KEYS.OPENAI_API_KEY });
  anthropic = await startAnthropicProvider({ key: KEYS.ANTHROPIC_API_KEY });
  desk = openDesk();
  Object.assign(desk.environment, KEYS);
});
afterEach(async () => {
  await desk.clear();
  await Promise.all([openai.stop(), anthropic.stop()]);
});

/** Runs a command that has to succeed. */
async function gateway(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await desk.run(...words);
  expect(code, `gateway ${words.join(" ")}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

/** Changes gateway.yaml, as an editor does. */
function edit(change: (text: string) => string): void {
  const file = join(desk.directory, "gateway.yaml");
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

it("init, up, an SDK call, the page, explain, a budget, and an SDK that stops at once", async () => {
  const { ingress, egress } = await freePorts();
  const page = await freePort();
  const at = (port: number): string => `http://127.0.0.1:${String(port)}`;

  expect(await gateway("init")).toContain("OpenAI: openai/* with $OPENAI_API_KEY");
  edit((text) =>
    text
      .replace("$OPENAI_API_KEY\n", `$OPENAI_API_KEY\n    base_url: ${openai.url}/v1\n`)
      .replace("$ANTHROPIC_API_KEY\n", `$ANTHROPIC_API_KEY\n    base_url: ${anthropic.url}\n`)
      .replace("observability: {}", `observability: {metrics: {port: ${String(page)}}}`)
      .concat(
        `listeners:\n  ingress: {port: ${String(ingress)}}\n  egress: {port: ${String(egress)}}\n`,
      ),
  );
  await gateway("up", "--detach", "--concurrency", "1");

  let fetches = 0;
  const counted: typeof fetch = (...request) => {
    fetches++;
    return fetch(...request);
  };
  const openaiClient = (apiKey: string) =>
    new OpenAI({ baseURL: `${at(egress)}/v1`, apiKey, fetch: counted });
  const anthropicClient = (apiKey: string) =>
    new Anthropic({ baseURL: at(egress), apiKey, fetch: counted });
  const chat = (apiKey: string, content: string) =>
    openaiClient(apiKey).chat.completions.create({
      model: "gpt-4o",
      messages: [{ role: "user", content }],
    });
  const message = (apiKey: string, content: string) =>
    anthropicClient(apiKey).messages.create({
      model: "claude-haiku-4-5",
      max_tokens: 2000,
      messages: [{ role: "user", content }],
    });

  const first = await chat("placeholder", "hello");
  expect(first.choices[0]?.message.content).toBe("You said: hello");
  expect((await message("placeholder", "hello")).content).toMatchObject([
    { type: "text", text: "You said: hello" },
  ]);

  const html = await fetch(at(page));
  expect(html.headers.get("content-type")).toContain("text/html");
  const models = async (): Promise<string> => (await fetch(`${at(page)}/api/history`)).text();
  await expect.poll(models, SECONDS).toContain("anthropic/claude-haiku-4-5");

  // With the file as `init` writes it, before there is a budget.
  const found = async () =>
    (JSON.parse(await gateway("spend", "--json")) as Spend).spend.map((row) => row.model);
  await expect.poll(found, SECONDS).toHaveLength(2);
  const { spend: both } = JSON.parse(await gateway("spend", "--json")) as Spend;
  for (const row of both) expect(row).toMatchObject({ requests: 1, requestsWithoutPrice: 0 });
  for (const row of both) expect(row.costUsd).toBeGreaterThan(0);

  const curl = ["curl", `${at(egress)}/v1/chat/completions`, "-d"];
  const body = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] });
  const explained = await gateway("explain", ...curl, body);
  expect(explained).toContain("Attempt 1: openai/");
  expect(explained).toContain(`POST ${openai.url}/v1/chat/completions`);

  // A key for a team: a new variable needs a restart, a new budget does not.
  writeFileSync(join(desk.directory, ".env"), `TEAM_KEY=${TEAM_KEY}\n`);
  const key = "key: $TEAM_KEY, name: research";
  edit((text) =>
    text.replace(`{port: ${String(egress)}}`, `{port: ${String(egress)}, api_keys: [{${key}}]}`),
  );
  await gateway("reload", "--restart");
  // Connections from before finish with the configuration that they began with.
  const withoutKey = () => chat("placeholder", "hello").catch((error: unknown) => error);
  await expect.poll(withoutKey, SECONDS).toBeInstanceOf(OpenAI.AuthenticationError);
  await chat(TEAM_KEY, "hello");
  edit((text) => text.replace(key, `${key}, budget: {amount: ${BUDGET}, per: total}`));
  await gateway("reload");

  let rejected: unknown;
  let passed = 0;
  while (rejected === undefined && passed < 50) {
    fetches = 0;
    rejected = await chat(TEAM_KEY, LONG).then(
      () => {
        passed++;
        return undefined;
      },
      (error: unknown) => error,
    );
  }
  expect(rejected).toBeInstanceOf(OpenAI.RateLimitError);
  const { message: text } = rejected as Error;
  expect(text).toContain(`Budget of ${BUDGET} in total of key research is used up`);
  expect(fetches, "no silent retry").toBe(1);
  fetches = 0;
  const other: unknown = await message(TEAM_KEY, "hello").catch((error: unknown) => error);
  expect(other).toBeInstanceOf(Anthropic.RateLimitError);
  expect(fetches, "no silent retry").toBe(1);

  const spend = async (): Promise<Spend> => JSON.parse(await gateway("spend", "--json")) as Spend;
  await expect.poll(async () => (await spend()).budgets[0]?.leftUsd, SECONDS).toBe(0);
  const { spentUsd = 0, amountUsd = 0 } = (await spend()).budgets[0] ?? {};
  expect(spentUsd).toBeLessThan(2 * amountUsd);
  expect(await gateway("spend")).toMatch(/^research +openai\/\S+ /m);
});
