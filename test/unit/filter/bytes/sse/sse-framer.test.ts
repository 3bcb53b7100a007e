// The event framer: every case whole, split at every byte and at every pair of bytes; what it says against eventsource-parser.
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { cut, Framer, type Framed } from "../../sse-framer.ts";

let framer: Framer;

beforeAll(async () => {
  framer = await Framer.load();
});

interface Case {
  name: string;
  stream: string;
  /** [event name, data] of each event that has data. */
  events: [string, string][];
  held?: string;
}

const BOM = "\ufeff";
const LONG = "x".repeat(200);

const cases: Case[] = [
  { name: "nothing", stream: "", events: [] },
  { name: "one event", stream: "data: a\n\n", events: [["", "a"]] },
  {
    name: "two events",
    stream: "data: a\n\ndata: b\n\n",
    events: [
      ["", "a"],
      ["", "b"],
    ],
  },
  { name: "CRLF", stream: "event: e\r\ndata: a\r\n\r\n", events: [["e", "a"]] },
  { name: "CR", stream: "event: e\rdata: a\r\r", events: [["e", "a"]] },
  {
    name: "CR events one after the other",
    stream: "data: a\r\rdata: b\r\r",
    events: [
      ["", "a"],
      ["", "b"],
    ],
  },
  { name: "a line in CR, the empty one in LF", stream: "data: a\r\n\n", events: [["", "a"]] },
  { name: "a line in LF, the empty one in CRLF", stream: "data: a\n\r\n", events: [["", "a"]] },
  {
    name: "LF, then CR",
    stream: "data: a\n\rdata: b\n\n",
    events: [
      ["", "a"],
      ["", "b"],
    ],
  },
  { name: "a byte order mark", stream: `${BOM}data: a\n\n`, events: [["", "a"]] },
  { name: "a second byte order mark is text", stream: `${BOM}${BOM}data: a\n\n`, events: [] },
  { name: "a byte order mark later", stream: `\n${BOM}data: a\n\n`, events: [] },
  { name: "a byte order mark alone", stream: `${BOM}\n\ndata: a\n\n`, events: [["", "a"]] },
  { name: "a byte order mark in CR", stream: `${BOM}\rdata: a\r\r`, events: [["", "a"]] },
  { name: "half a byte order mark", stream: "\xef\xbbdata: a\n\n", events: [] },
  { name: "a comment", stream: ": keep-alive\n\n", events: [] },
  { name: "a comment inside", stream: ":c\ndata: a\n:d\n\n", events: [["", "a"]] },
  { name: "a colon alone", stream: ":\n\ndata: a\n\n", events: [["", "a"]] },
  { name: "empty lines", stream: "\n\n\r\n\r\r\ndata: a\n\n", events: [["", "a"]] },
  { name: "empty data", stream: "data:\n\n", events: [["", ""]] },
  { name: "data without colon", stream: "data\n\n", events: [["", ""]] },
  { name: "data of a space", stream: "data:  \n\n", events: [["", " "]] },
  { name: "data without space", stream: "data:a\n\n", events: [["", "a"]] },
  { name: "data of two spaces and a colon", stream: "data:  : b\n\n", events: [["", " : b"]] },
  { name: "two data lines", stream: "data: a\ndata: b\n\n", events: [["", "a\nb"]] },
  { name: "three with empty ones", stream: "data\ndata:\ndata: c\n\n", events: [["", "\n\nc"]] },
  { name: "two empty data lines", stream: "data\ndata\n\n", events: [["", "\n"]] },
  {
    name: "joined twice",
    stream: "data:a\ndata:b\n\ndata:c\ndata:d\n\n",
    events: [
      ["", "a\nb"],
      ["", "c\nd"],
    ],
  },
  {
    name: "joined, then single",
    stream: "data:a\ndata:b\n\ndata:c\n\n",
    events: [
      ["", "a\nb"],
      ["", "c"],
    ],
  },
  { name: "joined in CRLF", stream: "data:a\r\ndata:b\r\n\r\n", events: [["", "a\nb"]] },
  {
    name: "a name",
    stream: "event: message_start\ndata: {}\n\n",
    events: [["message_start", "{}"]],
  },
  { name: "the name behind the data", stream: "data: {}\nevent: e\n\n", events: [["e", "{}"]] },
  { name: "the last of two names", stream: "event: d\nevent: e\ndata\n\n", events: [["e", ""]] },
  { name: "a name without data", stream: "event: e\n\ndata: a\n\n", events: [["", "a"]] },
  { name: "an empty name", stream: "event:\ndata: a\n\n", events: [["", "a"]] },
  { name: "a name without colon", stream: "event: e\nevent\ndata: a\n\n", events: [["", "a"]] },
  { name: "id and retry", stream: "id: 1\nretry: 10\ndata: a\nid\n\n", events: [["", "a"]] },
  {
    name: "names that only begin like ours",
    stream: "data2: x\nevents: y\nda: z\neven: w\ndata: a\n\n",
    events: [["", "a"]],
  },
  { name: "names in capitals", stream: "Data: x\nEVENT: y\ndata: a\n\n", events: [["", "a"]] },
  { name: "a space before a name", stream: " data: x\ndata: a\n\n", events: [["", "a"]] },
  { name: "a space before the colon", stream: "data : x\ndata: a\n\n", events: [["", "a"]] },
  { name: "a long line", stream: `event: ${LONG}\ndata: ${LONG}\n\n`, events: [[LONG, LONG]] },
  {
    name: "tabs and other control characters",
    stream: "data:\ta\x0b\x0c\x01\x00b\n\n",
    events: [["", "\ta\x0b\x0c\x01\x00b"]],
  },
  { name: "UTF-8", stream: "data: né 你 😀\n\n", events: [["", "né 你 😀"]] },
  {
    name: "an unfinished event",
    stream: "data: a\n\ndata: b\n",
    events: [["", "a"]],
    held: "data: b\n",
  },
  {
    name: "an unfinished line",
    stream: "data: a\n\ndata: b",
    events: [["", "a"]],
    held: "data: b",
  },
  {
    name: "a CR at the end",
    stream: "data: a\n\ndata: b\r",
    events: [["", "a"]],
    held: "data: b\r",
  },
  {
    name: "[DONE]",
    stream: 'data: {"a":1}\n\ndata: [DONE]\n\n',
    events: [
      ["", '{"a":1}'],
      ["", "[DONE]"],
    ],
  },
];

