// A POST of JSON with a time limit and a size limit on the answer.
import { ServerError } from "./server-error.ts";

const LARGEST_ANSWER = 4 * 1024 * 1024;

export interface JsonRequest {
  url: string;
  body: unknown;
  /** Sent as a bearer token. */
  key?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  timeoutMs: number;
}

/** The parsed answer of a 2xx reply. Rejects with a ServerError (502) that never holds a body or a key. */
export async function postJson(request: JsonRequest): Promise<unknown> {
  const { origin } = new URL(request.url);
  let response: Response;
  let text: string;
  try {
    response = await fetch(request.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(request.key === undefined ? {} : { authorization: `Bearer ${request.key}` }),
        ...request.headers,
      },
      body: JSON.stringify(request.body),
      redirect: "error",
      signal: AbortSignal.timeout(request.timeoutMs),
    });
    text = await boundedText(response);
  } catch (error) {
    if (error instanceof ServerError) throw error;
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const what = isLate ? `did not answer in ${request.timeoutMs} ms` : "cannot be reached";
    throw new ServerError(502, `${origin} ${what}.`);
  }
  if (!response.ok) {
    const isKey = response.status === 401 || response.status === 403;
    const about = isKey
      ? `: ${request.key === undefined ? "it wants a key" : "it refuses the key"}`
      : "";
    throw new ServerError(502, `${origin} answered with ${response.status}${about}.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServerError(502, `${origin} answered with something that is not JSON.`);
  }
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (response.body === null) return "";
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > LARGEST_ANSWER) {
      throw new ServerError(502, `${new URL(response.url).origin} answered with too much.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
