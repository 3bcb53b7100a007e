// The framer of AWS's binary event streams: right and wrong frames, whole, split at every byte and byte by byte.
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  chunkFrame,
  errorFrame,
  eventFrame,
  exceptionFrame,
  frame,
  type HeaderValue,
} from "../../../../providers/event-stream.ts";
import { EventStreamFramer, type BinaryStream } from "../../event-stream-framer.ts";
import { cut } from "../../sse-framer.ts";

let framer: EventStreamFramer;

beforeAll(async () => {
  framer = await EventStreamFramer.load();
});

const TEXT = eventFrame("contentBlockDelta", {
  contentBlockIndex: 0,
  delta: { text: "né 你 😀" },
  p: "abcd",
});
const START = eventFrame("messageStart", { role: "assistant" });
const STOP = eventFrame("messageStop", { stopReason: "end_turn" });

/** [name, data, "error" for an event that reports one] */
type Row = [string, string, "error"?];

function rowsOf({ events }: BinaryStream): Row[] {
  return events.map(({ name, data, isError }) => (isError ? [name, data, "error"] : [name, data]));
}

function broken(what: string): Row {
  return ["", JSON.stringify({ message: `The provider ${what}` }), "error"];
}

const CUT = broken("ended the event stream inside a frame.");
const WRONG_PRELUDE = broken("sent a broken event stream: the checksum of a prelude is wrong.");
const WRONG_FRAME = broken("sent a broken event stream: the checksum of a frame is wrong.");
const WRONG_LENGTH = broken(
  "sent a broken event stream: the length of a frame is outside its bounds.",
);
const WRONG_HEADERS = broken("sent a broken event stream: the headers of a frame are malformed.");

const START_ROW: Row = ["messageStart", '{"role":"assistant"}'];
const STOP_ROW: Row = ["messageStop", '{"stopReason":"end_turn"}'];
const TEXT_ROW: Row = [
  "contentBlockDelta",
  '{"contentBlockIndex":0,"delta":{"text":"né 你 😀"},"p":"abcd"}',
];

/** Returns a copy with a bit of this byte inverted; a negative index counts from the end. */
function damaged(bytes: Buffer, index: number): Buffer {
  const copy = Buffer.from(bytes);
  const at = index < 0 ? copy.length + index : index;
  copy.writeUInt8(copy.readUInt8(at) ^ 0x10, at);
  return copy;
}

/** Returns a frame whose prelude announces these lengths, with the right checksums. */
function announced(total: number, headersLength: number, rest: Uint8Array): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(headersLength, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const content = Buffer.concat([prelude, rest]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(content));
  return Buffer.concat([content, end]);
}

/** Returns a frame whose headers are these bytes, with the right checksums. */
function withHeaders(...bytes: number[]): Buffer {
  return announced(16 + bytes.length, bytes.length, Buffer.from(bytes));
}

const EVERY_TYPE: Record<string, HeaderValue> = {
  true: { type: 0, bytes: Buffer.alloc(0) },
  false: { type: 1, bytes: Buffer.alloc(0) },
  byte: { type: 2, bytes: Buffer.alloc(1) },
  short: { type: 3, bytes: Buffer.alloc(2) },
  integer: { type: 4, bytes: Buffer.alloc(4) },
  long: { type: 5, bytes: Buffer.alloc(8) },
  bytes: { type: 6, bytes: Buffer.of(0, 3, 1, 2, 3) },
  string: "a",
  timestamp: { type: 8, bytes: Buffer.alloc(8) },
  uuid: { type: 9, bytes: Buffer.alloc(16) },
};

/** Deltas that begin with the same bytes. */
const REPEATED = [
  " a",
  " provider",
  " né",
  "",
  "a text that is longer than one of the blocks",
].flatMap((text, index) => [delta("text", text, index), delta("text", text, 40 - index)]);
const THOUGHTS = ["one", "two", "three"].map((text) => delta("reasoning", text, 3));

