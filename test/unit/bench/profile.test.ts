// The profile of `npm run bench -- --instructions --groups`: callgrind's dump → what the filter costs, by part.
import { describe, expect, it } from "vitest";
import type { Case } from "../../../bench/cases.ts";
import { filterTables, selfByStage } from "../../../bench/filter-tables.ts";
import { parseProfile } from "../../../bench/profile.ts";

const ONE: Case = {
  name: "a16",
  what: "chat",
  request: { path: "/", body: {} },
  connections: 1,
  goal: {},
};

/** Two requests: Envoy calls a callback (0x10), which calls another function (0x20), which calls Envoy through code of V8 (0x30). */
const DUMP = `
positions: line
events: Ir
summary: 1000

ob=(2) /usr/bin/envoy
fl=(1) ???
fn=(1) 0x0000000000000001
0 600
cob=(1) ???
cfi=(2) ???
cfn=(2) 0x0000000000000010
calls=2 0
0 380
calls=2 0
0 20

ob=(1)
fl=(2)
fn=(2)
0 100
+3 20
cfn=(3) 0x0000000000000020
calls=4 0
* 260

fn=(3)
0 200
cfn=(4) 0x0000000000000030
calls=6 0
0 60
cob=(2)
cfn=(5) memcpy
calls=1 0
0 10

fn=(4)
0 60

ob=(2)
fn=(5)
0 20
totals: 1000
`;

const NAMES = new Map([
  ["0x0000000000000010", "filter/index/proxy_on_request_headers"],
  ["0x0000000000000020", "filter/bytes/json/tape/Tape#member"],
]);

describe("a dump of callgrind", () => {
  it("a dump of callgrind gives each function's own instructions, which add up to the total", () => {
    const { total, self } = parseProfile(DUMP);
    expect([...self.values()].reduce((sum, one) => sum + one, 0)).toBe(total);
    expect(self.get("0x0000000000000010")).toBe(120);
  });

  it("a dump of callgrind lists the filter's share by callbacks, calls into Envoy and files, for each request", () => {
    const tables = filterTables(ONE, parseProfile(DUMP), NAMES, 2).join("\n");
    expect(tables).toContain("| `proxy_on_request_headers` | 2.00 | 200 |");
    expect(tables).toContain("| `filter/bytes/json/tape/Tape#member` | 3.00 | 30 |");
    expect(tables).toContain("| `filter/bytes/json/tape` | 100 |");
    expect(tables).toContain("the filter's own code, 160 instructions");
  });

  it("a dump of callgrind gives the filter's own instructions by stage", () => {
    const stages = selfByStage(parseProfile(DUMP), NAMES);
    expect(stages.get("bytes")).toBe(200);
  });

  it("a dump of callgrind gives the sum of some events, of which a line leaves out the last zeros", () => {
    const dump = DUMP.replace("events: Ir", "events: Ir I1mr ILmr")
      .replace("0 600", "0 600 7")
      .replace("+3 20", "+3 20 1 2")
      .replace("totals: 1000", "totals: 1000 8 2");
    const { total, self } = parseProfile(dump, ["I1mr", "ILmr"]);
    expect(total).toBe(10);
    expect(self.get("0x0000000000000001")).toBe(7);
    expect(self.get("0x0000000000000010")).toBe(3);
    expect(parseProfile(dump).total).toBe(1000);
  });

  it("a dump of callgrind gives no guess where the filter's functions are not known", () => {
    const tables = filterTables(ONE, parseProfile(DUMP), new Map(), 2);
    expect(tables).toEqual([
      "a16: the filter's functions cannot be told apart in this Envoy's memory.",
    ]);
  });
});
