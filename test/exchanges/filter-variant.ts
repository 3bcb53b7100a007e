// Builds of the filter for tests: what a test needs is added to a copy of the sources, so that the filter itself has none of it.
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { compileFilter, sourcesKey, TRANSFORMS } from "../../scripts/build-filter.ts";

const ROOT = join(import.meta.dirname, "../..");

/** What comes after a line of a file, and the import or variable at the file's top that it needs. */
export type Addition = readonly [file: string, line: string, added: string, needs: string];

/** Compiles a build unless it is there. Returns its file. @param files the texts of new files */
export function compileVariant(
  name: string,
  files: Readonly<Record<string, string>>,
  added: readonly Addition[],
): string {
  const hash = createHash("sha256").update(JSON.stringify([files, added, sourcesKey(ROOT)]));
  const built = join(ROOT, `build/test/${name}-${hash.digest("hex").slice(0, 16)}.wasm`);
  if (existsSync(built)) return built;
  const copy = `${built}.${String(process.pid)}`;
  mkdirSync(copy, { recursive: true });
  try {
    for (const part of ["filter", "contract", "asconfig.json", ...TRANSFORMS])
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(copy, file), text);
    for (const one of added) add(copy, one);
    compileFilter(copy, join(copy, "filter.wasm"));
    renameSync(join(copy, "filter.wasm"), built);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return built;
}

function add(root: string, [file, line, added, needs]: Addition): void {
  const path = join(root, file);
  const source = readFileSync(path, "utf8");
  if (!source.includes(`${line}\n`)) throw new Error(`${file} has no line "${line}"`);
  writeFileSync(path, `${needs}\n` + source.replace(`${line}\n`, `${line}\n${added}\n`));
}
