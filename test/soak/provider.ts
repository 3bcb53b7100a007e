// A provider of both formats as a process of its own: echoes the nonce of each request, and fails where the prompt says so.
// `node provider.ts` prints its port; it ends with its standard input.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DELTAS, FAULT, NONCE, PACE_MS } from "./words.ts";
import type { Fault } from "./words.ts";

interface Asked {
  isMessages: boolean;
  isStream: boolean;
  nonce: string;
  fault: Fault | undefined;
  model: string;
}

/** Below `/healthy` nothing fails, so that a fallback has somewhere to go. */
const HEALTHY = "/healthy/";

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    answer(response, read(request, Buffer.concat(chunks).toString()));
  });
})
  .on("connection", (socket) => socket.setNoDelay())
  .listen(0, "127.0.0.1", function (this: { address(): unknown }) {
    console.log((this.address() as AddressInfo).port);
  });
process.stdin.on("end", () => process.exit()).resume();

function read({ url = "" }: IncomingMessage, text: string): Asked {
  const body = JSON.parse(text) as { stream?: boolean; model: string };
  const fault = FAULT.exec(text)?.[1] as Fault | undefined;
  return {
    isMessages: url.endsWith("/messages"),
    isStream: body.stream === true,
    nonce: NONCE.exec(text)?.[1] ?? "",
    fault: url.startsWith(HEALTHY) ? undefined : fault,
    model: body.model,
  };
}

function answer(response: ServerResponse, asked: Asked): void {
  if (asked.fault === "reset") response.destroy();
  else if (asked.fault === "error") fail(response, asked);
  else if (asked.isStream) void stream(response, asked);
  else complete(response, asked);
}

function fail(response: ServerResponse, { isMessages, nonce }: Asked): void {
  const error = {
    type: isMessages ? "api_error" : "server_error",
    message: `broken nonce:${nonce};`,
  };
  response.writeHead(500, { "content-type": "application/json" });
  response.end(
    JSON.stringify(
      isMessages ? { type: "error", error } : { error: { ...error, param: null, code: null } },
    ),
  );
}

function complete(response: ServerResponse, { isMessages, nonce, model, fault }: Asked): void {
  const text = Array.from({ length: DELTAS }, (_, at) => delta(nonce, at)).join("");
  const body = isMessages
    ? {
        id: `msg_${nonce}`,
        type: "message",
        role: "assistant",
        model,
        content: [{ type: "text", text }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: DELTAS },
      }
    : {
        id: `chatcmpl-${nonce}`,
        object: "chat.completion",
        created: 1,
        model,
        choices: [
          { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" },
        ],
        usage: { prompt_tokens: 3, completion_tokens: DELTAS, total_tokens: 3 + DELTAS },
      };
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  if (fault !== "cut") response.end(bytes);
  else response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}

async function stream(response: ServerResponse, asked: Asked): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const events = asked.isMessages ? messagesEvents(asked) : chatEvents(asked);
  const end = asked.fault === "cut" ? events.length >> 1 : events.length;
  for (const event of events.slice(0, end)) {
    if (response.destroyed) return;
    response.write(event);
    if (asked.fault === "slow") await new Promise((resolve) => setTimeout(resolve, PACE_MS));
  }
  if (asked.fault === "cut") response.write(": ", () => response.destroy());
  else response.end();
}

function delta(nonce: string, at: number): string {
  return `nonce:${nonce};${String(at)} `;
}

function chatEvents({ nonce, model }: Asked): string[] {
  const chunk = (choices: object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${nonce}`, object: "chat.completion.chunk", created: 1, model, choices, ...more })}\n\n`;
  const choice = (said: object, finish_reason: string | null = null) => [
    { index: 0, delta: said, finish_reason },
  ];
  return [
    chunk(choice({ role: "assistant", content: "" })),
    ...Array.from({ length: DELTAS }, (_, at) => chunk(choice({ content: delta(nonce, at) }))),
    chunk(choice({}, "stop")),
    chunk([], { usage: { prompt_tokens: 3, completion_tokens: DELTAS, total_tokens: 3 + DELTAS } }),
    "data: [DONE]\n\n",
  ];
}

function messagesEvents({ nonce, model }: Asked): string[] {
  const event = (type: string, more: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const message = {
    id: `msg_${nonce}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 0 },
  };
  return [
    event("message_start", { message }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...Array.from({ length: DELTAS }, (_, at) =>
      event("content_block_delta", {
        index: 0,
        delta: { type: "text_delta", text: delta(nonce, at) },
      }),
    ),
    event("content_block_stop", { index: 0 }),
    event("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: DELTAS },
    }),
    event("message_stop"),
  ];
}
