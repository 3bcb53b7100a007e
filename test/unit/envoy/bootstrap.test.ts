// The rendered configuration: as its golden files, the same twice, and without a secret.
// `golden/templates` has each kind of part once and whole; `golden/<model>` has what differs from them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { renderBootstrap } from "../../../envoy/bootstrap.ts";
import type { GatewayModel } from "../../../model/model.ts";
import type { RuntimeEnvironment } from "../../../envoy/runtime-environment.ts";
import { toYaml } from "../../../envoy/yaml.ts";
import type { Value } from "../../../envoy/envoy-types.ts";
import { compactJson } from "../../golden/compact-json.ts";
import { GOLDEN_MODELS } from "../../envoy/models.ts";
import { FILTER_DOCUMENT, fileOf, partsOf, variants } from "./render/parts.ts";

const GOLDEN = join(import.meta.dirname, "../../envoy/golden");
const isUpdating = process.env["UPDATE_GOLDEN"] === "1";

const PLACE: RuntimeEnvironment = {
  filterPath: "/opt/gateway/filter.wasm",
  logDirectory: "/var/log/gateway",
  adminSocketPath: "/run/gateway/admin.sock",
  ownEgressSocketPath: "/run/gateway/egress.sock",
  budgetsSocketPath: "/run/gateway/budgets.sock",
  secretsDirectory: "/run/gateway/certificates",
  tokensDirectory: "/run/gateway/tokens",
  caFile: "/etc/ssl/certs/ca-certificates.crt",
  demonstrationSocketPath: "/run/gateway/demonstration.sock",
  modelServerSocketPath: "/run/gateway/model-server.sock",
};

/** Part that is written whole → the model that has it. Every other part is compared with one of them. */
const TEMPLATES = {
  bootstrap: "one-provider",
  "local replies": "one-provider",
  "listener ingress": "one-provider",
  "listener internal": "prompt-targets",
  "listener budgets": "budgets",
  "cluster api.openai.com:443/bearer": "one-provider",
  "cluster attempt/api.openai.com:443/bearer": "several-targets",
  "cluster model_server": "prompt-targets",
};

const templates = new Map(
  Object.entries(TEMPLATES).map(([name, model]) => [name, partOf(GOLDEN_MODELS[model], name)]),
);

function partOf(model: GatewayModel | undefined, name: string): Value {
  if (model === undefined) throw new Error("no such golden model");
  const part = partsOf(renderBootstrap(model, PLACE)).get(name);
  if (part === undefined) throw new Error(`no part ${name}`);
  return part;
}

/** Compares a text with its golden file; writes it first when goldens are updated. */
function expectGolden(folder: string, file: string, text: string): void {
  const path = join(GOLDEN, folder, file);
  if (isUpdating) {
    mkdirSync(join(GOLDEN, folder), { recursive: true });
    writeFileSync(path, text);
  }
  expect(text).toBe(readFileSync(path, "utf8"));
}

const yamlOf = (value: Value): string =>
  stringify(value, { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 });

beforeAll(() => {
  if (isUpdating) rmSync(GOLDEN, { recursive: true, force: true });
});

it.each([...templates])("the template '%s' is as its golden file", (name, part) => {
  expectGolden("templates", fileOf(name), yamlOf(part));
});

describe.each(Object.entries(GOLDEN_MODELS))("%s", (name, model) => {
  const yaml = toYaml(renderBootstrap(model, PLACE));

  it("the rendered configuration differs from the templates as its golden file lists", () => {
    expectGolden(
      name,
      "envoy.yaml",
      yamlOf(variants(partsOf(renderBootstrap(model, PLACE)), templates)),
    );
  });

  it("the rendered configuration has the filter document of its golden file", () => {
    expectGolden(name, "filter.json", `${compactJson(partOf(model, FILTER_DOCUMENT))}\n`);
  });

  it("the rendered configuration is the same twice, also from a copy of the model", () => {
    expect(toYaml(renderBootstrap(structuredClone(model), PLACE))).toBe(yaml);
  });

  it("the rendered configuration reads back from YAML 1.2 and 1.1 as the builders made it", () => {
    const bootstrap: unknown = JSON.parse(JSON.stringify(renderBootstrap(model, PLACE)));
    expect(parse(yaml)).toEqual(bootstrap);
    expect(parse(yaml, { version: "1.1" })).toEqual(bootstrap);
    expect(yaml).not.toMatch(/[&*]a\d/);
  });
});

it("timeouts that no event has to set again limit streams", () => {
  const { "prompt-targets": model } = GOLDEN_MODELS;
  if (model === undefined) throw new Error("no such golden model");
  const yaml = toYaml(renderBootstrap(model, PLACE));
  const values = (key: string) =>
    [...yaml.matchAll(new RegExp(`${key}: (\\S+)`, "g"))].map(([, value]) => value);
  // Ingress, egress, and egress for the model server.
  expect(values("stream_idle_timeout")).toEqual(["0s", "0s", "0s"]);
  expect(values("request_timeout")).toEqual(["120s", "120s", "120s"]);
  // Without it, Envoy would wait for ever for a client that does not read.
  expect(values("stream_flush_timeout")).toEqual(["60s", "60s", "60s"]);
});

it("the rendered file holds names of secrets and no value", () => {
  const [model] = Object.values(GOLDEN_MODELS).filter(
    ({ filterEnvironment }) => filterEnvironment.length > 1,
  );
  const nonce = "nonce-4711";
  for (const variable of model?.filterEnvironment ?? []) vi.stubEnv(variable, nonce);
  try {
    const yaml = model === undefined ? "" : toYaml(renderBootstrap(model, PLACE));
    expect(yaml).toContain("OPENAI_API_KEY");
    expect(yaml).not.toContain(nonce);
  } finally {
    vi.unstubAllEnvs();
  }
});

it("a golden file exists for no model that is gone", () => {
  const expected = [
    ...[...templates.keys()].map((name) => join("templates", fileOf(name))),
    ...Object.keys(GOLDEN_MODELS).flatMap((name) => [
      join(name, "envoy.yaml"),
      join(name, "filter.json"),
    ]),
  ];
  const files = readdirSync(GOLDEN, { recursive: true, encoding: "utf8" });
  expect(files.filter((file) => /\.(yaml|json)$/.test(file)).sort()).toEqual(expected.sort());
});

it("idle client connections are kept for client_idle_timeout, 15 minutes by default", () => {
  const { "prompt-targets": model } = GOLDEN_MODELS;
  if (model === undefined) throw new Error("no such golden model");
  const idle = (settings: Partial<GatewayModel>) => {
    const yaml = toYaml(renderBootstrap({ ...model, ...settings }, PLACE));
    return [...yaml.matchAll(/ idle_timeout: (\S+)/g)].map(([, value]) => value);
  };
  expect(idle({})).toContain("900s");
  expect(idle({ clientIdleTimeoutMs: 1_200_000 })).toContain("1200s");
});
