// Compiles the control plane to JavaScript, with the filter and the data files beside it: build/compiled is what the npm
// package and the image contain. Needs the compiled filter (scripts/run.sh).
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Enums } from "@cyclonedx/cyclonedx-library";
import { VERSION } from "../control-plane/supervisor/package-version.ts";
import { contentsOfPackage } from "./release/contents.ts";
import { billOfMaterials } from "./release/sbom.ts";

const ROOT = join(import.meta.dirname, "..");
const COMPILED = join(ROOT, "build/compiled");
/** Files that the compiler does not copy. */
const DATA = [
  "build/filter.wasm",
  "control-plane/observability/page/assets",
  "control-plane/model-server/extractor/extractor.onnx",
  "model/facts/catalogue.json",
  "package.json",
  "LICENSE",
  "NOTICE",
];

function compile(): void {
  const examples = join(ROOT, "build/examples");
  for (const directory of [COMPILED, examples]) rmSync(directory, { recursive: true, force: true });
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const words = [compiler, "-p", join(ROOT, "tsconfig.build.json")];
  const { status } = spawnSync(process.execPath, words, { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("the control plane does not compile");
  // The API of the prompt-target example, which only the image has.
  renameSync(join(COMPILED, "examples"), examples);
  for (const file of DATA) {
    mkdirSync(join(COMPILED, file, ".."), { recursive: true });
    cpSync(join(ROOT, file), join(COMPILED, file), { recursive: true });
  }
  const bill = billOfMaterials(VERSION, contentsOfPackage(ROOT), Enums.ComponentType.Application);
  writeFileSync(join(COMPILED, "sbom.cdx.json"), bill);
  chmodSync(join(COMPILED, "control-plane/cli.js"), 0o755);
}

compile();
