// The usage record of every case. With records on, the provider gets the same, and the client two headers more.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROPERTY_USAGE } from "../../contract/usage-record.ts";
import { readCases } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { isStream, NOT_OBSERVED, runInHost } from "./host-ring.ts";
import type { Cut, Observed } from "./host-ring.ts";
import { readable } from "./http-file.ts";

const GOLDEN = join(import.meta.dirname, "usage-records.txt");
const cases = readCases().filter(({ name }) => !NOT_OBSERVED.has(name));

async function run(exchange: ExchangeCase, cut: Cut, split: boolean): Promise<Observed> {
  const observed = await runInHost(exchange, cut, { split, isObserved: true });
  expect(observed.result.faults).toEqual([]);
  expect(observed.providerRequests.map(readable)).toEqual(exchange.providerRequests);
  expect(withoutServed(readable(observed.clientResponse))).toBe(
    withoutServed(exchange.clientResponse),
  );
  return observed;
}

/** The headers that records add to every response (filter/response/served-headers.ts). */
function withoutServed(response: string): string {
  return response.replaceAll(/^x-gateway-(?:model|api|attempts): .*\n/gm, "");
}

/** Returns the record with 0 for each number of milliseconds, and without hashes: a session (sessions.test.ts), a prompt (prompt-parts.test.ts). */
function recordOf({ result }: Observed): string {
  const record = result.filterState.get(PROPERTY_USAGE) ?? "no record";
  return record
    .replace(/"session":"conv-[0-9a-f]{16}",/, "")
    .replace(/"prompt":\{[^{}]*\},/, "")
    .replaceAll(/"(first_token|ms|guard|target|extract|api)":\d+/g, '"$1":0');
}

describe("usage records", () => {
  it("the usage records of all exchanges are as their golden file", async () => {
    const lines: string[] = [];
    for (const exchange of cases) {
      const record = recordOf(await run(exchange, "as written", false));
      lines.push(`${exchange.name}: ${record.replace(/^\{"id":"[^"]*",/, "{")}`);
    }
    const text = `${lines.join("\n")}\n`;
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GOLDEN, text);
    expect(text).toBe(readFileSync(GOLDEN, "utf8"));
  });

  it.each(cases)("$name: the same from the upstream filter", async (exchange) => {
    const listener = recordOf(await run(exchange, "as written", false));
    expect(recordOf(await run(exchange, "as written", true))).toBe(listener);
  });

  const streams = cases.filter(({ providerResponses }) => providerResponses.some(isStream));
  it.each(streams)("$name: the same however the stream is cut", async (exchange) => {
    const whole = recordOf(await run(exchange, "as written", false));
    expect(recordOf(await run(exchange, "every byte", false))).toBe(whole);
    expect(recordOf(await run(exchange, "at once", true))).toBe(whole);
  });
});