function bytesOf(stream: string): Buffer {
  // Written as latin1 where a case is about single bytes.
  return stream.startsWith("\xef\xbb") ? Buffer.from(stream, "latin1") : Buffer.from(stream);
}

function eventsOf(framed: Framed): [string, string][] {
  const text = (latin1: string): string => Buffer.from(latin1, "latin1").toString();
  return framed.events.flatMap(({ name, data }) => {
    return data === undefined ? [] : [[text(name), text(data)] as [string, string]];
  });
}

/** What holds of every stream, however it is split. */
function expectWhole(stream: Buffer, pieces: readonly Uint8Array[], framed: Framed): void {
  const all = framed.events.map(({ raw }) => raw).join("") + framed.held;
  if (all !== stream.toString("latin1")) expect(all).toBe(stream.toString("latin1"));
  // Each event in the call that brought its last byte; only an LF may stand after a CR and come later.
  const ends: number[] = [];
  let length = 0;
  for (const piece of pieces) ends.push((length += piece.length));
  let end = 0;
  let previous = "";
  for (const event of framed.events) {
    // The LF of a CRLF whose CR has ended an event is none of its own.
    const isLateLf = event.raw === "\n" && previous.endsWith("\r");
    if (event.isLateLf !== isLateLf) expect(event).toMatchObject({ isLateLf });
    previous = event.raw;
    end += event.raw.length;
    const piece = ends.findIndex((bytes) => bytes >= end);
    if (event.piece !== piece) expect(event).toMatchObject({ piece });
    if (event.isLateLf) expect(event).toMatchObject({ raw: "\n", data: undefined });
  }
}

describe("every case", () => {
  it.each(cases)("$name: at once", ({ stream, events, held }) => {
    const bytes = bytesOf(stream);
    const framed = framer.read([bytes]);
    expect(eventsOf(framed)).toEqual(events);
    if (held !== undefined) expect(framed.held).toBe(held);
    expectWhole(bytes, [bytes], framed);
  });

  it.each(cases)("$name: byte by byte, with empty pieces between", ({ stream, events }) => {
    const bytes = bytesOf(stream);
    const pieces = [...bytes].flatMap((byte) => [Buffer.of(byte), Buffer.alloc(0)]);
    const framed = framer.read(pieces);
    expect(eventsOf(framed)).toEqual(events);
    expectWhole(bytes, pieces, framed);
  });

  it.each(cases)("$name: split at every byte and at every pair", ({ stream, events }) => {
    const bytes = bytesOf(stream);
    // A long line's inside is everywhere the same.
    const step = bytes.length > 100 ? 7 : 1;
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second += second - first > 3 ? step : 1) {
        const pieces = cut(bytes, first, second);
        const framed = framer.read(pieces);
        const found = eventsOf(framed);
        if (JSON.stringify(found) !== JSON.stringify(events)) {
          expect({ first, second, events: found }).toEqual({ first, second, events });
        }
        expectWhole(bytes, pieces, framed);
      }
    }
  });
});

