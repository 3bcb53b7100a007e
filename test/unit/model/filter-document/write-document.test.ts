// The filter's configuration document, made from the model.
import { expect, it } from "vitest";
import { filterConfig } from "../../../../model/filter-document/write-document.ts";
import type { FilterConfig } from "../../../../model/filter-document/document-types.ts";
import { retryPolicies } from "../../../../model/retry-policies.ts";
import { upstreams } from "../../../../model/upstreams.ts";
import { ANTHROPIC, GOLDEN_MODELS, host, modelOf, RETRY, targetAt } from "../../../envoy/models.ts";

it("the document has a route for each target and each set, and a name for every model name that a client can send", () => {
  const model = modelOf(
    [
      targetAt("openai/gpt-4o", host("api.openai.com"), { configuredName: "main" }),
      targetAt("anthropic/claude", host("api.anthropic.com"), ANTHROPIC),
    ],
    {
      aliases: [{ name: "fast", target: 1 }],
      targetSets: [{ name: "safe", targets: [1, 0], retry: RETRY }],
      defaultTarget: 1,
    },
  );
  const config = filterConfig(model);
  expect(config.routes).toEqual([
    { cluster: "api.openai.com:443/bearer", targets: [0] },
    { cluster: "api.anthropic.com:443/x_api_key", targets: [1] },
    {
      cluster: expect.stringMatching(/^retry\/1\+models=2\+refusal\+reset@[0-9a-f]{8}$/) as string,
      targets: [1, 0],
      retry: { attempts: 1, statuses: RETRY.statuses },
    },
  ]);
  expect(config.names).toEqual({
    "openai/gpt-4o": 0,
    main: 0,
    "gpt-4o": 0,
    "anthropic/claude": 1,
    claude: 1,
    fast: 1,
    safe: 2,
  });
  expect(config.default).toBe(1);
  expect(config.models.map(({ id, owner }) => `${id} of ${owner}`)).toEqual([
    "openai/gpt-4o of openai",
    "anthropic/claude of anthropic",
    "fast of anthropic",
    "safe of anthropic",
  ]);
});

it("the document leaves out what a target does not have", () => {
  const model = modelOf([
    targetAt("x/y", host("192.0.2.1", 80), { auth: { kind: "none" }, asksForUsage: false }),
  ]);
  expect(filterConfig(model).targets).toEqual([
    {
      name: "x/y",
      model: "y",
      dialect: "openai_chat",
      authority: "192.0.2.1",
      path: "/v1/chat/completions",
      auth: "none",
    },
  ]);
});

it("a model called __proto__ is a name like any other", () => {
  const model = modelOf([targetAt("x/__proto__", host("x.example.com"))]);
  const names = JSON.stringify(filterConfig(model).names);
  expect(names).toBe('{"x/__proto__":0,"__proto__":0}');
});

it.each(Object.entries(GOLDEN_MODELS))("%s: every route has a cluster", (_, model) => {
  const clusters = new Set(upstreams(model).map(({ cluster }) => cluster));
  const policies = retryPolicies(model);
  for (const { cluster, retry } of filterConfig(model).routes) {
    const policy = cluster.replace(/@[0-9a-f]{8}$/, "");
    expect(retry === undefined ? clusters.has(cluster) : policies.has(policy)).toBe(true);
  }
});

it("a request's next attempt goes to a cluster of the configuration that it began with", () => {
  const targets = [targetAt("openai/gpt-4o", host("api.openai.com"))];
  const set = { name: "safe", targets: [0], retry: { ...RETRY, attempts: 2 } };
  const before = filterConfig({ ...modelOf(targets), targetSets: [set] });
  const after = filterConfig({ ...modelOf(targets), targetSets: [{ ...set, name: "safer" }] });
  const names = ({ routes, targets: [target] }: FilterConfig) => [
    routes.at(-1)?.cluster,
    target?.attempt_cluster,
  ];
  expect(new Set([...names(before), ...names(after)]).size).toBe(4);
  expect(names(filterConfig({ ...modelOf(targets), targetSets: [set] }))).toEqual(names(before));
});
