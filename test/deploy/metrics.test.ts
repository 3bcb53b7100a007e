// The alert rules and the dashboard, by the real promtool: they are valid, fire when they should, and name metrics that exist.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { stateGauges } from "../../control-plane/observability/envoy-stats.ts";
import { RequestMetrics } from "../../control-plane/observability/request-metrics.ts";
import { readUsageLine } from "../../control-plane/usage/usage-line.ts";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { dashboardExpressions, filled } from "./dashboard.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const ALERTS = join(DEPLOY, "prometheus/alerts.yaml");

const rules = parse(readFileSync(ALERTS, "utf8")) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};

const expressions = [
  ...dashboardExpressions().map(({ title, expr }) => ({ name: `panel ${title}`, expr })),
  ...rules.groups.flatMap((group) =>
    group.rules.map(({ alert, expr }) => ({ name: `alert ${alert}`, expr })),
  ),
];

/** The page after one request that fills every family. */
function page(): string {
  const text = "llm_providers: [{model: openai/gpt-4o, access_key: $KEY}]\nobservability: {}\n";
  const loaded = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k".repeat(30) });
  if (!loaded.ok) throw new Error("the configuration is invalid");
  const metrics = new RequestMetrics(() => loaded.model);
  const gauges = stateGauges(metrics.families);
  gauges.up.set([], 1);
  gauges.build.set(["1", "2"], 1);
  gauges.ejected.set(["openai"], 0);
  const record = {
    ...{ id: "i", listener: "egress", endpoint: "/v1/chat/completions", key: "TEAM" },
    ...{ requested: "gpt-4o", target: "openai/gpt-4o", first_target: "a/b", fallbacks: 1 },
    ...{ stream: 1, input: 10, cache_read: 2, cache_write: 1, output: 5, reasoning: 1 },
    ...{ dropped: "seed", prompt_target: "weather", guard: "passed" },
  };
  for (const more of [{}, { target: "x/y" }, { error: "rate_limit_exceeded", owner: "gateway" }]) {
    const status = "error" in more ? 429 : 200;
    const { prompt_target: _, ...plain } = { ...record, ...more };
    for (const one of [{ ...record, ...more }, plain]) {
      const line = `1763800000.123 ${String(status)} - 12 1 900 100 50 10 20 ${JSON.stringify(one)}`;
      const read = readUsageLine(line);
      if (read !== undefined) metrics.observe(read);
    }
  }
  return metrics.families.render();
}

it.each(expressions)("$name names metrics and labels that exist", ({ expr }) => {
  const text = page();
  for (const [, name = "", selector = ""] of expr.matchAll(
    /\b((?:gateway|gen_ai)_\w+)(?:\{([^}]*)\})?/g,
  )) {
    // Labels of `by` and templates look like names of metrics; a metric is followed by a selector or a range.
    const isMetric = new RegExp(`${name}(?:\\{|\\[| [><=])`).test(expr) || expr === `sum(${name})`;
    if (!isMetric) continue;
    expect(text, name).toMatch(new RegExp(`^${name}(?:\\{| )`, "m"));
    for (const [, label = ""] of selector.matchAll(/(\w+)\s*(?:=|!)/g))
      expect(text, `${name}{${label}}`).toMatch(new RegExp(`^${name}\\{[^}]*${label}="`, "m"));
  }
});

describe.skipIf(!inject("canTestMetrics"))("promtool", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "gateway-rules-"));
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  function promtool(words: string[], input?: string): string {
    const found = inject("prometheus");
    if ("missing" in found) throw new Error(found.missing);
    const { status, stdout, stderr } = spawnSync(found.promtool, words, {
      encoding: "utf8",
      input,
    });
    expect(status, stdout + stderr).toBe(0);
    return stdout + stderr;
  }

  it("promtool accepts the alert rules", () => {
    promtool(["check", "rules", "--lint-fatal", ALERTS]);
  });

  it("the alerts fire when they should, as promtool sees them", () => {
    promtool(["test", "rules", join(DEPLOY, "prometheus/alerts.test.yaml")]);
  });

  it("promtool accepts every expression of the dashboard", () => {
    const file = join(directory, "dashboard.json");
    const recorded = expressions.map(({ expr }, at) => ({
      record: `gateway:panel_${String(at)}`,
      expr: filled(expr, "5m"),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules: recorded }] }));
    promtool(["check", "rules", file]);
  });

  it("promtool accepts the configurations of Prometheus in the documentation", () => {
    const printed = ["observability", "kubernetes"].flatMap((name) => {
      const text = readFileSync(join(DEPLOY, `../docs/${name}.md`), "utf8");
      return [...text.matchAll(/^```yaml\n(# prometheus\.yml\n[^]*?)^```/gm)];
    });
    expect(printed).toHaveLength(2);
    for (const [, text = ""] of printed) {
      const file = join(directory, "prometheus.yml");
      // Debian's Prometheus is built without the discovery of Kubernetes.
      writeFileSync(file, text.replace(/kubernetes_sd_configs: .*/, "static_configs: []"));
      promtool(["check", "config", "--syntax-only", file]);
    }
  });

  it("promtool accepts the page of the metrics", () => {
    promtool(["check", "metrics"], page());
  });
});
