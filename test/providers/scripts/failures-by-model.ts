// A provider of each client dialect that fails as the request's text decides: `a=500 b=ok` is for the models a and b.
import type { ServerResponse } from "node:http";
import {
  type ReceivedRequest,
  type ScriptedProvider,
  startProvider,
} from "../scripted-provider.ts";
import { type DialectName, dialectOfPath, RESPONSE_TEXT, responseParts, WIRES } from "../wire.ts";

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

/** A request with its model and credential. */
export interface Attempt {
  model: string;
  credential: string;
  requestId: string;
  request: ReceivedRequest;
}

export interface FailingProvider extends ScriptedProvider {
  /** The requests of one client request, in their order. */
  attempts(requestId: string): Attempt[];
}

export async function startFailingProvider(): Promise<FailingProvider> {
  const attempts: Attempt[] = [];
  const provider = await startProvider((response, request) => {
    const { model } = JSON.parse(request.body) as { model: string };
    const { authorization, "x-api-key": key, "x-request-id": id } = request.headers;
    const requestId = String(id);
    const credential = authorization ?? String(key);
    // The first word of several is for the first attempt at the model, and so on; the last one is for all others.
    const before = attempts.filter(
      (one) => one.requestId === requestId && one.model === model,
    ).length;
    attempts.push({ model, credential, requestId, request });
    const words = (
      new RegExp(`(?<![\\w-])${model}=([\\w:,-]+)`).exec(request.body)?.[1] ?? "ok"
    ).split(",");
    const byKey = words.find((word) => word.startsWith(`${credential.replace("Bearer ", "")}:`));
    const word = byKey?.split(":")[1] ?? words[Math.min(before, words.length - 1)] ?? "ok";
    behave(response, request, word);
  });
  return Object.assign(provider, {
    attempts: (requestId: string) => attempts.filter((one) => one.requestId === requestId),
  });
}

function behave(response: ServerResponse, { path, body }: ReceivedRequest, word: string): void {
  const dialect = dialectOfPath(path);
  const isStream = body.includes('"stream":true');
  /** What comes before the first token. */
  const opening = WIRES[dialect].begin({ usage: { input: 1, output: 1 } }).join("");
  const [status, rest] = word.split("-");
  if (/^\d+$/.test(status ?? "")) {
    const { parts } = responseParts(dialect, "error");
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
      response.writeHead(200, STREAM).end(opening);
      break;
    case "error":
      response.writeHead(200, STREAM).end(ERRORS[dialect]);
      break;
    case "late-error":
      response.writeHead(200, STREAM).write(opening);
      setTimeout(() => response.end(ERRORS[dialect]), 20);
      break;
    case "late-reset":
      response.writeHead(200, STREAM).write(opening, () => {
        setTimeout(() => response.socket?.resetAndDestroy(), 20);
      });
      break;
    case "third-error": {
      const { parts } = responseParts(dialect, "stream");
      response.writeHead(200, STREAM).end(parts.slice(0, 3).join("") + ERRORS[dialect]);
      break;
    }
    case "slow": {
      const { parts } = responseParts(dialect, "stream");
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
      response.end(responseParts(dialect, "error").parts.join(""));
      break;
    default: {
      const { type, parts } = responseParts(dialect, isStream ? "stream" : "complete");
      const nonce = /nonce-\w+/.exec(body)?.[0] ?? RESPONSE_TEXT;
      response
        .writeHead(200, { "content-type": type })
        .end(parts.join("").replace(RESPONSE_TEXT, nonce));
    }
  }
}

/** Refuses connections: nobody listens there, and no server of another test that asks for a free port is given one below 1024. */
export const CLOSED_PORT = 1;
