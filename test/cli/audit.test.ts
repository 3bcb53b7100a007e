// The audit log of a running gateway: start, reloads, denials and stop, shown and checked by the command line.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AuditLine } from "../../control-plane/audit/audit-line.ts";
import { freePort } from "../free-port.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

const TOKEN = "token-not-to-be-seen-anywhere";

let desk: Desk;
let ports: Ports;
let metricsPort: number;
beforeEach(async () => {
  ports = await freePorts();
  metricsPort = await freePort();
  desk = openDesk();
  configure("");
});
afterEach(() => desk.clear());

function configure(more: string): void {
  const audit = `audit: {directory: ${join(desk.directory, "audit")}}\n`;
  const metrics = `observability: {metrics: {port: ${String(metricsPort)}, token: $METRICS_TOKEN}}\n`;
  writeFileSync(
    join(desk.directory, "gateway.yaml"),
    `${configurationOn(ports)}${audit}${metrics}${more}`,
  );
  writeFileSync(join(desk.directory, ".env"), `METRICS_TOKEN=${TOKEN}\n`);
}

it("the audit log has start, reloads, denials and stop, without a secret, and a change is found", async () => {
  expect((await desk.run("up", "--detach", "--concurrency", "1")).code).toBe(0);
  configure("client_idle_timeout: 1h\n");
  expect((await desk.run("reload")).code).toBe(0);
  configure("nonsense: 1\n");
  expect((await desk.run("reload")).code).toBe(2);
  const headers = { authorization: `Bearer ${TOKEN}x` };
  const { status } = await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`, { headers });
  expect(status).toBe(401);
  await desk.run("down");
  configure("");

  const { stdout } = await desk.run("audit", "--json");
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditLine);
  expect(lines.map(({ action, result }) => `${action} ${result}`)).toEqual([
    "gateway.start done",
    "configuration.reload done",
    "configuration.reload failed",
    "admin.request denied",
    "gateway.stop done",
  ]);
  expect(lines[1]?.after).toMatchObject({ changes: ["+ setting client_idle_timeout_ms"] });
  expect(lines[3]).toMatchObject({ subject: "/metrics", actor: { address: "127.0.0.1" } });
  expect(stdout).not.toContain(TOKEN);
  expect((await desk.run("audit", "--denied")).stdout).toContain("admin.request");

  const whole = await desk.run("audit", "verify");
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining("5 lines") as string });
  const directory = join(desk.directory, "audit");
  const file = join(
    directory,
    readdirSync(directory).find((name) => name.endsWith(".jsonl")) ?? "",
  );
  writeFileSync(file, readFileSync(file, "utf8").replace('"denied"', '"done"'));
  const changed = await desk.run("audit", "verify", "--directory", directory);
  expect(changed.code).toBe(1);
  expect(changed.stdout).toContain("audit-000001.jsonl, row 5: line 4 before it");
  appendFileSync(file, "{}\n");
  expect(JSON.parse((await desk.run("audit", "verify", "--json")).stdout)).toMatchObject({
    whole: false,
  });
});
