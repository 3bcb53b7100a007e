// `npm run soak [-- --minutes 30 --rate 500 --reloads 10 --seed S]`, `npm run soak -- memory`: the long forms.
import { parseArgs } from "node:util";
import { largeCases, startMemoryRun, tableRow, TABLE_HEAD } from "./memory.ts";
import { soak } from "./soak.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "500" },
    reloads: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});

if (positionals[0] === "memory") await soakMemory();
else await soakTraffic();

async function soakTraffic(): Promise<void> {
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
}

/** Prints a row for each case; exit code 1 where anything trapped, was cut or came in another form. */
async function soakMemory(): Promise<void> {
  const cases = largeCases();
  const memory = await startMemoryRun([...new Set(cases.map(({ mib }) => mib))]);
  console.log(TABLE_HEAD);
  for (const one of cases) {
    const row = await memory.run(one);
    console.log(tableRow(row));
    for (const problem of row.problems.slice(0, 3)) console.error(problem);
    if (row.traps + row.bystandersCut + row.problems.length > 0) process.exitCode = 1;
  }
  await memory.stop();
}
