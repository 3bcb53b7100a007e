// `npm run release:check`: one version everywhere, also in the image where docker has one; packages and images as they should be.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";
import { contentsOfPackage } from "./contents.ts";
import {
  advisoryFindings,
  imageProblems,
  licenceProblems,
  LOCK_FILES,
  lockProblems,
  REQUIREMENT_FILES,
  requirementProblems,
  signatureFindings,
} from "./supply-chain.ts";
import { versionProblems } from "./version-places.ts";

const ROOT = join(import.meta.dirname, "../..");
const IMAGE = `gateway:${VERSION}`;
const LABEL = '{{index .Config.Labels "org.opencontainers.image.version"}}';

/** What the image's label says; undefined where there is no docker, or no such image. */
function labelOfImage(): string | undefined {
  const words = ["image", "inspect", "--format", LABEL, IMAGE];
  const { status, stdout } = spawnSync("docker", words, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function versionOfCommandLine(): string {
  const cli = join(ROOT, "control-plane/cli.ts");
  return spawnSync(process.execPath, [cli, "--version"], { encoding: "utf8" }).stdout.trim();
}

/** Standard output of npm, whatever its exit code. One attempt: what cannot be reached is reported. */
function npm(...words: string[]): string {
  const options = { cwd: ROOT, encoding: "utf8" } as const;
  return spawnSync("npm", [...words, "--json", "--fetch-retries=0"], options).stdout;
}

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const audits = [
  signatureFindings(npm("audit", "signatures")),
  advisoryFindings(npm("audit", "--omit=dev")),
];
for (const note of audits.flatMap(({ notes }) => notes)) console.log(note);
const problems = [
  ...versionProblems(read),
  ...LOCK_FILES.flatMap((file) => lockProblems(read(file), file)),
  ...REQUIREMENT_FILES.flatMap((file) => requirementProblems(read(file), file)),
  ...imageProblems(read),
  ...licenceProblems(contentsOfPackage(ROOT)),
  ...audits.flatMap((audit) => audit.problems),
];
const told = versionOfCommandLine();
if (told !== VERSION) problems.push(`gateway --version says ${told}.`);
const label = labelOfImage();
if (label === undefined) console.log(`There is no image ${IMAGE} here: its label is not checked.`);
else if (label !== VERSION) problems.push(`The label of ${IMAGE} says ${label}.`);

for (const problem of problems) console.error(problem);
if (problems.length === 0)
  console.log(`Everything says ${VERSION}, and what comes from outside is pinned.`);
process.exitCode = problems.length === 0 ? 0 : 1;
