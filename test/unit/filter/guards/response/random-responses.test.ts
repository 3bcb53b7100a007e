// Random responses with parts of values and placeholders, and with broken JSON: nothing traps, and what the client gets does not depend
// on how the bytes are split.
import { beforeAll, expect, it } from "vitest";
import { random } from "../../../../exchanges/random.ts";
import { escaping, receive, streamOf, TEXT_KINDS } from "../../client-streams.ts";
import type { Part } from "../../client-streams.ts";
import { DIALECTS, GuardedResponse } from "../../guarded-response.ts";

/** The fuzz run of a release has 200,000. */
const INPUTS = Number(process.env["GUARD_FUZZ_INPUTS"] ?? 20_000);
const PIECES = [
  ...Array.from('<>_-@.:/ "\\\n\t09aZé😀'),
  "<EMAIL_7Q2K4M>",
  "<EMAIL_",
  "7Q2K4M>",
  "\\u003c",
  "ana@example.com",
  "@example.",
  "4111 1111 1111 1111",
  "4111-1111",
  "DE89 3704 0044 0532 0130 00",
  "AKIAIOSFODNN7EXAMPLE",
  "sk-ant-api03-",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.",
  "-----BEGIN PRIVATE KEY-----",
  "-----END PRIVATE KEY-----",
  "MIIEowIBAAKCAQEAx0/+".repeat(4),
  "https://user:pw@host.example/",
  "+49 30 901820",
];
const ACTIONS = ["restore", "mask", "block", "monitor"] as const;
const TYPES = ["error", "content_block_delta", "response.output_text.delta", "message_stop"];

let guarded: GuardedResponse;

beforeAll(async () => {
  guarded = await GuardedResponse.load();
  guarded.issue({ "<EMAIL_7Q2K4M>": 'a"\\\n<EMAIL_7Q2K4M>' });
});

it("random responses come out the same however they are split", () => {
  const source = random(32);
  const below = (limit: number) => source.below(limit);
  const of = <T>(list: readonly T[]) => source.of(list);
  const text = () => Array.from({ length: below(12) }, () => of(PIECES)).join("");
  for (let input = 0; input < INPUTS; input++) {
    const dialect = of(DIALECTS);
    const action = of(ACTIONS);
    const parts: Part[] = Array.from({ length: 1 + below(6) }, () => ({
      kind: of(TEXT_KINDS),
      text: text(),
    }));
    const sent = streamOf(dialect, parts, of([JSON.stringify, escaping]));
    let bytes = Buffer.from(sent);
    const isBroken = below(4) === 0;
    if (isBroken) {
      bytes = Buffer.from(sent.replaceAll(of(TYPES), () => of(TYPES)));
      for (let i = below(4); i > 0; i--) bytes[below(bytes.length)] = below(256);
      bytes = bytes.subarray(below(4) === 0 ? below(bytes.length) : 0);
    }
    const out = guarded.stream(dialect, [bytes], action);
    const at = below(bytes.length + 1);
    const other = Math.min(bytes.length, at + below(40));
    const pieces = [bytes.subarray(0, at), bytes.subarray(at, other), bytes.subarray(other)];
    expect(guarded.stream(dialect, pieces, action).equals(out), `input ${input}`).toBe(true);
    if (action === "monitor") expect(out.equals(bytes)).toBe(true);
    // What follows the beginning of a private key is dropped, which may be all of a part.
    const isDropped = action === "mask" && parts.some((part) => part.text.includes("-----BEGIN"));
    if (isBroken || isDropped || action === "block") continue;
    const seen = receive(dialect, out.toString());
    expect(
      seen.texts.map(({ kind }) => kind).filter((kind, index, all) => kind !== all[index - 1]),
    ).toEqual(receive(dialect, sent).texts.map(({ kind }) => kind));
    guarded.whole(dialect, bytes, action);
  }
});
