// Byte edits of a text: in any order, merged, never corrupting what is not edited.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { JsonScanner } from "../../json-scanner.ts";

let scanner: JsonScanner;

beforeAll(async () => {
  scanner = await JsonScanner.load();
});

interface Edit {
  start: number;
  end: number;
  text: string;
  /** Whether the text is appended in this many pieces, or a span of its own (0). */
  pieces: number;
}

/** The edited text, and how many bytes of it the prefix was. */
function edit(original: string, edits: readonly Edit[]): { text: string; replaced: number } {
  const { wasm } = scanner;
  const bytes = Buffer.from(original);
  const pointers: number[] = [];
  const copy = (text: string): number => {
    const pointer = wasm.allocate(text.length);
    new Uint8Array(wasm.memory.buffer, pointer, text.length).set(Buffer.from(text));
    pointers.push(pointer);
    return pointer;
  };
  wasm.clearEdits();
  for (const { start, end, text, pieces } of edits) {
    if (pieces === 0) {
      if (start === end) wasm.insert(start, copy(text), text.length);
      else wasm.replace(start, end, copy(text), text.length);
      continue;
    }
    const size = Math.ceil(text.length / pieces);
    for (let at = 0; at < text.length; at += size) {
      const piece = text.slice(at, at + size);
      wasm.append(copy(piece), piece.length);
    }
    if (start === end) wasm.insertAppended(start);
    else wasm.replaceAppended(start, end);
  }
  const base = copy(original);
  const replaced = wasm.prefixToOut(base);
  const text = Buffer.concat([scanner.out(), bytes.subarray(replaced)]).toString();
  for (const pointer of pointers) wasm.free(pointer);
  return { text, replaced };
}

/** The rule in plain words: by place, insertions first, then in the order of adding; what overlaps is left out. */
function expectedText(
  original: string,
  edits: readonly Edit[],
): { text: string; replaced: number } {
  const sorted = edits
    .filter(({ start, end }) => end >= start)
    .map((one, order) => ({ ...one, order }))
    .sort((a, b) => {
      const isReplacement = Number(a.end > a.start) - Number(b.end > b.start);
      return a.start - b.start || isReplacement || a.order - b.order;
    });
  let text = "";
  let done = 0;
  for (const { start, end, text: replacement } of sorted) {
    if (start < done) continue;
    text += original.slice(done, start) + replacement;
    done = end;
  }
  return { text: text + original.slice(done), replaced: done };
}

function replace(start: number, end: number, text: string, pieces = 0): Edit {
  return { start, end, text, pieces };
}

describe("edits", () => {
  it.each<[string, Edit[], string, number]>([
    ["none", [], "0123456789", 0],
    ["one", [replace(2, 4, "ab")], "01ab456789", 4],
    ["a longer one", [replace(2, 3, "abcdef")], "01abcdef3456789", 3],
    ["a removal", [replace(2, 9, "")], "019", 9],
    ["at the start", [replace(0, 1, "a")], "a123456789", 1],
    ["at the end", [replace(9, 10, "a")], "012345678a", 10],
    ["of everything", [replace(0, 10, "a")], "a", 10],
    ["an insertion at the start", [replace(0, 0, "a")], "a0123456789", 0],
    ["an insertion at the end", [replace(10, 10, "a")], "0123456789a", 10],
    ["two in order", [replace(1, 2, "a"), replace(5, 6, "b")], "0a234b6789", 6],
    ["two in the other order", [replace(5, 6, "b"), replace(1, 2, "a")], "0a234b6789", 6],
    ["neighbours", [replace(3, 5, "b"), replace(1, 3, "a")], "0ab56789", 5],
    ["two insertions at one place", [replace(3, 3, "a"), replace(3, 3, "b")], "012ab3456789", 3],
    [
      "an insertion, then a replacement",
      [replace(3, 3, "a"), replace(3, 4, "b")],
      "012ab456789",
      4,
    ],
    [
      "a replacement, then an insertion",
      [replace(3, 4, "b"), replace(3, 3, "a")],
      "012ab456789",
      4,
    ],
    [
      "an insertion behind a replacement",
      [replace(4, 4, "a"), replace(3, 4, "b")],
      "012ba456789",
      4,
    ],
    ["the same place twice", [replace(3, 4, "a"), replace(3, 4, "b")], "012a456789", 4],
    ["an overlap", [replace(3, 6, "a"), replace(5, 8, "b")], "012a6789", 6],
    ["one inside another", [replace(4, 5, "b"), replace(3, 6, "a")], "012a6789", 6],
    ["an insertion inside", [replace(4, 4, "b"), replace(3, 6, "a")], "012a6789", 6],
    ["an end before its start", [replace(6, 3, "a"), replace(7, 8, "b")], "0123456b89", 8],
    ["appended", [replace(1, 2, "abcdef", 3), replace(0, 0, "gh", 1)], "gh0abcdef23456789", 2],
    ["appended and spans", [replace(5, 6, "b"), replace(1, 2, "a", 1)], "0a234b6789", 6],
  ])("%s", (_, edits, text, replaced) => {
    expect(edit("0123456789", edits)).toEqual({ text, replaced });
  });

  it("edits follow the rule for any edits in any order", () => {
    const original = "abcdefghijklmnopqrstuvwxyz".repeat(3);
    const one = fc.record({
      start: fc.nat(original.length),
      length: fc.oneof(fc.constant(0), fc.nat(4), fc.nat(40)),
      text: fc.string({ unit: fc.constantFrom("A", "B", "C", "1", "2"), maxLength: 300 }),
      pieces: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), (list) => {
        const edits = list.map(({ start, length, ...rest }) => {
          return { ...rest, start, end: Math.min(start + length, original.length) };
        });
        expect(edit(original, edits)).toEqual(expectedText(original, edits));
      }),
      { seed: 7, numRuns: 1000 },
    );
  });

  it("edits from the end to the beginning take linear time", () => {
    const original = "0".repeat(150_000);
    const edits = Array.from(original, (_, at) => replace(at, at + 1, String(at % 10))).reverse();
    const start = process.cpuUsage();
    const { text } = edit(original, edits);
    // A tenth of it on a quiet machine; each edit moved to its place takes ten seconds.
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(2);
    expect(text).toBe("0123456789".repeat(15_000));
  });

  it("edits are gone after they were cleared, and text appended for no edit is forgotten", () => {
    edit("0123456789", [replace(1, 2, "a", 1)]);
    expect(scanner.wasm.areNoEdits()).toBe(0);
    scanner.withBytes(Buffer.from("left"), (pointer) => {
      scanner.wasm.append(pointer, 4);
    });
    expect(edit("0123456789", [replace(2, 3, "b", 1)]).text).toBe("01b3456789");
    scanner.wasm.clearEdits();
    expect(scanner.wasm.areNoEdits()).toBe(1);
  });
});
