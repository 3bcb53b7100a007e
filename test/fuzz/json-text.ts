// Arbitraries of JSON as text: numbers that no double can hold, members said twice, any white space. Never parsed on the way.
import fc from "fast-check";

export type Text = fc.Arbitrary<string>;

/** One of a few texts. */
export const among = (...texts: string[]): Text => fc.constantFrom(...texts);

/** One of a few strings, as JSON. */
export const words = (...values: string[]): Text =>
  fc.constantFrom(...values.map((value) => JSON.stringify(value)));

const SPACES = among("", "", "", "", " ", "\n", "\t ", "\r\n  ");

export const string: Text = fc.oneof(
  {
    weight: 3,
    arbitrary: words(
      "",
      "a",
      "hello",
      "Привет",
      "👩‍🚀",
      "line\nline",
      'say "hi"',
      "toolu_1",
      "call_1",
    ),
  },
  {
    weight: 1,
    arbitrary: among(
      String.raw`"\ud83d"`,
      String.raw`"\ude00\ud83d"`,
      String.raw`"\u0000"`,
      String.raw`"\/\b\f"`,
      String.raw`"\u0041\uD83D\uDE00"`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }).map((s) => JSON.stringify(s)),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 50, max: 3000 }).map((n) => `"${"long ".repeat(n / 5)}"`),
  },
);

export const number: Text = fc.oneof(
  fc.nat({ max: 5000 }).map(String),
  among(
    "0",
    "-0",
    "-1",
    "1.10",
    "0.5",
    "2",
    "1e400",
    "1E+2",
    "9007199254740993",
    "18446744073709551616",
    "4294967296",
    "-99999999999999999999",
  ),
);

/** As a count of tokens: also none, negative and broken ones, but none that a double cannot hold. */
export const count: Text = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 100_000 }).map(String) },
  { weight: 1, arbitrary: among("0", "-1", "1.5", "1e400", "1E+2", "null") },
);

export const boolean: Text = among("true", "false");

const scalar: Text = fc.oneof(string, number, boolean, among("null"));

const nested: { any: Text } = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    list(tie("any"), 3),
    fc
      .array(fc.tuple(string, tie("any")), { maxLength: 3 })
      .map((members) => `{${members.map(([name, value]) => `${name}:${value}`).join(",")}}`),
    among("[]", "{}", "[[[[[[[[[[[[]]]]]]]]]]]]"),
  ),
}));

/** Any JSON, small. */
export const any: Text = nested.any;

export function list(item: Text, maxLength = 4): Text {
  return fc
    .tuple(fc.array(item, { maxLength }), SPACES)
    .map(([items, space]) => `[${space}${items.join(`,${space}`)}]`);
}

/** Mostly what is said, sometimes null or something else altogether. */
export function mostly(value: Text): Text {
  return fc.oneof(
    { weight: 14, arbitrary: value },
    { weight: 1, arbitrary: among("null") },
    { weight: 1, arbitrary: any },
  );
}

/** One of several shapes, and rarely none of them. */
export function oneOf(...shapes: Text[]): Text {
  return mostly(fc.oneof(...shapes));
}

const MEMBER = { always: 0.97, often: 0.6, seldom: 0.12 } as const;

/** How often a member is there: `always` leaves it out now and then too. */
export interface Members {
  always?: Record<string, Text>;
  often?: Record<string, Text>;
  seldom?: Record<string, Text>;
}

/** An object in any order of its members; some are missing, doubled or unknown. */
export function object(members: Members): Text {
  const known = (Object.keys(MEMBER) as (keyof typeof MEMBER)[]).flatMap((often) =>
    Object.entries(members[often] ?? {}).map(([name, value]) => maybe(name, value, MEMBER[often])),
  );
  const twice =
    known.length === 0
      ? fc.constant(undefined)
      : fc.oneof(
          { weight: 30, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: fc.oneof(...known) },
        );
  const unknown = maybe("x_unknown", any, 0.04);
  return fc
    .tuple(
      fc.tuple(...known),
      twice,
      unknown,
      fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat()),
      SPACES,
    )
    .map(([own, again, other, order, space]) => {
      const present = [...own, again, other].filter((member) => member !== undefined);
      const turn = present.length === 0 ? 0 : order % present.length;
      const turned = [...present.slice(turn), ...present.slice(0, turn)];
      return `{${space}${turned.join(`,${space}`)}${space}}`;
    });
}

function maybe(name: string, value: Text, chance: number): fc.Arbitrary<string | undefined> {
  const there = mostly(value).map((text) => `${JSON.stringify(name)}:${text}`);
  const weight = Math.round(chance * 100);
  return fc.oneof(
    { weight, arbitrary: there },
    { weight: 100 - weight, arbitrary: fc.constant(undefined) },
  );
}
