// `gateway audit`: shows the audit log, and checks that no line was changed.
import { statSync } from "node:fs";
import { type AuditActor, type AuditLine } from "../../audit/audit-line.ts";
import { readAudit, type Verification, verifyAudit } from "../../audit/verify.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { colorsFor, count, printable, table } from "../../report/terminal.ts";
import { readConfiguration } from "../../supervisor/configuration-file.ts";
import { auditDirectory } from "../../supervisor/control-audit.ts";
import { stateDirectory } from "../../supervisor/state.ts";
import type { AuditOptions, VerifyAuditOptions } from "../command-options.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";
import { chooseRunning } from "../find-running.ts";

/** Characters of a value in the table. */
const MAX_SHOWN = 120;

/** Prints the newest lines, the oldest of them first. */
export function listAudit(config: string | undefined, options: AuditOptions): void {
  const shown: AuditLine[] = [];
  for (const line of readAudit(findLog(config, options.directory))) {
    if (!isWanted(line, options)) continue;
    shown.push(line);
    if (shown.length > 2 * options.lines) shown.splice(0, options.lines);
  }
  const newest = shown.slice(-options.lines);
  if (options.json === true) for (const line of newest) console.log(JSON.stringify(line));
  else if (newest.length === 0) console.log("No line of the audit log matches.");
  else for (const row of table(rowsOf(newest))) console.log(row);
}

/** Prints the result. Exit code 1 if the log is not what was written. */
export function verify(config: string | undefined, options: VerifyAuditOptions): void {
  const found = verifyAudit(findLog(config, options.directory), options.expect);
  process.exitCode = found.broken === undefined ? 0 : 1;
  if (options.json === true) {
    const { lines, first, last, head, broken = null, notes } = found;
    const times = { first: first?.time ?? null, last: last?.time ?? null };
    console.log(JSON.stringify({ whole: broken === null, lines, ...times, head, broken, notes }));
    return;
  }
  for (const line of verdict(found)) console.log(line);
}

function verdict({ lines, first, last, head, broken, notes }: Verification): string[] {
  const { red, green } = colorsFor(process.stdout);
  if (broken !== undefined) {
    const { file, row, why } = broken;
    return [
      red(`The audit log was changed: ${file}${row === 0 ? "" : `, row ${String(row)}`}: ${why}.`),
      `${count(lines, "line")} before it are whole.`,
      ...notes,
    ];
  }
  if (first === undefined || last === undefined) return ["The audit log is empty.", ...notes];
  return [
    green(`${count(lines, "line")} from ${first.time} to ${last.time}: whole.`),
    `Last line: ${String(head.line)}:${head.hash}`,
    ...notes,
  ];
}

function isWanted(line: AuditLine, { since, action, actor, denied }: AuditOptions): boolean {
  return (
    (since === undefined || Date.parse(line.time) >= since) &&
    (action === undefined || line.action.startsWith(action)) &&
    (actor === undefined || line.actor.name === actor) &&
    (denied !== true || line.result === "denied")
  );
}

function rowsOf(lines: readonly AuditLine[]): string[][] {
  const { dim, red } = colorsFor(process.stdout);
  return [
    ["TIME", "ACTION", "OF", "RESULT", "WHO", "FROM", "AFTER"].map(dim),
    ...lines.map(({ time, action, subject, result, actor, after }) => [
      time,
      printable(action),
      printable(subject ?? "-"),
      result === "done" ? result : red(result),
      whoIs(actor),
      printable(actor.address ?? "-"),
      printable(JSON.stringify(after ?? {}).slice(0, MAX_SHOWN)),
    ]),
  ];
}

function whoIs({ kind, name }: AuditActor): string {
  return printable(`${name} (${kind})`);
}

/** Returns the directory of a gateway's log. Throws if there is none. */
function findLog(config: string | undefined, directory: string | undefined): string {
  const found = directory ?? directoryOf(config);
  if (statSync(found, { throwIfNoEntry: false })?.isDirectory() === true) return found;
  throw new GatewayError(`There is no audit log in ${found}.`, {
    hint: "A gateway writes it from its first start on (docs/audit.md).",
  });
}

function directoryOf(config: string | undefined): string {
  const running = chooseRunning(config, process.env);
  if (running?.record.auditDirectory !== undefined) return running.record.auditDirectory;
  const file = findConfigurationOrBuiltIn(config, process.cwd());
  return auditDirectory(stateDirectory(file, process.env), readConfiguration(file, process.env));
}
