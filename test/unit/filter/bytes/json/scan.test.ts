// The scanner on single texts: what it accepts and says, where it stops, and that it reads nothing outside.
import { beforeAll, describe, expect, it } from "vitest";
import { DEPTH_LIMIT, JSON_CASES } from "../../json-cases.ts";
import {
  CONTROL,
  DEPTH,
  END,
  ESCAPE,
  JsonScanner,
  OK,
  parseStrictly,
  SIZE,
  UTF8,
  type Behind,
} from "../../json-scanner.ts";

let scanner: JsonScanner;

beforeAll(async () => {
  scanner = await JsonScanner.load();
});

/** What could stand after a text and go on with it, end it or spoil it. */
const BEHIND: Behind[] = [
  "\xff",
  "\0",
  '"',
  "\\",
  "\\x",
  '"]}',
  "0",
  " ",
  "e",
  "]",
  "}",
  "\x80",
  ",",
  "n",
];

describe("the cases", () => {
  it.each(JSON_CASES)("$name", ({ text, code }) => {
    const scanned = scanner.scan(text);
    expect(scanned.code).toBe(code);
    const expected = code === DEPTH ? undefined : parseStrictly(text);
    expect(expected !== undefined).toBe(code === OK);
    if (code === OK) expect(scanner.value(text, scanned.tape)).toEqual(expected);
    else expect(scanned.errorAt).toBeLessThanOrEqual(text.length);
  });

  it("a scan has the same result whatever bytes follow the text", () => {
    for (const { name, text, code } of JSON_CASES) {
      for (const behind of BEHIND) {
        const found = scanner.scan(text, behind).code;
        if (found !== code) expect({ name, behind, found }).toEqual({ name, behind, found: code });
      }
    }
  });

  it("a scan has the same result at every offset in a block", () => {
    for (const { name, text, code } of JSON_CASES) {
      if (text.length > 1000 || code === DEPTH) continue;
      for (let offset = 0; offset < 70; offset++) {
        const padded = Buffer.concat([Buffer.alloc(offset, " "), text]);
        const found = scanner.scan(padded).code;
        if (found !== code) expect({ name, offset, found }).toEqual({ name, offset, found: code });
      }
    }
  });

  it("a scan has the same result with long strings", () => {
    for (const { name, text } of JSON_CASES) {
      // The first string of the text is made longer, so that what is odd about it comes to every place of a block.
      const quote = text.indexOf('"') + 1;
      if (quote === 0 || text.length > 1000) continue;
      for (const filling of ["x", "é", "你", "😀", "\\n"]) {
        for (let length = 0; length < 80; length++) {
          const filled = [text.subarray(0, quote), filling.repeat(length), text.subarray(quote)];
          scanner.agree(Buffer.concat(filled.map((part) => Buffer.from(part))), "\xff", {
            name,
            filling,
            length,
          });
        }
      }
    }
  });
});

describe("where a scan stops", () => {
  it.each([
    ['{"a":1,}', 7],
    ['["abc\ndef"]', 5],
    [`["${"x".repeat(100)}\\q"]`, 102],
    [`["${"你".repeat(50)}\x01"]`, 152],
    ["[1,2", 4],
    ['"abc', 4],
    ["", 0],
    ["[1] x", 4],
    ["[".repeat(300), 256],
  ])("%s", (text, at) => {
    expect(scanner.scan(Buffer.from(text)).errorAt).toBe(at);
  });

  it("an error names the first of several mistakes", () => {
    const long = "x".repeat(70);
    expect(scanner.scan(Buffer.from(`"${long}\\q${long}\n`))).toMatchObject({
      code: ESCAPE,
      errorAt: 71,
    });
    expect(scanner.scan(Buffer.from(`"${long}\n\\q"`))).toMatchObject({
      code: CONTROL,
      errorAt: 71,
    });
    const invalid = Buffer.concat([Buffer.from(`"${long}`), Buffer.of(0xff), Buffer.from('\n"')]);
    expect(scanner.scan(invalid)).toMatchObject({ code: UTF8, errorAt: 71 });
  });
});

