// What the policies of `guards` have to do with one exchange: which of them apply, what they decided, and the placeholders they wrote.
import { GUARD_ACTIONS } from "../../contract/guard-kinds";
import { GuardPolicy } from "../config/guard-policy";
import { Placeholders } from "../guards/placeholders";

/** What became of a request or response by one policy. */
export class PolicyDecision {
  /** How many values it has found. */
  findings: u32 = 0;
  /** What they are: bits by the indices of GUARD_KINDS. */
  kinds: u64 = 0;
  /** Whether the request was rejected, or the response ended. */
  isBlocked: bool = false;
  /** Whether it could not be checked, so that `on_failure` decided. */
  hasFailed: bool = false;
  /** How long it took. */
  milliseconds: i64 = 0;

  constructor(
    public policy: GuardPolicy,
    public isResponse: bool,
  ) {}

  /** Returns what became of it: a word of GUARD_ACTIONS, or `deny` or `allow`. */
  get word(): string {
    if (this.hasFailed) return this.isBlocked ? "deny" : "allow";
    return this.isBlocked ? "block" : GUARD_ACTIONS[this.policy.action];
  }
}

/** Released by its owner. */
export class Guarded {
  /** In their order; only those with something to report. */
  decisions: PolicyDecision[] = [];
  placeholders: Placeholders = new Placeholders();

  constructor(
    /** Those that apply to the exchange, in their order. */
    public policies: GuardPolicy[],
  ) {}

  /** Returns the decision of a policy, which is reported from now on. */
  decisionOf(policy: GuardPolicy, isResponse: bool): PolicyDecision {
    for (let i = 0; i < this.decisions.length; i++) {
      const one = this.decisions[i];
      if (one.policy === policy && one.isResponse == isResponse) return one;
    }
    const decision = new PolicyDecision(policy, isResponse);
    this.decisions.push(decision);
    return decision;
  }

  release(): void {
    this.placeholders.release();
  }
}
