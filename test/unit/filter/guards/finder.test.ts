// Which values are found in a text, and which texts that look like them are not.
import { beforeAll, describe, expect, it } from "vitest";
import { type GuardFinder, startFinder } from "./guard-finder.ts";

let finder: GuardFinder;
beforeAll(async () => {
  finder = await startFinder();
}, 180_000);

import { GUARD_KINDS } from "../../../../contract/guard-kinds.ts";
const ALL = GUARD_KINDS;
const hex = (length: number) => "0123456789abcdef".repeat(20).slice(0, length);
const word = (length: number) => "Ab3dEf6hIj9lMn2pQr5t".repeat(60).slice(0, length);
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,${hex(32)}\n\n${word(64)}\n${word(64)}==\n-----END RSA PRIVATE KEY-----`;

/** Each value as a policy finds it: `kind value`, in a text that has it between ‹ and ›. */
const FOUND: readonly (readonly [string, string])[] = [
  ["email", "write to ‹jane.doe+news@mail.example.co.uk›."],
  ["email", "‹a@b.io›"],
  ["email", 'JSON: {"mail":"‹jane@example.org›"}'],
  ["email", "an escaped line end \\n‹nina@example.org›\\n"],
  ["email", "<‹jane@example.org›>, ‹joe@example.org›;"],
  ["phone", "call ‹+49 30 901820›!"],
  ["phone", "‹+1 (415) 555-2671›"],
  ["phone", "tel:‹+14155552671›"],
  ["phone", "my phone is ‹(415) 555-2671›"],
  ["phone", "Handy: ‹0170 1234567›"],
  ["phone", "call ‹20 24 01 15›, fax ‹2024-13-15›"],
  ["iban", "pay to ‹DE89 3704 0044 0532 0130 00› now"],
  ["iban", "‹GB82WEST12345698765432›"],
  ["iban", "‹NO9386011117947›."],
  ["card", "‹4111 1111 1111 1111›"],
  ["card", "order 12 ‹4111-1111-1111-1111› paid"],
  ["card", "‹378282246310005›, ‹3782 822463 10005›"],
  ["card", '"‹5555555555554444›"'],
  ["card", "‹6011111111111117›."],
  ["secret", `key=‹sk-ant-api03-${word(93)}AA›`],
  ["secret", `‹sk-proj-${word(74)}T3BlbkFJ${word(74)}›`],
  ["secret", `AWS: ‹AKIAIOSFODNN7EXAMPLE›`.replace("7EXAMPLE", "7EXAMPLE")],
  ["secret", `‹AIza${word(35)}›`],
  ["secret", `‹ghp_${word(36)}›`],
  ["secret", `"‹github_pat_${word(82)}›"`],
  ["secret", `‹glpat-${word(20)}›`],
  ["secret", `‹xoxb-1234567890-1234567890123-${word(24)}›`],
  ["secret", `‹hf_${"aBcDeFgHiJkLmNoPq".repeat(2)}›`],
  ["secret", `‹npm_${word(36)}›\\n`],
  ["secret", `‹dapi${hex(32)}›`],
  ["secret", `Bearer ‹eyJ${word(20)}.ey${word(40)}.${word(43)}›`],
  ["private_key", `‹${PEM}› end`],
  ["private_key", `{"key":"‹${PEM.replaceAll("\n", "\\n")}›"}`],
  ["url_credentials", "postgres://‹admin:s3cr3t!›@db.example.org:5432/x"],
  ["url_credentials", "ftp://‹jane:hunter2!x›@host.example.org/"],
  ["url_credentials", "redis://‹:hunter2›@cache/0"],
  ["ip", "from ‹8.8.4.4› today"],
  ["ip", "‹2a00:1450:4001:81b::200e›"],
  ["mac", "‹3c:22:fb:aa:0b:1d›"],
  ["mac", "‹3C-22-FB-AA-0B-1D›"],
  ["id_us", "‹536-90-4399›"],
  ["id_us", "SSN: ‹536904399›"],
  ["id_gb", "‹AB123456C›, ‹AB 12 34 56 C›"],
  ["id_gb", "NHS number ‹943 476 5919›"],
  ["id_de", "‹36 574 261 809›"],
  ["id_de", "‹36574261809›"],
  ["id_fr", "‹2 55 08 14 168 025 38›".replace("25 38", "25 38")],
  ["id_es", "‹54362315K›, ‹X2482300W›"],
  ["id_it", "‹RCCMNL83S18D969H›"],
  ["id_nl", "BSN ‹111222333›"],
  ["id_pl", "‹44051401359›"],
  ["id_br", "‹390.533.447-05›"],
  ["id_br", "‹16.727.230/0001-97›"],
  ["id_in", "‹2347 1234 9876›".replace("2347 1234 9876", "2345 6789 0124")],
  ["id_in", "‹ACUPA7085R›"],
  ["id_cn", "‹360426199101010071›"],
  ["id_kr", "‹971013-9019902›"],
  ["id_ca", "‹123-456-782›".replace("123-456-782", "130-692-544")],
  ["id_se", "‹880320-0016›"],
  ["id_no", "‹15108695088›"],
  ["id_fi", "‹131052-308T›"],
  ["id_be", "‹85.07.30-033.28›"],
  ["id_ch", "‹756.9217.0769.85›"],
  ["id_dk", "CPR ‹211062-5629›"],
  ["id_au", "TFN: ‹123 456 782›"],
  ["id_jp", "My Number ‹1234 5678 9018›"],
];

const NOT_FOUND: readonly string[] = [
  "4111 1111 1111 1112",
  "0000000000000000",
  "DE89 3704 0044 0532 0130 01",
  "git@github.com:owner/name.git",
  "icon@2x.png and a @decorator.call and user@localhost",
  "sha256:4111111111111111abcdef, id_4111111111111111, 4111111111111111.5",
  "550e8400-e29b-41d4-a716-446655440000",
  "2024-01-15T12:34:56.789Z took 1718000000123 ns",
  "sk-1234, sk-your-key-here, ghp_short, AKIAshort",
  "https://user:${PASSWORD}@host/ and https://host:8080/path@x",
  "127.0.0.1 10.1.2.3 192.168.1.1 172.16.0.1 192.0.2.7 1.2.3 v1.2.3.4.5 10.0.0.0/8",
  "12:34:56 std::vector<a::b> fe80::1 ::1",
  "-----BEGIN CERTIFICATE-----",
  'startsWith("-----BEGIN PRIVATE KEY-----")',
  "123-45-6789 and 000-12-3456",
  "the call of 2024-01-15 12:34, the phone log of 15.01.2024 and of 01/15/2024",
  "+123 and a +1 b @@ -1,5 +1,7 @@",
];

describe("finder", () => {
  it.each(FOUND)("the finder finds %s in: %s", (kind, text) => {
    finder.use([kind]);
    const values = [...text.matchAll(/‹([^›]*)›/gs)].map(([, value]) => ({ kind, value }));
    expect(finder.find(text.replaceAll(/[‹›]/g, ""))).toEqual(values);
  });

  it("the finder finds the same in a text that comes in two parts, at every split, and byte by byte", () => {
    finder.use(ALL);
    for (const [, marked] of FOUND) {
      const text = `${marked.replaceAll(/[‹›]/g, "")} and more`;
      const whole = finder.find(text);
      const length = Buffer.byteLength(text);
      for (let split = 0; split <= length; split++)
        expect(finder.findInParts(text, [split]).found, `${text} at ${String(split)}`).toEqual(
          whole,
        );
      expect(finder.findInParts(text, new Array<number>(length).fill(1)).found).toEqual(whole);
    }
  });

  it("the finder holds at most an unfinished word of an ordinary text", () => {
    finder.use(ALL);
    const text =
      "The quick brown fox (of 2024) jumps over the lazy dog: see https://example.org/a for more. ".repeat(
        20,
      );
    const { found, held } = finder.findInParts(text, new Array<number>(text.length).fill(1));
    expect(found).toEqual([]);
    expect(held).toBeLessThan(30);
  });

  it.each(NOT_FOUND)("the finder finds nothing in: %s", (text) => {
    finder.use(ALL);
    expect(finder.find(text)).toEqual([]);
  });
});
