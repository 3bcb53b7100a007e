// The provider of test/soak/slow-readers.ts, a process of its own, so that its memory is not the gateway's: it sends as fast as it
// is read, over HTTP/1.1 or, with a certificate, HTTP/2. What it sends stands at the beginning of the path.
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { Readable } from "node:stream";
import type { Writable } from "node:stream";
import { eventFrame } from "../providers/event-stream.ts";
import type { Certificate } from "../gateway/certificates.ts";

/** From the parent: first what to serve, then `end` for the streams of the bystanders. */
export type Order = { certificate?: Certificate; mib: number } | "end";

/** To the parent: where it listens, how much it has sent in all, and how many bystanders it serves. */
export interface Sent {
  port: number;
  bytes: number;
  bystanders: number;
}

/** What both versions of HTTP have. */
interface Answer extends Writable {
  writeHead(status: number, headers: Record<string, string | number>): unknown;
}

const MIB = 1024 ** 2;
const TEXT = "abcdefgh ".repeat(100);
const EVENTS = { "content-type": "text/event-stream" };
const sent: Sent = { port: 0, bytes: 0, bystanders: 0 };
let waiting: (() => void)[] = [];

function sse(name: string, data: object): Buffer {
  return Buffer.from(`${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
}

/** The events of a stream: how it begins, what it repeats, and how it ends. */
interface Script {
  headers: Record<string, string>;
  begin: Buffer[];
  word: Buffer;
  end: Buffer[];
}

const SCRIPTS: Record<string, Script> = {
  chat: {
    headers: EVENTS,
    begin: [],
    word: sse("", { choices: [{ index: 0, delta: { content: TEXT } }] }),
    end: [
      sse("", { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
      Buffer.from("data: [DONE]\n\n"),
    ],
  },
  messages: {
    headers: EVENTS,
    begin: [
      sse("message_start", {
        type: "message_start",
        message: {
          id: "1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          usage: {},
        },
      }),
      sse("content_block_start", {
        type: "content_block_start",
        index: 0,
        content_block: { type: "text", text: "" },
      }),
    ],
    word: sse("content_block_delta", {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: TEXT },
    }),
    end: [
      sse("content_block_stop", { type: "content_block_stop", index: 0 }),
      sse("message_delta", {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { output_tokens: 9 },
      }),
      sse("message_stop", { type: "message_stop" }),
    ],
  },
  bedrock: {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
    begin: [eventFrame("messageStart", { role: "assistant" })],
    word: eventFrame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: TEXT } }),
    end: [
      eventFrame("contentBlockStop", { contentBlockIndex: 0 }),
      eventFrame("messageStop", { stopReason: "end_turn" }),
      eventFrame("metadata", { usage: { inputTokens: 1, outputTokens: 9, totalTokens: 10 } }),
    ],
  },
};

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

function serve(url: string, answer: Answer, bytes: number): void {
  answer.on("error", () => undefined);
  const [, does = "", kind = ""] = url.split("/");
  const script = SCRIPTS[kind] ?? SCRIPTS["chat"];
  if (does === "file" || script === undefined) {
    answer.writeHead(200, { "content-type": "application/octet-stream", "content-length": bytes });
    pipe(repeat([], Buffer.alloc(64 * 1024, 0x61), bytes, []), answer);
    return;
  }
  const { headers, begin, word, end } = script;
  answer.writeHead(200, headers);
  if (does === "bystander") {
    for (const part of [...begin, word]) answer.write(part);
    const timer = setInterval(() => answer.write(word), 100);
    answer.on("close", () => {
      clearInterval(timer);
    });
    waiting.push(() => {
      clearInterval(timer);
      for (const part of end) answer.write(part);
      answer.end();
    });
    sent.bystanders += 1;
    return;
  }
  // Pieces of 64 KiB and more: otherwise this process is what the stream waits for.
  const words = Buffer.concat(Array.from({ length: 64 }, () => word));
  const whole = Math.floor(bytes / words.length) * words.length;
  pipe(repeat(begin, words, whole, end), answer);
}

function pipe(pieces: Generator<Buffer>, answer: Answer): void {
  const source = Readable.from(pieces, { objectMode: true, highWaterMark: 1 });
  source.on("error", () => undefined);
  answer.on("close", () => source.destroy());
  source.pipe(answer);
}

function listen({ certificate, mib }: Exclude<Order, "end">): void {
  const handle = (request: Readable & { url?: string }, answer: Answer): void => {
    request.resume();
    request.on("end", () => {
      serve(request.url ?? "", answer, mib * MIB);
    });
  };
  const server: Server =
    certificate === undefined
      ? createServer(handle as never)
      : // Node refuses streams beyond 10 MB of what it has to send.
        createSecureServer({ ...certificate, maxSessionMemory: 1000 }, handle as never);
  server.listen(0, "127.0.0.1", () => {
    sent.port = (server.address() as AddressInfo).port;
    process.send?.(sent);
  });
}

process.on("message", (order: Order) => {
  if (order !== "end") {
    listen(order);
    return;
  }
  for (const end of waiting) end();
  waiting = [];
  sent.bystanders = 0;
});
process.on("disconnect", () => process.exit());
setInterval(() => process.send?.(sent), 100);
