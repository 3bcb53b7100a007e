// A stream of the client's own dialect is only observed: an event that is too large to be held passes, and all after it is read again.
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { FilterHost, compileFilter } from "../../control-plane/wasm-host/filter-host.ts";
import type { ExchangeResult } from "../../control-plane/wasm-host/wasm-exchange.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const MIB = 1024 ** 2;
const CONFIG = `
observability: {}
llm_providers:
  - {model: vllm/plain, base_url: http://vllm.test/v1}
  - {model: vllm/limited, base_url: http://vllm.test/v1}
ratelimits:
  - {model: vllm/limited, limit: {tokens: 1000000, unit: minute}}
`;
const CHUNK = '{"choices":[{"index":0,"delta":{"content":"word"}}]}';
const USAGE = '{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":234}}';

let host: FilterHost;

beforeAll(async () => {
  const result = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, {});
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const module = await compileFilter(FILTER);
  host = await FilterHost.load(module, {
    filterConfig: filterConfig(result.model),
    now: () => Date.UTC(2026, 10, 22),
  });
});

function ask(model: string, wantsUsage: boolean, chunks: Uint8Array[]): ExchangeResult {
  const usage = wantsUsage ? { stream_options: { include_usage: true } } : {};
  return host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["content-type", "application/json"]],
      body: Buffer.from(JSON.stringify({ model, stream: true, messages: [], ...usage })),
    },
    upstream: () => ({
      status: 200,
      headers: [["content-type", "text/event-stream"]],
      chunks,
      emptyEnd: true,
    }),
  });
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

const END = ["\n", "\r\n", "\r"];
const EVENT_KINDS = {
  "one line": (end: string, size: number) => `data: ${"a".repeat(size)}${end}${end}`,
  "many lines": (end: string, size: number) =>
    `${`data: ${"a".repeat(999)}${end}`.repeat(Math.ceil(size / 1000))}${end}`,
  "a usage inside": (end: string, size: number) =>
    `data: {"x":"${"a".repeat(size)}"}${end}data: ${USAGE}${end}${end}`,
  "a comment": (end: string, size: number) => `: ${"a".repeat(size)}${end}${end}`,
  "no value": (end: string, size: number) => `${"a".repeat(size)}${end}${end}`,
};

describe.each(Object.entries(EVENT_KINDS))("an event of 3 MiB, %s", (_, event) => {
  it.each(END)(
    "an event of 3 MiB passes as it comes, and the usage chunk after it does not: lines end in %j",
    (end) => {
      const line = (data: string): string => `data: ${data}${end}${end}`;
      const large = event(end, 3 * MIB);
      const before = line(CHUNK);
      const behind = line(CHUNK);
      const stream = Buffer.from(before + large + behind + line(USAGE) + line("[DONE]"));
      const wanted = before + large + behind + line("[DONE]");
      for (const size of [16_384, 65_536, 100_003, 2 * MIB, stream.length]) {
        const { response, faults } = ask("vllm/plain", false, cut(stream, size));
        expect(faults).toEqual([]);
        expect(Buffer.from(response.body).equals(Buffer.from(wanted)), `in pieces of ${size}`).toBe(
          true,
        );
      }
    },
  );
});

describe("an event that does not end", () => {
  it("an event that does not end is held for 1 MiB, and leaves with every piece from then on", () => {
    const pieces = [
      Buffer.from('data: {"x":"'),
      ...Array<Buffer>(64).fill(Buffer.alloc(65_536, 97)),
    ];
    const { response } = ask("vllm/plain", false, [...pieces, Buffer.from('"}\n\n')]);
    const waiting: number[] = [];
    let given = 0;
    let got = 0;
    for (const [index, piece] of pieces.entries()) {
      given += piece.length;
      for (const chunk of response.chunks)
        if (chunk.during === `response body ${index}`) got += chunk.bytes.length;
      waiting.push(given - got);
    }
    expect(Math.max(...waiting)).toBeLessThanOrEqual(MIB);
    expect(waiting.slice(20)).toEqual(waiting.slice(20).map(() => 0));
    expect(response.ending).toBe("complete");
  });

  it("an event that does not end is not held where the client requested usage itself, and its stream is charged by the usage after it", () => {
    const before = remaining();
    const large = `data: {"x":"${"a".repeat(3 * MIB)}"}\n\n`;
    const stream = Buffer.from(`${large}data: ${USAGE}\n\ndata: [DONE]\n\n`);
    const { response, faults } = ask("vllm/limited", true, cut(stream, 65_536));
    expect(faults).toEqual([]);
    expect(Buffer.from(response.body).equals(stream)).toBe(true);
    const spent = before - remaining();
    expect(spent).toBeGreaterThanOrEqual(1234);
    expect(spent).toBeLessThan(2000);
  });
});

