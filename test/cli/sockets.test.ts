// What a running gateway listens on: by TCP where it is configured to, and else on sockets that its user alone can open.
import { statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { startApi, WEATHER_TARGET } from "../envoy/prompt/fakes.ts";
import type { FakeApi } from "../envoy/prompt/fakes.ts";
import { listeningOf, processTree } from "../gateway/listening.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

let desk: Desk;
let ports: Ports;
let api: FakeApi;

beforeEach(async () => {
  ports = await freePorts();
  api = await startApi();
  desk = openDesk({ "gateway.yaml": configuration("Weather forecast for a city") });
  desk.environment["TEAM_KEY"] = "0123456789abcdef0123456789abcdef";
});
afterEach(async () => {
  await desk.clear();
  await api.stop();
});

/** Everything that a gateway can have running: both listeners, the demonstration model, the model server with its guard. */
function configuration(description: string, keys = "TEAM_KEY"): string {
  const rest = `
llm_providers:
  - model: demo/gateway-demo
prompt_targets:
${WEATHER_TARGET.replace("Weather forecast for a city", description)}
endpoints:
  api: {endpoint: "127.0.0.1:${api.port}"}
prompt_guards: {input_guards: {jailbreak: {on_exception: {message: Not with me.}}}}
`;
  return configurationOn(ports, rest).replaceAll(/(port: \d+)\}/g, `$1, api_keys: [$$${keys}]}`);
}

async function listening() {
  const { pid } = JSON.parse((await desk.run("status", "--json")).stdout) as Status;
  return listeningOf(processTree(pid));
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

it("a gateway listens by TCP on the configured listeners only, and every socket is its user's alone, whatever the umask", async () => {
  const up = await desk.runInShell('umask 000; exec "$0" up --detach --concurrency 2');
  expect(up.code, up.stderr).toBe(0);

  const configured = [ports.ingress, ports.egress].map((port) => `127.0.0.1:${port}`).sort();
  const check = async (...names: string[]) => {
    const { tcp, udp, unix } = await listening();
    expect({ tcp, udp }).toEqual({ tcp: configured, udp: [] });
    expect(unix.map((path) => basename(path)).sort()).toEqual(names.sort());
    for (const path of unix) {
      expect([path, modeOf(path)]).toEqual([path, "600"]);
      expect([path, modeOf(dirname(path))]).toEqual([path, "700"]);
    }
  };
  const always = ["control.sock", "demonstration.sock", "egress.sock"];
  await check("admin.sock", "model-server.sock", ...always);

  // Another model server, beside the one that prompts in flight may ask; then another Envoy.
  const file = join(desk.directory, "gateway.yaml");
  writeFileSync(file, configuration("What the weather will be like"));
  expect(await desk.run("reload")).toMatchObject({ code: 0, stderr: "" });
  await check("admin.sock", "model-server.sock", "model-server-2.sock", ...always);
  writeFileSync(join(desk.directory, ".env"), "OTHER_KEY=fedcba9876543210fedcba9876543210\n");
  writeFileSync(file, configuration("What the weather will be like", "OTHER_KEY"));
  expect(await desk.run("reload", "--restart")).toMatchObject({ code: 0, stderr: "" });
  const { tcp, unix } = await listening();
  expect(tcp).toEqual(configured);
  expect(unix.map((path) => [basename(path), modeOf(path)])).toContainEqual([
    "admin-2.sock",
    "600",
  ]);
});

it("the model server and the demonstration model are found where the state directory's paths are too long for sockets", async () => {
  desk.environment["XDG_STATE_HOME"] = join(desk.directory, "long".repeat(25));
  const up = await desk.run("up", "--detach", "--concurrency", "1");
  expect(up.code, up.stderr).toBe(0);
  const { unix } = await listening();
  expect(unix).toHaveLength(5);
  for (const path of unix) {
    expect([path, modeOf(path), modeOf(dirname(path))]).toEqual([path, "600", "700"]);
  }
  const answer = async (content: string) => {
    const response = await fetch(`http://127.0.0.1:${ports.ingress}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${desk.environment["TEAM_KEY"] ?? ""}`,
      },
      body: JSON.stringify({ model: "none", messages: [{ role: "user", content }] }),
    });
    return response.text();
  };
  expect(await answer("What will the weather be like in Lisbon?")).toContain("/weather/Lisbon");
  expect(await answer("Tell me a joke about cats")).toContain("no language model");
  expect((await desk.run("down")).code).toBe(0);
});
