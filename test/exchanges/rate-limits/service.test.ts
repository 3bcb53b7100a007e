// What the filter gives Envoy's rate limit service to count, and how it passes on what the service returns.
import { describe, expect, it } from "vitest";
import type { ExchangeResult } from "../../../control-plane/wasm-host/wasm-exchange.ts";
import type { UpstreamResponse } from "../../../control-plane/wasm-host/upstream.ts";
import { RETRY } from "../../envoy/models.ts";
import { providerResponse } from "./provider-responses.ts";
import { BOTH, start } from "./set-up.ts";

describe("where Envoy's rate limit service counts", () => {
  const SERVICE = `${BOTH}  - {model: fast, selector: {key: x-user}, limit: {requests: 5, unit: hour}}
ratelimit_service: {address: "127.0.0.1:8081"}
`;
  const state = ({ filterState }: ExchangeResult): Record<string, string> =>
    Object.fromEntries(
      [...filterState].filter(([name]) => !name.startsWith("gateway_limit_check")),
    );
  const checked = ({ filterState }: ExchangeResult): string[] =>
    [...filterState.keys()].filter((name) => name.startsWith("gateway_limit_check"));

  it.each([false, true])(
    "the filter says what to ask and what to charge, stream %s",
    async (stream) => {
      const worker = await start(SERVICE);
      const result = worker.ask({ model: "fast", stream, headers: [["x-user", "a"]] });
      expect(checked(result)).toEqual(["gateway_limit_check_2", "gateway_limit_check_0"]);
      expect(state(result)).toEqual({
        gateway_limit_charge_0: "0000000000000001",
        gateway_limit_tokens: "30",
      });
      const user = (name: string): string | undefined =>
        worker
          .ask({ model: "fast", headers: [["x-user", name]] })
          .filterState.get("gateway_limit_check_2");
      expect(user("a")).toBe(result.filterState.get("gateway_limit_check_2"));
      expect(user("b")).toMatch(/^[0-9a-f]{16}$/);
      expect(user("b")).not.toBe(user("a"));
      expect(worker.shared.size).toBe(0);
    },
  );

  it("a stream that the client cuts is charged when it is gone", async () => {
    const worker = await start(SERVICE);
    const upstream = providerResponse("messages", true, "every event");
    const result = worker.ask({
      dialect: "messages",
      model: "anthropic/claude",
      stream: true,
      upstream,
      input: { clientLeavesAfter: 3 },
    });
    expect(state(result)["gateway_limit_tokens"]).toBe("23");
  });

  it("nothing is charged for an error", async () => {
    const worker = await start(SERVICE);
    const body = Buffer.from("{}");
    const upstream: UpstreamResponse = {
      ...providerResponse("chat", false),
      status: 500,
      chunks: [body],
    };
    expect(state(worker.ask({ upstream }))).toEqual({});
  });

  it("the limit of the first model is checked, and the one of the model that serves is charged", async () => {
    const worker = await start(SERVICE, {
      adapt: (model) => {
        model.targetSets = [{ name: "best", targets: [0, 1], retry: RETRY }];
      },
    });
    const result = worker.ask({
      model: "best",
      input: {
        upstream: ({ attempt }) =>
          attempt === 0
            ? { ...providerResponse("chat", false), status: 503 }
            : providerResponse("messages", false),
      },
    });
    expect(result.response.status).toBe(200);
    expect(checked(result)).toEqual(["gateway_limit_check_0"]);
    expect(Object.keys(state(result))).toContain("gateway_limit_charge_1");
    expect(Object.keys(state(result))).not.toContain("gateway_limit_charge_0");
  });

  const HEADERS: [string, string][] = [
    ["x-ratelimit-limit", '5, 1000;w=60;name="tokens", 5;w=3600;name="requests"'],
    ["x-ratelimit-remaining", "0"],
    ["x-ratelimit-reset", "75"],
  ];

  it.each([
    ["chat", "x-ratelimit-limit-requests", "x-ratelimit-reset-requests", "1m15s"],
    [
      "messages",
      "anthropic-ratelimit-requests-limit",
      "anthropic-ratelimit-requests-reset",
      "2026-03-01T00:00:45Z",
    ],
  ] as const)(
    "a response of the service to a %s client is in the dialect of the client",
    async (dialect, limit, reset, time) => {
      const worker = await start(SERVICE);
      const failure = {
        status: 429,
        details: "request_rate_limited",
        body: Buffer.from("request_rate_limited"),
        headers: [...HEADERS, ["x-envoy-ratelimited", "true"]] as [string, string][],
      };
      const { response: refused } = worker.ask({
        dialect,
        input: { upstream: () => ({ failure }) },
      });
      const headers = Object.fromEntries(refused.headers);
      expect(refused.status).toBe(429);
      expect(headers).toMatchObject({ "retry-after": "75", [limit]: "5", [reset]: time });
      expect(Object.keys(headers)).not.toContain("x-ratelimit-limit");
      expect(Object.keys(headers)).not.toContain("x-envoy-ratelimited");
      const body = JSON.parse(Buffer.from(refused.body).toString()) as object;
      const message = "Rate limit reached. Retry after the seconds in retry-after.";
      expect(body).toMatchObject({ error: { type: "rate_limit_error", message } });
    },
  );

  it.each([
    [[["x-ratelimit-limit", "x"]]],
    [[["x-ratelimit-limit", ","]]],
    [[["x-ratelimit-limit", '99999999999, 99999999999;w=1;name="']]],
    [
      [
        ["x-ratelimit-limit", ""],
        ["x-ratelimit-reset", "-1"],
      ],
    ],
  ] as [[string, string][]][])(
    "headers of the rate limit service without a meaning do no harm: %j",
    async (headers) => {
      const worker = await start(SERVICE);
      const good = providerResponse("chat", false);
      const upstream = { ...good, headers: [...good.headers, ...headers] };
      expect(worker.ask({ upstream }).response.status).toBe(200);
    },
  );
});
