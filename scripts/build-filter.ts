// Compiles filter/index.ts to build/filter.wasm, only when a source, the compiler or its options have changed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { packData } from "./pack-data.ts";
import { GatewayError } from "../control-plane/report/gateway-error.ts";

/** The project promises a filter of 400 KB at most. Bytes. */
const MAX_FILTER = 400_000;
const COMPILER = "node_modules/assemblyscript";
const OPTIMIZER = "node_modules/binaryen";
/** Without them the filter is the same, and larger. */
export const TRANSFORMS = ["scripts/constant-bytes.ts", "scripts/visit-globals.ts"];
/** What else makes the bytes of the filter: the options here, and the packing of its data. */
const BUILDERS = ["build-filter", "pack-bytes", "pack-data"].map((name) => `scripts/${name}.ts`);

/** What asc uses by default, and SIMD (asconfig.json): the optimizer does not read it from the file. */
const FEATURES = [
  "bulk-memory",
  "mutable-globals",
  "nontrapping-float-to-int",
  "sign-ext",
  "simd",
].map((name) => `--enable-${name}`);

export interface FilterBuild {
  file: string;
  bytes: number;
  /** False when build/filter.wasm was current already. */
  compiled: boolean;
}

/** Compiles the filter of the checkout at `root` if needed. Throws a GatewayError with the compiler's words. */
export function buildFilter(root: string): FilterBuild {
  writeFilterVersion(root);
  const file = join(root, "build/filter.wasm");
  const keyFile = `${file}.key`;
  const key = sourcesKey(root);
  if (readIfThere(keyFile) === key && statSync(file, { throwIfNoEntry: false }) !== undefined) {
    return { file, bytes: statSync(file).size, compiled: false };
  }
  // Into a directory of this process and then renamed: two builds at once never see half a file.
  const work = join(root, `build/filter-${String(process.pid)}`);
  mkdirSync(work, { recursive: true });
  try {
    compileFilter(root, join(work, "filter.wasm"));
    const bytes = statSync(join(work, "filter.wasm")).size;
    if (bytes >= MAX_FILTER) {
      throw new GatewayError(
        `The compiled filter has ${String(bytes)} bytes, the limit is ${String(MAX_FILTER)}.`,
        { hint: "Find what made it grow: look at the last commits in filter/." },
      );
    }
    writeFileSync(join(work, "key"), key);
    renameSync(join(work, "filter.wasm"), file);
    renameSync(join(work, "key"), keyFile);
    return { file, bytes, compiled: true };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** `filter/config/version.ts` for a version of the package: the filter cannot read package.json. */
export function filterVersionSource(version: string): string {
  return [
    "// The version in package.json, written here by scripts/build-filter.ts. Do not edit.",
    `export const VERSION = "${version}";`,
    "",
  ].join("\n");
}

function writeFilterVersion(root: string): void {
  const file = join(root, "filter/config/version.ts");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
  };
  const source = filterVersionSource(version);
  if (readIfThere(file) === source) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, source);
}

/** Compiles the filter of the checkout at `root`. Throws a GatewayError with the compiler's words. */
export function compileFilter(root: string, outFile: string, more: string[] = []): void {
  const transforms = TRANSFORMS.flatMap((file) => ["--transform", `./${file}`]);
  const release = ["--target", "release", ...transforms];
  runCompiler(root, join(COMPILER, "bin/asc.js"), [...release, "--outFile", outFile, ...more]);
  // Once more by the compiler's own optimizer, over the whole that it has made: 4 KB less, and up to 0.7 % fewer instructions.
  const names = more.includes("--debug") ? ["-g"] : [];
  runCompiler(root, join(OPTIMIZER, "bin/wasm-opt"), [
    ...FEATURES,
    "-Os",
    ...names,
    outFile,
    "-o",
    outFile,
  ]);
  writeFileSync(outFile, packData(readFileSync(outFile)));
}

function runCompiler(root: string, program: string, options: string[]): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, program), ...options],
    { cwd: root, encoding: "utf8" },
  );
  if (status === 0) return;
  throw new GatewayError(`The filter did not compile:\n${stdout}${stderr}`, {
    hint: "Mend what the compiler names in filter/ (a fresh checkout always compiles).",
  });
}

/** A hash of all that the compiled filter depends on. */
export function sourcesKey(root: string): string {
  const files = globSync(["filter/**/*.ts", "contract/*.ts"], { cwd: root }).sort();
  const hash = createHash("sha256");
  for (const file of [
    ...files,
    "asconfig.json",
    ...TRANSFORMS,
    ...BUILDERS,
    ...[COMPILER, OPTIMIZER].map((tool) => join(tool, "package.json")),
  ]) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${String(bytes.length)}\0`).update(bytes);
  }
  return hash.digest("hex");
}

function readIfThere(file: string): string | undefined {
  return statSync(file, { throwIfNoEntry: false }) && readFileSync(file, "utf8");
}

if (import.meta.main) {
  try {
    const { bytes, compiled } = buildFilter(join(import.meta.dirname, ".."));
    console.log(`filter.wasm: ${String(bytes)} bytes${compiled ? "" : ", unchanged"}`);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    console.error(`${error.message}\n${error.hint ?? ""}`);
    process.exitCode = 1;
  }
}
