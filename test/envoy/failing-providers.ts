// A provider of each dialect that fails as the request's own text says: `a=500 b=ok` is for the models a and b.
import type { ServerResponse } from "node:http";
import { startProvider } from "./behaving-provider.ts";
import type { BehavingProvider, ProviderRequest } from "./behaving-provider.ts";
import type { DialectName } from "./ask.ts";
import { dialectOfPath, replyParts, SAID } from "./dialect-replies.ts";

/** What comes before the first token in a stream of each dialect. */
const OPENINGS: Record<DialectName, string> = {
  chat: `: hello\n\ndata: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n`,
  messages: `event: message_start\ndata: {"type":"message_start","message":{"id":"m","model":"m","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\nevent: ping\ndata: {"type":"ping"}\n\n`,
  responses: `event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","output":[]}}\n\n`,
};
const ERRORS: Record<DialectName, string> = {
  chat: `data: {"error":{"message":"Overloaded.","type":"server_error","code":529}}\n\n`,
  messages: `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded."}}\n\n`,
  responses: `event: error\ndata: {"type":"error","code":"server_is_overloaded","message":"Overloaded.","param":null,"sequence_number":1}\n\n`,
};
const TOO_LONG = {
  type: "error",
  error: {
    type: "invalid_request_error",
    message: "prompt is too long: 208310 tokens > 200000 maximum",
  },
};
const STREAM = { "content-type": "text/event-stream" };
const PAGE = "<html><body>Bad gateway</body></html>";

/** What was asked of which model, and with which credential. */
export interface Seen {
  model: string;
  credential: string;
  requestId: string;
  request: ProviderRequest;
}

export interface FailingProvider extends BehavingProvider {
  /** The requests of one client request, in their order. */
  attempts(requestId: string): Seen[];
}

export async function startFailingProvider(): Promise<FailingProvider> {
  const seen: Seen[] = [];
  const provider = await startProvider((response, request) => {
    const { model } = JSON.parse(request.body) as { model: string };
    const { authorization, "x-api-key": key, "x-request-id": id } = request.headers;
    const requestId = String(id);
    const credential = authorization ?? String(key);
    // The first word of several is for the first attempt at the model, and so on; the last one is for all others.
    const before = seen.filter((one) => one.requestId === requestId && one.model === model).length;
    seen.push({ model, credential, requestId, request });
    const words = (
      new RegExp(`(?<![\\w-])${model}=([\\w:,-]+)`).exec(request.body)?.[1] ?? "ok"
    ).split(",");
    const byKey = words.find((word) => word.startsWith(`${credential.replace("Bearer ", "")}:`));
    const word = byKey?.split(":")[1] ?? words[Math.min(before, words.length - 1)] ?? "ok";
    behave(response, request, word);
  });
  return Object.assign(provider, {
    attempts: (requestId: string) => seen.filter((one) => one.requestId === requestId),
  });
}

function behave(response: ServerResponse, { path, body }: ProviderRequest, word: string): void {
  const dialect = dialectOfPath(path);
  const isStream = body.includes('"stream":true');
  const [status, rest] = word.split("-");
  if (/^\d+$/.test(status ?? "")) {
    const { parts } = replyParts(dialect, "error");
    const pause = rest === undefined ? {} : { "retry-after": rest };
    response.writeHead(Number(status), { "content-type": "application/json", ...pause });
    response.end(parts.join(""));
    return;
  }
  switch (word) {
    case "long":
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify(TOO_LONG));
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      break;
    case "hang":
      break;
    case "silent":
      response.writeHead(200, STREAM).flushHeaders();
      break;
    case "empty":
      response.writeHead(200, isStream ? STREAM : { "content-type": "application/json" }).end();
      break;
    case "opening":
      response.writeHead(200, STREAM).end(OPENINGS[dialect]);
      break;
    case "error":
      response.writeHead(200, STREAM).end(ERRORS[dialect]);
      break;
    case "late-error":
      response.writeHead(200, STREAM).write(OPENINGS[dialect]);
      setTimeout(() => response.end(ERRORS[dialect]), 20);
      break;
    case "late-reset":
      response.writeHead(200, STREAM).write(OPENINGS[dialect], () => {
        setTimeout(() => response.socket?.resetAndDestroy(), 20);
      });
      break;
    case "third-error": {
      const { parts } = replyParts(dialect, "stream");
      response.writeHead(200, STREAM).end(parts.slice(0, 3).join("") + ERRORS[dialect]);
      break;
    }
    case "slow": {
      const { parts } = replyParts(dialect, "stream");
      const [first = "", ...others] = parts.join("").split(/(?<=Hello, .*\n\n)/s);
      response.writeHead(200, STREAM).write(first);
      // Longer than `first_byte_timeout` of the models that have one.
      setTimeout(() => response.end(others.join("")), 2500);
      break;
    }
    case "page":
      response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
      break;
    case "garbage":
      response.writeHead(200, STREAM).end(isStream ? "data: {garbage\n\n" : "garbage");
      break;
    case "object":
      response.writeHead(200, { "content-type": "application/json" });
      response.end(replyParts(dialect, "error").parts.join(""));
      break;
    default: {
      const { type, parts } = replyParts(dialect, isStream ? "stream" : "complete");
      const nonce = /nonce-\w+/.exec(body)?.[0] ?? SAID;
      response.writeHead(200, { "content-type": type }).end(parts.join("").replace(SAID, nonce));
    }
  }
}

/** Refuses connections: nobody listens there, and no server of another test that asks for a free port is given one below 1024. */
export const CLOSED_PORT = 1;
