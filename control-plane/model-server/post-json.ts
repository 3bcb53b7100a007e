// Sends a POST with JSON, with a timeout and a size limit for the response.
import { fetchAt } from "./unix-socket.ts";
import { ServerError } from "./server-error.ts";

const MAX_ANSWER = 4 * 1024 * 1024;

export interface JsonRequest {
  url: string;
  body: unknown;
  /** Sent as a bearer token. */
  key?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** A unix socket to connect to instead of the URL's host. */
  socketPath?: string | undefined;
}

/** Returns the parsed body of a 2xx response. Rejects with a ServerError (502, or 413 as it came) that never contains a body or a key. */
export async function postJson(request: JsonRequest): Promise<unknown> {
  const { origin } = new URL(request.url);
  let response: Response;
  let text: string;
  try {
    response = await send(request);
    text = await boundedText(response, origin);
  } catch (error) {
    if (error instanceof ServerError) throw error;
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const what = isLate ? `did not answer in ${request.timeoutMs} ms` : "cannot be reached";
    throw new ServerError(502, `${origin} ${what}.`);
  }
  if (response.status === 413) throw new ServerError(413, `${origin} answered with 413.`);
  if (!response.ok) {
    const isKey = response.status === 401 || response.status === 403;
    const about = isKey
      ? `: ${request.key === undefined ? "it requires a key" : "it rejected the key"}`
      : "";
    throw new ServerError(502, `${origin} answered with ${response.status}${about}.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServerError(502, `${origin} answered with something that is not JSON.`);
  }
}

function send({ url, body, key, headers, timeoutMs, socketPath }: JsonRequest): Promise<Response> {
  const request = {
    method: "POST" as const,
    headers: {
      "content-type": "application/json",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  };
  return socketPath === undefined
    ? fetch(url, { ...request, redirect: "error" })
    : fetchAt(socketPath, url, request);
}

async function boundedText(response: Response, origin: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (response.body === null) return "";
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > MAX_ANSWER) {
      throw new ServerError(502, `${origin} answered with too much.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
