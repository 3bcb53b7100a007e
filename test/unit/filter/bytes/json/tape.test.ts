// What the tape answers: members by name, children in order, and questions about nodes that are not there.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ARRAY, JsonScanner, NO_NODE, OBJECT } from "../../json-scanner.ts";

const NONE = 7;

let scanner: JsonScanner;

beforeAll(async () => {
  scanner = await JsonScanner.load();
});

function member(object: number, name: string): number {
  const bytes = Buffer.from(name);
  return scanner.withBytes(
    bytes,
    (pointer) => scanner.wasm.member(object, pointer, bytes.length) >>> 0,
  );
}

function equals(node: number, text: string): boolean {
  const bytes = Buffer.from(text);
  return scanner.withBytes(
    bytes,
    (pointer) => scanner.wasm.equals(node, pointer, bytes.length) !== 0,
  );
}

/** The text of a node as it stands in `json`. */
function textOf(json: string, node: number): string {
  return Buffer.from(json)
    .subarray(scanner.wasm.outerStart(node), scanner.wasm.outerEnd(node))
    .toString();
}

function memberText(json: string, name: string): string | undefined {
  scanner.scan(Buffer.from(json));
  const node = member(0, name);
  return node === NO_NODE ? undefined : textOf(json, node);
}

describe("member", () => {
  it.each([
    ['{"model":"a"}', "model", '"a"'],
    ['{"x":{"model":1},"model":2}', "model", "2"],
    ['{"model":1,"x":{"model":2}}', "model", "1"],
    ['{"model":"a","model":"b"}', "model", '"b"'],
    ['{"model":"a","m":[],"model":{"b":1},"z":0}', "model", '{"b":1}'],
    ['{"mod\\u0065l":"a"}', "model", '"a"'],
    ['{"\\u006d\\u006F\\u0064\\u0065\\u006c":"a"}', "model", '"a"'],
    ['{"model":"a","\\u006dodel":"b"}', "model", '"b"'],
    ['{"\\u006dodel":"a","model":"b"}', "model", '"b"'],
    ['{"a\\/b":1}', "a/b", "1"],
    ['{"a\\nb":1}', "a\nb", "1"],
    ['{"\\ud83d\\ude00":1}', "😀", "1"],
    ['{"😀":1}', "😀", "1"],
    ['{"":1}', "", "1"],
    ['{"models":1,"mode":2,"Model":3}', "model", undefined],
    ['{"model\\u0000":1}', "model", undefined],
    ['{"\\ud800":1}', "x", undefined],
    ["{}", "model", undefined],
    ['["model","a"]', "model", undefined],
    ['"model"', "model", undefined],
    ['{"a":"model","b":1}', "model", undefined],
  ])("member of %s: %s is %s", (json, name, text) => {
    expect(memberText(json, name)).toBe(text);
  });

  it("a member is the one that JSON.parse uses, whatever the names and their number", () => {
    // Names of one escaped character are left out: JSON.parse itself mistakes them (json-property.test.ts).
    const name = fc.constantFrom("aa", "ab", "model", "mödel", "na\nme", "");
    const members = fc.array(fc.tuple(name, fc.boolean(), fc.nat(99)), { maxLength: 12 });
    fc.assert(
      fc.property(members, name, (list, wanted) => {
        const escape = (text: string): string => {
          return text.replace(
            /[^]/g,
            (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
          );
        };
        const parts = list.map(([key, isEscaped, number]) => {
          return `${isEscaped ? `"${escape(key)}"` : JSON.stringify(key)}:${number}`;
        });
        const json = `{${parts.join(",")}}`;
        const value = (JSON.parse(json) as Record<string, number>)[wanted];
        expect(memberText(json, wanted)).toBe(value === undefined ? undefined : String(value));
      }),
      { seed: 7, numRuns: 1000 },
    );
  });
});

describe("equals", () => {
  it.each([
    ['"abc"', "abc", true],
    ['"abc"', "abd", false],
    ['"abc"', "ab", false],
    ['"ab"', "abc", false],
    ['"a\\u0062c"', "abc", true],
    ['"a\\u0062c"', "ab", false],
    ['"a\\u0062c"', "a\\u0062c", false],
    ['"\\n"', "\n", true],
    ['""', "", true],
    ["123", "123", false],
    ["true", "true", false],
  ])("%s says %s: %s", (json, text, isSame) => {
    scanner.scan(Buffer.from(json));
    expect(equals(0, text)).toBe(isSame);
  });

  it("a comparison is exact for texts of every length around the wide loads", () => {
    for (let length = 0; length < 70; length++) {
      const text = "abcdefghij".repeat(7).slice(0, length);
      scanner.scan(Buffer.from(JSON.stringify(text)));
      expect(equals(0, text)).toBe(true);
      for (let place = 0; place < length; place++) {
        expect(equals(0, `${text.slice(0, place)}X${text.slice(place + 1)}`)).toBe(false);
      }
    }
  });
});

describe("children", () => {
  it("children of an array stand in order", () => {
    const json = '[1,[2,[3]],{"a":[4]},"5",[]]';
    scanner.scan(Buffer.from(json));
    const { wasm } = scanner;
    const texts: string[] = [];
    for (let child = wasm.first(0); child < wasm.next(0); child = wasm.next(child))
      texts.push(textOf(json, child));
    expect(texts).toEqual(["1", "[2,[3]]", '{"a":[4]}', '"5"', "[]"]);
    expect(wasm.kind(0)).toBe(ARRAY);
  });

  it("children of an object are names and values", () => {
    const json = '{"a":1,"b":{"c":[]},"d":"e"}';
    scanner.scan(Buffer.from(json));
    const { wasm } = scanner;
    const texts: string[] = [];
    for (let name = wasm.first(0); name < wasm.next(0); name = wasm.next(name + 1)) {
      texts.push(`${textOf(json, name)}=${textOf(json, name + 1)}`);
    }
    expect(texts).toEqual(['"a"=1', '"b"={"c":[]}', '"d"="e"']);
    expect(wasm.kind(0)).toBe(OBJECT);
  });

  it("children of an empty container are none", () => {
    for (const json of ["[]", "{}", "[ ]"]) {
      scanner.scan(Buffer.from(json));
      expect(scanner.wasm.first(0)).toBe(scanner.wasm.next(0));
    }
  });
});

describe("a node that is not there", () => {
  it("a node that is not there has an answer to every question, after a good scan and after a bad one", () => {
    for (const json of ['{"a":[1]}', '{"a":[1]', ""]) {
      scanner.scan(Buffer.from(json));
      for (const node of [NO_NODE, NO_NODE - 1, 4, 1_000_000, 0x7fffffff, 0x80000000]) {
        expect(scanner.wasm.kind(node)).toBe(NONE);
        expect(scanner.wasm.next(node) >>> 0).toBe(NO_NODE);
        expect(scanner.wasm.first(node) >>> 0).toBe(NO_NODE);
        expect(scanner.wasm.outerStart(node)).toBe(0);
        expect(scanner.wasm.outerEnd(node)).toBe(0);
        expect(member(node, "a")).toBe(NO_NODE);
        expect(equals(node, "")).toBe(false);
      }
    }
  });

  it("no node is there after a scan that failed", () => {
    scanner.scan(Buffer.from('{"a":[1,2,3]'));
    expect(scanner.wasm.count()).toBe(0);
    expect(scanner.wasm.kind(0)).toBe(NONE);
  });
});

describe("memory", () => {
  it("memory does not grow over many scans of large and small texts", () => {
    const large = Buffer.from(
      JSON.stringify(Array.from({ length: 50_000 }, (_, index) => [index])),
    );
    const small = Buffer.from('{"a":1}');
    const scan = (): void => {
      for (const text of [large, small, large.subarray(0, 1000)]) {
        scanner.withBytes(text, (pointer) => scanner.wasm.scanText(pointer, text.length));
      }
    };
    for (let round = 0; round < 3; round++) scan();
    const before = scanner.wasm.memory.buffer.byteLength;
    for (let round = 0; round < 50; round++) scan();
    expect(scanner.wasm.memory.buffer.byteLength).toBe(before);
  });
});