/** Tokens that are left of the limit. */
function remaining(): number {
  const { response } = ask("vllm/limited", false, [Buffer.from("data: [DONE]\n\n")]);
  const [, value] =
    response.headers.find(([name]) => name === "x-ratelimit-remaining-tokens") ?? [];
  return Number(value);
}

describe("any stream", () => {
  const anyEnd = fc.constantFrom(...END);
  const anyEvent = fc.oneof(
    { weight: 3, arbitrary: fc.constant(CHUNK) },
    { weight: 1, arbitrary: fc.constant(USAGE) },
    fc.integer({ min: 0, max: 3000 }).map((size) => "b".repeat(size)),
    fc.integer({ min: MIB - 10, max: MIB + 10 }).map((size) => "c".repeat(size)),
    fc.integer({ min: MIB, max: 2 * MIB }).map((size) => "d".repeat(size)),
  );
  const anyLine = fc.record({ data: anyEvent, end: anyEnd, last: anyEnd, lines: fc.nat(2) });

  it("a stream is unchanged but for its usage chunks, however it is cut", () => {
    fc.assert(
      fc.property(
        fc.array(anyLine, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 20 }),
        (lines, sizes) => {
          const text = ({ data, end, last, lines: more }: (typeof lines)[number]): string =>
            `data: ${data}${end}${`event: x${end}`.repeat(more)}${last === "\n" && end === "\r" ? "\r" : last}`;
          const stream = Buffer.from(lines.map(text).join(""));
          const wanted = lines.filter(({ data }) => data !== USAGE).map(text);
          const pieces: Buffer[] = [];
          for (let at = 0, next = 0; at < stream.length; next++) {
            const size = sizes[next % sizes.length] ?? 1;
            pieces.push(stream.subarray(at, at + size));
            at += size;
          }
          const { response, faults } = ask("vllm/plain", false, pieces);
          expect(faults).toEqual([]);
          expect(Buffer.from(response.body).equals(Buffer.from(wanted.join("")))).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  const anyText = fc.array(
    fc.constantFrom(
      "word",
      "é",
      "\\",
      '"',
      '"usage":{',
      '","usage":{"x":1},"y":"',
      "\n",
      "{",
      "12",
      "a: ",
    ),
    { maxLength: 4 },
  );
  const anyChunk = fc.record({
    text: anyText,
    member: fc.constantFrom("content", "refusal"),
    noise: fc.stringMatching(/^\w{1,9}$/),
    number: fc.nat(1200),
  });

  it("a stream of events that repeat each other is charged by its usage, however it is cut", () => {
    fc.assert(
      fc.property(
        fc.array(anyChunk, { minLength: 3, maxLength: 30 }),
        fc.nat(30),
        fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        (chunks, place, sizes, wantsUsage) => {
          const lines = chunks.map(({ text, member, noise, number }) =>
            JSON.stringify({
              choices: [{ index: 0, delta: { [member]: text.join("") } }],
              number,
              noise,
            }),
          );
          lines.splice(place % chunks.length, 0, USAGE);
          const streamOf = (some: string[]): Buffer =>
            Buffer.from([...some, "[DONE]"].map((line) => `data: ${line}\n\n`).join(""));
          const stream = streamOf(lines);
          const pieces: Buffer[] = [];
          for (let at = 0, next = 0; at < stream.length; next++) {
            const size = sizes[next % sizes.length] ?? 1;
            pieces.push(stream.subarray(at, at + size));
            at += size;
          }
          const before = remaining();
          const { response, faults } = ask("vllm/limited", wantsUsage, pieces);
          expect(faults).toEqual([]);
          const wanted = wantsUsage ? stream : streamOf(lines.filter((line) => line !== USAGE));
          expect(Buffer.from(response.body).toString()).toBe(wanted.toString());
          expect(before - remaining()).toBeGreaterThanOrEqual(1234);
        },
      ),
      { numRuns: 300 },
    );
  });
});
