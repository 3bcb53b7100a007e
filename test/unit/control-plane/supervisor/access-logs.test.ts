// What the supervisor reports of access logs that Envoy cannot write.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  createAccessLogCheck,
  type WriteCounts,
} from "../../../../control-plane/supervisor/access-logs.ts";

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "gateway-logs-"));
});
afterEach(() => {
  rmSync(top, { recursive: true, force: true });
});

function looking(directory: string) {
  const lines: string[] = [];
  const problems: (string | undefined)[] = [];
  let writes: WriteCounts | undefined;
  const look = createAccessLogCheck(
    {
      rules: () => ({ directory, maxFileBytes: 1_000_000, keepFiles: 1 }),
      reopen: () => undefined,
    },
    () => (writes === undefined ? Promise.reject(new Error("no Envoy")) : Promise.resolve(writes)),
    { report: (line) => lines.push(line), onProblem: (problem) => problems.push(problem) },
  );
  /** One look, when Envoy has counted so; without an argument it does not answer. */
  const at = async (completed?: number, failed = 0): Promise<void> => {
    writes = completed === undefined ? undefined : { completed, failed };
    await look();
  };
  return { at, lines, problems };
}

it("failed writes are reported once, and so are later successful ones", async () => {
  const { at, lines, problems } = looking(top);
  await at(1);
  await at(1, 1);
  await at(1, 5);
  await at();
  await at(1, 5); // nothing to write: no news
  expect(lines).toHaveLength(1);
  expect(problems).toEqual([
    `Access logs cannot be written to ${top} (Envoy reports failed writes)`,
  ]);
  await at(2, 6);
  expect(lines).toHaveLength(1);
  await at(3, 6);
  expect(lines[1]).toBe(`Access logs are written to ${top} again.`);
  expect(problems[1]).toBeUndefined();
  await at(3, 7);
  expect(lines).toHaveLength(3);
});

it("the count of another Envoy from 0 is mistaken for no other event", async () => {
  const { at, lines } = looking(top);
  await at(100, 0);
  await at(3, 0);
  await at(4, 1);
  expect(lines).toHaveLength(1);
});

it("the system's error is reported when the directory cannot be created again", async () => {
  writeFileSync(join(top, "file"), "");
  const { at, lines } = looking(join(top, "file", "logs"));
  await at(1);
  await at(1);
  expect(lines).toEqual([
    `Access logs cannot be written to ${join(top, "file", "logs")} (ENOTDIR). Requests are still served, but their log lines are lost.`,
  ]);
});
