// Reads the budgets of money, and gives each to the keys or targets that it is for.
import * as members from "../../contract/filter-document";
import { readHexadecimal } from "../bytes/text/hash";
import { constant, sameSpan, Span } from "../bytes/text/bytes";
import { ApiKeys } from "./api-keys";
import { Budget } from "./budget";
import { Document } from "./document";
import { Target } from "./target";

export class Budgets {
  /** Of all budgets, in ascending order. */
  ids: u64[] = [];
  /** Those of all requests, for requests without a key; each key has them too. */
  all: Budget[] = [];
}

/** Reads the list, which may be missing. `keys`: of each listener, null if it has none. */
export function readBudgets(
  from: Document,
  root: u32,
  keys: (ApiKeys | null)[],
  targets: Target[],
): Budgets {
  const budgets = new Budgets();
  const list = from.items(root, constant(members.DOCUMENT_BUDGETS));
  let last: u64 = 0;
  for (let i = 0; i < list.length; i++) {
    const id = readHexadecimal(from.bytes(list[i], constant(members.BUDGET_ID)));
    if (id <= last) from.report("a budget's id is invalid, or not in order");
    last = id;
    budgets.ids.push(id);
    const label = from.text(list[i], constant(members.BUDGET_LABEL));
    const rejectsUnpriced = from.flag(list[i], constant(members.BUDGET_REJECTS_UNPRICED));
    const budget = new Budget(id, label, rejectsUnpriced);
    const key = from.bytes(list[i], constant(members.BUDGET_KEY));
    const target = from.bytes(list[i], constant(members.BUDGET_TARGET));
    if (target.length > 0) addToTargets(targets, target, budget);
    else addToKeys(keys, key, budget);
    if (target.length + key.length == 0) budgets.all.push(budget);
  }
  return budgets;
}

/** Adds a budget to the keys of a name, or to all if it is empty, on each listener. */
function addToKeys(listeners: (ApiKeys | null)[], name: Span, budget: Budget): void {
  for (let i = 0; i < listeners.length; i++) {
    const keys = listeners[i];
    if (keys === null) continue;
    for (let number: u32 = 1, key = keys.at(1); key !== null; key = keys.at(++number)) {
      if (name.length == 0 || sameSpan(key.name, name)) key.budgets.push(budget);
    }
  }
}

/** Adds a budget to the targets of a name: those of a wildcard's families have its name. */
function addToTargets(targets: Target[], name: Span, budget: Budget): void {
  for (let i = 0; i < targets.length; i++) {
    const target = targets[i];
    if (!sameSpan(target.nameSpan, name)) continue;
    target.budgets.push(budget);
    addToTargets(target.also, name, budget);
  }
}