function delta(kind: string, text: string, padding: number): { frame: Buffer; row: Row } {
  const data = { contentBlockIndex: 0, delta: { [kind]: text }, p: "p".repeat(padding) };
  return {
    frame: eventFrame("contentBlockDelta", data),
    row: ["contentBlockDelta", JSON.stringify(data)],
  };
}

const framesOf = (deltas: typeof REPEATED): Buffer[] => deltas.map((one) => one.frame);
const rowsOfDeltas = (deltas: typeof REPEATED): Row[] => deltas.map((one) => one.row);
const [REPEATED_AGAIN = STOP] = framesOf(REPEATED);

interface Case {
  name: string;
  stream: Buffer[];
  rows: Row[];
}

const CASES: Case[] = [
  { name: "nothing", stream: [], rows: [] },
  { name: "one event", stream: [TEXT], rows: [TEXT_ROW] },
  {
    name: "several events",
    stream: [START, TEXT, TEXT, STOP],
    rows: [START_ROW, TEXT_ROW, TEXT_ROW, STOP_ROW],
  },
  {
    name: "events that begin with the same bytes",
    stream: [START, ...framesOf(REPEATED), STOP, ...framesOf(REPEATED)],
    rows: [START_ROW, ...rowsOfDeltas(REPEATED), STOP_ROW, ...rowsOfDeltas(REPEATED)],
  },
  {
    name: "events of two kinds that begin with the same bytes",
    stream: framesOf([...THOUGHTS, ...REPEATED, ...THOUGHTS, ...REPEATED]),
    rows: rowsOfDeltas([...THOUGHTS, ...REPEATED, ...THOUGHTS, ...REPEATED]),
  },
  {
    name: "an exception among events that begin with the same bytes",
    stream: [
      ...framesOf(REPEATED),
      exceptionFrame("throttlingException", { message: "slow" }),
      STOP,
    ],
    rows: [
      ...rowsOfDeltas(REPEATED),
      ["throttlingException", '{"message":"slow"}', "error"],
      STOP_ROW,
    ],
  },
  ...[60, 105, -20, -2].map((at) => ({
    name: `byte ${String(at)} of a repeated event damaged`,
    stream: [...framesOf(REPEATED), damaged(REPEATED_AGAIN, at)],
    rows: [...rowsOfDeltas(REPEATED), WRONG_FRAME],
  })),
  { name: "an event without payload", stream: [eventFrame("ping", "")], rows: [["ping", ""]] },
  {
    name: "headers of every type before the ones that are read",
    stream: [
      frame({ ...EVERY_TYPE, ":event-type": "e", ":message-type": "event", ...EVERY_TYPE }, "{}"),
    ],
    rows: [["e", "{}"]],
  },
  {
    name: "a message type that is not a string",
    stream: [frame({ ":message-type": { type: 6, bytes: Buffer.of(0, 0) }, ":event-type": "e" })],
    rows: [["e", "{}", "error"]],
  },
  {
    name: "an exception",
    stream: [START, exceptionFrame("throttlingException", { message: "slow" })],
    rows: [START_ROW, ["throttlingException", '{"message":"slow"}', "error"]],
  },
  {
    name: "an exception without payload",
    stream: [exceptionFrame("throttlingException", "")],
    rows: [["throttlingException", "{}", "error"]],
  },
  {
    name: "an error",
    stream: [errorFrame("Internal", 'a "b"\n')],
    rows: [["Internal", '{"message":"a \\"b\\"\\n"}', "error"]],
  },
  {
    name: "a chunk of InvokeModel",
    stream: [chunkFrame({ type: "ping" })],
    rows: [["chunk", '{"bytes":"eyJ0eXBlIjoicGluZyJ9","p":"abcdef"}']],
  },
  {
    name: "a wrong checksum of the prelude",
    stream: [START, damaged(TEXT, 8), STOP],
    rows: [START_ROW, WRONG_PRELUDE],
  },
  {
    name: "a wrong checksum of a prelude that came with the right one before",
    stream: [TEXT, TEXT, damaged(TEXT, 10), STOP],
    rows: [TEXT_ROW, TEXT_ROW, WRONG_PRELUDE],
  },
  {
    name: "a wrong checksum of a frame whose prelude came before",
    stream: [TEXT, TEXT, TEXT, TEXT, damaged(TEXT, -8), STOP],
    rows: [TEXT_ROW, TEXT_ROW, TEXT_ROW, TEXT_ROW, WRONG_FRAME],
  },
  {
    name: "a prelude of other lengths with the same low byte",
    stream: [announced(0x1010, 0, Buffer.alloc(0x1000, "x")), announced(16, 0, Buffer.alloc(0))],
    rows: [
      ["", "x".repeat(0x1000), "error"],
      ["", "{}", "error"],
    ],
  },
  {
    name: "a prelude of zeros",
    stream: [START, Buffer.alloc(16)],
    rows: [START_ROW, WRONG_PRELUDE],
  },
  {
    name: "a damaged length",
    stream: [START, damaged(TEXT, 3), STOP],
    rows: [START_ROW, WRONG_PRELUDE],
  },
  { name: "a damaged header", stream: [damaged(TEXT, 20), STOP], rows: [WRONG_FRAME] },
  {
    name: "a damaged payload",
    stream: [START, damaged(TEXT, -10), STOP],
    rows: [START_ROW, WRONG_FRAME],
  },
  { name: "a wrong checksum of the frame", stream: [damaged(TEXT, -1)], rows: [WRONG_FRAME] },
  {
    name: "an unfinished frame at the end",
    stream: [START, TEXT.subarray(0, -1)],
    rows: [START_ROW, CUT],
  },
  {
    name: "an unfinished prelude at the end",
    stream: [START, TEXT.subarray(0, 5)],
    rows: [START_ROW, CUT],
  },
  {
    name: "bytes behind the last frame",
    stream: [START, Buffer.from("}")],
    rows: [START_ROW, CUT],
  },
  { name: "text", stream: [Buffer.from("<html>no gateway</html>")], rows: [WRONG_PRELUDE] },
  { name: "zeros", stream: [Buffer.alloc(64)], rows: [WRONG_PRELUDE] },
  {
    name: "a total below 16",
    stream: [announced(15, 0, Buffer.alloc(0))],
    rows: [WRONG_LENGTH],
  },
  {
    name: "a total of 2^32 - 1",
    stream: [announced(0xffffffff, 0, Buffer.alloc(100))],
    rows: [WRONG_LENGTH],
  },
  {
    name: "headers longer than the frame",
    stream: [announced(20, 5, Buffer.alloc(4))],
    rows: [WRONG_LENGTH],
  },
  {
    name: "headers longer than 128 KiB",
    stream: [announced((256 << 10) + 16, (128 << 10) + 1, Buffer.alloc(4))],
    rows: [WRONG_LENGTH],
  },
  {
    name: "a payload longer than 24 MiB",
    stream: [announced((24 << 20) + 17, 0, Buffer.alloc(4))],
    rows: [WRONG_LENGTH],
  },
  { name: "no headers", stream: [announced(16, 0, Buffer.alloc(0))], rows: [["", "{}", "error"]] },
  { name: "a header of type 200", stream: [withHeaders(1, 97, 200, 0)], rows: [WRONG_HEADERS] },
  { name: "a header without type", stream: [withHeaders(1, 97)], rows: [WRONG_HEADERS] },
  { name: "a name longer than the headers", stream: [withHeaders(9, 97)], rows: [WRONG_HEADERS] },
  { name: "a string without its length", stream: [withHeaders(1, 97, 7)], rows: [WRONG_HEADERS] },
  {
    name: "a string longer than the headers",
    stream: [withHeaders(1, 97, 7, 0xff, 0xff, 97)],
    rows: [WRONG_HEADERS],
  },
  { name: "a time cut short", stream: [withHeaders(1, 97, 8, 0, 0)], rows: [WRONG_HEADERS] },
];

