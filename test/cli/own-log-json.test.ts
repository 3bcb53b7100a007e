// The log of the gateway's own process and of Envoy as JSON lines: every line of a run is an object with the same four members.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

const SECONDS = { timeout: 60_000, interval: 50 };
const LEVELS = ["trace", "debug", "info", "warning", "error", "critical"];

let desk: Desk;
let ports: Ports;

beforeEach(async () => {
  ports = await freePorts();
  desk = openDesk({ "gateway.yaml": configuration() });
});
afterEach(() => desk.clear());

const configuration = (more = "") => `${configurationOn(ports)}log: { format: json }\n${more}`;
const write = (text: string) => {
  writeFileSync(join(desk.directory, "gateway.yaml"), text);
};

interface Line {
  time: string;
  level: string;
  component: string;
  message: string;
}

/** All lines; fails if one is anything else. */
function linesOf(text: string): Line[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { time, level, component, message, ...more } = JSON.parse(line) as Line;
      expect(new Date(time).toISOString(), line).toBe(time);
      expect(Math.abs(Date.now() - Date.parse(time)), line).toBeLessThan(600_000);
      expect(LEVELS, line).toContain(level);
      expect(component, line).toMatch(/^(?:gateway|envoy(?:\.\w+)?)$/);
      expect(message, line).not.toBe("");
      expect(more).toEqual({});
      return { time, level, component, message };
    });
}

it("the log in JSON has start, reloads, errors and the stop of a gateway in the foreground", async () => {
  const gateway = desk.start("up", "--concurrency", "1", "--log-level", "info");
  const logged = (part: Partial<Line>) =>
    vi.waitFor(() => {
      expect(linesOf(gateway.stderr())).toContainEqual(expect.objectContaining(part));
    }, SECONDS);
  await logged({ message: expect.stringMatching(/^The gateway \S+ is ready\.$/) as string });
  await logged({ component: "envoy.main", level: "info" });

  write(configuration("client_idle_timeout: 20m\n"));
  expect((await desk.run("reload")).code).toBe(0);
  await logged({ message: "Reload complete", level: "info" });
  write(configuration("no_such_key: 1\n"));
  expect((await desk.run("reload")).code).toBe(2);
  await logged({ message: "Reload failed: the configuration is invalid", level: "error" });

  write(configuration());
  const { envoyPid } = JSON.parse((await desk.run("status", "--json")).stdout) as Status;
  process.kill(envoyPid ?? 0, "SIGKILL");
  await logged({
    level: "error",
    message: expect.stringContaining("stopped unexpectedly") as string,
  });
  await logged({ message: "Envoy is ready again." });

  gateway.process.kill("SIGTERM");
  const { code, stdout, stderr } = await gateway.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(linesOf(stderr)).toContainEqual(expect.objectContaining({ message: "Stopping" }));
});

it("the log in JSON has the error that ends a start, and is gateway.log in the background", async () => {
  const other = createServer().listen(ports.egress, "127.0.0.1");
  const { code, stderr } = await desk.run("up");
  expect(code).toBe(1);
  expect(linesOf(stderr).at(-1)).toMatchObject({
    level: "error",
    component: "gateway",
    message: expect.stringContaining(String(ports.egress)) as string,
  });
  await new Promise((resolve) => other.close(resolve));

  expect((await desk.run("up", "--detach")).stdout).toContain("Running in the background");
  // A reload changes the format, too.
  write(configurationOn(ports));
  expect((await desk.run("reload")).code).toBe(0);
  await desk.run("down");
  const file = join(desk.logs, "gateway.log");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const text = lines.findIndex((line) => !line.startsWith("{"));
  expect(linesOf(lines.slice(0, text).join("\n")).length).toBeGreaterThan(1);
  expect(lines.slice(text)).toContain("· Stopping");
});
