// `gateway replay`: what a new configuration changes for requests of a content log.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { colorsFor, count } from "../../report/terminal.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { readCapturedRequest } from "../../explain/captured-request.ts";
import type { CapturedRequest } from "../../explain/captured-request.ts";
import { Explainer } from "../../explain/explain.ts";
import { replay as compare } from "../../explain/replay.ts";
import type { Replay } from "../../explain/replay.ts";
import { readConfiguration } from "../../supervisor/configuration-file.ts";
import { FILTER_FILE } from "../../supervisor/machine-settings.ts";
import { findConfiguration } from "../find-configuration.ts";
import type { ReplayOptions } from "../command-options.ts";

/**
 * Prints what changes.
 * @param file a content log, or lines of one
 * @param config the new configuration
 */
export async function replay(file: string, config: string, options: ReplayOptions): Promise<void> {
  const [before, after] = await Promise.all([openOf(options.against), openOf(config)]);
  const result = await compare(await readRequests(file), { before, after });
  if (options.json === true) console.log(JSON.stringify(result, null, 2));
  else for (const line of replayLines(result)) console.log(line);
}

async function openOf(config: string | undefined): Promise<Explainer> {
  const file = findConfiguration(config, process.cwd());
  const { model, environment } = readConfiguration(file, process.env);
  return Explainer.open({ model, environment, filterFile: FILTER_FILE });
}

async function readRequests(file: string): Promise<CapturedRequest[]> {
  const found: CapturedRequest[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const request = readCapturedRequest(line);
      if (request !== undefined) found.push(request);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : String(code);
    throw new GatewayError(`${file} cannot be read: ${reason}.`, { exitCode: 2 });
  }
  if (found.length > 0) return found;
  throw new GatewayError(`${file} has no requests.`, {
    hint: "Expected lines of access_content.log, which observability.content writes.",
    exitCode: 2,
  });
}

function replayLines({ requests, unchanged, skipped, changes }: Replay): string[] {
  const colors = colorsFor(process.stdout);
  return [
    `${count(requests, "request")}: ${String(unchanged)} unchanged, ${String(requests - unchanged)} changed`,
    ...(skipped === 0
      ? []
      : [
          `${String(skipped)} skipped: their bodies are cut in the log, or a model server decides about them`,
        ]),
    ...changes.flatMap(({ differences, requests: number, examples }) => [
      "",
      `${colors.bold(count(number, "request"))}, for example ${examples.join(", ")}`,
      ...differences.map((difference) => `  ${difference}`),
    ]),
  ];
}
