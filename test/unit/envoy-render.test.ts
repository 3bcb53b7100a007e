// The rendered configuration: byte for byte as its golden file, the same twice, and without a secret.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderBootstrap } from "../../envoy/bootstrap.ts";
import type { Place } from "../../envoy/place.ts";
import { toYaml } from "../../envoy/yaml.ts";
import { GOLDEN_MODELS } from "../envoy/models.ts";

const GOLDEN = join(import.meta.dirname, "../envoy/golden");
const isUpdating = process.env["UPDATE_GOLDEN"] === "1";

const PLACE: Place = {
  filterPath: "/opt/gateway/filter.wasm",
  logDirectory: "/var/log/gateway",
  adminSocketPath: "/run/gateway/admin.sock",
  ownEgressSocketPath: "/run/gateway/egress.sock",
  secretsDirectory: "/run/gateway/certificates",
  caFile: "/etc/ssl/certs/ca-certificates.crt",
  demonstrationSocketPath: "/run/gateway/demonstration.sock",
  modelServerSocketPath: "/run/gateway/model-server.sock",
};

describe.each(Object.entries(GOLDEN_MODELS))("%s", (name, model) => {
  const yaml = toYaml(renderBootstrap(model, PLACE));

  it("is as its golden file", () => {
    const file = join(GOLDEN, `${name}.yaml`);
    if (isUpdating) {
      mkdirSync(GOLDEN, { recursive: true });
      writeFileSync(file, yaml);
    }
    expect(yaml).toBe(readFileSync(file, "utf8"));
  });

  it("is the same twice, also from a copy of the model", () => {
    expect(toYaml(renderBootstrap(structuredClone(model), PLACE))).toBe(yaml);
  });

  it("says in YAML what the builders made, in the words of YAML 1.1 too", () => {
    const bootstrap: unknown = JSON.parse(JSON.stringify(renderBootstrap(model, PLACE)));
    expect(parse(yaml)).toEqual(bootstrap);
    expect(parse(yaml, { version: "1.1" })).toEqual(bootstrap);
    expect(yaml).not.toMatch(/[&*]a\d/);
  });
});

it("on ingress the steps of a prompt may be silent as long as the listener's timeout is", () => {
  const { "prompt-targets": model } = GOLDEN_MODELS;
  if (model === undefined) throw new Error("no such golden model");
  const idle = (timeoutMs: number) => {
    const patient = { ...model, ingress: { ...model.ingress, timeoutMs } };
    const yaml = toYaml(renderBootstrap(patient, PLACE));
    return [...yaml.matchAll(/stream_idle_timeout: (\S+)/g)].map(([, value]) => value);
  };
  // Ingress, egress, and egress for the model server.
  expect(idle(30_000)).toEqual(["60s", "60s", "60s"]);
  expect(idle(90_000)).toEqual(["91s", "60s", "60s"]);
});

it("holds names of secrets only, whatever the environment holds", () => {
  const [model] = Object.values(GOLDEN_MODELS).filter(
    ({ filterEnvironment }) => filterEnvironment.length > 1,
  );
  const nonce = "nonce-4711";
  const before = { ...process.env };
  for (const variable of model?.filterEnvironment ?? []) process.env[variable] = nonce;
  try {
    const yaml = model === undefined ? "" : toYaml(renderBootstrap(model, PLACE));
    expect(yaml).toContain("OPENAI_API_KEY");
    expect(yaml).not.toContain(nonce);
  } finally {
    process.env = before;
  }
});
