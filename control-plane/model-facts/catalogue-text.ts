// Writes a catalogue as JSON with a line for each model: differences between two versions can be read.
import type { Catalogue } from "../../model/facts/catalogue.ts";

export function catalogueText({ version, sources, models }: Catalogue): string {
  const providers = Object.entries(models).map(([provider, rows]) => {
    const lines = Object.entries(rows).map(
      ([model, row]) => `${JSON.stringify(model)}:${JSON.stringify(row)}`,
    );
    return `${JSON.stringify(provider)}:{\n${lines.join(",\n")}\n}`;
  });
  const head = `"version":${String(version)},\n"sources":${JSON.stringify(sources)}`;
  return `{${head},\n"models":{\n${providers.join(",\n")}\n}}\n`;
}
