// Calls a prompt target through the gateway: the filter writes the request to the API, as for a prompt, and checks its values.
// The only way is the model server's own entrance, a socket that no client can open.
import { z } from "zod";
import { fetchAt } from "../unix-socket.ts";

export interface TargetCall {
  target: string;
  arguments: Readonly<Record<string, unknown>>;
  /** The conversation that a default target gets. */
  messages?: unknown;
}

export interface Entrance {
  /** The unix socket. */
  socket: string;
  /** The ingress listener's timeout: the filter ends the call by then. */
  timeout_ms: number;
}

export type CallResult =
  | { kind: "text"; text: string }
  /** What failed, in a sentence. */
  | { kind: "failure"; status: number; message: string; mayHaveActed: boolean };

/** The endpoint TARGET_CALL of contract/endpoints.ts. */
export const TARGET_CALL_PATH = "/target_call";
/** Time for the filter's own error when the timeout expires. */
const MARGIN_MS = 2_000;
/** An API's text has up to 1 MiB, of which an escape can make six times as much. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
});
const failure = z.object({ error: z.object({ message: z.string() }) });

/** A result of up to so many bytes is read at once; a larger one waits for its turn. */
const SMALL_RESPONSE_BYTES = 256 * 1024;

interface Surroundings {
  /** Headers of the client's request that the gateway logs. */
  headers: Readonly<Record<string, string>>;
  /** Aborted when the client does not wait any longer. */
  signal: AbortSignal;
  /** Writes a line, without arguments and results. */
  log: (line: string) => void;
  /** Called once for a large result, before it is read; the result may be processed then. */
  waitForTurn: () => Promise<void>;
  /** Counts bytes of the result as they arrive. */
  hold: (bytes: number) => void;
}

/** Rejects only if the signal is aborted. */
export async function callTarget(
  { socket, timeout_ms: timeoutMs }: Entrance,
  call: TargetCall,
  { headers, signal, log, ...reading }: Surroundings,
): Promise<CallResult> {
  const timeout = AbortSignal.timeout(timeoutMs + MARGIN_MS);
  try {
    const response = await fetchAt(socket, `http://model_server${TARGET_CALL_PATH}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(call),
      signal: AbortSignal.any([signal, timeout]),
    });
    const json = JSON.parse(await boundedText(response, reading)) as unknown;
    if (response.ok) {
      const [choice] = completion.parse(json).choices;
      return { kind: "text", text: choice?.message.content ?? "" };
    }
    return {
      kind: "failure",
      status: response.status,
      message: failure.parse(json).error.message,
      mayHaveActed: response.headers.get("x-should-retry") === "false",
    };
  } catch (error) {
    if (signal.aborted) throw error;
    log(`a tool call failed: ${error instanceof Error ? error.message : String(error)}`);
    const message = timeout.aborted
      ? "The call did not finish within the listener's timeout."
      : "The gateway could not complete the call.";
    return { kind: "failure", status: timeout.aborted ? 504 : 502, message, mayHaveActed: true };
  }
}

async function boundedText(
  response: Response,
  { waitForTurn, hold }: Pick<Surroundings, "waitForTurn" | "hold">,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let isLarge = false;
  if (response.body === null) return "";
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > MAX_RESPONSE_BYTES) throw new Error("the response is too large");
    hold(piece.byteLength);
    pieces.push(piece);
    if (isLarge || size <= SMALL_RESPONSE_BYTES) continue;
    isLarge = true;
    await waitForTurn();
  }
  return Buffer.concat(pieces).toString("utf8");
}
