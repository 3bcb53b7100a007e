// The host reports what would be an outage or a corrupt message in Envoy. Where it agrees with Envoy is shown in test/envoy.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { FilterConfig } from "../../model/filter-document/document-types.ts";
import { BodyBuffer } from "../../control-plane/wasm-host/body-buffer.ts";
import { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { packPairs } from "../../control-plane/wasm-host/guest-memory.ts";
import { HeaderMap } from "../../control-plane/wasm-host/header-map.ts";
import type { ExchangeInput } from "../../control-plane/wasm-host/wasm-exchange.ts";
import { compileProbe } from "./probe.ts";
import { FAILURES } from "../../control-plane/wasm-host/upstream.ts";

const CONFIG: FilterConfig = {
  version: 1,
  targets: [],
  routes: [{ cluster: "c", targets: [0] }],
  names: {},
  default: 0,
  models: [],
  largest_body: 1_000_000,
};

let host: FilterHost;

beforeAll(async () => {
  host = await FilterHost.load(readFileSync(await compileProbe()), { filterConfig: CONFIG });
});

function exchange(scenario: string, more: Partial<ExchangeInput> = {}): ExchangeInput {
  return {
    listener: "egress",
    request: {
      method: "POST",
      path: "/",
      headers: [
        ["x-scenario", scenario],
        ["x-cluster", "c"],
        ["content-length", "4"],
      ],
      body: Buffer.from("body"),
    },
    upstream: () => ({ status: 200, headers: [], chunks: [Buffer.from("ok")] }),
    ...more,
  };
}

describe("reported as a fault", () => {
  it("a trap, and the next exchange has a new machine", () => {
    const trapped = host.exchange(exchange("trap"));
    expect(trapped.trap).toMatch(/^TRAP/);
    expect(trapped.faults).toHaveLength(1);
    expect(trapped.response.status).toBe(503);
    expect(host.exchange(exchange("continue")).faults).toEqual([]);
  });

  it.each([
    ["a stream that never goes on", "hang", /hangs after request body 0/],
    ["a content-length that is not true any more", "stale content-length", /stale content-length/],
    [
      "a header that is changed too late",
      "late changes",
      /request headers changed when they are not at hand/,
    ],
  ])("%s", (_, scenario, fault) => {
    const { faults } = host.exchange(exchange(scenario));
    expect(faults.join("\n")).toMatch(fault);
  });

  it("a request that is sent on without a cluster", () => {
    const { faults, response } = host.exchange(
      exchange("", { request: { method: "GET", path: "/", headers: [] } }),
    );
    expect(faults).toEqual(['the request went on without a known cluster: "error 1"']);
    expect(response.status).toBe(503);
  });

  it("a response with a wrong content-length is reported as a fault", () => {
    const upstream = () => ({
      status: 200,
      headers: [["content-length", "9"] as const],
      chunks: [Buffer.from("ok")],
    });
    expect(host.exchange(exchange("continue", { upstream })).faults).toHaveLength(1);
  });
});

describe("refused at the start", () => {
  it("an import that Envoy does not know", async () => {
    // (module (import "env" "abort" (func)))
    const bytes = [
      0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 13, 1, 3, 101, 110, 118, 5, 97, 98, 111,
      114, 116, 0, 0,
    ];
    const loading = FilterHost.load(new Uint8Array(bytes), { filterConfig: CONFIG });
    await expect(loading).rejects.toThrow("env.abort");
  });
});

describe("what the provider's side can do", () => {
  it.each(Object.entries(FAILURES))(
    "%s becomes Envoy's own response, through the filter",
    (_, failure) => {
      const { response, logs } = host.exchange(exchange("continue", { upstream: () => failure }));
      expect(response.status).toBe(failure.failure.status);
      expect(logs.some(({ message }) => message.includes("route response headers"))).toBe(true);
    },
  );

  it("a provider that breaks off resets the client's stream", () => {
    const upstream = () => ({
      status: 200,
      headers: [],
      chunks: [Buffer.from("ok")],
      ending: "reset" as const,
    });
    expect(host.exchange(exchange("continue", { upstream })).response.ending).toBe("reset");
  });

  it("a client can leave the provider", () => {
    const upstream = () => ({
      status: 200,
      headers: [],
      chunks: ["a", "b", "c"].map((c) => Buffer.from(c)),
    });
    const { response } = host.exchange(exchange("continue", { upstream, clientLeavesAfter: 1 }));
    expect(response).toMatchObject({ ending: "left", status: 200 });
    expect(Buffer.from(response.body).toString()).toBe("a");
  });
});

it("exchanges that run at the same time do not meet", () => {
  const results = host.interleave(
    ["buffer", "stream", "continue"].map((scenario) => exchange(scenario)),
  );
  expect(results.map(({ response }) => Buffer.from(response.body).toString())).toEqual([
    "all new",
    "['ok']",
    "ok",
  ]);
});

it("a body above the limit is 413", () => {
  const cut = exchange("buffer", { requestBodyLimit: 3 });
  cut.request.body = ["bo", "dy"].map((text) => Buffer.from(text));
  const { response } = host.exchange({ ...cut, request: { ...cut.request, emptyEnd: true } });
  expect(response.status).toBe(413);
});

describe("the parts", () => {
  it("the host drains, prepends and appends to a body, and refuses its middle", () => {
    const body = new BodyBuffer(Buffer.from("0123456789"));
    expect(body.set(4, 2, Buffer.from("x"))).toBe(2);
    expect(body.set(0, 3, Buffer.from("<"))).toBe(0);
    expect(body.set(99, 0, Buffer.from(">"))).toBe(0);
    expect(Buffer.from(body.view()).toString()).toBe("<3456789>");
  });

  it("headers: line breaks and odd names are reported", () => {
    const headers = HeaderMap.of([["x-a", "1\r\nx-b: 2"]]);
    headers.add("x y", "1");
    expect(headers.faults).toHaveLength(2);
  });

  it("pairs: count, sizes, texts with a NUL each", () => {
    expect([...packPairs([["a", "bc"]])]).toEqual([
      1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 97, 0, 98, 99, 0,
    ]);
  });
});
