// Strings around the lanes and blocks in which the scanner takes them: every odd thing at every place, against JSON.parse.
import { beforeAll, describe, expect, it } from "vitest";
import { CONTROL, JsonScanner } from "../../json-scanner.ts";

let scanner: JsonScanner;

beforeAll(async () => {
  scanner = await JsonScanner.load();
});

const FILLINGS = ["x", "é", "你", "😀", "\\n", '\\"', "\\\\", "\\u00e9", "x😀", "\\\\\\n", "é\\t"];
/** Each of one length, the last and the first of it. */
const CHARACTERS = ["\u0080", "é", "ࠀ", "你", "\ud7ff", "\uffff", "𐀀", "😀", "\u{10ffff}"];

// Blocks are taken with masks; plain ones are passed over in a loop of their own, until one differs.
describe.each([
  ["at its start", ""],
  ["behind plain text", "w".repeat(700)],
  ["behind plain text and an escape", `${"w".repeat(700)}\\n`],
])("a string, %s,", (_, lead) => {
  /** A string that begins with `lead` and goes on with these bytes, which hold its closing quote. */
  function string(...parts: (string | Uint8Array)[]): Buffer {
    return Buffer.concat(['"', lead, ...parts].map((part) => Buffer.from(part)));
  }

  it.each(FILLINGS)("a string of %s ends at every offset", (filling) => {
    for (let head = 0; head < 70; head++) {
      for (let length = 0; length < 40; length++) {
        const text = string("a".repeat(head), filling.repeat(length), '"');
        scanner.agree(Buffer.concat([Buffer.from("["), text, Buffer.from(',"b"]')]), '"', {
          head,
          length,
        });
      }
    }
  });

  it("a string holds a control character in no lane", () => {
    for (let length = 1; length < 150; length++) {
      for (let lane = 0; lane < length; lane++) {
        const text = string("x".repeat(lane), Buffer.of(lane % 32), "x".repeat(length - lane), '"');
        const { code, errorAt } = scanner.scan(text);
        const at = 1 + lead.length + lane;
        if (code !== CONTROL || errorAt !== at) {
          expect({ length, lane, code, errorAt }).toEqual({
            length,
            lane,
            code: CONTROL,
            errorAt: at,
          });
        }
      }
    }
  });

  it("a string holds each byte value at every place of a block as JSON.parse has it", () => {
    for (let value = 0; value < 256; value++) {
      for (const place of [0, 1, 14, 15, 16, 17, 33, 62, 63, 64, 65, 79, 80, 81, 127, 128]) {
        const tail = `${"y".repeat(140 - place)}"`;
        scanner.agree(string("y".repeat(place), Buffer.of(value), tail), "\xff", { value, place });
        const escape = Buffer.of(0x5c, value);
        scanner.agree(string("y".repeat(place), escape, tail), "\xff", { escape: value, place });
      }
    }
  });

  it("a string holds each byte value as each digit of an escape as JSON.parse has it", () => {
    for (let value = 0; value < 256; value++) {
      for (let digit = 2; digit < 6; digit++) {
        for (const place of [0, 20, 61, 63, 79]) {
          const escape = Buffer.from("\\u09aF");
          escape[digit] = value;
          const text = string("x".repeat(place), escape, "x".repeat(70), '"');
          scanner.agree(text, "\xff", { value, digit, place });
        }
      }
    }
  });

  it("a string holds backslashes in runs of every length at every place", () => {
    for (let place = 0; place < 132; place++) {
      for (let run = 1; run < 70; run += run < 6 ? 1 : 13) {
        for (const behind of ['"', 'n"', 'x"', 'u1234"', '""']) {
          const text = string("z".repeat(place), "\\".repeat(run), behind);
          scanner.agree(text, '"', { place, run, behind });
        }
      }
    }
  });

  it("a string holds every pair of bytes beyond ASCII as JSON.parse has it, on both sides of a block's end", () => {
    for (let first = 0x80; first < 256; first++) {
      for (let second = 0x20; second < 256; second += second < 0x7f ? 19 : 1) {
        const pair = Buffer.of(first, second);
        for (const place of [20, 79]) {
          for (const more of ["", "\x80", "\x80\x80", "\xbf\xbf"]) {
            if (more !== "" && first < 0xe0) continue;
            const parts = [
              "x".repeat(place),
              pair,
              Buffer.from(more, "latin1"),
              "x".repeat(20),
              '"',
            ];
            scanner.agree(string(...parts), "\xff", { first, second, place, more });
          }
        }
      }
    }
  });

  it("a string holds characters of every length across the end of a block, whole and cut", () => {
    for (const character of CHARACTERS) {
      const bytes = Buffer.from(character);
      for (let place = 0; place < 140; place++) {
        for (let kept = 1; kept <= bytes.length; kept++) {
          for (const end of ['"', 'abc"', "", 'é"', `${"w".repeat(70)}"`]) {
            const text = string("v".repeat(place), bytes.subarray(0, kept), end);
            scanner.agree(text, "\x80", { character, place, kept, end });
          }
        }
      }
    }
  });
});
