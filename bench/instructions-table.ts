// The table of instructions per request, with the budgets, and the counts that exceed theirs.
import { budgetOf, TOLERANCE } from "./budgets.ts";
import { type Counted, thousands } from "./instructions.ts";
import { median } from "./report.ts";

/** Returns a line for each count that is above its budget by more than TOLERANCE. */
export function exceededBudgets(results: Counted[]): string[] {
  return results.flatMap(({ name, programs }) =>
    programs.flatMap(({ program, rounds }) => {
      const budget = budgetOf(program, name);
      const counted = median(rounds) / 1000;
      if (budget === undefined || counted <= budget * (1 + TOLERANCE)) return [];
      const percent = (100 * (counted / budget - 1)).toFixed(1);
      return [
        `${name}: ${program} takes ${counted.toFixed(1)} thousand instructions per request, ${percent} % more than its budget of ${String(budget)} in bench/instruction-budgets.json`,
      ];
    }),
  );
}

/** Returns a table in Markdown: a row for each case; thousand instructions, and how far apart the rounds were. */
export function instructionsTable(results: Counted[]): string {
  const names = results.find(({ programs }) => programs.length > 0)?.programs ?? [];
  const head = ["case", ...names.flatMap(({ program }, at) => headOf(program, at)), "± %"];
  const rows = results.map((result) =>
    result.leftOut === undefined
      ? rowOf(result)
      : [`${result.name}: ${result.what}`, `left out: ${result.leftOut}`],
  );
  const rule = head.map((_, at) => (at === 0 ? "---" : "--:"));
  const filled = rows.map((cells) => [
    ...cells,
    ...Array<string>(head.length - cells.length).fill(""),
  ]);
  return [head, rule, ...filled].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function headOf(program: string, at: number): string[] {
  if (at === 0) return [program];
  const ratios = at === 1 ? ["× plain"] : ["× plain", "× gateway"];
  return [program, "budget", ...ratios];
}

function rowOf({ name, what, programs }: Counted): string[] {
  const [plain = 0, gateway = 0] = programs.map(({ rounds }) => median(rounds));
  const cells = programs.flatMap(({ program, rounds }, at) => {
    const own = median(rounds);
    if (at === 0) return [thousands(own)];
    const ratios = [(own / plain).toFixed(3)];
    if (at > 1) ratios.push((own / gateway).toFixed(3));
    return [thousands(own), String(budgetOf(program, name) ?? "–"), ...ratios];
  });
  const spread = Math.max(...programs.map(({ rounds }) => spreadOf(rounds)));
  return [`${name}: ${what}`, ...cells, spread.toFixed(2)];
}

/** Half the distance between the highest and the lowest round, in percent of their median. */
function spreadOf(rounds: number[]): number {
  return (50 * (Math.max(...rounds) - Math.min(...rounds))) / median(rounds);
}
