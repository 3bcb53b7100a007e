// Configuration files: the golden ones, damaged as hands and editors damage them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { mutate } from "../exchanges/mutate.ts";
import { random } from "../exchanges/random.ts";

const FOLDER = join(import.meta.dirname, "../config");
const files = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) =>
    readdirSync(join(FOLDER, name))
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => join(FOLDER, name, file)),
  )
  .flat()
  .sort()
  .map((file) => readFileSync(file));

const TOKENS = [
  "\n",
  "  ",
  "\t",
  "- ",
  ": ",
  "{",
  "}",
  "[",
  "]",
  "&a ",
  "*a",
  "<<: *a",
  "!!binary ",
  "!custom ",
  "|",
  ">",
  "#",
  "'",
  '"',
  "~",
  "null",
  "yes",
  "0x7f",
  "1e400",
  "-1",
  ".inf",
  "2026-11-22",
  "$NAME",
  "$",
  "%YAML 1.1\n---\n",
  "---\n",
  "...\n",
  "\u{feff}",
  "\u{0}",
  "é",
  "? ",
  "llm_providers:",
  "listeners:",
  "prompt_targets:",
  "model_aliases:",
].map((token) => Buffer.from(token));

/** Text of a file, as bytes may leave it. */
export const fuzzedConfigurations: fc.Arbitrary<string> = fc
  .tuple(fc.nat({ max: files.length - 1 }), fc.nat({ max: files.length - 1 }), fc.integer())
  .map(([at, other, seed]) => {
    const empty = Buffer.alloc(0);
    return mutate(files[at] ?? empty, files[other] ?? empty, TOKENS, random(seed)).toString();
  });
