// What a configuration takes of the filter's memory, which exists once for each worker and never shrinks.
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const KEYS = { KEY: "key-of-the-provider" };
const MIB = 1024 ** 2;

async function startWith(models: number, onCall?: (name: string) => void): Promise<FilterHost> {
  const entries = Array.from(
    { length: models },
    (_, at) => `  - {model: openai/model-${String(at)}, access_key: $KEY}`,
  );
  const text = ["version: v0.1.0", "llm_providers:", ...entries].join("\n");
  const loaded = loadConfiguration({ file: "gateway.yaml", text }, KEYS);
  if (!loaded.ok) throw new Error("the configuration is not valid");
  return FilterHost.load(await compileFilter(FILTER), {
    filterConfig: filterConfig(loaded.model),
    environment: KEYS,
    ...(onCall === undefined ? {} : { onCall }),
  });
}

// The memory doubles when it grows.
it.each([
  [1, 1],
  [500, 8],
])("a configuration with %i models has at most %i MiB", async (models, limit) => {
  expect((await startWith(models)).memorySize).toBeLessThanOrEqual(limit * MIB);
});

it("the configuration is read once, although Envoy starts the machine for each of its plugins", async () => {
  const names: string[] = [];
  await startWith(1, (name) => names.push(name));
  expect(names.filter((name) => name === "proxy_on_vm_start").length).toBeGreaterThan(1);
  expect(names.filter((name) => name === "environ_get")).toHaveLength(1);
});
