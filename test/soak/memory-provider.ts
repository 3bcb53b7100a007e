// The provider of test/soak/memory.ts, a process of its own. What it does stands at the beginning of the path, and what waits is
// answered when the parent says so.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32 } from "node:zlib";

/** To the parent: the port first, then how many requests wait and how many slow streams have begun. */
export interface Report {
  port?: number;
  waiting: number;
  slow: number;
}

/** From the parent. `release`: all that waits is answered; `end`: the slow streams get their end. */
export type Command = "release" | "end";

const MIB = 1024 ** 2;
const PACE_MS = 100;
const PIECE = Buffer.alloc(64 * 1024, 0x61);

let waiting: (() => void)[] = [];
let slow: (() => void)[] = [];

function report(more: Partial<Report> = {}): void {
  process.send?.({ waiting: waiting.length, slow: slow.length, ...more });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, does = "", size = ""] = request.url?.split("/") ?? [];
  const isMessages = request.url?.endsWith("/messages") === true;
  const body = await read(request);
  // The client or the gateway may leave at any time.
  response.on("error", () => undefined);
  if (does === "slow") streamSlowly(response, isMessages);
  else if (does === "event") await sendEvent(response, Number(size) * MIB);
  else if (does === "reply") await sendReply(response, Number(size) * MIB);
  else if (does === "answering") reply(response, isMessages, body);
  else
    wait(response, () => {
      if (does === "waiting") reply(response, isMessages, body);
      else refuse(response);
    });
}

interface Body {
  length: number;
  crc: number;
}

async function read(request: IncomingMessage): Promise<Body> {
  const body = { length: 0, crc: 0 };
  for await (const chunk of request as AsyncIterable<Buffer>) {
    body.length += chunk.length;
    body.crc = crc32(chunk, body.crc);
  }
  return body;
}

function wait(response: ServerResponse, then: () => void): void {
  waiting.push(then);
  response.on("close", () => {
    waiting = waiting.filter((one) => one !== then);
  });
  report();
}

function refuse(response: ServerResponse): void {
  response.writeHead(500, { "content-type": "application/json" });
  response.end('{"error":{"message":"refused"}}');
}

/** Says which body has come. */
function reply(response: ServerResponse, isMessages: boolean, { length, crc }: Body): void {
  const text = `${String(length)} ${String(crc)}`;
  const message = isMessages
    ? {
        id: "1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [{ type: "text", text }],
        stop_reason: "end_turn",
        usage: {},
      }
    : {
        id: "1",
        model: "m",
        choices: [
          { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" },
        ],
      };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(message));
}

function streamSlowly(response: ServerResponse, isMessages: boolean): void {
  const event = (data: object, name = ""): string =>
    `${isMessages ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
  const start = { id: "1", type: "message", role: "assistant", model: "m", content: [], usage: {} };
  const word = isMessages
    ? event(
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word " } },
        "content_block_delta",
      )
    : event({ choices: [{ index: 0, delta: { content: "word " } }] });
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (isMessages) {
    response.write(event({ type: "message_start", message: start }, "message_start"));
    response.write(
      event(
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        "content_block_start",
      ),
    );
  }
  const timer = setInterval(() => response.write(word), PACE_MS);
  response.on("close", () => {
    clearInterval(timer);
  });
  slow.push(() => {
    clearInterval(timer);
    if (!isMessages) {
      response.end(
        `${event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`,
      );
      return;
    }
    response.write(event({ type: "content_block_stop", index: 0 }, "content_block_stop"));
    response.write(
      event(
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
        "message_delta",
      ),
    );
    response.end(event({ type: "message_stop" }, "message_stop"));
  });
  response.write(word);
  report();
}

/** One event of so many bytes in a stream that begins and ends well. */
async function sendEvent(response: ServerResponse, size: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write('data: {"choices":[{"index":0,"delta":{"content":"begin"}}]}\n\n');
  response.write('data: {"choices":[{"index":0,"delta":{"content":"');
  await fill(response, size);
  response.write('"}}]}\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');
  response.end("data: [DONE]\n\n");
}

async function sendReply(response: ServerResponse, size: number): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  response.write(
    '{"id":"1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"',
  );
  await fill(response, size);
  response.end('"},"finish_reason":"stop"}]}');
}

async function fill(response: ServerResponse, size: number): Promise<void> {
  for (let left = size; left > 0 && !response.destroyed; left -= PIECE.length) {
    if (response.write(PIECE.subarray(0, Math.min(left, PIECE.length)))) continue;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        response.off("drain", goOn).off("close", goOn);
        resolve();
      };
      response.on("drain", goOn).on("close", goOn);
    });
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  report({ port: (server.address() as AddressInfo).port });
});
process.on("message", (command: Command) => {
  const all = command === "release" ? waiting : slow;
  if (command === "release") waiting = [];
  else slow = [];
  for (const one of all) one();
});
process.on("disconnect", () => process.exit());
