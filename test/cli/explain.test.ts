// `gateway explain <request id>` and `gateway replay` with the content log of a running gateway.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { freePort } from "../free-port.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

const KEY = "a-key-of-the-team-0123";
let desk: Desk;
let ports: Ports;

beforeAll(async () => {
  ports = await freePorts();
  const observability = `observability: {metrics: {port: ${String(await freePort())}}, content: {max_bytes: 1KiB}}\n`;
  const text = configurationOn(
    ports,
    `llm_providers:\n  - model: demo/gateway-demo\n${observability}`,
  );
  desk = openDesk({
    "gateway.yaml": text.replace(/(egress: \{)/, "$1api_keys: [$TEAM_KEY], "),
    ".env": `TEAM_KEY=${KEY}\n`,
  });
  const { code, stderr } = await desk.run("up", "--detach", "--concurrency", "1");
  expect(code, stderr).toBe(0);
});
afterAll(async () => {
  await desk.run("down");
  await desk.clear();
});

const log = () => join(desk.logs, "access_content.log");

async function ask(id: string, content: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${ports.egress}/v1/messages?key=hidden`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": KEY, "x-request-id": id },
    body: JSON.stringify({ model: "none", max_tokens: 9, messages: [{ role: "user", content }] }),
  });
  const text = await response.text();
  await vi.waitFor(() => {
    expect(readFileSync(log(), "utf8")).toContain(`"id":"${id}"`);
  });
  return text;
}

it("gateway explain explains a request of the log by its id, and compares the log with a new configuration", async () => {
  const text = await ask("first-one", "Grüße");
  expect(statSync(log()).mode & 0o777).toBe(0o600);
  expect(readFileSync(log(), "utf8")).not.toMatch(new RegExp(`${KEY}|hidden`));
  expect(readFileSync(log(), "utf8")).toContain(JSON.stringify(text).slice(1, -1));

  const { code, stdout, stderr } = await desk.run("explain", "--json", "first-one");
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    listener: "egress",
    dialect: "anthropic_messages",
    attempts: [{ target: "demo/gateway-demo", body: expect.stringContaining("Grüße") as unknown }],
  });
  expect(stdout).not.toContain("unauthorized");

  const next = readFileSync(join(desk.directory, "gateway.yaml"), "utf8");
  writeFileSync(join(desk.directory, "next.yaml"), `${next}\nsystem_prompt: Be brief.\n`);
  const compared = await desk.run("replay", log(), "next.yaml");
  expect(compared).toMatchObject({ code: 0, stderr: "" });
  expect(compared.stdout).toBe(
    [
      "1 request: 0 unchanged, 1 changed",
      "",
      "1 request, for example first-one",
      "  attempt 1 at demo/gateway-demo: body",
      "",
    ].join("\n"),
  );
});

it("gateway explain reports a body that was cut, an unknown id, and a file without requests", async () => {
  await ask("too-long", "x".repeat(2000));
  const cut = await desk.run("explain", "too-long");
  expect([cut.code, cut.stderr]).toEqual([
    2,
    expect.stringMatching(/^gateway: The body of too-long is not complete in .*\nIncrease /),
  ]);
  const unknown = await desk.run("explain", "no-such-id");
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/^gateway: no-such-id is neither a file nor a request in /),
  ]);
  const none = await desk.run("replay", "gateway.yaml", "gateway.yaml");
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringMatching(/^gateway: gateway.yaml has no requests.\n/),
  ]);
});
