// The bytes of a provider's response are cut into events once, and scanned at most once, whoever reads them.
import { beforeAll, describe, expect, it } from "vitest";
import { TOKEN_KINDS } from "../../model/prices.ts";
import { readCases } from "./case.ts";
import { compileCountingFilter, readsOf } from "./counting-filter.ts";
import { hostFor, isStream, runInHost } from "./host-ring.ts";
import type { Cut } from "./host-ring.ts";

/** Cases whose first attempt succeeds: fallback × decompressed × translated, as streams and whole. */
const CASES = [
  "failover/stream-not-needed",
  "failover/stream-not-needed-messages",
  "failover/stream-not-needed-tool-first",
  "failover/stream-not-needed-translated",
  "failover/stream-error-after-the-first-token",
  "compression/gzip-stream",
  "compression/gzip-stream-translated",
  "compression/gzip",
  "compression/gzip-translated",
  "streams/openai-usage-asked-by-gateway",
  "streams/openai-usage-asked-by-client",
  "streams/openai-usage-not-asked",
  "streams/anthropic-passes",
  "translate-response/to-chat-complete",
];
const CUTS: readonly Cut[] = ["as written", "at once", "every byte"];
/** Of each kind of token. */
const PRICE = [[0, ...TOKEN_KINDS.map(() => 1)]];
/** The empty line that a framer is given at the end of a stream. */
const LAST_LINE = 2;

const all = new Map(readCases().map((one) => [one.name, one]));
let filter = "";

beforeAll(() => {
  filter = compileCountingFilter();
});

describe("a response is read once", () => {
  for (const isObserved of [false, true]) {
    const who = isObserved ? "observed" : "not observed";
    it.each(CASES)(`%s, ${who}`, async (name) => {
      const exchange = all.get(name);
      if (exchange === undefined) throw new Error(`there is no case ${name}`);
      const [response] = exchange.providerResponses;
      if (response === undefined) throw new Error(`${name} has no response`);
      const size = Buffer.concat(response.chunks).length;
      for (const cut of CUTS) {
        for (const price of isObserved ? [undefined, PRICE] : [undefined]) {
          const options = { isObserved, filter, ...(price === undefined ? {} : { price }) };
          await runInHost(exchange, cut, options);
          const host = await hostFor(exchange, false, isObserved, price, filter);
          const { framed, scanned } = readsOf(host.logs);
          const about = `${cut}, ${price === undefined ? "without" : "with"} a price`;
          expect(framed, about).toBeLessThanOrEqual(isStream(response) ? size + LAST_LINE : 0);
          expect(scanned, about).toBeLessThanOrEqual(size);
        }
      }
    });
  }

  it("a build that counts sees both", async () => {
    const exchange = all.get("failover/stream-not-needed-translated");
    if (exchange === undefined) throw new Error("there is no such case");
    await runInHost(exchange, "at once", { filter });
    const { logs } = await hostFor(exchange, false, false, undefined, filter);
    expect(readsOf(logs).framed).toBeGreaterThan(100);
    expect(readsOf(logs).scanned).toBeGreaterThan(100);
  });
});
