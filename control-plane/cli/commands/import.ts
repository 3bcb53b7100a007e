// `gateway import`: a gateway.yaml from the configuration of another gateway.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { formatProblem } from "../../report/problem.ts";
import { count } from "../../report/terminal.ts";
import { commandFor } from "../../report/command-name.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { importConfiguration } from "../../import/import.ts";
import type { Kind } from "../../import/kinds.ts";

export interface ImportOptions {
  output?: string;
  force?: boolean;
}

/** Prints the configuration, or writes it. Throws if the loader would not accept it. */
export function importFile(kind: Kind, file: string, options: ImportOptions): void {
  const { output, force } = options;
  if (output !== undefined && existsSync(output) && force !== true) {
    throw new GatewayError(`${output} exists already, and was not changed.`, {
      hint: "Choose another name, or add --force.",
    });
  }
  const { text, problems } = importConfiguration(kind, contentOf(file), basename(file));
  if (problems.length > 0) {
    throw new GatewayError(`Nothing of ${file} can be imported.`, {
      hint: problems.map(formatProblem).join("\n"),
      exitCode: 2,
    });
  }
  const missing = text.match(/^.*# ?Not imported:/gm)?.length ?? 0;
  const notes =
    missing === 0
      ? ""
      : ` ${count(missing, "part")} ${missing === 1 ? "has" : "have"} no equivalent: look for "Not imported".`;
  if (output === undefined) process.stdout.write(text);
  else writeFileSync(output, text);
  const next = commandFor(`validate${output === undefined ? "" : ` ${output}`}`);
  console.error(`The configuration is valid.${notes} Set the keys, then check it: ${next}`);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new GatewayError(`${file} cannot be read (${code}).`, { exitCode: 2 });
  }
}
