// Lints what may have changed since the last run: a file whose text is another, or that of a file which it imports, directly
// or not, because many rules read types. `npm run lint` lints everything.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const STATE = join(ROOT, "build/lint.json");
/** Dependencies have types too; Node and the rules are among them. */
const FOR_ALL = ["package-lock.json", "eslint.config.mjs", "tsconfig.json"];
const IGNORED = ["**/node_modules", "build", "coverage"];
const IMPORT = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

const texts = new Map<string, string>();

/** Returns the text of a file of the checkout; empty if there is none. */
function textOf(file: string): string {
  let text = texts.get(file);
  if (text === undefined) {
    const path = join(ROOT, file);
    text = existsSync(path) ? readFileSync(path, "utf8") : "";
    texts.set(file, text);
  }
  return text;
}

/** Returns the file and all files that it imports. */
function closureOf(file: string): string[] {
  const found = new Set([file]);
  for (const one of found) {
    for (const [, path = ""] of textOf(one).matchAll(IMPORT)) found.add(join(dirname(one), path));
  }
  return [...found].sort();
}

function keyOf(file: string): string {
  const hash = createHash("sha256");
  for (const one of [...FOR_ALL, ...closureOf(file)]) hash.update(`${one}\0${textOf(one)}\0`);
  return hash.digest("hex");
}

function previousKeys(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(STATE, "utf8")) as Record<string, string>;
  } catch {
    return {};
  }
}

const files = globSync(["**/*.ts", "**/*.mjs"], { cwd: ROOT, exclude: IGNORED });
const keys = Object.fromEntries(files.map((file) => [file, keyOf(file)]));
const previous = previousKeys();
const changed = files.filter((file) => previous[file] !== keys[file]);
if (changed.length > 0) {
  const options = ["--max-warnings", "0", "--no-warn-ignored"];
  const { status } = spawnSync("eslint", [...options, ...changed], { cwd: ROOT, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
if (process.exitCode === undefined || process.exitCode === 0) {
  mkdirSync(dirname(STATE), { recursive: true });
  writeFileSync(STATE, JSON.stringify(keys));
}