describe("every case", () => {
  it.each(CASES)("$name: at once", ({ stream, rows }) => {
    expect(rowsOf(framer.read([Buffer.concat(stream)]))).toEqual(rows);
  });

  it.each(CASES)("$name: byte by byte, with empty pieces between", ({ stream, rows }) => {
    const pieces = [...Buffer.concat(stream)].flatMap((byte) => [Buffer.of(byte), Buffer.alloc(0)]);
    expect(rowsOf(framer.read(pieces))).toEqual(rows);
  });

  it.each(CASES)("$name: split at every byte and at every pair", ({ stream, rows }) => {
    const bytes = Buffer.concat(stream);
    const wanted = JSON.stringify(rows);
    // Beyond the nearest bytes each one has a dozen others: the inside of a payload is everywhere the same.
    const stride = Math.max(29, Math.floor(bytes.length / 12));
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second += second - first > 3 ? stride : 1) {
        const found = rowsOf(framer.read(cut(bytes, first, second)));
        if (JSON.stringify(found) !== wanted)
          expect({ first, second, rows: found }).toEqual({ first, second, rows });
      }
    }
  });
});

it("the framer returns each event in the call that brings its last byte", () => {
  const bytes = Buffer.concat([START, TEXT, STOP]);
  const pieces = cut(bytes, START.length - 1, START.length, START.length + TEXT.length);
  expect(framer.read(pieces).events.map(({ piece }) => piece)).toEqual([1, 2, 3]);
});

