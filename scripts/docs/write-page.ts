// Writes a page of docs/ that is made of results, in the repository's format.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";

const ROOT = join(import.meta.dirname, "../..");

/** @param file from the top of the repository */
export async function writePage(file: string, text: string): Promise<void> {
  const path = join(ROOT, file);
  const options = await resolveConfig(path);
  writeFileSync(path, await format(text, { ...options, filepath: path }));
}
