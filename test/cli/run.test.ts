// `gateway run`: a program whose requests go to the gateway, without a trace after it.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { findRunning } from "../../control-plane/supervisor/state.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

/** A program that asks a question by the settings in its environment, as the SDKs do, and prints the status and the settings. */
const PROGRAM = `#!${process.execPath}
const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key } = process.env;
const body = JSON.stringify({ model: "demo/gateway-demo", messages: [{ role: "user", content: "hello" }] });
const headers = { "content-type": "application/json", authorization: "Bearer " + key };
const response = await fetch(base + "/chat/completions", { method: "POST", headers, body });
console.log(response.status, base, key, process.argv.slice(2).join(","));
process.exitCode = Number(process.argv[2] ?? 0);
`;

/** A program that runs until it is ended. */
const LONG = `#!${process.execPath}
const { writeFileSync } = await import("node:fs");
writeFileSync("started-" + process.argv[2], String(process.pid));
setInterval(() => undefined, 1000);
`;

let desk: Desk;
let ports: Ports;

function open(): void {
  desk = openDesk({
    "gateway.yaml": configurationOn(ports),
    "ask.mjs": PROGRAM,
    "long.mjs": LONG,
  });
  for (const name of ["ask.mjs", "long.mjs"]) chmodSync(join(desk.directory, name), 0o755);
}

beforeEach(async () => {
  ports = await freePorts();
});

afterEach(async () => {
  await desk.clear();
});

const running = () => findRunning(desk.environment);
const until = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 50 });

it("a program runs on a gateway that is started for it and ends after it", async () => {
  open();
  const { code, stdout, stderr } = await desk.run("run", "--", "./ask.mjs", "7", "-x");
  expect(stdout).toBe(`200 http://127.0.0.1:${String(ports.egress)}/v1 gateway 7,-x\n`);
  expect(stderr).toContain("Started a gateway");
  expect(code).toBe(7);
  await until(() => {
    expect(running()).toEqual([]);
  });
});

it("a gateway that runs already is used, and stays", async () => {
  open();
  await desk.run("up", "--detach");
  const { code, stdout, stderr } = await desk.run("run", "./ask.mjs");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^200 /);
  expect(running()).toHaveLength(1);
});

it("a gateway of another directory is used only where there is no configuration, and named", async () => {
  open();
  await desk.run("up", "--detach");
  const [own] = running();
  const line = (rest: string) => `mkdir -p other && cd other && ${rest}"$0" run ../ask.mjs`;
  const named = await desk.runInShell(line(""));
  expect(named.stderr).toContain(`Using the gateway of ${own?.record.configuration ?? "-"}`);
  expect(named.stdout).toContain(`:${String(ports.egress)}/`);
  writeFileSync(join(desk.directory, "next.yaml"), configurationOn(await freePorts()));
  const second = await desk.runInShell(line("mv ../next.yaml gateway.yaml && "));
  expect(second.stderr).toContain("Started a gateway");
  expect(second.stdout).not.toContain(`:${String(ports.egress)}/`);
});

it("two programs share the gateway that the first one started, until the last one ends, even by kill -9", async () => {
  open();
  const [first, second] = [
    desk.start("run", "./long.mjs", "1"),
    desk.start("run", "./long.mjs", "2"),
  ];
  await until(() => {
    for (const name of ["started-1", "started-2"])
      expect(existsSync(join(desk.directory, name))).toBe(true);
  });
  const [gateway, ...others] = running();
  expect(others).toEqual([]);
  const users = () => readdirSync(join(gateway?.directory ?? "", "users"));
  expect(users()).toHaveLength(2);
  first.process.kill("SIGTERM");
  expect((await first.ended).code).toBe(128 + 15);
  expect(users()).toHaveLength(1);
  expect(running()).toHaveLength(1);
  process.kill(Number(users()[0]), "SIGKILL");
  await until(() => {
    expect(running()).toEqual([]);
  });
  expect(existsSync(join(gateway?.directory ?? "", "users"))).toBe(false);
  process.kill(Number(readFileSync(join(desk.directory, "started-2"), "utf8")), "SIGKILL");
  await second.ended;
});

it("the key is an environment variable, or one of the configuration by its name", async () => {
  open();
  const file = join(desk.directory, "gateway.yaml");
  const text = readFileSync(file, "utf8");
  const egress = `port: ${String(ports.egress)}`;
  writeFileSync(file, text.replace(egress, `${egress}, api_keys: [{name: ann, key: $ANN_KEY}]`));
  desk.environment["ANN_KEY"] = "key-of-ann-0123456789";
  const refused = await desk.run("run", "./ask.mjs");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("rejects the key");
  expect(refused.stderr).toContain("GATEWAY_API_KEY");
  const named = await desk.run("run", "--key", "ann", "./ask.mjs");
  expect(named.stdout).toContain("200 ");
  desk.environment["GATEWAY_API_KEY"] = "key-of-ann-0123456789";
  expect((await desk.run("run", "./ask.mjs")).stdout).toContain(" key-of-ann-0123456789 ");
});

it("a mistake in the command line is explained", async () => {
  open();
  const missing = await desk.run("run", "gateway.yml");
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain("Did you mean");
  expect(missing.stderr).toContain("up gateway.yml");
  const gemini = await desk.run("run", "gemini");
  expect(gemini.stderr).toContain("Gemini format");
  const model = await desk.run("run", "--model", "demo/gateway-dmo", "./ask.mjs");
  expect(model.stderr).toContain("did you mean demo/gateway-demo?");
  const none = await desk.run("run");
  expect([none.code, none.stderr.includes("run -- claude")]).toEqual([2, true]);
});
