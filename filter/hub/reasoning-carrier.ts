// Where a provider's signed or encrypted reasoning travels in another dialect's history, so that it finds back to its own kind
// of provider in a later turn, and to no other (docs/decisions/2026-11-22-reasoning-between-three-dialects.md).
//
// Reasoning that nobody has signed goes back only to the provider that wrote it, in the member that it came in: its mark is
// `gw1.`, the member's letter, a dot, the provider's origin, and whatever else belongs to it after another dot.
import { Tape } from "../bytes/json/tape";
import { byteAt, firstBytes, startsWith } from "../bytes/text/at";
import { ByteBuffer, constant, sameBytes, Span } from "../bytes/text/bytes";
import { appendHexadecimal, hash64 } from "../bytes/text/hash";

/** What a signature is: that of reasoning which can be read (Anthropic). */
export const CARRIER_SIGNED: i32 = 0;
/** The reasoning itself, encrypted: `encrypted_content` of OpenAI's Responses API. */
export const CARRIER_ENCRYPTED: i32 = 1;
/** What a provider's tool did, with its mark (MEMBER_PART). */
export const CARRIER_PART: i32 = 2;

/** The beginning of `encrypted_content` that holds a signature of Anthropic. */
export const MARK_SIGNATURE = constant("gw1.a.");
/** The beginning of `encrypted_content` that holds Anthropic's redacted reasoning. */
export const MARK_REDACTED = constant("gw1.r.");
/** The beginning of a signature that holds `encrypted_content` of OpenAI. */
export const MARK_ENCRYPTED = constant("gw1.o.");
/** The beginning of each of them. */
export const MARK = constant("gw1.");
/** For Tape.hasBeginning; signed ids of calls (signed-call-id.ts) begin in the same way. */
export const MARK_BYTES = firstBytes(MARK);

/** So begin the ids of items that stand for what a provider ran: only the gateway's clients know them. */
export const HOSTED_MARK = constant("gw1.h.");
/** The same of blocks, whose ids Anthropic limits: ^srvtoolu_[a-zA-Z0-9_]+$, and of MCP calls ^[a-zA-Z0-9_-]+$. */
export const HOSTED_BLOCK_MARK = constant("srvtoolu_gw1h_");
export const HOSTED_MCP_MARK = constant("gw1_h_");
/** In the place of what only Anthropic can write: `encrypted_index` of a citation, `encrypted_content` of a page. */
export const NOT_ENCRYPTED = constant("gw1.n");

/** Returns whether a node is a string that begins with this mark. */
export function hasMark(tape: Tape, node: u32, mark: Span): bool {
  return tape.isString(node) && startsWith(tape.pointer(node), tape.size(node), mark);
}

/** Returns whether a node is a string that begins with any mark. */
export function isCarrier(tape: Tape, node: u32): bool {
  return hasMark(tape, node, MARK);
}

/** The member of a chat provider's message that holds reasoning without a signature: the letter of its mark. */
export const MEMBER_NONE: u32 = 0;
/** `reasoning_content` */
export const MEMBER_CONTENT: u32 = 0x63;
/** `reasoning` */
export const MEMBER_REASONING: u32 = 0x6e;
/** `reasoning_details`, of type `reasoning.text`; after the origin: its format. */
export const MEMBER_DETAILS: u32 = 0x64;
/** The same of type `reasoning.summary`. */
export const MEMBER_SUMMARY: u32 = 0x73;
/** Parts of type `thinking` in `content`, Mistral's form; after the origin: the signature. */
export const MEMBER_PARTS: u32 = 0x70;

/** The beginning of `content`, between <think> and </think>. */
export const MEMBER_TAGS: u32 = 0x74;

/**
 * No reasoning: a part with what the provider's tools did, which it requires back; after the origin: the part, as JSON in a string. Of
 * Google one call or result, of Anthropic the blocks of both.
 */
export const MEMBER_PART: u32 = 0x67;

const ORIGIN_BYTES: u32 = 16;
const LETTER_AT: u32 = MARK.length;
const ORIGIN_AT: u32 = LETTER_AT + 2;
/** Where the mark ends, unless something follows after a dot. */
const MARK_END: u32 = ORIGIN_AT + ORIGIN_BYTES;
const DOT: u32 = 0x2e;

/** Returns the origin of a target by its name, `<provider>/<model>`: all models of a provider have the same. */
export function originOf(name: Span): Span {
  let length: u32 = 0;
  while (length < name.length && byteAt(name.pointer, length) != 0x2f) length++;
  const out = new ByteBuffer();
  appendHexadecimal(hash64(name.pointer, length), out);
  return new Span(out.pointer, out.length);
}

/** Appends the mark of unsigned reasoning. */
export function writeUnsignedMark(letter: u32, origin: Span, out: ByteBuffer): void {
  out.span(MARK);
  out.byte(letter);
  out.byte(DOT);
  out.span(origin);
}

/** Appends what belongs to the reasoning beside its text, in place of what was there. */
export function setRest(mark: ByteBuffer, pointer: usize, length: u32): void {
  mark.length = min(mark.length, MARK_END);
  if (length == 0) return;
  mark.byte(DOT);
  mark.bytes(pointer, length);
}

/** Returns the member that reasoning with this mark came in, MEMBER_NONE if it is another provider's or has no such mark. */
export function memberOfMark(mark: usize, length: u32, origin: Span): u32 {
  if (length < MARK_END || !startsWith(mark, length, MARK)) return MEMBER_NONE;
  if (byteAt(mark, LETTER_AT + 1) != DOT || origin.length != ORIGIN_BYTES) return MEMBER_NONE;
  if (!sameBytes(mark + ORIGIN_AT, ORIGIN_BYTES, origin.pointer, origin.length)) return MEMBER_NONE;
  return byteAt(mark, LETTER_AT);
}

/** Returns whether a node is a mark of unsigned reasoning, whichever provider's. */
export function isUnsignedMark(tape: Tape, node: u32): bool {
  if (!isCarrier(tape, node) || tape.size(node) < MARK_END) return false;
  const letter = byteAt(tape.pointer(node), LETTER_AT);
  return (
    letter == MEMBER_CONTENT ||
    letter == MEMBER_REASONING ||
    letter == MEMBER_DETAILS ||
    letter == MEMBER_SUMMARY ||
    letter == MEMBER_TAGS ||
    letter == MEMBER_PARTS ||
    letter == MEMBER_PART
  );
}

/** Points `rest` at what follows the origin in a mark that `memberOfMark` knows; it may be empty. */
export function restOfMark(mark: usize, length: u32, rest: Span): void {
  const start = min(MARK_END + 1, length);
  rest.pointer = mark + start;
  rest.length = length - start;
}
