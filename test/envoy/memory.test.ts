// Bodies and events that want more memory than the filter has, through Envoy: no trap, and no other request or stream feels it.
// `npm run soak -- memory` is the long form, up to an event of 1 GB.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameOf, startMemoryRun } from "../soak/memory.ts";
import type { Case, MemoryRun } from "../soak/memory.ts";

const SECONDS = 1000;
const cases: (Case & { allowed: string[] })[] = [
  // 16 of them ended the filter's machine, and with it every request of the worker.
  { kind: "requests", route: "fallback", shape: "values", mib: 7.6, count: 16, allowed: ["200"] },
  {
    kind: "requests",
    route: "other-format",
    shape: "values",
    mib: 7.6,
    count: 16,
    allowed: ["200"],
  },
  { kind: "requests", route: "plain", shape: "values", mib: 7.6, count: 16, allowed: ["200"] },
  { kind: "requests", route: "fallback", shape: "text", mib: 28, count: 12, allowed: ["200"] },
  { kind: "requests", route: "other-format", shape: "text", mib: 28, count: 12, allowed: ["200"] },
  { kind: "requests", route: "fallback", shape: "text", mib: 0.9, count: 60, allowed: ["200"] },
  // An event of 200 MB was held whole, and could end the machine.
  { kind: "event", reading: "stripped", mib: 200, count: 1, allowed: ["200"] },
  { kind: "event", reading: "limited", mib: 100, count: 2, allowed: ["200"] },
  { kind: "event", reading: "stripped", mib: 30, count: 8, allowed: ["200"] },
  { kind: "event", reading: "translated", mib: 33, count: 4, allowed: ["200 error"] },
  { kind: "event", reading: "translated", mib: 30, count: 16, allowed: ["200", "200 error"] },
  { kind: "response", route: "plain", mib: 30, count: 8, allowed: ["200"] },
  { kind: "response", route: "fallback", mib: 30, count: 8, allowed: ["200"] },
];

let memory: MemoryRun;
beforeAll(async () => {
  memory = await startMemoryRun([30, 33, 100, 200]);
});
afterAll(() => memory.stop());

describe("no trap, and no other response is cut", () => {
  it.each(cases.map((one) => ({ name: nameOf(one), one })))(
    "$name",
    async ({ one }) => {
      const row = await memory.run(one);
      expect(row).toMatchObject({ traps: 0, bystandersCut: 0, problems: [] });
      expect(one.allowed).toEqual(expect.arrayContaining(Object.keys(row.outcomes)));
    },
    120 * SECONDS,
  );
});
