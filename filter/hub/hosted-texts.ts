// The texts in a result of what a provider ran, in whatever form its API has them.
import { Tape } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";

/** The members of results that are texts, or lists of what has texts: of MCP tools, code, viewed files, and errors. */
const MEMBERS: StaticArray<Span> = [
  constant("text"),
  constant("stdout"),
  constant("stderr"),
  constant("logs"),
  constant("content"),
  constant("message"),
  constant("error_code"),
];

export abstract class TextTarget {
  abstract addResultText(tape: Tape, node: u32): void;
}

/** Reads the texts of a string, an object or a list. Returns whether that is all it has: images and files are left out. */
export function readTexts(tape: Tape, content: u32, target: TextTarget): bool {
  if (tape.isString(content)) {
    target.addResultText(tape, content);
    return true;
  }
  let isWhole = true;
  if (tape.isArray(content)) {
    const end = tape.next(content);
    for (let item = tape.first(content); item < end; item = tape.next(item))
      isWhole = readTexts(tape, item, target) && isWhole;
    return isWhole;
  }
  let hasTexts = false;
  for (let i = 0; i < MEMBERS.length; i++) {
    const member = tape.member(content, unchecked(MEMBERS[i]));
    if (!tape.isString(member) && !tape.hasItems(member)) continue;
    hasTexts = true;
    isWhole = readTexts(tape, member, target) && isWhole;
  }
  return hasTexts && isWhole;
}