describe("truncation", () => {
  const request = JSON.stringify({
    model: "gpt-4o",
    messages: [
      { role: "system", content: 'Say "hi"\n\tand \\ stop.' },
      { role: "user", content: [{ type: "text", text: `${"long ".repeat(40)}你好 😀` }] },
    ],
    tools: [
      { type: "function", function: { name: "f", parameters: { a: [1.5e-3, -0, true, null] } } },
    ],
    stream: false,
  });

  it.each([
    ["compact", request],
    ["with spaces", JSON.stringify(JSON.parse(request), null, 2)],
  ])(
    "a good text (%s) cut at every byte is refused, even when the rest stands after it",
    (_, text) => {
      const bytes = Buffer.from(text);
      scanner.agree(bytes, "\xff", "whole");
      for (let length = 0; length < bytes.length; length++) {
        const part = bytes.subarray(0, length);
        scanner.agree(part, "\xff", length);
        scanner.agree(part, bytes.subarray(length, length + 64), length);
      }
    },
  );

  it("a text before nothing but the padding is scanned without a read after it", () => {
    // Memory ends after the padding (JsonScanner): a load further on traps.
    for (let length = 0; length < 300; length++) {
      for (const text of ["x", "\\n", "你", "\\u00e9", "1", " ", "[", "\\", '{"a":']) {
        const bytes = Buffer.from(`"${text.repeat(Math.ceil(length / text.length))}`).subarray(
          0,
          length,
        );
        for (const behind of ["x", " ", "1", "\\"]) {
          scanner.agree(bytes, behind, { length, text });
          scanner.agree(bytes.subarray(1), behind, { length, text, isBare: true });
        }
      }
    }
  });
});

describe("limits", () => {
  it(`a text may have a depth of ${DEPTH_LIMIT} open containers, in whatever order`, () => {
    const open = "[".repeat(DEPTH_LIMIT - 1);
    const close = "]".repeat(DEPTH_LIMIT - 1);
    expect(scanner.scan(Buffer.from(`${open}[],[],{},1${close}`)).code).toBe(OK);
    expect(scanner.scan(Buffer.from(`${open}[],[[]]${close}`)).code).toBe(DEPTH);
  });

  it("a text may have 4,000,000 values on the tape", { timeout: 60_000 }, () => {
    const most = 4_000_000;
    const text = Buffer.from(`[${"0,".repeat(most - 2)}0]`);
    const pointer = scanner.wasm.allocate(text.length + 2);
    const scan = (bytes: Buffer): number => {
      new Uint8Array(scanner.wasm.memory.buffer, pointer, bytes.length).set(bytes);
      return scanner.wasm.scanText(pointer, bytes.length);
    };
    expect(scan(text)).toBe(OK);
    expect(scanner.wasm.count()).toBe(most);
    expect(scan(Buffer.from(`[${"0,".repeat(most - 1)}0]`))).toBe(SIZE);
    expect(scan(Buffer.from(`{${'"":0,'.repeat((text.length - 10) / 5)}"":0}`))).toBe(OK);
    scanner.wasm.free(pointer);
    // A large tape is not kept for the next, small text.
    expect(scanner.scan(Buffer.from("[1]")).code).toBe(OK);
    expect(scanner.wasm.capacity()).toBeLessThan(1000);
  });
});

describe("the end of a string", () => {
  function endOf(text: string): number {
    const { pointer, image } = scanner.placeAtEnd(Buffer.from(text), "\xff");
    const end = scanner.wasm.endOfString(pointer, pointer + text.length);
    const after = new Uint8Array(scanner.wasm.memory.buffer, pointer, image.length);
    expect(Buffer.from(after).equals(image)).toBe(true);
    return end === 0 ? -1 : end - pointer;
  }

  it.each([
    ['abc"', 3],
    ['"', 0],
    ['a\\"b" "', 4],
    [`${"x".repeat(99)}"`, 99],
    [`${"\\\\".repeat(99)}"`, 198],
    ["abc", -1],
    ["", -1],
    ["a\\", -1],
    ['a\n"', -1],
    ['a\\x"', -1],
    ["x".repeat(99), -1],
  ])("%s", (text, at) => {
    expect(endOf(text)).toBe(at);
  });

  it("the end of a string is not searched after the text", () => {
    expect(scanner.scan(Buffer.from('"abc'), '"').code).toBe(END);
  });
});
