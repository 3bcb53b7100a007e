// The short form of the fuzzing, and every input that the long form (`npm run fuzz`) once found.
import { describe, expect, it } from "vitest";
import { fuzz, keptSeeds } from "./run-target.ts";
import { FUZZ_TARGETS } from "./targets.ts";

const COUNT = 1500;
/** In the name of the test: the same seed makes the same inputs. */
const SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1_000_000);

for (const target of FUZZ_TARGETS) {
  describe(target.name, () => {
    for (const [name, input] of keptSeeds(target.name)) {
      it(name, () => {
        target.check(input);
      });
    }

    it(`${String(COUNT)} inputs (FUZZ_SEED=${String(SEED)})`, () => {
      expect(fuzz(target, COUNT, SEED)).toBeUndefined();
    });
  });
}
