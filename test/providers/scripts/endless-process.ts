// The provider of test/soak/slow-readers.ts as a process, so that its memory is not the gateway's: it sends as fast as it is read,
// over HTTP/1.1 or, with a certificate, HTTP/2. The path begins with what it sends.
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import type { Server } from "node:net";
import { Readable } from "node:stream";
import type { Writable } from "node:stream";
import type { Certificate } from "../../gateway/certificates.ts";
import { listen } from "../listen.ts";
import { type Facts, type Part, type Wire, WIRES } from "../wire.ts";

/** From the parent: first how much to serve, then `end` for the streams of the bystanders. */
export type Order = { certificate?: Certificate; mib: number } | "end";

/** To the parent: where it listens, how much it has sent in all, and how many bystanders it serves. */
export interface Sent {
  port: number;
  bytes: number;
  bystanders: number;
  /** The longest time between two words to the present bystanders, in ms: a few hundred, unless the machine pauses. */
  pausedMs: number;
}

/** What both versions of HTTP have. */
interface EitherResponse extends Writable {
  writeHead(status: number, headers: Record<string, string | number>): unknown;
}

const MIB = 1024 ** 2;
const TEXT = "abcdefgh ".repeat(100);
const sent: Sent = { port: 0, bytes: 0, bystanders: 0, pausedMs: 0 };
let waiting: (() => void)[] = [];

/** By the second part of the path. */
const SCRIPTS: Record<string, Wire> = {
  chat: WIRES.chat,
  messages: WIRES.messages,
  bedrock: WIRES.converse,
};
const FACTS: Facts = { id: "1", usage: { input: 1, output: 9 } };

/** Sends one piece again and again, as fast as it is read, and counts. */
function* repeat(
  before: Buffer[],
  piece: Buffer,
  bytes: number,
  after: Buffer[],
): Generator<Buffer> {
  yield* before;
  for (let left = bytes; left > 0; left -= piece.length) {
    const part = piece.length <= left ? piece : piece.subarray(0, left);
    sent.bytes += part.length;
    yield part;
  }
  yield* after;
}

function serve(url: string, response: EitherResponse, size: number): void {
  response.on("error", () => undefined);
  const [, does = "", kind = ""] = url.split("/");
  const script = SCRIPTS[kind] ?? SCRIPTS["chat"];
  if (does === "file" || script === undefined) {
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": size });
    pipe(repeat([], Buffer.alloc(64 * 1024, 0x61), size, []), response);
    return;
  }
  const bytes = (parts: Part[]): Buffer[] => parts.map((part) => Buffer.from(part));
  const begin = bytes(script.begin(FACTS));
  const word = Buffer.from(script.delta(TEXT));
  const end = bytes(script.end(script === WIRES.chat ? {} : FACTS));
  response.writeHead(200, { "content-type": script.contentType });
  if (does === "bystander") {
    for (const part of [...begin, word]) response.write(part);
    let movedAt = Date.now();
    const move = (): void => {
      sent.pausedMs = Math.max(sent.pausedMs, Date.now() - movedAt);
      movedAt = Date.now();
    };
    const timer = setInterval(() => {
      move();
      response.write(word);
    }, 100);
    response.on("close", () => {
      move();
      clearInterval(timer);
    });
    waiting.push(() => {
      move();
      clearInterval(timer);
      for (const part of end) response.write(part);
      response.end();
    });
    if (sent.bystanders === 0) sent.pausedMs = 0;
    sent.bystanders += 1;
    return;
  }
  // Pieces of 64 KiB and more: otherwise this process is what the stream waits for.
  const words = Buffer.concat(Array.from({ length: 64 }, () => word));
  const whole = Math.floor(size / words.length) * words.length;
  pipe(repeat(begin, words, whole, end), response);
}

function pipe(pieces: Generator<Buffer>, response: EitherResponse): void {
  const source = Readable.from(pieces, { objectMode: true, highWaterMark: 1 });
  source.on("error", () => undefined);
  response.on("close", () => source.destroy());
  source.pipe(response);
}

function start({ certificate, mib }: Exclude<Order, "end">): void {
  const handle = (request: Readable & { url?: string }, response: EitherResponse): void => {
    request.resume();
    request.on("end", () => {
      serve(request.url ?? "", response, mib * MIB);
    });
  };
  const server: Server =
    certificate === undefined
      ? createServer(handle as never)
      : // Node refuses streams beyond 10 MB of what it has to send.
        createSecureServer({ ...certificate, maxSessionMemory: 1000 }, handle as never);
  void listen(server).then(({ port }) => {
    sent.port = port;
    process.send?.(sent);
  });
}

process.on("message", (order: Order) => {
  if (order !== "end") {
    start(order);
    return;
  }
  for (const end of waiting) end();
  waiting = [];
  sent.bystanders = 0;
});
process.on("disconnect", () => process.exit());
setInterval(() => process.send?.(sent), 100);
