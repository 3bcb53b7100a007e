// How much of a shared budget a gateway asks for.

/** The part of what is free that a gateway asks for, with requests and without. */
const ACTIVE_PART = 1 / 2;
const IDLE_PART = 1 / 8;
/** The part of the amount that a gateway with requests asks for at least, and below which one without holds nothing. */
const SMALL = 1 / 1000;

export interface Share {
  /** Nano-dollars. */
  amount: number;
  /** What this gateway has charged in the period. */
  used: number;
  /** What is left of the amount if the other gateways use all that they hold. */
  room: number;
  /** Whether requests have used the budget, or asked for it in vain, in the last seconds. */
  isActive: boolean;
}

/**
 * Returns the grant to ask for: what is used, and half of what is free. If n gateways with requests do that, each has a part
 * of n + 1 of what is left, and one part is free for a gateway that starts; those without requests hold little. While much is left
 * that is much, so that no client is rejected between two requests for a grant. At the end, what is left goes to the gateways
 * that have requests.
 */
export function wantedGrant({ amount, used, room, isActive }: Share): number {
  const free = Math.max(0, room - used);
  const small = amount * SMALL;
  if (isActive) return Math.ceil(used + Math.max(free * ACTIVE_PART, Math.min(free, small)));
  const part = free * IDLE_PART;
  return part < small ? used : Math.floor(used + part);
}
