// `gateway explain`: what becomes of a request, without sending it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HEADER_API_KEY, LISTENER_INTERNAL_EGRESS } from "../../../contract/words.ts";
import { colorsFor } from "../../report/terminal.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { readCapturedRequest } from "../../explain/captured-request.ts";
import { overflowsOf } from "../../explain/context-window.ts";
import type { Overflow } from "../../explain/context-window.ts";
import { readClientRequest } from "../../explain/read-request.ts";
import type { ClientRequest } from "../../explain/client-request.ts";
import { requestOfCurl } from "../../explain/curl.ts";
import { Explainer, listenerOf, needsModelServer } from "../../explain/explain.ts";
import { explanationLines } from "../../explain/explanation-lines.ts";
import { endOfLog, lastLines } from "../../log-files/log-files.ts";
import { accessLogFile, USAGE_LOG } from "../../../model/names.ts";
import { readUsageLine } from "../../usage/usage-line.ts";
import type { GatewayModel } from "../../../model/model.ts";
import { readConfiguration } from "../../supervisor/configuration-file.ts";
import { contentLogIn } from "../../supervisor/private-log.ts";
import { FILTER_FILE } from "../../supervisor/machine-settings.ts";
import { findLogDirectory, readable } from "../log/find-log-directory.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";
import { withModelServer } from "../trial/temporary-model-server.ts";
import { noteBuiltIn } from "./built-in.ts";
import { explainTurns } from "./explain-turns.ts";
import { findKey } from "./find-key.ts";
import type { ExplainOptions } from "../command-options.ts";

/** The characters of request ids (filter/exchange/request-id.ts) but the slash. */
const REQUEST_ID = /^[\w.:+=~@-]{2,128}$/;

/**
 * Prints the explanation.
 * @param words a request id of the content log, a file, `-` for standard input, or a curl command line; or two request ids of the
 *     usage log, which are compared
 */
export async function explain(words: readonly string[], options: ExplainOptions): Promise<void> {
  const [first = "", second = ""] = words;
  if (words.length === 2 && isRequestId(first) && isRequestId(second)) {
    explainTurns(first, second, options);
    return;
  }
  const file = findConfigurationOrBuiltIn(options.config, process.cwd());
  const configuration = readConfiguration(file, process.env);
  const { model, environment } = configuration;
  const request = withKey(requestOf(words, options), options.key, model, environment);
  const print = async (modelServer?: string): Promise<void> => {
    const open = { model, environment, filterFile: FILTER_FILE };
    const explainer = await Explainer.open({
      ...open,
      ...(modelServer === undefined ? {} : { modelServer }),
    });
    const overflows = overflowsIn(request.id, options.config);
    const explanation = {
      ...(await explainer.explain(request)),
      ...(overflows.length === 0 ? {} : { overflows }),
    };
    if (options.json === true) {
      console.log(JSON.stringify(explanation, null, 2));
      return;
    }
    noteBuiltIn(file);
    const lines = explanationLines(explanation, request, colorsFor(process.stdout));
    for (const line of lines) console.log(line);
  };
  const { prompt } = model;
  if (prompt === undefined || !needsModelServer(request, model)) await print();
  else await withModelServer(configuration, prompt, print);
}

function isRequestId(word: string): boolean {
  return REQUEST_ID.test(word) && word !== "curl" && !existsSync(word);
}

function requestOf(words: readonly string[], options: ExplainOptions): ClientRequest {
  const [name = "", ...others] = words;
  if (name === "curl") return requestOfCurl(words);
  if (others.length > 0) {
    throw new GatewayError("Expected one file, a curl command, or two request ids.", {
      hint: "Write options before it: gateway explain --json request.http",
      exitCode: 2,
    });
  }
  if (isRequestId(name)) return capturedRequest(name, options);
  return readClientRequest(
    name === "-" ? "standard input" : name,
    contentOf(name),
    options.endpoint,
  );
}

/** Returns the request with the API key of a name, in place of the keys that it has. */
function withKey(
  request: ClientRequest,
  name: string | undefined,
  model: GatewayModel,
  environment: Readonly<Record<string, string | undefined>>,
): ClientRequest {
  if (name === undefined) return request;
  const { key, listener } = findKey(model, name, listenerOf(request, model));
  const { isAuthorized: _, ...others } = request;
  const value = environment[key.variable] ?? `$${key.variable}`;
  const headers = request.headers.filter(([header]) => header.toLowerCase() !== HEADER_API_KEY);
  return { ...others, listener, headers: [...headers, [HEADER_API_KEY, value]] };
}

/** Returns the request with this id from the content log. */
function capturedRequest(id: string, { config, logDir }: ExplainOptions): ClientRequest {
  const file = contentLogIn(findLogDirectory(config, logDir));
  const isWanted = (line: string) => readCapturedRequest(line)?.id === id;
  const [line = ""] = readable(file, () => lastLines(file, 1, isWanted, endOfLog(file)));
  const request = readCapturedRequest(line);
  if (request === undefined) {
    throw new GatewayError(`${id} is neither a file nor a request in ${file}.`, {
      hint: "observability.content writes that log: see docs/observability.md.",
      exitCode: 2,
    });
  }
  if (!request.isCut) return request;
  throw new GatewayError(`The body of ${id} is not complete in ${file}.`, {
    hint: "Increase observability.content.max_bytes for later requests.",
    exitCode: 2,
  });
}

/** Returns the attempts of a request of the log that were too long, as far as the usage log has it. */
function overflowsIn(id: string | undefined, config: string | undefined): Overflow[] {
  if (id === undefined) return [];
  const file = join(findLogDirectory(config, undefined), accessLogFile(USAGE_LOG));
  if (!existsSync(file)) return [];
  const recordOf = (text: string) => readUsageLine(text)?.record;
  const isWanted = (text: string) => {
    const record = recordOf(text);
    return record?.id === id && record.listener !== LISTENER_INTERNAL_EGRESS;
  };
  const [line = ""] = readable(file, () => lastLines(file, 1, isWanted, endOfLog(file)));
  const record = recordOf(line);
  return record === undefined ? [] : overflowsOf(record);
}

function contentOf(name: string): Buffer {
  try {
    return readFileSync(name === "-" ? 0 : name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : String(code);
    throw new GatewayError(`${name} cannot be read: ${reason}.`, { exitCode: 2 });
  }
}
