// `scripts/run.sh bench/scan.ts`: how fast the filter's scanner and event framer are alone, in this Node's V8, optimised and not.
//
// The bodies of the cases, and single strings of the kinds of text that people send. One figure is the best of many: the
// code is the same each time, so everything above the best is the machine. NODE_OPTIONS does not take V8's flag for its
// quick compiler, which runs a function until it is warm: `node --liftoff-only bench/scan.ts` shows it alone.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Framer } from "../test/unit/filter/sse-framer.ts";
import { JsonScanner } from "../test/unit/filter/json-scanner.ts";
import { chatAgentBody, chatBody, MESSAGES_MODEL, messagesAgentBody } from "./bodies.ts";

/** Bytes that one measured call goes through at least, so that the call itself does not count. */
const MIN_BYTES = 2_000_000;
const ROUNDS = 40;
const WARM_UP_MS = 300;

const CODE = '\tif (count < limit) {\n\t\treturn "none"; // C:\\new\n\t}\n';
const KINDS: [string, string][] = [
  ["plain text", "and words of a long answer without a break "],
  ["base64", "iVBORw0KGgoAAAANSUhEUgAA"],
  ["code", CODE],
  ["Chinese", "人工智能模型，可以回答问题。\n"],
  ["Russian", "модель отвечает на вопросы "],
  ["emoji", "done 😀🎉 and then 👍🏽\n"],
];

/** About 300 KB of this project's files, which repeat nothing: branches cannot be learned as in the texts above. */
function filesText(pattern: string): string {
  const root = join(import.meta.dirname, "..");
  const files = globSync(pattern, { cwd: root }).sort();
  return files
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("")
    .slice(0, 300_000);
}

function jsonTexts(): [string, string][] {
  const small = Array.from({ length: 3000 }, (_, id) => ({
    role: "user",
    content: `hi ${id}`,
    id,
  }));
  return [
    ["chat, 1 KB", JSON.stringify(chatBody(820))],
    ["chat agent, 200 KB", JSON.stringify(chatAgentBody(200_000))],
    ["messages agent, 200 KB", JSON.stringify(messagesAgentBody(MESSAGES_MODEL, 200_000))],
    ["chat agent, 1 MB", JSON.stringify(chatAgentBody(1_000_000))],
    ["small values", JSON.stringify({ messages: small })],
    ["the same, indented", JSON.stringify({ messages: small }, undefined, 2)],
    ["source files", JSON.stringify({ content: filesText("filter/**/*.ts") })],
    ["documents", JSON.stringify({ content: filesText("docs/*.md") })],
    ...KINDS.map(([name, text]): [string, string] => {
      return [name, JSON.stringify({ content: text.repeat(200_000 / text.length) })];
    }),
  ];
}

function streamText(): string {
  const chunk = { id: "chatcmpl-AbCdEfGhIjKlMnOp", object: "chat.completion.chunk", created: 1 };
  return Array.from({ length: 200 }, (_, index) => {
    const choices = [{ index: 0, delta: { content: ` word${index}` }, finish_reason: null }];
    return `data: ${JSON.stringify({ ...chunk, choices })}\n\n`;
  }).join("");
}

/** Microseconds that `work` takes for one time, given how often it should do it in a call. */
function bestOf(times: number, work: (times: number) => void): number {
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end;) work(1);
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = performance.now();
    work(times);
    best = Math.min(best, ((performance.now() - before) * 1000) / times);
  }
  return best;
}

function print(name: string, bytes: number, microseconds: number): void {
  const speed = (bytes / microseconds / 1000).toFixed(2);
  const figures = [`${bytes} B`.padStart(11), `${microseconds.toFixed(2)} µs`.padStart(11)];
  console.log(`${name.padEnd(24)}${figures.join("")}${speed.padStart(8)} GB/s`);
}

const { wasm } = await JsonScanner.load();
for (const [name, text] of jsonTexts()) {
  const bytes = Buffer.from(text);
  const pointer = wasm.allocate(bytes.length);
  new Uint8Array(wasm.memory.buffer, pointer, bytes.length).set(bytes);
  const times = Math.ceil(MIN_BYTES / bytes.length);
  const work = (count: number): void => {
    if (wasm.scanRepeatedly(pointer, bytes.length, count) !== 0)
      throw new Error(`${name} is refused`);
  };
  print(name, bytes.length, bestOf(times, work));
  wasm.free(pointer);
}

const framer = (await Framer.load()).wasm;
const stream = Buffer.from(streamText());
const pointer = framer.allocate(stream.length);
new Uint8Array(framer.memory.buffer, pointer, stream.length).set(stream);
for (const piece of [stream.length, 1460, Math.floor(stream.length / 200)]) {
  framer.begin();
  const work = (count: number): void => {
    for (let time = 0; time < count; time++) framer.readAll(pointer, stream.length, piece);
  };
  print(`events, ${piece} B at once`, stream.length, bestOf(40, work));
}
