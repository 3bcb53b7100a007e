// Placeholders that an exchange has issued become their values in the response, wherever the stream is split.
import { beforeAll, describe, expect, it } from "vitest";
import { escaping, receive, streamOf, TEXT_KINDS } from "../../client-streams.ts";
import type { Part, TextKind } from "../../client-streams.ts";
import { DIALECTS, GuardedResponse } from "../../guarded-response.ts";
import type { Dialect } from "../../guarded-response.ts";

const ISSUED = {
  "<EMAIL_7Q2K4M>": "ana.lopez@example.com",
  "<EMAIL_7Q2K4N>": "b@example.org",
  "<WORD_ABCDEF>": 'Ümit "the\\one"\n😀',
  "<CARD_22XX33>": "4111 1111 1111 1111",
};

let guarded: GuardedResponse;

beforeAll(async () => {
  guarded = await GuardedResponse.load();
  guarded.issue(ISSUED);
});

/** What the client is to get. In arguments, a value is in a string of JSON. */
function restored(kind: TextKind, text: string): string {
  return Object.entries(ISSUED).reduce((all, [name, value]) => {
    const written = kind === "arguments" ? JSON.stringify(value).slice(1, -1) : value;
    return all.replaceAll(name, () => written).replaceAll(escapedName(name), () => written);
  }, text);
}

/** A placeholder as a model may write it in arguments. */
const escapedName = (name: string) => name.replace("<", "\\u003c").replace(">", "\\u003E");

/** Texts with every placeholder, of which some follow each other, are cut off, doubled, or not issued. */
const PLAIN =
  "a<EMAIL_7Q2K4M><EMAIL_7Q2K4N> <<WORD_ABCDEF>> é😀 <EMAIL_7Q2K4 <EMAIL_<CARD_22XX33>\n<PHONE_ABCDEF> x <EMAIL_7";
const TEXTS: Record<TextKind, string> = {
  text: PLAIN,
  reasoning: PLAIN,
  arguments: JSON.stringify({
    to: "<EMAIL_7Q2K4M>",
    "<EMAIL_7Q2K4N>": `\t"<WORD_ABCDEF>"\\`,
    x: "é😀 <EMAIL_7Q2",
  })
    .replace("<CARD", "\\u003cCARD")
    .replace('"x"', `"y":"\\\\${escapedName("<CARD_22XX33>")}","x"`),
};

const cut = (stream: string, size: number): Buffer[] => {
  const bytes = Buffer.from(stream);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
};

/** Cuts as a provider does: not inside of a pair of surrogates. */
function partsOf(kind: TextKind, text: string, at: readonly number[]): Part[] {
  const ends = [...at, text.length];
  return ends.map((end, index) => ({ kind, text: text.slice(ends[index - 1] ?? 0, end) }));
}

function check(
  dialect: Dialect,
  parts: readonly Part[],
  pieces: readonly Buffer[],
  original: string,
): void {
  const seen = receive(dialect, guarded.stream(dialect, pieces).toString());
  const sent = receive(dialect, original);
  expect(seen.texts).toEqual(
    sent.texts.map(({ kind, text }) => ({ kind, text: restored(kind, text) })),
  );
  expect(seen.texts.map(({ text }) => text).join("")).not.toBe(
    parts.map(({ text }) => text).join(""),
  );
  expect(seen.numbers).toEqual(seen.numbers.map((_, index) => index));
  expect(seen.others.length).toBe(sent.others.length);
}

describe.each(DIALECTS)("in a stream of %s", (dialect) => {
  describe.each(TEXT_KINDS)("in %s", (kind) => {
    const text = TEXTS[kind];
    const positions = Array.from({ length: text.length + 1 }, (_, at) => at);

    it.each([
      ["plain", JSON.stringify],
      ["escaped", escaping],
    ] as const)("a placeholder is restored wherever the text is split, %s", (_, encode) => {
      for (const at of positions) {
        const parts = partsOf(kind, text, [at]);
        const stream = streamOf(dialect, parts, encode);
        check(dialect, parts, [Buffer.from(stream)], stream);
      }
      const letters = partsOf(kind, text, positions.slice(1, -1));
      const stream = streamOf(dialect, letters, encode);
      check(dialect, letters, [Buffer.from(stream)], stream);
    });

    it("a placeholder is restored wherever the bytes are split", () => {
      const parts = partsOf(kind, text, [9, 20, 41]);
      const stream = streamOf(dialect, parts, escaping);
      const bytes = Buffer.from(stream);
      const atOnce = guarded.stream(dialect, [bytes]).toString();
      for (let at = 0; at <= bytes.length; at++) {
        const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
        expect(guarded.stream(dialect, pieces).toString()).toBe(atOnce);
      }
      for (const size of [1, 2, 3, 7]) {
        expect(guarded.stream(dialect, cut(stream, size)).toString()).toBe(atOnce);
      }
      check(dialect, parts, [bytes], stream);
    });
  });
});
