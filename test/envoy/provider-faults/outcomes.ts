// What became of a request, in the words of docs/faults.yaml.
import type { DialectName, ErrorBody } from "../ask.ts";
import { RESPONSE_TEXT } from "../../providers/wire.ts";
import { readComplete, readStream } from "../read-response.ts";

export interface Outcome {
  /**
   * `answer`: the whole answer. `error`: an error in the client's format. `event`: a stream that ends with the error event
   * of the client's format. `breaks`: the connection breaks, which every SDK tells as an error. `passes`: the provider's
   * bytes, such as they are.
   */
  how: "answer" | "error" | "event" | "breaks" | "passes";
  status: number;
  /** What the client is told. */
  message: string;
}

/** Reads a response as the client's SDK would. Throws where it is in the other dialect. */
export async function outcomeOf(
  response: Response,
  dialect: DialectName,
  isStream: boolean,
): Promise<Outcome> {
  const { status } = response;
  let body: string;
  try {
    body = await response.text();
  } catch {
    return { how: "breaks", status, message: "" };
  }
  return outcomeOfBody(body, { status, dialect, isStream });
}

interface Read {
  status: number;
  dialect: DialectName;
  isStream: boolean;
  /** The whole text of the response. */
  wanted?: string;
}

/** The same of a body that arrived whole. */
export function outcomeOfBody(
  body: string,
  { status, dialect, isStream, wanted = RESPONSE_TEXT }: Read,
): Outcome {
  const error = errorIn(body, dialect);
  if (error !== undefined) return { how: "error", status, message: error };
  const how = isStream ? ofStream(body, dialect, wanted) : ofAnswer(body, dialect, wanted);
  return { how: "passes", message: body, ...how, status };
}

function errorIn(body: string, dialect: DialectName): string | undefined {
  let parsed: { type?: string; error?: ErrorBody["error"] | null; request_id?: string };
  try {
    parsed = JSON.parse(body) as typeof parsed;
  } catch {
    return undefined;
  }
  // A complete response of the Responses API has `"error": null`.
  if (parsed.error === undefined || parsed.error === null) return undefined;
  const isMessages = parsed.type === "error";
  if (isMessages !== (dialect === "messages")) throw new Error(`not ${dialect}: ${body}`);
  if (isMessages && typeof parsed.request_id !== "string") throw new Error(`no id: ${body}`);
  return parsed.error.message;
}

function ofStream(body: string, dialect: DialectName, wanted: string): Partial<Outcome> {
  try {
    const { text, isFinished, error } = readStream(dialect, body);
    if (error !== undefined) return { how: "event", message: error.message };
    return isFinished && text === wanted ? { how: "answer", message: "" } : {};
  } catch (problem) {
    if (problem instanceof SyntaxError) return {};
    throw problem;
  }
}

function ofAnswer(body: string, dialect: DialectName, wanted: string): Partial<Outcome> {
  try {
    return readComplete(dialect, body) === wanted ? { how: "answer", message: "" } : {};
  } catch {
    return {};
  }
}
