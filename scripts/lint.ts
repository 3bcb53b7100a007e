// Checks the types of all files, and lints with the same program what may have changed since the last run: a file whose text
// is another, or that of a file which it imports, directly or not, because many rules read types. `npm run types` and
// `npm run lint` do each alone and in full, which takes a third more together.
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

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

/** The compiler's program, with the results of the last run for files that have not changed. */
function buildProgram(): ts.EmitAndSemanticDiagnosticsBuilderProgram {
  const read = ts.readConfigFile(join(ROOT, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const parsed = ts.parseJsonConfigFileContent(read.config, ts.sys, ROOT);
  return ts.createIncrementalProgram({
    rootNames: parsed.fileNames,
    options: {
      ...parsed.options,
      incremental: true,
      tsBuildInfoFile: join(ROOT, "build/types.json"),
    },
    configFileParsingDiagnostics: parsed.errors,
  });
}

/** Prints what the compiler reports, and returns whether it is nothing. */
function hasNoTypeErrors(builder: ts.EmitAndSemanticDiagnosticsBuilderProgram): boolean {
  const found = [
    ...builder.getConfigFileParsingDiagnostics(),
    ...builder.getOptionsDiagnostics(),
    ...builder.getGlobalDiagnostics(),
    ...builder.getSyntacticDiagnostics(),
    ...builder.getSemanticDiagnostics(),
  ];
  builder.emit(); // writes tsBuildInfoFile alone
  if (found.length === 0) return true;
  const host: ts.FormatDiagnosticsHost = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => ROOT,
    getNewLine: () => "\n",
  };
  process.stdout.write(ts.formatDiagnostics(found, host));
  return false;
}

/** Prints what the rules report of these files, and returns whether it is nothing. */
async function hasNoLintErrors(files: string[], program: ts.Program): Promise<boolean> {
  if (files.length === 0) return true;
  const { ESLint } = await import("eslint");
  const eslint = new ESLint({
    cwd: ROOT,
    warnIgnored: false,
    overrideConfig: {
      files: ["**/*.ts", "**/*.mjs"],
      ignores: [
        "filter/**",
        "**/*.entry.ts",
        "scripts/constant-bytes.ts",
        "scripts/visit-globals.ts",
      ],
      languageOptions: { parserOptions: { programs: [program] } },
    },
  });
  const results = await eslint.lintFiles(files);
  const formatter = await eslint.loadFormatter("stylish");
  process.stdout.write(await formatter.format(results));
  return results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
}

const files = globSync(["**/*.ts", "**/*.mjs"], { cwd: ROOT, exclude: IGNORED });
const keys = Object.fromEntries(files.map((file) => [file, keyOf(file)]));
const previous = previousKeys();
const changed = files.filter((file) => previous[file] !== keys[file]);
mkdirSync(dirname(STATE), { recursive: true });
const builder = buildProgram();
if (!hasNoTypeErrors(builder) || !(await hasNoLintErrors(changed, builder.getProgram()))) {
  process.exitCode = 1;
} else writeFileSync(STATE, JSON.stringify(keys));
