// `gateway explain <id> <id>`: what two recorded turns of a session have in common, and why the second read less from the cache.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { accessLogFile, USAGE_LOG } from "../../../model/names.ts";
import { endOfLog, lastLines } from "../../log-files/log-files.ts";
import { compareTurns, comparisonLines } from "../../prompt-cache/difference-lines.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { printable } from "../../report/terminal.ts";
import { priceFinder } from "../../usage/record-cost.ts";
import { readUsageLine } from "../../usage/usage-line.ts";
import type { UsageLine } from "../../usage/usage-line.ts";
import type { ExplainOptions } from "../command-options.ts";
import { activeModel } from "../log/active-model.ts";
import { findLogDirectory, readable } from "../log/find-log-directory.ts";

/** Prints what differs between two requests of the usage log. */
export function explainTurns(first: string, second: string, options: ExplainOptions): void {
  const directory = findLogDirectory(options.config, options.logDir);
  const file = join(directory, accessLogFile(USAGE_LOG));
  const found = linesOf(file, [first, second]);
  const lines = [first, second].map((id) => {
    const line = found.get(id);
    if (line !== undefined) return line;
    throw new GatewayError(`${printable(id)} is no request in ${file}.`, {
      hint: "gateway sessions <id> lists the request ids of a session.",
      exitCode: 2,
    });
  });
  const [before, after] = lines.sort((one, other) => one.startTime - other.startTime);
  const model = activeModel(options.config);
  const priceOf = model === undefined ? () => undefined : priceFinder(model);
  const comparison =
    before === undefined || after === undefined ? undefined : compareTurns(before, after, priceOf);
  if (comparison === undefined) {
    throw new GatewayError("The usage log has no hashes of the prompt of both requests.", {
      hint: "Requests of a session have them, unless sessions.observe is off: see docs/sessions.md.",
    });
  }
  if (options.json === true) console.log(JSON.stringify(comparison, null, 2));
  else for (const line of comparisonLines(comparison)) console.log(printable(line));
}

/** Returns the lines with these request ids, the last of each. */
function linesOf(file: string, ids: readonly string[]): Map<string, UsageLine> {
  const found = new Map<string, UsageLine>();
  const wanted = new Set(ids);
  const note = (text: string): boolean => {
    const line = readUsageLine(text);
    const id = line?.record?.id;
    if (line !== undefined && id !== undefined && wanted.delete(id)) found.set(id, line);
    return wanted.size === 0;
  };
  if (existsSync(file)) readable(file, () => lastLines(file, 1, note, endOfLog(file)));
  return found;
}
