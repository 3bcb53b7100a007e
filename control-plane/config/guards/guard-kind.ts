// A kind of policy of `guards`: the keys that only its policies have, and how they are read.
import type { z } from "zod";
import type { GuardPolicy, GuardRules } from "../../../model/guard-policies.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";
import type { Draft } from "../section.ts";

export interface GuardKind {
  name: GuardRules["kind"];
  /** The keys of its policies besides those that all have. */
  keys: z.ZodRawShape;
  actions: readonly GuardPolicy["action"][];
  defaultAction: GuardPolicy["action"];
  /** Returns undefined after a problem. @param entry the policy, whose keys of this kind fit `keys` */
  read(reading: Reading, path: Path, entry: object): GuardRules | undefined;
}

/** Declares a kind; the type of its entries is that of its keys. */
export function guardKind<Shape extends z.ZodRawShape>(declared: {
  name: GuardRules["kind"];
  keys: Shape;
  actions: readonly GuardPolicy["action"][];
  defaultAction: GuardPolicy["action"];
  read: (
    reading: Reading,
    path: Path,
    entry: Draft<z.output<z.ZodObject<Shape>>>,
  ) => GuardRules | undefined;
}): GuardKind {
  return declared;
}
