// How much of a shared budget a gateway asks for.

/** The part of a budget below which a gateway without requests holds nothing, and one with requests asks for this much. */
const SMALL = 1 / 1000;

export interface Share {
  /** Nano-dollars. */
  amount: number;
  /** What this gateway has charged in the period. */
  used: number;
  /** What the other gateways have spent in it. */
  othersSpent: number;
  /** Gateways that share the budget at the moment, this one included. */
  gateways: number;
  /** Whether requests have used the budget, or asked for it in vain, in the last seconds. */
  isActive: boolean;
}

/**
 * Returns the grant to ask for: what is used, and an equal part of what is left, with one part for a gateway that may start.
 * While much is left that is much, so that no client is rejected between two requests for a grant. At the end, what is left
 * goes to the gateways that have requests.
 */
export function wantedGrant({ amount, used, othersSpent, gateways, isActive }: Share): number {
  const left = Math.max(0, amount - used - othersSpent);
  const part = left / (gateways + 1);
  const small = amount * SMALL;
  if (part >= small) return Math.floor(used + part);
  return isActive ? Math.ceil(used + Math.min(left, small)) : used;
}
