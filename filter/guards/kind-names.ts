// The names of the kinds, as placeholders and messages have them.
import { GUARD_KINDS } from "../../contract/guard-kinds";
import { constant, Span } from "../bytes/text/bytes";

export const KIND_NAMES: Span[] = GUARD_KINDS.map<Span>((name) => constant(name));

/** Returns the names of kinds, with commas between them. @param kinds bits by their indices */
export function kindList(kinds: u64): string {
  let list = "";
  for (let i = 0; i < GUARD_KINDS.length; i++) {
    if (((kinds >> i) & 1) != 0) list += (list.length > 0 ? ", " : "") + GUARD_KINDS[i];
  }
  return list;
}
