// Damaged responses of providers, complete and streamed, in all dialects: never a trap, and the same client bytes however they are cut.
import { beforeAll, describe, expect, it } from "vitest";
import type { ExchangeResult } from "../../control-plane/wasm-host/wasm-exchange.ts";
import type { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { encodeBody, readCases } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { hostFor, isStream } from "./host-ring.ts";
import { headerOf } from "./http-file.ts";
import { mutate } from "./mutate.ts";
import { random } from "./random.ts";
import type { Random } from "./random.ts";
import { withoutTimes } from "./without-times.ts";

const COUNT = 4000;
/** In the name of the test: the same seed makes the same responses. */
const SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1_000_000);

const cases = readCases().filter(
  ({ providerRequests, providerResponses }) =>
    providerRequests.length === 1 &&
    (providerResponses[0]?.body.length ?? 0) > 0 &&
    // What can be read of damaged gzip goes by how it is cut.
    !providerResponses.some((response) => headerOf(response, "content-encoding") !== undefined),
);
const hosts = new Map<string, FilterHost>();

const TOKENS = [
  `\n\n`,
  `\r\n`,
  `\r`,
  `data: `,
  `data:`,
  `event: error\n`,
  `event: `,
  `: comment\n`,
  `id: 1\n`,
  `[DONE]`,
  `{`,
  `}`,
  `[`,
  `]`,
  `"`,
  `,`,
  `\\u`,
  `\\ud83d`,
  `null`,
  `-1`,
  `1e999`,
  `\u0000`,
  `\xff`,
  `\xc3`,
  `"choices":[],`,
  `"usage":{},`,
  `"delta":{},`,
  `"index":99999,`,
  `"type":"message_stop"`,
  `"finish_reason":"stop"`,
].map((text) => Buffer.from(text, "latin1"));

beforeAll(async () => {
  for (const one of cases) hosts.set(one.name, await hostFor(one));
});

function run(one: ExchangeCase, status: number, chunks: Buffer[]): ExchangeResult {
  const host = hosts.get(one.name);
  if (host === undefined) throw new Error(`${one.name} has no host`);
  const { clientRequest: client, providerResponses } = one;
  return host.exchange({
    listener: one.listener,
    request: {
      method: client.method,
      path: client.path,
      headers: client.headers,
      body: client.chunks,
    },
    upstream: () => ({ status, headers: providerResponses[0]?.headers ?? [], chunks }),
  });
}

function cutAnywhere(body: Buffer, chance: Random): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const size = 1 + chance.below(chance.below(2) === 0 ? 3 : 200);
    chunks.push(body.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** What the gateway makes up itself is another text each time. */
function comparable({ response }: ExchangeResult): string {
  return withoutTimes(Buffer.from(response.body).toString("latin1"));
}

describe("damaged responses", () => {
  it(`${COUNT} of them (FUZZ_SEED=${SEED})`, () => {
    const chance = random(SEED);
    for (let index = 0; index < COUNT; index++) {
      const one = chance.of(cases);
      const [response] = one.providerResponses;
      if (response === undefined) continue;
      const donor = chance.of(cases).providerResponses[0]?.body ?? response.body;
      const body = mutate(Buffer.concat(encodeBody(response)), donor, TOKENS, chance);
      const about = `${one.name}, response ${index}: ${JSON.stringify(body.toString("latin1"))}`;
      const status = isStream(response) ? response.status : chance.of([200, 400, 429, 500, 529]);
      const whole = run(one, status, [body]);
      const cut = run(one, status, cutAnywhere(body, chance));
      for (const { trap, faults } of [whole, cut]) {
        expect(trap, about).toBeUndefined();
        expect(faults, about).toEqual([]);
      }
      expect(cut.response.status, about).toBe(whole.response.status);
      expect(comparable(cut), about).toBe(comparable(whole));
    }
  });
});
