// Requests to a running gateway in each dialect, as a test writes them.
import { request } from "node:http";
import type { Gateway } from "../gateway/gateway.ts";
import type { DialectName } from "../providers/wire.ts";

export type { DialectName, ProviderDialect } from "../providers/wire.ts";
/** Of tests whose subject does not depend on the third. */
export type TwoDialects = Exclude<DialectName, "responses">;

export interface Ask {
  model?: string;
  text?: string;
  stream?: boolean;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  listener?: "ingress" | "egress";
}

export const PATHS = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
} as const;
const USUAL_MODEL = { chat: "fast", messages: "careful", responses: "deep" } as const;

/** One request with one user message. */
export function ask(gateway: Gateway, dialect: DialectName, options: Ask = {}): Promise<Response> {
  const { model = USUAL_MODEL[dialect], text = "hi", stream, headers, signal, listener } = options;
  const body = {
    model,
    ...(dialect === "responses"
      ? { input: text }
      : { messages: [{ role: "user", content: text }] }),
    ...(dialect === "messages" ? { max_tokens: 100 } : {}),
    ...(stream === undefined ? {} : { stream }),
  };
  return fetch(`http://127.0.0.1:${gateway.ports[listener ?? "egress"]}${PATHS[dialect]}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(dialect === "messages" ? { "anthropic-version": "2023-06-01" } : {}),
      ...headers,
    },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** One chat request by the socket that is open to the gateway's own model server alone. */
export function askAsModelServer(
  { ownEgressSocketPath: socketPath }: Gateway,
  model: string,
  messages: object[] = [{ role: "user", content: "hi" }],
): Promise<{ status: number | undefined; body: string }> {
  const headers = { "content-type": "application/json" };
  const path = PATHS.chat;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath, path, method: "POST", headers, agent: false },
      (incoming) => {
        let body = "";
        incoming.on("data", (bytes: Buffer) => (body += bytes.toString()));
        incoming.on("end", () => {
          resolve({ status: incoming.statusCode, body });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify({ model, messages }));
  });
}

/** An error in either envelope. */
export interface ErrorBody {
  type?: string;
  error: { message: string; type: string; code?: string | null };
  request_id?: string;
}

/** The error of a response, after checking that it is in that dialect's envelope. Throws when it is not. */
export async function errorOf(
  response: Response,
  dialect: DialectName,
): Promise<ErrorBody["error"]> {
  const text = await response.text();
  const body = JSON.parse(text) as ErrorBody;
  const isMessages = body.type === "error";
  if (isMessages !== (dialect === "messages"))
    throw new Error(`not in ${dialect}'s envelope: ${text}`);
  if (isMessages && typeof body.request_id !== "string") throw new Error(`no request id: ${text}`);
  return body.error;
}

/** The parts of a stream as they come. Ends when the stream ends; throws when it breaks. */
export async function* parts(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  if (response.body === null) return;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>)
    yield decoder.decode(chunk, { stream: true });
}
