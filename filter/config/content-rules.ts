// What is captured of requests and responses (`observability.content`).
import { Tape } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";
import { bytesOf, integerOf, onlyKnownMembers } from "./document";

export class ContentRules {
  /** Of a request, and of a response. */
  maxBytes: u32 = 0;
  /** Names in lower case, besides those of credentials. */
  redactedHeaders: Span[] = [];
}

/** Returns the rules, or null if nothing is captured. */
export function readContentRules(tape: Tape, node: u32): ContentRules | null {
  if (!tape.isPresent(node)) return null;
  onlyKnownMembers(tape, node, constant("max_bytes redact_headers"));
  const rules = new ContentRules();
  rules.maxBytes = integerOf(tape, tape.member(node, constant("max_bytes")));
  const list = tape.member(node, constant("redact_headers"));
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item))
    rules.redactedHeaders.push(bytesOf(tape, item));
  return rules;
}
