// `npm run soak [-- --minutes 30 --rate 100 --seed S --only NAME --report FILE --publish]`, `npm run soak -- memory`: the long
// forms. `--publish` writes docs/soak.json and docs/soak.md.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { writePage } from "../../scripts/docs/write-page.ts";
import { largeCases, startMemoryRun, tableRow, TABLE_HEAD } from "./memory.ts";
import { problemsOf, reportTables, soakPage } from "./report.ts";
import { soak } from "./soak.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    report: { type: "string" },
    only: { type: "string" },
    publish: { type: "boolean", default: false },
  },
});

if (positionals[0] === "memory") await soakMemory();
else await soakTraffic();

async function soakTraffic(): Promise<void> {
  console.log(`seed ${values.seed}`);
  const report = await soak({
    seconds: Number(values.minutes) * 60,
    perSecond: Number(values.rate),
    seed: Number(values.seed),
    only: values.only,
    onProgress: (line) => {
      console.log(line);
    },
  });
  console.log(reportTables(report));
  if (values.report !== undefined)
    writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`);
  if (values.publish) {
    await writePage("docs/soak.json", JSON.stringify(report));
    await writePage("docs/soak.md", soakPage(report));
  }
  if (problemsOf(report).length > 0) process.exitCode = 1;
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
