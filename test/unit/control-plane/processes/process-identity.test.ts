// Processes as macOS shows them, by ps: compared with this process, since /proc is what Linux uses.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { readPs } from "../../../../control-plane/processes/process-identity.ts";

it("a process has a state and a start time that stays, and none after its end", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const found = readPs(pid);
  expect(found?.state).toMatch(/^[A-Z]$/);
  expect(found?.startTime).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d+ \d\d:\d\d:\d\d \d{4}$/);
  expect(readPs(pid)?.startTime).toBe(found?.startTime);
  child.kill();
  await once(child, "exit");
  expect(readPs(pid)).toBeUndefined();
});
