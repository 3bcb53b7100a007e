// `npm run soak [-- --minutes 30 --rate 500 --reloads 10 --seed S]`: the long form.
import { parseArgs } from "node:util";
import { soak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "500" },
    reloads: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
console.log(`seed ${values.seed}`);
const report = await soak({
  seconds: Number(values.minutes) * 60,
  perSecond: Number(values.rate),
  reloads: Number(values.reloads),
  seed: Number(values.seed),
  onProgress: (line) => {
    console.log(line);
  },
});
console.log(JSON.stringify({ ...report, problems: report.problems.slice(0, 20) }, null, 2));
if (report.problems.length > 0) process.exitCode = 1;
