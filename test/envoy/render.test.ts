// `envoy --mode validate` accepts what is rendered, for every golden model, without a warning.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { requireEnvoy } from "../../control-plane/supervisor/envoy-binary.ts";
import { renderBootstrap } from "../../envoy/bootstrap.ts";
import { emptySecrets } from "../../envoy/credential-filters.ts";
import { listenerSecrets } from "../../envoy/listener-tls.ts";
import { toYaml } from "../../envoy/yaml.ts";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { ENVIRONMENT, EVERY_ROW } from "../config/every-row.ts";
import { GOLDEN_MODELS } from "./models.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-render-"));
  mkdirSync(join(directory, "logs"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const loaded = loadConfiguration({ file: "gateway.yaml", text: EVERY_ROW }, ENVIRONMENT);
const MODELS = {
  ...GOLDEN_MODELS,
  ...(loaded.ok ? { "every built-in provider": loaded.model } : {}),
};

it("every built-in provider is a valid configuration", () => {
  expect(loaded.ok).toBe(true);
});

it.each(Object.entries(MODELS))("Envoy accepts %s", (name, model) => {
  const file = join(directory, `${name.replaceAll(" ", "-")}.yaml`);
  for (const { file: secret, text } of listenerSecrets(model, directory))
    writeFileSync(secret, text);
  for (const { file: secret, text } of emptySecrets(model, directory)) writeFileSync(secret, text);
  const bootstrap = renderBootstrap(model, {
    filterPath: FILTER,
    logDirectory: join(directory, "logs"),
    adminSocketPath: join(directory, "admin.sock"),
    ownEgressSocketPath: join(directory, "model.sock"),
    budgetsSocketPath: join(directory, "budgets.sock"),
    secretsDirectory: directory,
    tokensDirectory: directory,
    caFile: "/etc/ssl/certs/ca-certificates.crt",
    demonstrationSocketPath: join(directory, "demonstration.sock"),
    modelServerSocketPath: join(directory, "model-server.sock"),
  });
  writeFileSync(file, toYaml(bootstrap));
  const keys = model.filterEnvironment.map((variable) => [variable, "a-key"]);
  const { status, stdout, stderr } = spawnSync(
    requireEnvoy(process.env).file,
    ["--mode", "validate", "-c", file, "--use-dynamic-base-id", "--log-level", "warning"],
    { encoding: "utf8", env: Object.fromEntries(keys) as NodeJS.ProcessEnv },
  );
  expect(stderr).toBe("");
  expect(stdout).toContain("OK");
  expect(status).toBe(0);
});
