// The Grafana dashboard: its expressions, as Grafana sends them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}

export interface Expression {
  title: string;
  expr: string;
}

/** The expressions of all panels, with the dashboard's variables. */
export function dashboardExpressions(): Expression[] {
  const file = join(import.meta.dirname, "../../deploy/grafana/gateway.json");
  const { panels } = JSON.parse(readFileSync(file, "utf8")) as Dashboard;
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
}

/** Fills the dashboard's variables in: all providers and all models. */
export function filled(expr: string, interval: string): string {
  return expr.replaceAll("$__rate_interval", interval).replaceAll(/\$\w+/g, ".*");
}
