// Errors of providers in every place of the filter that reads them: of one target, of an attempt that is the last, and of
// one that another should follow and Envoy does not start (a retry budget).
import { describe, expect, it } from "vitest";
import type { ExchangeResult } from "../../control-plane/wasm-host/wasm-exchange.ts";
import type { UpstreamResponse } from "../../control-plane/wasm-host/upstream.ts";
import { loadCase, readCase } from "./case.ts";
import { cutBody, hostFor } from "./host-ring.ts";
import type { Cut } from "./host-ring.ts";

const MEBIBYTE = 1 << 20;
const TEXT = { "content-type": "text/plain" };

const PLACES = {
  "one target": { name: "provider-errors/error-503-text", split: false },
  "one target, translated": { name: "translate-response/to-messages-error-429", split: false },
  "the last attempt": { name: "provider-errors/error-503-text", split: true },
  "the last attempt, translated": {
    name: "translate-response/to-messages-error-429",
    split: true,
  },
  "an attempt that is not followed": { name: "failover/status-to-chat", split: false },
  "an attempt that is not followed, translated": {
    name: "failover/status-to-messages",
    split: false,
  },
};

async function clientResponseFor(
  { name, split }: { name: string; split: boolean },
  response: UpstreamResponse,
): Promise<ExchangeResult> {
  const found = readCase(name);
  const { method, path, headers, chunks: body } = found.clientRequest;
  return (await hostFor(found, split)).exchange({
    listener: found.listener,
    request: { method, path, headers, body },
    upstream: () => response,
    removed: loadCase(found).removed,
    maxAttempts: 1,
  });
}

function providerResponse(
  status: number,
  headers: object,
  body: string,
  cut: Cut = "at once",
): UpstreamResponse {
  return {
    status,
    headers: Object.entries(headers),
    chunks: cutBody([Buffer.from(body)], cut),
    emptyEnd: cut === "every byte",
  };
}

/** What the client's SDK would raise. */
function errorIn({ response, faults, trap }: ExchangeResult) {
  expect(trap).toBeUndefined();
  expect(faults).toEqual([]);
  expect(response.ending).toBe("complete");
  const headers = new Map(response.headers);
  expect(headers.get("content-type")).toBe("application/json");
  const { error } = JSON.parse(Buffer.from(response.body).toString()) as {
    error: { message: string };
  };
  return { status: response.status, message: error.message, headers };
}

describe.each(Object.entries(PLACES))("%s", (_, place) => {
  it.each<Cut>(["at once", "every byte"])("text becomes an envelope, cut %s", async (cut) => {
    const { status, message, headers } = errorIn(
      await clientResponseFor(place, providerResponse(503, TEXT, "no healthy upstream", cut)),
    );
    expect(status).toBe(503);
    expect(message).toContain("503: no healthy upstream");
    expect(headers.get("x-gateway-upstream-content-type")).toBe("text/plain");
  });

  it("a redirect is an error of the provider", async () => {
    const location = { location: "http://elsewhere.test/", ...TEXT };
    const { status, message, headers } = errorIn(
      await clientResponseFor(place, providerResponse(307, location, "moved")),
    );
    expect(status).toBe(502);
    expect(message).toContain("redirects (307)");
    expect(headers.has("location")).toBe(false);
  });

  it("a redirect with a compressed body is reported as a redirect", async () => {
    const headers = { location: "/", "content-encoding": "gzip", ...TEXT };
    const { status, message } = errorIn(
      await clientResponseFor(place, providerResponse(307, headers, "moved")),
    );
    expect([status, message]).toEqual([502, expect.stringContaining("redirects (307)")]);
  });

  it("the encoding identity is none", async () => {
    const headers = { ...TEXT, "content-encoding": "identity" };
    const { message, headers: seen } = errorIn(
      await clientResponseFor(place, providerResponse(503, headers, "busy")),
    );
    expect(message).toContain("503: busy");
    expect([...seen.keys()]).not.toContain("x-gateway-encoding");
  });

  it("1 MiB is read, and more is not", async () => {
    const most = errorIn(
      await clientResponseFor(place, providerResponse(500, TEXT, "x".repeat(MEBIBYTE))),
    );
    expect(most.message).toContain("500: xxx");
    const half = Buffer.alloc(MEBIBYTE / 2, "x");
    const chunks = [half, half, Buffer.from("x"), half, Buffer.alloc(0)];
    const larger = errorIn(
      await clientResponseFor(place, { status: 500, headers: Object.entries(TEXT), chunks }),
    );
    expect(larger.status).toBe(500);
    expect(larger.message).toContain("and more than 1 MiB");
  });

  it("an unsupported encoding is named", async () => {
    const headers = { ...TEXT, "content-encoding": "zstd" };
    const {
      status,
      message,
      headers: seen,
    } = errorIn(await clientResponseFor(place, providerResponse(503, headers, "(\u0001\u0002")));
    expect(status).toBe(503);
    expect(message).toContain("content-encoding: zstd");
    expect(seen.has("content-encoding")).toBe(false);
  });
});
