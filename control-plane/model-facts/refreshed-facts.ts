// The catalogue that `gateway models --refresh` has fetched, in the state directory of a configuration.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface RefreshedFacts {
  text: string;
  /** URL of `model_facts`; empty for the public catalogues. */
  from: string;
}

export function refreshedFile(stateDirectory: string): string {
  return join(stateDirectory, "model-facts.json");
}

const HEAD = '{"version":1,\n';
const END = "\n}}\n";

/** Returns undefined if there is none, or one that is not whole. */
export function readRefreshed(file: string): RefreshedFacts | undefined {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  const at = content.indexOf("\n");
  const text = content.slice(at + 1);
  if (!text.startsWith(HEAD) || !text.endsWith(END)) return undefined;
  return { from: content.slice(0, at), text };
}

/** Replaces the file at once: whoever reads it gets the old content or the new one. */
export function writeRefreshed(file: string, { text, from }: RefreshedFacts): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.new`;
  writeFileSync(draft, `${from}\n${text}`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
