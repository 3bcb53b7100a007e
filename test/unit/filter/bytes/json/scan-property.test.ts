// The scanner against JSON.parse: generated values, soups of tokens and damaged bodies are accepted or refused alike, and the
// tape says the same value. The seed is fixed; FUZZ_SEED and FUZZ_RUNS (a factor) make longer runs of other texts.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { JsonScanner, OK, STRING } from "../../json-scanner.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? 42);
const factor = Number(process.env["FUZZ_RUNS"] ?? 1);

let scanner: JsonScanner;

beforeAll(async () => {
  scanner = await JsonScanner.load();
});

function run(property: fc.IRawProperty<unknown>, numRuns: number): void {
  fc.assert(property as fc.IProperty<unknown>, { seed, numRuns: numRuns * factor });
}

const longText = fc
  .array(
    fc.oneof(
      fc.nat(90).map((length) => "x".repeat(length)),
      fc.string({ unit: "binary", maxLength: 6 }),
      fc.constantFrom(
        "\n",
        '"',
        "\\",
        "\t",
        "\r",
        "/",
        "\b",
        "\f",
        "\0",
        "\u2028",
        "é",
        "你好",
        "😀",
        "\ufffd",
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(longText, fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.string()),
    fc.array(tie("any"), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("model", "__proto__", "")), tie("any"), {
      maxKeys: 6,
    }),
  ),
})).any;

/** Replaces characters of strings by their \u escapes, as clients that keep to ASCII do. */
function escapeSome(json: string, modulus: number): string {
  let count = 0;
  return json.replace(/[^\x20-\x7e]/g, (unit) => {
    const isKept = count++ % modulus === 0 || unit < " ";
    return isKept ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

const goodText = fc
  .tuple(value, fc.constantFrom("", " ", "\t", "   "), fc.constantFrom(0, 1, 2, 1e9))
  .map(([any, indent, modulus]) => {
    const json = JSON.stringify(any, undefined, indent);
    return Buffer.from(modulus === 0 ? json : escapeSome(json, modulus));
  });

const token = fc.oneof(
  fc
    .constantFrom(
      ...[
        '"',
        '"',
        '"',
        "\\",
        "\\\\",
        '\\"',
        "\\n",
        "\\u",
        "\\u12",
        "\\u00e9",
        "\\ud800",
        "\\x",
        "{",
        "}",
        "[",
        "]",
      ],
      ...[
        ",",
        ":",
        "true",
        "false",
        "null",
        "-",
        "0",
        "1",
        ".5",
        "e",
        "E+",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\0",
        "\x1f",
      ],
      ...[
        "a",
        "é",
        "你",
        "😀",
        "x".repeat(15),
        "x".repeat(61),
        " ".repeat(17),
        '"a":',
        '"b",',
        "[{",
        "}]",
      ],
    )
    .map((text) => Buffer.from(text)),
  fc
    .constantFrom(
      "c3",
      "80",
      "e4bd",
      "eda080",
      "f4908080",
      "f0808080",
      "f09f98",
      "c0af",
      "e080af",
      "ff",
      "efbbbf",
      "e0a0",
    )
    .map((hex) => Buffer.from(hex, "hex")),
);

const soup = fc
  .tuple(
    fc.constantFrom("", '"', "[", '["', '{"a":'),
    fc.array(token, { maxLength: 25 }),
    fc.constantFrom("", '"', "]", '"]', "}"),
  )
  .map(([open, tokens, close]) =>
    Buffer.concat([Buffer.from(open), ...tokens, Buffer.from(close)]),
  );

interface Damage {
  kind: "byte" | "cut" | "insert" | "end" | "double";
  place: number;
  byte: number;
  token: Buffer;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom("byte", "cut", "insert", "end", "double"),
  place: fc.nat(100_000),
  byte: fc.nat(255),
  token,
});

function damaged(text: Buffer, { kind, place, byte, token }: Damage): Buffer {
  const at = place % (text.length + 1);
  const head = text.subarray(0, at);
  const tail = text.subarray(at);
  if (kind === "byte") return Buffer.concat([head, Buffer.of(byte), tail.subarray(1)]);
  if (kind === "cut") return Buffer.concat([head, tail.subarray(1 + (byte % 4))]);
  if (kind === "insert") return Buffer.concat([head, token, tail]);
  if (kind === "double") return Buffer.concat([head, head.subarray(Math.max(0, at - byte)), tail]);
  return head;
}

describe("generated texts", () => {
  it("generated valid texts are accepted, and the tape holds their value", () => {
    run(
      fc.property(goodText, (text) => {
        expect(scanner.scan(text).code).toBe(OK);
        scanner.agree(text, "\xff");
      }),
      2000,
    );
  });

  it("a text of any bytes is accepted or refused as JSON.parse does", () => {
    run(
      fc.property(fc.uint8Array({ maxLength: 200 }), (text) => {
        scanner.agree(text, "\xff");
      }),
      2000,
    );
  });

  it("made of tokens are accepted or refused as JSON.parse does", () => {
    run(
      fc.property(soup, fc.constantFrom("\xff", '"', "\\", "\0", "]"), (text, behind) => {
        scanner.agree(text, behind);
      }),
      6000,
    );
  });

  it("damaged in one to three places are accepted or refused as JSON.parse does", () => {
    run(
      fc.property(goodText, fc.array(damage, { minLength: 1, maxLength: 3 }), (text, damages) => {
        scanner.agree(damages.reduce(damaged, text), "\xff");
      }),
      10_000,
    );
  });
});

describe("strings of generated texts", () => {
  it("generated strings unescape as JSON.parse does, with U+FFFD for half a surrogate pair", () => {
    const text = fc.oneof(
      goodText,
      fc.string({ unit: "binary" }).map((any) => Buffer.from(JSON.stringify([any]))),
    );
    const surrogates = fc
      .array(
        fc.constantFrom("\\ud83d", "\\ude00", "\\uD800", "\\udfff", "\\n", "x", "\\u0041", "é"),
        { maxLength: 8 },
      )
      .map((parts) => Buffer.from(`["${parts.join("")}"]`));
    run(
      fc.property(fc.oneof(text, surrogates), (bytes) => {
        for (const { kind, start, end } of scanner.scan(bytes).tape) {
          if (kind !== STRING) continue;
          const raw = bytes.subarray(start, end);
          const plain = JSON.parse(`"${raw.toString()}"`) as string;
          expect(scanner.unescape(raw).toString()).toBe(plain.toWellFormed());
        }
      }),
      2000,
    );
  });

  it("generated strings come back from escaping and unescaping, and JSON.parse reads what was escaped", () => {
    const text = fc.oneof(longText, fc.string({ unit: "binary" }));
    run(
      fc.property(text, (any) => {
        const plain = Buffer.from(any.toWellFormed());
        const raw = scanner.escape(plain);
        expect(JSON.parse(`"${raw.toString()}"`)).toBe(plain.toString());
        expect(scanner.unescape(raw).equals(plain)).toBe(true);
        expect(scanner.scan(Buffer.concat([Buffer.from('"'), raw, Buffer.from('"')])).code).toBe(
          OK,
        );
      }),
      2000,
    );
  });
});
