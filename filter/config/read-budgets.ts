// Reads the budgets of money, and gives each to the keys or targets that it is for.
import { BUDGET_ID, BUDGET_LABEL } from "../../contract/budgets";
import { Tape } from "../bytes/json/tape";
import { readHexadecimal } from "../bytes/text/hash";
import { constant, sameSpan, Span } from "../bytes/text/bytes";
import { ApiKeys } from "./api-keys";
import { Budget } from "./budget";
import { bytesOf, onlyKnownMembers, reportProblem, stringMember } from "./document";
import { Target } from "./target";

export class Budgets {
  /** Of all budgets, in ascending order. */
  ids: u64[] = [];
  /** Those of all requests, for requests without a key; each key has them too. */
  all: Budget[] = [];
}

/** Reads the list, which may be missing. `keys`: of each listener, null if it has none. */
export function readBudgets(
  tape: Tape,
  list: u32,
  keys: (ApiKeys | null)[],
  targets: Target[],
): Budgets {
  const budgets = new Budgets();
  const end = tape.next(list);
  let last: u64 = 0;
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    onlyKnownMembers(tape, node, constant("id label key target"));
    const id = readHexadecimal(bytesOf(tape, tape.member(node, constant(BUDGET_ID))));
    if (id <= last) reportProblem("a budget's id is invalid, or not in order");
    last = id;
    budgets.ids.push(id);
    const budget = new Budget(id, stringMember(tape, node, constant(BUDGET_LABEL)));
    const key = tape.member(node, constant("key"));
    const target = tape.member(node, constant("target"));
    if (tape.isString(target)) addToTargets(targets, bytesOf(tape, target), budget);
    else if (tape.isString(key)) addToKeys(keys, bytesOf(tape, key), budget);
    else {
      budgets.all.push(budget);
      addToKeys(keys, EVERY_KEY, budget);
    }
  }
  return budgets;
}

const EVERY_KEY = new Span(0, 0);

/** Adds a budget to the keys of a name, on each listener. */
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
