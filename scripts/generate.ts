// Writes the files that are made from the source: gateway.schema.json and docs/configuration.md from the configuration's
// schema, docs/providers.md from the tables of providers, docs/current-apis.md from test/fixtures/current-apis/, docs/dialects.md
// from the filter's table, docs/faults.md from docs/faults.yaml, why `gateway explain` reports a member as dropped, and the chart's
// copy of the alerts. `--check` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { editorJsonSchema } from "./docs/editor-schema.ts";
import { currentApisPage } from "./docs/current-apis-page.ts";
import { modelLimitsPage } from "./docs/model-limits-page.ts";
import { referencePage } from "./docs/reference-page.ts";
import { dialectsPage } from "./docs/dialects-page.ts";
import { droppedReasons } from "./docs/dropped-reasons.ts";
import { providersPage } from "./docs/providers-page.ts";
import { faultsPage } from "./docs/faults-page.ts";

export interface Generated {
  /** From the top of the repository. */
  file: string;
  text: string;
}

export async function generate(): Promise<Generated[]> {
  const schema = JSON.stringify(editorJsonSchema(), null, 2);
  return [
    await formatted("gateway.schema.json", schema),
    await formatted("docs/configuration.md", referencePage()),
    await formatted("docs/model-limits.md", modelLimitsPage()),
    await formatted("docs/current-apis.md", currentApisPage()),
    await formatted("docs/providers.md", providersPage()),
    await formatted("docs/dialects.md", dialectsPage()),
    await formatted("docs/faults.md", faultsPage()),
    await formatted("model/dropped-members.json", droppedReasons()),
    copied("deploy/helm/gateway/files/alerts.yaml", "deploy/prometheus/alerts.yaml"),
  ];
}

/** A chart reads no file outside of its directory. */
function copied(file: string, from: string): Generated {
  return { file, text: readFileSync(pathOf(from), "utf8") };
}

async function formatted(file: string, text: string): Promise<Generated> {
  const filepath = pathOf(file);
  const options = await resolveConfig(filepath);
  return { file, text: await format(text, { ...options, filepath }) };
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../${file}`, import.meta.url));
}

/** The generated files that are missing or differ from what the schema says today. */
export async function staleFiles(): Promise<Generated[]> {
  return (await generate()).filter(({ file, text }) => {
    try {
      return readFileSync(pathOf(file), "utf8") !== text;
    } catch {
      return true;
    }
  });
}

async function main(isCheck: boolean): Promise<number> {
  const stale = await staleFiles();
  for (const { file, text } of stale) {
    if (isCheck) console.error(`${file} is not current; run: node scripts/generate.ts`);
    else writeFileSync(pathOf(file), text);
  }
  return isCheck && stale.length > 0 ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.includes("--check"));
