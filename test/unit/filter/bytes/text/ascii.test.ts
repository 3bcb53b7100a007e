// Kinds of characters, which the filter looks at 16 at a time: every byte at every place, whatever stands after the text.
import { beforeAll, expect, it } from "vitest";
import { startPart } from "../../lab.ts";

interface Ascii {
  memory: WebAssembly.Memory;
  place(): number;
  isPlainId(pointer: number, length: number): number;
  isLowerCase(pointer: number, length: number): number;
}

let lab: Ascii;
let place: number;

beforeAll(async () => {
  lab = await startPart<Ascii>("ascii");
  place = lab.place();
});

const LENGTHS = [0, 1, 2, 15, 16, 17, 31, 32, 33, 36, 48, 100, 128];

/** Calls back with each byte at each place of texts of `filler`, with what is after them of each kind too. */
function forEachText(filler: number, check: (text: Uint8Array, byte: number) => void): void {
  for (const length of LENGTHS) {
    for (const behind of [filler, 0, 0x41, 0xff]) {
      const bytes = new Uint8Array(lab.memory.buffer, place, length + 64);
      bytes.fill(filler, 0, length).fill(behind, length);
      check(bytes.subarray(0, length), filler);
      for (let at = 0; at < length; at++) {
        for (let byte = 0; byte < 256; byte += at % 5 === 0 ? 1 : 7) {
          bytes[at] = byte;
          check(bytes.subarray(0, length), byte);
        }
        bytes[at] = filler;
      }
    }
  }
}

it("plain ids are accepted, and no others", () => {
  const isPlain = Array.from({ length: 256 }, (_, byte) =>
    /[A-Za-z0-9\-_.:/+=~@]/.test(String.fromCharCode(byte)),
  );
  forEachText(0x37, (text, byte) => {
    const expected = text.length === 0 || isPlain[byte] === true;
    if ((lab.isPlainId(place, text.length) !== 0) !== expected)
      expect.fail(`byte ${String(byte)} in ${String(text.length)}`);
  });
});

it("capital letters are found, and bytes that are not ASCII", () => {
  forEachText(0x61, (text, byte) => {
    const expected = text.length === 0 || (byte < 0x80 && !(byte >= 0x41 && byte <= 0x5a));
    if ((lab.isLowerCase(place, text.length) !== 0) !== expected)
      expect.fail(`byte ${String(byte)} in ${String(text.length)}`);
  });
});
