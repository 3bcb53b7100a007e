// Where a provider's signed or encrypted reasoning travels in another dialect's history, so that it finds back to its own kind
// of provider in a later turn, and to no other (docs/decisions/2026-11-22-reasoning-between-three-dialects.md).
import { Tape } from "../bytes/json/tape";
import { firstBytes, startsWith } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";

/** Whose reasoning a signature belongs to. */
export const CARRIER_ANTHROPIC: i32 = 0;
/** `encrypted_content` of OpenAI's Responses API. */
export const CARRIER_OPENAI: i32 = 1;

/** The beginning of `encrypted_content` that holds a signature of Anthropic. */
export const MARK_ANTHROPIC = constant("gw1.a.");
/** The beginning of `encrypted_content` that holds Anthropic's redacted reasoning. */
export const MARK_REDACTED = constant("gw1.r.");
/** The beginning of a signature that holds `encrypted_content` of OpenAI. */
export const MARK_OPENAI = constant("gw1.o.");
/** The beginning of each of them. */
export const MARK = constant("gw1.");
/** For Tape.hasBeginning; signed ids of calls (signed-call-id.ts) begin in the same way. */
export const MARK_BYTES = firstBytes(MARK);

/** Returns whether a node is a string that begins with this mark. */
export function hasMark(tape: Tape, node: u32, mark: Span): bool {
  return tape.isString(node) && startsWith(tape.pointer(node), tape.size(node), mark);
}

/** Returns whether a node is a string that begins with any mark. */
export function isCarrier(tape: Tape, node: u32): bool {
  return hasMark(tape, node, MARK);
}
