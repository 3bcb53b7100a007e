// Aliases for all names that begin alike (`claude-*`), and a mark at the end of names that is no part of them.
import { constant, Span } from "../bytes/text/bytes";
import { endsWith } from "../bytes/text/at";
import { Tape } from "../bytes/json/tape";
import { bytesOf, integerOf, onlyKnownMembers, reportProblem } from "./document";

/** Claude Code appends it for a context of a million tokens; the name without it is the model. */
const LONG_CONTEXT = constant("[1m]");

export class NamePattern {
  constructor(
    public prefix: Span,
    public route: i32,
  ) {}
}

/** Returns the patterns of the list, which may be missing: the longest prefixes come first. @param routes how many there are */
export function readNamePatterns(tape: Tape, list: u32, routes: i32): NamePattern[] {
  const patterns = new Array<NamePattern>();
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    onlyKnownMembers(tape, node, constant("prefix route"));
    const prefix = bytesOf(tape, tape.member(node, constant("prefix")));
    const route = integerOf(tape, tape.member(node, constant("route")));
    if (route >= routes) reportProblem("a pattern of names stands for a route that is not there");
    patterns.push(new NamePattern(prefix, route));
  }
  return patterns;
}

/** Returns the length of a name without the mark. */
export function lengthWithoutMark(pointer: usize, length: u32): u32 {
  return endsWith(pointer, length, LONG_CONTEXT) ? length - LONG_CONTEXT.length : length;
}
