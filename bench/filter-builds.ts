// Two builds of the filter that only a count needs: one with the names of its functions, and one that does nothing.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import binaryen from "assemblyscript/binaryen";
import { compileFilter } from "../scripts/build-filter.ts";

/** Callbacks that answer 1 for "all is well"; every other one answers 0, which is "continue". */
const APPROVING = new Set(["proxy_on_vm_start", "proxy_on_configure", "proxy_on_done"]);

const MEMORY = "memory";

/** Compiles the filter of the checkout with a name section, which changes no instruction of it. */
export function buildNamedFilter(root: string, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  compileFilter(root, file, ["--debug"]);
}

/** Writes a filter with the same exports that does nothing: Envoy calls it as often as the real one. */
export function writeEmptyFilter(filter: string, file: string): void {
  const real = binaryen.readBinary(readFileSync(filter));
  const empty = new binaryen.Module();
  empty.setMemory(1, -1, MEMORY);
  for (let at = 0; at < real.getNumExports(); at++) {
    const { name, value } = binaryen.getExportInfo(real.getExportByIndex(at));
    if (name === MEMORY) continue;
    const { params, results } = binaryen.getFunctionInfo(real.getFunction(value));
    const answer = empty.i32.const(APPROVING.has(name) ? 1 : 0);
    empty.addFunction(name, params, results, [], results === binaryen.none ? empty.nop() : answer);
    empty.addFunctionExport(name, name);
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, empty.emitBinary());
  real.dispose();
  empty.dispose();
}

/** Names of a filter's functions in the order of its code, which is V8's. Without a name section: their numbers. */
export function functionNames(filter: string): string[] {
  const module = binaryen.readBinary(readFileSync(filter));
  const names: string[] = [];
  for (let at = 0; at < module.getNumFunctions(); at++) {
    const { name, base } = binaryen.getFunctionInfo(module.getFunctionByIndex(at));
    // An import has the name of what is imported.
    if (base === "") names.push(name);
  }
  module.dispose();
  return names;
}
