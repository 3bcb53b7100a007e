// The filter's lab: all parts of the filter that tests call one by one, compiled once with the options of asconfig.json and
// kept until a source changes. A part is a file `<part>.entry.ts`; its exports are named `<part>_<export>` in the module.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../../..");
const PARTS = globSync("test/unit/filter/*.entry.ts", { cwd: ROOT }).sort();
/** Without it a text in the code is a new object each time. */
const TRANSFORM = "scripts/constant-bytes.ts";
const COMPILER = join(ROOT, "node_modules/assemblyscript/bin/asc.js");

let lab: Promise<WebAssembly.Module> | undefined;

/** Returns the exports of a part, in memory that no other caller has. An abort in it is an error of the test. */
export async function startPart<Exports>(part: string): Promise<Exports> {
  lab ??= compileLab();
  const abort = (): never => {
    throw new Error("the filter's code aborted");
  };
  const { exports } = await WebAssembly.instantiate(await lab, { env: { abort } });
  const prefix = `${part}_`;
  const own = Object.entries(exports)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value]);
  return { memory: exports["memory"], ...Object.fromEntries(own) } as Exports;
}

/** Rejects with the compiler's messages when a part does not compile. */
async function compileLab(): Promise<WebAssembly.Module> {
  const directory = join(ROOT, "build/test");
  const hash = sourcesHash();
  const file = join(directory, `lab-${hash}.wasm`);
  mkdirSync(directory, { recursive: true });
  // Test files run side by side: one of them compiles, which takes seconds of a whole core, the others wait.
  while (!existsSync(file)) {
    if (takeLock(`${file}.lock`)) await compile(file);
    else await wait(50);
  }
  return WebAssembly.compile(readFileSync(file));
}

async function compile(file: string): Promise<void> {
  const own = `${file}.${String(process.pid)}`;
  const configFile = `${own}.json`;
  try {
    writeFileSync(configFile, JSON.stringify({ options: compilerOptions() }));
    const entry = `${own}.ts`;
    writeFileSync(entry, entrySource());
    const args = [
      ...[COMPILER, relative(ROOT, entry), "--config", configFile, "--outFile", own],
      ...["--transform", `./${TRANSFORM}`],
    ];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    // Written beside and renamed: nobody sees half a file.
    renameSync(own, file);
  } finally {
    rmSync(configFile, { force: true });
    rmSync(`${own}.ts`, { force: true });
    rmSync(`${file}.lock`, { force: true });
  }
}

/** False while another process that still runs has it. */
function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isHeld(lock: string): boolean {
  try {
    const holder = readFileSync(lock, "utf8");
    // An empty file is one that is being written.
    if (holder !== "") process.kill(Number(holder), 0);
    return true;
  } catch {
    return false;
  }
}

/** Those of the filter, but an abort reaches the test, where it is an error. */
function compilerOptions(): Record<string, unknown> {
  const { options } = JSON.parse(readFileSync(join(ROOT, "asconfig.json"), "utf8")) as {
    options: { use: string[] };
  };
  return { ...options, use: options.use.filter((alias) => !alias.startsWith("abort=")) };
}

/** Re-exports what every part exports, by names that cannot collide. */
function entrySource(): string {
  const lines = PARTS.map((file) => {
    const part = basename(file, ".entry.ts");
    const text = readFileSync(join(ROOT, file), "utf8");
    const names = [...text.matchAll(/^export (?:function|const) (\w+)/gm)].map(([, name]) => name);
    const members = names.map((name) => `${String(name)} as ${part}_${String(name)}`);
    return `export { ${members.join(", ")} } from "../../${file.replace(/\.ts$/, "")}";\n`;
  });
  return lines.join("");
}

function sourcesHash(): string {
  const files = globSync(["filter/**/*.ts", "contract/*.ts"], { cwd: ROOT }).sort();
  const hash = createHash("sha256");
  for (const file of [...files, ...PARTS, "asconfig.json", TRANSFORM]) {
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
