// `gateway validate`: every problem and warning of a configuration.
import { paintProblem } from "../../report/problem.ts";
import type { Problem } from "../../report/problem.ts";
import { type Configuration, readConfiguration } from "../../supervisor/configuration-file.ts";
import { credentialReports } from "../../credentials/report.ts";
import { findConfiguration } from "../find-configuration.ts";
import { ConfigurationProblems } from "../../config/diagnostics/configuration-problems.ts";
import { colorsFor, count } from "../../report/terminal.ts";

/** Prints the result; throws ConfigurationProblems, or sets exit code 2 with --json, when there is a problem. */
export function validate(config: string | undefined, options: { json?: boolean }): void {
  const file = findConfiguration(config, process.cwd());
  if (options.json === true) {
    const { problems, warnings, credentials } = check(() => readConfiguration(file, process.env));
    const valid = problems.length === 0;
    console.log(
      JSON.stringify({ file: file.path, valid, problems, warnings, credentials }, null, 2),
    );
    process.exitCode = valid ? 0 : 2;
    return;
  }
  const { model, warnings } = readConfiguration(file, process.env);
  printWarnings(warnings);
  const colors = colorsFor(process.stdout);
  const noted = warnings.length === 0 ? "" : `, ${count(warnings.length, "warning")}`;
  console.log(
    `${colors.green(`${file.name} is valid`)}: ${count(model.targets.length, "model")}${noted}`,
  );
  for (const { source, models } of credentialReports(model, [])) {
    console.log(`${models.join(", ")}: ${source}`);
  }
}

/** To standard error, each with the word that makes it no error. */
export function printWarnings(warnings: readonly Problem[]): void {
  const colors = colorsFor(process.stderr);
  for (const warning of warnings) {
    console.error(`${colors.yellow("warning")} ${paintProblem(warning, colors.bold)}`);
  }
}

interface Outcome {
  problems: Problem[];
  warnings: Problem[];
  /** The credentials that Envoy would attach. */
  credentials: { source: string; models: string[] }[];
}

function check(read: () => Configuration): Outcome {
  try {
    const { model, warnings } = read();
    const credentials = credentialReports(model, []);
    return {
      problems: [],
      warnings,
      credentials: credentials.map(({ source, models }) => ({ source, models })),
    };
  } catch (error) {
    if (!(error instanceof ConfigurationProblems)) throw error;
    return { problems: error.problems, warnings: [], credentials: [] };
  }
}
