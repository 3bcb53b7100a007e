// The budgets of a request: asked once, before its first attempt, and charged when its response is over.
import { Budget } from "../config/budget";
import { Target } from "../config/target";
import { Fault } from "../hub/faults/fault";
import { currentSeconds } from "../host/host";
import { writeDateTime } from "../bytes/text/date-time";
import { scratchBuffer } from "../bytes/text/bytes";
import { chargeBudgets, endOf, refreshTable, Verdict, verdictOf } from "./budget-table";

/** OpenAI's type and code of an error that another request will get too: SDKs and agents stop. */
const QUOTA = "insufficient_quota";
/** Seconds until the control plane has set another limit. */
const PAUSE: u32 = 1;

const text = scratchBuffer();

/** A budget that rejects the request. */
class Refusal {
  constructor(
    public budget: Budget,
    private verdict: Verdict,
    /** Seconds since 1970; 0: never. */
    private end: u32,
  ) {}

  outlasts(other: Refusal): bool {
    if (this.verdict != Verdict.UsedUp) return false;
    return other.verdict != Verdict.UsedUp || this.end - 1 > other.end - 1;
  }

  fault(): Fault {
    const what = "Budget of " + this.budget.label;
    if (this.verdict == Verdict.NoLimit)
      return new Fault(503, what + " is not known yet. Retry in 1 s.").after(PAUSE);
    if (this.verdict == Verdict.PartUsedUp) {
      const how = " has nothing left for this gateway at the moment. Retry in 1 s.";
      return new Fault(429, what + how).coded("rate_limit_exceeded").after(PAUSE);
    }
    const fault = new Fault(429, what + " is used up. It " + this.resetText()).coded(QUOTA);
    fault.type = QUOTA;
    fault.isFinal = true;
    return this.end == 0 ? fault : fault.after(<u32>max<i64>(<i64>this.end - currentSeconds(), 1));
  }

  private resetText(): string {
    if (this.end == 0) return "does not reset.";
    text.clear();
    writeDateTime(this.end, text);
    return "resets at " + text.toText() + ".";
  }
}

export class BudgetCharge {
  /** Budgets of targets that are used up; null if none is. */
  private refusals: Refusal[] | null = null;

  /** @param shared the budgets that do not depend on the target */
  constructor(private shared: Budget[]) {}

  /** Reads what is left of all budgets, if it has changed. Returns the client's error if it does not depend on the target, or null. */
  open(targets: Target[]): Fault | null {
    refreshTable();
    const refusal = refusalOf(this.shared);
    if (refusal === null) {
      for (let i = 0; i < targets.length; i++) this.keep(refusalOf(targets[i].budgets));
    }
    return refusal === null ? null : refusal.fault();
  }

  private keep(refusal: Refusal | null): void {
    if (refusal === null) return;
    let refusals = this.refusals;
    if (refusals === null) {
      refusals = [];
      this.refusals = refusals;
    }
    refusals.push(refusal);
  }

  /** Returns the error if a budget of this target is used up, or null. */
  faultOf(target: Target): Fault | null {
    const refusals = this.refusals;
    if (refusals === null) return null;
    for (let i = 0; i < refusals.length; i++) {
      if (target.budgets.includes(refusals[i].budget)) return refusals[i].fault();
    }
    return null;
  }

  /** Returns the error for a target without a price if a budget rejects it, or null. */
  unpricedFault(target: Target, model: string): Fault | null {
    let budget = rejectingIn(this.shared);
    if (budget === null) budget = rejectingIn(target.budgets);
    if (budget === null) return null;
    const what = "The price of '" + model + "' is not known, and the budget of " + budget.label;
    const how =
      " rejects what it cannot count. Set the model's price in 'pricing', set 'unpriced: ";
    const fault = new Fault(403, what + how + "allow' for the budget, or request another model.");
    fault.isFinal = true;
    return fault.coded("model_price_unknown");
  }

  /** Charges what the response of a target cost, in nano-dollars. Called once. */
  add(target: Target, cost: i64): void {
    if (cost > 0) chargeBudgets(this.shared, target.budgets, cost);
  }
}

/** Returns the budget that rejects the request for the longest time; null if none does. */
function refusalOf(budgets: Budget[]): Refusal | null {
  let found: Refusal | null = null;
  for (let i = 0; i < budgets.length; i++) {
    const verdict = verdictOf(budgets[i]);
    if (verdict == Verdict.Passes) continue;
    const refusal = new Refusal(budgets[i], verdict, endOf(budgets[i]));
    if (found === null || refusal.outlasts(found)) found = refusal;
  }
  return found;
}

/** Returns the first budget that rejects requests for a model without a price; null if none does. */
function rejectingIn(budgets: Budget[]): Budget | null {
  for (let i = 0; i < budgets.length; i++) {
    if (budgets[i].rejectsUnpriced) return budgets[i];
  }
  return null;
}

/** Returns the budgets of a request; null if it has none. */
export function createBudgetCharge(shared: Budget[], targets: Target[]): BudgetCharge | null {
  let isLimited = shared.length > 0;
  for (let i = 0; i < targets.length && !isLimited; i++) isLimited = targets[i].budgets.length > 0;
  return isLimited ? new BudgetCharge(shared) : null;
}
