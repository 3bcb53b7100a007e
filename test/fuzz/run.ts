// `npm run fuzz [-- TARGET … --count N --seed S]`: the long form. A million inputs in all, unless told otherwise.
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { fuzz } from "./run-target.ts";
import { FUZZ_TARGETS } from "./targets.ts";

const BATCH = 5000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
  },
});
const chosen = FUZZ_TARGETS.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
);
const each = Math.ceil(Number(values.count) / chosen.length);
console.log(
  `seed ${values.seed}; ${String(each)} inputs for each of ${chosen.map(({ name }) => name).join(", ")}`,
);
for (const target of chosen) {
  const begin = Date.now();
  let done = 0;
  for (let batch = 0; done < each; batch++, done += BATCH) {
    const failure = fuzz(target, Math.min(BATCH, each - done), Number(values.seed) + batch);
    if (failure === undefined) continue;
    console.log(
      `${target.name}: ${failure.message}\n  kept as ${relative(process.cwd(), failure.file)}`,
    );
    process.exitCode = 1;
    break;
  }
  const seconds = (Date.now() - begin) / 1000;
  console.log(`${target.name}: ${String(Math.min(done, each))} in ${seconds.toFixed(0)} s`);
}
