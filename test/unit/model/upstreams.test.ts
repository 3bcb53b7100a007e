// Which targets share a cluster, and what the clusters are called.
import { describe, expect, it } from "vitest";
import type { Target } from "../../../model/model.ts";
import { attemptedUpstreams, clusterOf, upstreams } from "../../../model/upstreams.ts";
import { ANTHROPIC, DEMONSTRATION, host, modelOf, RETRY, targetAt } from "../../envoy/models.ts";

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
