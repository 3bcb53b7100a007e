// Every case in the TypeScript host, streams cut in every way.
import { describe, expect, it } from "vitest";
import { gatewayIds, readCases, requestIdOf, writeGoldens } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { endsIn, isCompressed, isStream, progress, runInHost } from "./host-ring.ts";
import type { Observed } from "./host-ring.ts";
import { readable } from "./http-file.ts";

const isUpdating = process.env["UPDATE_GOLDEN"] === "1";
const cases = readCases();

/** Only a route that can fail over has it, which every case is run as too. */
const withoutAttempts = (response: string) => response.replace(/^x-gateway-attempts: 1\n/m, "");

function expectGolden(exchange: ExchangeCase, observed: Observed): void {
  expect(observed.result.faults).toEqual([]);
  expect(observed.providerRequests.map(readable)).toEqual(exchange.providerRequests);
  expect(withoutAttempts(readable(observed.clientResponse))).toBe(
    withoutAttempts(exchange.clientResponse),
  );
  expect(gatewayIds(observed.result.response.headers)).toEqual([requestIdOf(exchange)]);
}

describe("exchanges in the host", () => {
  it.each(cases)("$name", async (exchange) => {
    const observed = await runInHost(exchange, "as written");
    if (isUpdating) writeGoldens(exchange, observed.providerRequests, observed.clientResponse);
    else expectGolden(exchange, observed);
  });
});

describe.skipIf(isUpdating)("the request arrives in pieces", () => {
  const withBody = cases.filter(
    ({ clientRequest: { body } }) => body.length > 0 && body.length < 5000,
  );
  it.each(withBody)("$name", async (exchange) => {
    expectGolden(exchange, await runInHost(exchange, "as written", { requestCut: "every byte" }));
  });
});

describe.skipIf(isUpdating)("the upstream filter of a route that can fail over", () => {
  const reaching = cases.filter(({ providerRequests }) => providerRequests.length > 0);
  it.each(reaching)("$name", async (exchange) => {
    expectGolden(exchange, await runInHost(exchange, "as written", { split: true }));
  });
});

describe.skipIf(isUpdating)("streams cut anywhere", () => {
  const streams = cases.filter(({ providerResponses }) => providerResponses.some(isStream));
  for (const split of [false, true]) {
    const place = split ? "upstream filter" : "downstream filter";
    it.each(streams)(`$name, every byte, ${place}`, async (exchange) => {
      expectGolden(exchange, await runInHost(exchange, "every byte", { split }));
    });
    it.each(streams)(`$name, at once, ${place}`, async (exchange) => {
      expectGolden(exchange, await runInHost(exchange, "at once", { split }));
    });
    // What comes compressed cannot be counted in events.
    const plain = streams.filter(({ providerResponses }) => !providerResponses.some(isCompressed));
    it.each(plain)(`$name, each event leaves when it is complete, ${place}`, async (exchange) => {
      const byEvent = await runInHost(exchange, "every event", { split });
      expectGolden(exchange, byEvent);
      const response = exchange.providerResponses.at(-1);
      if (response === undefined) throw new Error("a stream case has a response");
      const ends = endsIn(response)(response.body);
      const wanted = progress(byEvent.result.response.chunks, ends.length);
      const byByte = await runInHost(exchange, "every byte", { split });
      const reached = progress(byByte.result.response.chunks, response.body.length);
      // The last byte of an event completes it: by then the client has what the event gives it.
      expect(ends.map((end) => reached[end - 1])).toEqual(wanted);
    });
  }
});
