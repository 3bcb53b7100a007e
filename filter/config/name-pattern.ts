// Aliases for all names that begin alike (`claude-*`), and a mark at the end of names that is no part of them.
import * as members from "../../contract/filter-document";
import { constant, Span } from "../bytes/text/bytes";
import { endsWith } from "../bytes/text/at";
import { Document } from "./document";

/** Claude Code appends it for a context of a million tokens; the name without it is the model. */
const LONG_CONTEXT = constant("[1m]");

export class NamePattern {
  constructor(
    public prefix: Span,
    public route: i32,
  ) {}
}

/** Returns the patterns, which may be missing: the longest prefixes come first. `routes`: how many routes there are. */
export function readNamePatterns(from: Document, root: u32, routes: i32): NamePattern[] {
  const patterns = new Array<NamePattern>();
  const list = from.items(root, constant(members.DOCUMENT_PATTERNS));
  for (let i = 0; i < list.length; i++) {
    const prefix = from.bytes(list[i], constant(members.PATTERN_PREFIX));
    const route = from.index(list[i], constant(members.PATTERN_ROUTE), routes);
    patterns.push(new NamePattern(prefix, route));
  }
  return patterns;
}

/** Returns the length of a name without the mark. */
export function lengthWithoutMark(pointer: usize, length: u32): u32 {
  return endsWith(pointer, length, LONG_CONTEXT) ? length - LONG_CONTEXT.length : length;
}
