// The kinds of policies that `guards` can have, one file each.
import type { GuardKind } from "./guard-kind.ts";
import { mask } from "./mask-policy.ts";

export const GUARD_POLICY_KINDS: readonly [GuardKind, ...GuardKind[]] = [mask];
