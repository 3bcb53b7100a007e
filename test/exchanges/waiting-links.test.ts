// A link of the response that sends a callout and waits, in a build that has one (waiting-filter.ts): what the client gets does not
// depend on when the callout is over, how the response is cut, or which filter reads it.
import { beforeAll, describe, expect, it } from "vitest";
import type { CallResponse } from "../../control-plane/wasm-host/wasm-exchange.ts";
import { readCases } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { isStream, runInHost } from "./host-ring.ts";
import type { Cut, HostOptions, Observed } from "./host-ring.ts";
import { readable } from "./http-file.ts";
import { compileWaitingFilter, WAIT_HEADER } from "./waiting-filter.ts";

/** Streams and whole responses, passed and translated, after an attempt that failed, unwrapped, decompressed, with usage. */
const CASES = readCases().filter(
  ({ providerResponses }) =>
    providerResponses.some(({ status }) => status < 300) &&
    providerResponses.every(({ isReset, chunks }) => !isReset && Buffer.concat(chunks).length > 0),
);
const MODES = ["first each", "last each", "first whole"];
const PASSED: CallResponse = { headers: [[":status", "200"]], body: Buffer.from("{}") };
const FAILURES: [string, CallResponse][] = [
  ["is reset", undefined],
  ["times out", { headers: [[":status", "504"]], body: Buffer.from("upstream request timeout") }],
  ["is rejected", { headers: [[":status", "403"]], body: Buffer.from("{}") }],
];

let filter = "";

beforeAll(() => {
  filter = compileWaitingFilter();
});

function run(
  exchange: ExchangeCase,
  mode: string,
  cut: Cut,
  more: HostOptions["more"] = {},
  split = false,
): Promise<Observed> {
  return runInHost(exchange, cut, {
    filter,
    split,
    header: [WAIT_HEADER, mode],
    more: { calls: () => PASSED, ...more },
  });
}

/** Only a route that can fail over has the header of attempts; an error has no other link, which would take out the test's. */
const comparable = ({ clientResponse }: Observed) =>
  readable(clientResponse).replace(/^(x-gateway-attempts: 1|x-test-wait: .*)\n/gm, "");

function named(name: string): ExchangeCase {
  const found = CASES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
}

/** The client's response as text, and what the exchange has logged. */
function seen({ clientResponse, result }: Observed) {
  const { faults, trap, logs, calls } = result;
  return { text: readable(clientResponse), faults, trap, logs, calls: calls.length };
}

describe("a link that waits for a callout", () => {
  const FAILOVER = "failover/stream-role-then-error";
  const STREAM = "streams/openai-usage-asked-by-client";
  const TRANSLATED = "translate-response/to-chat-stream-refusal";
  const WHOLE = "translate-response/to-chat-complete";

  it.each(
    FAILURES.flatMap(([about, response]) =>
      [STREAM, TRANSLATED, WHOLE, FAILOVER].map((name) => ({ about, response, name })),
    ),
  )("$name is replaced by an error if the callout $about", async ({ response, name }) => {
    for (const split of [false, true]) {
      const calls = () => response;
      const {
        text,
        faults,
        trap,
        calls: sent,
      } = seen(await run(named(name), "first whole", "every event", { calls }, split));
      expect({ faults, trap, sent }).toEqual({ faults: [], trap: undefined, sent: 1 });
      expect(text).toMatch(/^HTTP\/1.1 403 /);
      expect(text).toContain("The response was blocked.");
    }
  });

  it.each([STREAM, TRANSLATED])("%s is ended by the link after its head has left", async (name) => {
    for (const split of [false, true]) {
      for (const chunksPerCall of [0, 1, Infinity]) {
        let count = 0;
        const calls = () => (count++ === 0 ? PASSED : undefined);
        const { text, faults, trap } = seen(
          await run(named(name), "last each", "every event", { calls, chunksPerCall }, split),
        );
        expect({ faults, trap }).toEqual({ faults: [], trap: undefined });
        expect(text).toMatch(/^HTTP\/1.1 200 /);
        if (count > 1) expect(text.trimEnd()).toMatch(/event: blocked$/);
      }
    }
  });

  it.each([STREAM, TRANSLATED, WHOLE])("%s is forgotten if its client leaves", async (name) => {
    for (const split of [false, true]) {
      const { faults, trap, calls } = seen(
        await run(named(name), "first each", "every byte", { clientLeavesAfter: 5 }, split),
      );
      expect({ faults, trap, calls }).toEqual({ faults: [], trap: undefined, calls: 1 });
    }
  });

  it("an attempt that is reset is followed by another one, which waits for itself", async () => {
    const exchange = named(FAILOVER);
    const [, ok] = exchange.providerResponses;
    if (ok === undefined) throw new Error("the case has two attempts");
    const reset = { ...exchange, providerResponses: [{ ...ok, isReset: true }, ok] };
    const { text, faults, trap, calls } = seen(await run(reset, "first whole", "every event"));
    expect({ faults, trap, calls }).toEqual({ faults: [], trap: undefined, calls: 1 });
    expect(text).toBe(exchange.clientResponse);
  });

  it("a second callout is not sent while one is in flight", async () => {
    const { logs } = seen(await run(named(STREAM), "first each", "every event"));
    expect(logs.map(({ message }) => message)).not.toContain("a second callout was sent");
  });

  it("more than 8 MiB are not kept for it", async () => {
    const exchange = named(STREAM);
    const [response] = exchange.providerResponses;
    if (response === undefined) throw new Error("the case has a response");
    const chunks = Array.from({ length: 9 }, () => Buffer.alloc(1 << 20, ":"));
    const large = { ...response, body: Buffer.concat(chunks), chunks };
    const { faults, trap, text } = seen(
      await run({ ...exchange, providerResponses: [large] }, "first each", "as written", {
        chunksPerCall: Infinity,
      }),
    );
    expect({ faults, trap }).toEqual({ faults: [], trap: undefined });
    expect(text.length).toBeLessThan(1 << 20);
  });
});

/** Each is cut in every way; of the others, each stream event by event. */
const THOROUGH: ReadonlySet<string> = new Set([
  "failover/stream-not-needed",
  "failover/stream-not-needed-translated",
  "failover/stream-role-then-error",
  "compression/gzip-stream",
  "compression/gzip-stream-translated",
  "compression/gzip",
  "streams/openai-usage-asked-by-gateway",
  "translate-response/to-chat-complete",
]);

describe("a link that waits changes no response", () => {
  it.each(CASES)("$name", async (exchange) => {
    const isThorough = THOROUGH.has(exchange.name);
    const cuts: Cut[] = isThorough
      ? ["as written", "at once", "every event", "every byte"]
      : [exchange.providerResponses.some(isStream) ? "every event" : "as written"];
    for (const split of [false, true]) {
      const plain = await runInHost(exchange, "as written", { split });
      for (const mode of MODES) {
        for (const cut of cuts) {
          for (const chunksPerCall of isThorough ? [0, 1, 2, Infinity] : [split ? 0 : Infinity]) {
            const observed = await run(exchange, mode, cut, { chunksPerCall }, split);
            const about = `${mode}, ${cut}, ${String(chunksPerCall)}, ${split ? "attempt" : "listener"}`;
            expect(observed.result.faults, about).toEqual([]);
            expect(observed.result.trap, about).toBeUndefined();
            expect(
              observed.result.logs.map(({ message }) => message),
              about,
            ).not.toContain("a second callout was sent");
            expect(comparable(observed), about).toBe(comparable(plain));
          }
        }
      }
    }
  });
});
