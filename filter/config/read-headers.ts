// Reads the headers that the configuration adds to requests; their secrets come from the environment.
import * as members from "../../contract/filter-document";
import { constant, sameSpan, Span } from "../bytes/text/bytes";
import { MIN_SECRET } from "../bytes/text/mask";
import { Document } from "./document";
import { ProviderHeader } from "./target";

/**
 * Reads the headers in a member: appends each to `headers`, with every reference replaced by its variable's value, and the
 * values to `secrets`.
 */
export function readHeaders(
  from: Document,
  node: u32,
  member: Span,
  headers: ProviderHeader[],
  secrets: Span[],
): void {
  const list = from.items(node, member);
  for (let i = 0; i < list.length; i++) {
    const name = from.text(list[i], constant(members.HEADER_NAME));
    const parts = from.items(list[i], constant(members.HEADER_PARTS));
    let value = "";
    for (let j = 0; j < parts.length; j++) {
      value += from.text(parts[j], constant(members.PART_TEXT));
      const variable = from.text(parts[j], constant(members.PART_ENVIRONMENT));
      if (variable.length == 0) continue;
      if (!from.environment.has(variable)) {
        from.reportVariable(variable, "header", name);
        continue;
      }
      const secret = from.environment.get(variable);
      value += secret;
      addSecret(secrets, secret);
    }
    headers.push(new ProviderHeader(constant(name), constant(value)));
  }
}

export function hasHeader(headers: ProviderHeader[], name: Span): bool {
  for (let i = 0; i < headers.length; i++) {
    if (sameSpan(headers[i].name, name)) return true;
  }
  return false;
}

/** Adds a value that is masked wherever a response contains it. */
export function addSecret(secrets: Span[], value: string): void {
  const secret = constant(value);
  if (secret.length >= MIN_SECRET) secrets.push(secret);
}
