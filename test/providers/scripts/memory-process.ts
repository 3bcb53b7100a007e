// The provider of test/soak/memory.ts as a process. The path begins with what it does; requests that wait get their response when
// the parent commands it. It reads bodies piece by piece, because many large ones are open at once.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { crc32 } from "node:zlib";
import { listen } from "../listen.ts";
import { sendJson } from "../scripted-provider.ts";
import { type Wire, WIRES } from "../wire.ts";

/** To the parent: the port first, then how many requests wait and how many slow streams have begun. */
export interface Report {
  port?: number;
  waiting: number;
  slow: number;
}

/** From the parent. `release`: all that wait get their response; `end`: the slow streams get their end. */
export type Command = "release" | "end";

const MIB = 1024 ** 2;
const PACE_MS = 100;
const PIECE = Buffer.alloc(64 * 1024, 0x61);

let waiting: (() => void)[] = [];
let slow: (() => void)[] = [];

function report(more: Partial<Report> = {}): void {
  process.send?.({ waiting: waiting.length, slow: slow.length, ...more });
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, does = "", size = ""] = request.url?.split("/") ?? [];
  const wire = request.url?.endsWith("/messages") === true ? WIRES.messages : WIRES.chat;
  const body = await read(request);
  // The client or the gateway may leave at any time.
  response.on("error", () => undefined);
  if (does === "slow") streamSlowly(response, wire);
  else if (does === "event") await sendEvent(response, Number(size) * MIB);
  else if (does === "response") await sendResponse(response, Number(size) * MIB);
  else if (does === "responding") respondWithBody(response, wire, body);
  else
    wait(response, () => {
      if (does === "waiting") respondWithBody(response, wire, body);
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
  sendJson(response, { error: { message: "refused" } }, 500);
}

/** Responds with the length and the checksum of the request's body. */
function respondWithBody(response: ServerResponse, wire: Wire, { length, crc }: Body): void {
  sendJson(response, wire.complete(`${String(length)} ${String(crc)}`, { id: "1" }));
}

function streamSlowly(response: ServerResponse, wire: Wire): void {
  const word = wire.delta("word ");
  response.writeHead(200, { "content-type": wire.contentType });
  for (const part of [...wire.begin(), word]) response.write(part);
  const timer = setInterval(() => response.write(word), PACE_MS);
  response.on("close", () => {
    clearInterval(timer);
  });
  slow.push(() => {
    clearInterval(timer);
    for (const part of wire.end()) response.write(part);
    response.end();
  });
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

async function sendResponse(response: ServerResponse, size: number): Promise<void> {
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
  respond(request, response).catch(() => response.destroy());
});
const { port } = await listen(server);
report({ port });
process.on("message", (command: Command) => {
  const all = command === "release" ? waiting : slow;
  if (command === "release") waiting = [];
  else slow = [];
  for (const one of all) one();
});
process.on("disconnect", () => process.exit());
