// `npm run release:sign -- --key FILE [--image ARCHIVE] [--folder DIRECTORY]`: puts the files of a release into a folder (the
// filter, the npm package, the bill of materials, and the archive that `docker save` wrote) and signs them.
// `npm run release:sign -- --verify --key FILE [--folder DIRECTORY]` verifies such a folder; the key may be the public one.
// docs/releases.md has more.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import { readKey, signatureProblems, signFolder, SUMS } from "./release/signatures.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "build/release");
const USAGE =
  "npm run release:sign -- [--verify] --key FILE [--image ARCHIVE] [--folder DIRECTORY]";

/** Of a compiled checkout: `npm pack` compiles it. */
const BUILT = ["build/filter.wasm", "build/compiled/sbom.cdx.json"];

/** Throws if the folder holds anything but an earlier release, or the image that is to be copied into it. */
function checkFolder(folder: string, image: string | undefined): void {
  const isEmpty = !existsSync(folder) || readdirSync(folder).length === 0;
  if (!isEmpty && !existsSync(join(folder, SUMS)))
    throw new GatewayError(`${folder} holds other files, and would be emptied.`, {
      hint: "Name an empty folder, or one of an earlier release, with --folder.",
    });
  if (image !== undefined && !relative(folder, image).startsWith(".."))
    throw new GatewayError(`${image} is in ${folder}, which is emptied first.`);
}

function collect(folder: string, image: string | undefined): void {
  checkFolder(folder, image);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pack = spawnSync("npm", ["pack", "--pack-destination", folder], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (pack.status !== 0) throw new GatewayError(`npm pack failed: ${pack.stderr}`);
  const others = BUILT.map((file) => join(ROOT, file));
  for (const file of image === undefined ? others : [...others, image])
    copyFileSync(file, join(folder, basename(file)));
}

function main(): void {
  const { values } = parseArgs({
    options: {
      verify: { type: "boolean", default: false },
      key: { type: "string" },
      image: { type: "string" },
      folder: { type: "string", default: FOLDER },
    },
  });
  const { verify, key: file, image, folder } = values;
  if (file === undefined) throw new GatewayError(`Which key? ${USAGE}`);
  const pem = readFileSync(file, "utf8");
  if (!verify) {
    const key = readKey(pem, "private");
    collect(folder, image);
    console.log(`Signed in ${folder}: ${signFolder(folder, key).join(", ")}.`);
  }
  const problems = signatureProblems(folder, readKey(pem, "public"));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log("Every file fits its signature and its hash.");
}

try {
  main();
} catch (error) {
  if (!(error instanceof GatewayError)) throw error;
  console.error(error.message);
  if (error.hint !== undefined) console.error(error.hint);
  process.exitCode = 1;
}
