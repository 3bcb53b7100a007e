// Who can connect where the configuration says nothing, and the warning when anybody could spend the keys.
import { afterEach, expect, it } from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import type { Desk } from "./gateway-command.ts";
import { freePorts, openDesk } from "./gateway-command.ts";

const VARIABLE = "GATEWAY_DEFAULT_ADDRESS";
let desk: Desk;
afterEach(() => desk.clear());

/** A configuration with a key, and listeners without an address. */
async function openDeskWithKey(keys = ""): Promise<void> {
  const { ingress, egress } = await freePorts();
  desk = openDesk({
    "gateway.yaml": `
listeners:
  ingress: { port: ${String(ingress)}${keys} }
  egress: { port: ${String(egress)}${keys} }
llm_providers:
  - { model: openai/gpt-4o, access_key: $OPENAI_API_KEY, base_url: "http://127.0.0.1:1/v1" }
`,
    ".env": `OPENAI_API_KEY=sk-provider-0123456789\nTEAM_KEY=${"team".repeat(8)}\n`,
  });
}

/** Addresses of the listeners that clients reach. */
async function addresses(): Promise<string[]> {
  const { code, stdout, stderr } = await desk.run("render");
  expect(code, stderr).toBe(0);
  const listener = /name: (?:in|e)gress\n\s+address:\n\s+socket_address:\n\s+address: (\S+)/g;
  return [...stdout.matchAll(listener)].map(([, address = ""]) => address);
}

it("a listener without an address listens for this machine only", async () => {
  await openDeskWithKey();
  expect(await addresses()).toEqual(["127.0.0.1", "127.0.0.1"]);
  expect(await desk.run("validate")).toMatchObject({ code: 0, stderr: "" });
});

it("the variable that the image sets names another address", async () => {
  await openDeskWithKey();
  desk.environment[VARIABLE] = "0.0.0.0";
  expect(await addresses()).toEqual(["0.0.0.0", "0.0.0.0"]);
  desk.environment[VARIABLE] = "all";
  const { code, stderr } = await desk.run("validate");
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${VARIABLE} is not an IP address`)]);
});

const OPEN = /anyone who can reach ingress \(0\.0\.0\.0:\d+\) or egress \(0\.0\.0\.0:\d+\)/;

it("gateway up warns while any host of the network can use the keys, and status --json has the warning", async () => {
  await openDeskWithKey();
  desk.environment[VARIABLE] = "0.0.0.0";
  const { code, stderr } = await desk.run("up", "--detach");
  expect(code, stderr).toBe(0);
  expect(stderr.match(/warning/g)).toHaveLength(1);
  expect(stderr).toMatch(OPEN);
  expect((await desk.run("status")).stdout).not.toMatch(OPEN);
  const status = JSON.parse((await desk.run("status", "--json")).stdout) as Status;
  expect(status.warnings).toEqual([expect.stringMatching(OPEN)]);
});

it("api_keys end the warning", async () => {
  await openDeskWithKey(", api_keys: [$TEAM_KEY]");
  desk.environment[VARIABLE] = "0.0.0.0";
  expect(await desk.run("validate")).toMatchObject({ code: 0, stderr: "" });
});
