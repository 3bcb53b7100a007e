// What is captured of requests and responses (`observability.content`).
import * as members from "../../contract/filter-document";
import { NO_NODE } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";
import { Document } from "./document";

export class ContentRules {
  /** Of a request, and of a response. */
  maxBytes: u32 = 0;
  /** Names in lower case, besides those of credentials. */
  redactedHeaders: Span[] = [];
}

/** Returns the rules, or null if nothing is captured. */
export function readContentRules(from: Document, root: u32): ContentRules | null {
  const node = from.member(root, constant(members.DOCUMENT_CONTENT));
  if (node == NO_NODE) return null;
  const rules = new ContentRules();
  rules.maxBytes = from.number(node, constant(members.CONTENT_MAX_BYTES));
  rules.redactedHeaders = from.spans(node, constant(members.CONTENT_REDACT_HEADERS));
  return rules;
}
