// Which kinds a policy finds.
import { GuardKind } from "./kind-numbers";

/** @param kinds bits by the indices of GUARD_KINDS */
export function hasKind(kinds: u64, kind: GuardKind): bool {
  return ((kinds >> (<u64>kind)) & 1) != 0;
}
