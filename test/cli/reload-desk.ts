// What the tests of reloading share: a directory with a gateway.yaml of a fake provider, new for each test.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { socketPath, stateDirectory } from "../../control-plane/supervisor/state.ts";
import type { ReloadResult } from "../../control-plane/supervisor/reload.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";
import { ask, stopAllTraffic } from "./reload-traffic.ts";

export const SECONDS = { timeout: 60_000, interval: 50 };
export const KEYS = {
  OPENAI_API_KEY: "sk-first-not-to-be-seen",
  OTHER_KEY: "sk-other-not-to-be-seen",
};

export let desk: Desk;
export let ports: Ports;
export let provider: FakeProvider;
beforeEach(async () => {
  provider = await startOpenaiProvider();
  ports = await freePorts();
  desk = openDesk();
});
afterEach(async () => {
  stopAllTraffic();
  await desk.clear();
  await provider.stop();
});

/** gateway.yaml with the fake's models of these names, the first the default. */
export function configure(models: string[], more = "", on: Ports = ports): string {
  const entries = models.map(
    (model) =>
      `  - {model: house/${model}, base_url: ${provider.url}/v1, provider_interface: openai}`,
  );
  const text = configurationOn(on, `llm_providers:\n${entries.join("\n")}\n${more}`);
  writeFileSync(join(desk.directory, "gateway.yaml"), text);
  return text;
}

export async function upDetached(...words: string[]): Promise<void> {
  const { code } = await desk.run("up", "--detach", "--concurrency", "2", ...words);
  expect(code).toBe(0);
}

export async function reload(...words: string[]): Promise<ReloadResult> {
  const { stdout } = await desk.run("reload", "--json", ...words);
  return JSON.parse(stdout) as ReloadResult;
}

/** What `gateway reload` talks to. */
export function controlSocket(): string {
  const file = { name: "", path: join(desk.directory, "gateway.yaml"), isBuiltIn: false };
  return socketPath(stateDirectory(file, desk.environment), "control");
}

export async function status(): Promise<Status> {
  return JSON.parse((await desk.run("status", "--json")).stdout) as Status;
}

/** A stream of `pieces` pieces; resolves with its text when it has ended. */
export function stream(pieces: number, paceMs: number, port = ports.egress) {
  return ask(port, { stream: true, content: `[pieces ${pieces} pace ${paceMs}]` });
}

export const WHOLE_STREAM = /data: \[DONE\]\n\n$/;

/** What the gateway in the background has said since its start. */
export function said(): string {
  return readFileSync(join(desk.logs, "gateway.log"), "utf8");
}