it("the framer holds no more than the unfinished frame", () => {
  const bytes = Buffer.concat(Array.from({ length: 50 }, () => TEXT));
  for (const size of [1, 7, TEXT.length - 1, TEXT.length, TEXT.length + 1, 1000]) {
    const offsets = Array.from({ length: Math.floor((bytes.length - 1) / size) }, (_, index) => {
      return (index + 1) * size;
    });
    const { events, mostHeld } = framer.read(cut(bytes, ...offsets));
    expect(events).toHaveLength(50);
    expect(mostHeld).toBeLessThan(TEXT.length);
  }
});

it("the CRC-32 is the one of zlib", () => {
  expect(framer.crc32(Buffer.from("0000009e00000057", "hex"))).toBe(0xfe1b824f);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(framer.crc32(bytes)).toBe(crc32(bytes));
    }),
  );
});

describe("generated streams", () => {
  const bytes = fc.oneof(
    fc.constantFrom(START, TEXT, STOP, exceptionFrame("validationException", { message: "a" })),
    fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
    fc.tuple(fc.constantFrom(START, TEXT), fc.nat(60)).map(([whole, at]) => damaged(whole, at)),
    // Right checksums around any lengths and any bytes.
    fc
      .tuple(fc.nat(60), fc.nat(40), fc.uint8Array({ maxLength: 40 }))
      .map(([total, length, rest]) => announced(total, length, rest)),
    fc.uint8Array({ maxLength: 40 }).map((rest) => withHeaders(...rest)),
  );

  it("generated streams have the same events however they are split, and no event after a broken frame", () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 6 }), cuts, (parts, places) => {
        const stream = Buffer.concat(parts);
        const offsets = places.map((place) => Math.min(place, stream.length)).sort((a, b) => a - b);
        const rows = rowsOf(framer.read([stream]));
        expect(rowsOf(framer.read(cut(stream, ...offsets)))).toEqual(rows);
        const brokenAt = rows.findIndex(([, data]) => data.includes("The provider "));
        if (brokenAt >= 0) expect(brokenAt).toBe(rows.length - 1);
      }),
      { numRuns: 3000 },
    );
  });
});
