// `gateway doctor`: what keeps the gateway from working on this machine, and what to do about each finding.
import { colorsFor, count, table } from "../../report/terminal.ts";
import { examine } from "../../doctor/doctor.ts";
import { CHECKS } from "../../doctor/finding.ts";
import type { Finding, Level } from "../../doctor/finding.ts";
import { VERSION } from "../../supervisor/package-version.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";
import { noteBuiltIn } from "./built-in.ts";

export interface DoctorOptions {
  online?: boolean;
  json?: boolean;
}

/** Prints the findings. The exit code is 2 for a problem of the configuration, 1 for any other, 0 without one. */
export async function doctor(config: string | undefined, options: DoctorOptions): Promise<void> {
  const file = findConfigurationOrBuiltIn(config, process.cwd());
  const isOnline = options.online === true;
  const found = await examine(file, process.env, { isOnline });
  const findings = [...found].sort(
    (one, other) => CHECKS.indexOf(one.check) - CHECKS.indexOf(other.check),
  );
  process.exitCode = exitCodeOf(findings);
  if (options.json === true) {
    const { platform, arch, versions } = process;
    const machine = { platform, arch, node: versions.node };
    console.log(JSON.stringify({ version: VERSION, machine, online: isOnline, findings }, null, 2));
    return;
  }
  noteBuiltIn(file);
  printFindings(findings);
  const problems = findings.filter(({ level }) => level === "problem").length;
  const warnings = findings.filter(({ level }) => level === "warning").length;
  const rest = isOnline ? "" : " No provider was contacted: --online tries the keys.";
  console.log(`\n${count(problems, "problem")}, ${count(warnings, "warning")}.${rest}`);
}

function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 2 {
  const problems = findings.filter(({ level }) => level === "problem");
  if (problems.length === 0) return 0;
  return problems.some(({ check }) => check === "configuration") ? 2 : 1;
}

const MARKS: Readonly<Record<Level, string>> = { ok: "ok", warning: "warning", problem: "PROBLEM" };

function printFindings(findings: readonly Finding[]): void {
  const colors = colorsFor(process.stdout);
  const paint = { ok: colors.green, warning: colors.yellow, problem: colors.red };
  const rows = findings.flatMap(({ check, level, message, hint }, index) => {
    const name = findings[index - 1]?.check === check ? "" : check;
    const [first = "", ...more] = message.split("\n");
    const hints = (hint ?? "").split("\n").filter((line) => line !== "");
    return [
      [name, paint[level](MARKS[level]), first],
      ...more.map((line) => ["", "", line]),
      ...hints.map((line) => ["", "", `→ ${line}`]),
    ];
  });
  for (const line of table(rows)) console.log(line);
}