describe("line ends at every offset", () => {
  it.each(["\n", "\r\n", "\r"])("%j around the blocks of 16 and 64 bytes", (lineEnd) => {
    for (let length = 0; length < 200; length++) {
      const data = "x".repeat(length);
      const stream = `data:${data}${lineEnd}${lineEnd}event:e${lineEnd}data:${data}${lineEnd}${lineEnd}`;
      const events = eventsOf(framer.read([Buffer.from(stream)]));
      if (events.length !== 2 || events[0]?.[1] !== data || events[1]?.[1] !== data) {
        expect({ length, events }).toEqual({
          length,
          events: [
            ["", data],
            ["e", data],
          ],
        });
      }
    }
  });
});

/** What eventsource-parser makes of a stream, in the same words. */
function reference(pieces: readonly string[]): [string, string][] {
  const events: [string, string][] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push([event ?? "", data]),
  });
  for (const piece of pieces) parser.feed(piece);
  return events;
}

const field = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("data", "event", "id", "retry", "", "data2", "dat", "events"),
  },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom("d", "a", "t", ":", " ", "é") }) },
);
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "{", '"', " ", ":", "é", "你", "\t", "data") }),
  fc.nat(150).map((length) => "y".repeat(length)),
);
const line = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(field, fc.constantFrom(":", ": ", ":  "), text)
      .map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: field },
  { weight: 4, arbitrary: fc.constant("") },
);
const lineEnd = fc.constantFrom("\n", "\n", "\r\n", "\r\n", "\r");
const stream = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(line, lineEnd), { maxLength: 30 }), fc.boolean())
  .map(([hasBom, lines, isUniform]) => {
    const end = lines[0]?.[1] ?? "\n";
    return (
      (hasBom ? BOM : "") +
      lines.map(([content, own]) => content + (isUniform ? end : own)).join("")
    );
  });

/** The same events for any splitting, as eventsource-parser sees them when the stream comes at once. */
describe("generated streams", () => {
  it("generated streams have the events that eventsource-parser sees, however they are split", () => {
    const cuts = fc.array(fc.nat(600), { maxLength: 12 });
    fc.assert(
      fc.property(stream, cuts, (text, places) => {
        // The reference decides by the last bytes whether a CR is half of a CRLF: an LF more tells it.
        const bytes = Buffer.from(text);
        const offsets = places.map((place) => Math.min(place, bytes.length)).sort((a, b) => a - b);
        const pieces = cut(bytes, ...offsets);
        const framed = framer.read(pieces);
        expect(eventsOf(framed)).toEqual(reference([text]));
        expectWhole(bytes, pieces, framed);
        // Never more than the event that is being read.
        const longest = Math.max(
          0,
          framed.held.length,
          ...framed.events.map(({ raw }) => raw.length),
        );
        expect(framed.mostHeld).toBeLessThanOrEqual(longest);
      }),
      { numRuns: 3000 },
    );
  });

  it("generated streams hold only what is not finished, in memory that does not grow", () => {
    const event = `data: ${"z".repeat(1000)}\n\n`;
    const bytes = Buffer.from(event.repeat(50));
    const read = (): void => {
      for (const size of [1, 7, 500, 1007, 1008, 1009, 5000]) {
        const offsets = Array.from(
          { length: Math.floor((bytes.length - 1) / size) },
          (_, index) => {
            return (index + 1) * size;
          },
        );
        expect(framer.read(cut(bytes, ...offsets)).mostHeld).toBeLessThan(event.length);
      }
    };
    read();
    const before = framer.wasm.memory.buffer.byteLength;
    for (let round = 0; round < 3; round++) read();
    expect(framer.wasm.memory.buffer.byteLength).toBe(before);
  });
});
