// Which targets share a cluster, and what the clusters are called.
import { describe, expect, it } from "vitest";
import type { Target } from "../../control-plane/ir/model.ts";
import { attemptedUpstreams, clusterOf, upstreams } from "../../control-plane/ir/upstreams.ts";
import { ANTHROPIC, DEMONSTRATION, host, modelOf, RETRY, targetAt } from "../envoy/models.ts";

const base = host("api.example.com");
const bearer = targetAt("a/one", base);

describe("the name of a cluster", () => {
  const names: [string, Target][] = [
    ["api.example.com:443/bearer", bearer],
    ["api.example.com:443/bearer", targetAt("b/two", base, { authority: "other", path: "/x" })],
    ["api.example.com:443/x_api_key", targetAt("a/three", base, ANTHROPIC)],
    ["api.example.com:443/none", targetAt("a/four", base, { auth: { kind: "none" } })],
    [
      "api.example.com:443/bearer/anthropic_messages",
      targetAt("a/five", base, { ...ANTHROPIC, auth: bearer.auth }),
    ],
    [
      "api.example.com:443/plain/bearer",
      targetAt("a/x", host("api.example.com", 443, { tls: false })),
    ],
    [
      "api.example.com:8443/tls/bearer",
      targetAt("a/x", host("api.example.com", 8443, { tls: true })),
    ],
    [
      "api.example.com:443/as=tls.example.com/bearer",
      targetAt("a/x", host("api.example.com", 443, { serverName: "tls.example.com" })),
    ],
    ["[2001:db8::1]:80/bearer", targetAt("a/x", host("2001:db8::1", 80))],
    ["demonstration/none", DEMONSTRATION],
  ];

  it.each(names)("%s", (name, target) => {
    expect(clusterOf(target)).toBe(name);
  });
});

describe("credentials that must not reach a provider", () => {
  const foreign = (target: Target): string[] | undefined =>
    upstreams(modelOf([target]))[0]?.foreignCredentials;

  it("are all but the provider's own", () => {
    expect(foreign(bearer)).not.toContain("authorization");
    expect(foreign(bearer)).toContain("x-api-key");
    expect(foreign(targetAt("a/x", base, ANTHROPIC))).toContain("authorization");
    expect(foreign(targetAt("a/x", base, { auth: { kind: "none" } }))).toEqual(
      expect.arrayContaining(["authorization", "x-api-key", "cookie", "proxy-authorization"]),
    );
  });

  it("exclude a header that the configuration writes, which needs a separate cluster", () => {
    const own = targetAt("a/x", base, {
      auth: { kind: "none" },
      headers: [{ name: "api-key", parts: [{ environment: "AZURE_KEY" }] }],
    });
    expect(foreign(own)).not.toContain("api-key");
    expect(clusterOf(own)).toBe("api.example.com:443/none/+api-key");
  });
});

it("targets at one place share a cluster, in the order of their first", () => {
  const model = modelOf([
    bearer,
    targetAt("c/other", host("c.example.com")),
    targetAt("a/two", base),
  ]);
  expect(upstreams(model).map(({ cluster }) => cluster)).toEqual([
    "api.example.com:443/bearer",
    "c.example.com:443/bearer",
  ]);
});

it("attempts of sets need the places of their targets, each once", () => {
  const model = modelOf(
    [bearer, targetAt("c/other", host("c.example.com")), targetAt("a/two", base)],
    {
      targetSets: [{ name: "safe", targets: [2, 0], retry: RETRY }],
    },
  );
  expect(attemptedUpstreams(model)).toEqual(["api.example.com:443/bearer"]);
});
