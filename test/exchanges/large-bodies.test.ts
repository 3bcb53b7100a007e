// A body of a route with several targets is kept by the filter or left with Envoy, by its size: nobody can tell which.
import { describe, expect, it } from "vitest";
import type { ExchangeInput, ExchangeResult } from "../../control-plane/wasm-host/wasm-exchange.ts";
import { encodeBody, loadCase, readCases } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { hostFor, responseHeaders } from "./host-ring.ts";
import { withoutTimes } from "./without-times.ts";

/** Characters of padding: the filter keeps bodies up to 1 MiB. */
const KEPT = 1000;
const NOT_KEPT = 1024 ** 2;

/** All with a JSON object for a body that reaches a provider. */
const cases = readCases().filter(
  ({ clientRequest, providerRequests }) =>
    providerRequests.length > 0 && /^\s*\{\s*"/.test(clientRequest.body.toString("latin1")),
);

async function run(one: ExchangeCase, characters: number): Promise<ExchangeResult> {
  const host = await hostFor(one, true);
  const { clientRequest: client, providerResponses } = one;
  const text = client.body.toString("latin1");
  const padding = `{"padding":"${"p".repeat(characters)}",`;
  const body = Buffer.from(
    text.replace(/^\s*\{/, () => padding),
    "latin1",
  );
  const input: ExchangeInput = {
    listener: one.listener,
    request: {
      method: client.method,
      path: client.path,
      headers: client.headers.map(([name, value]) =>
        name === "content-length" ? [name, String(body.length)] : [name, value],
      ),
      body,
    },
    upstream: ({ attempt }) => {
      const response = providerResponses[attempt] ?? providerResponses.at(-1);
      if (response === undefined) throw new Error(`${one.name} has no response`);
      const headers = responseHeaders(response);
      return { status: response.status, headers, chunks: encodeBody(response) };
    },
    removed: loadCase(one).removed,
    maxAttempts: providerResponses.length,
  };
  return host.exchange(input);
}

/** What can be compared: without the padding and the lengths that it makes. */
function seen({ sent, response, faults }: ExchangeResult): unknown {
  return {
    faults,
    sent: sent.map(({ body, headers, ...rest }) => ({
      ...rest,
      headers: headers.filter(([name]) => name !== "content-length"),
      body: Buffer.from(body)
        .toString("latin1")
        .replace(/p{1000,}/, "PADDING"),
    })),
    status: response.status,
    headers: response.headers,
    body: withoutTimes(Buffer.from(response.body).toString("latin1")),
  };
}

describe("a body that stays with Envoy is sent as one that the filter keeps", () => {
  it.each(cases)("$name", async (one) => {
    expect(seen(await run(one, NOT_KEPT))).toEqual(seen(await run(one, KEPT)));
  });
});
