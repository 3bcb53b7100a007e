// Spreads sessions over targets and keys by rendezvous hashing: each session has an order of all of them, which depends on their
// names alone. It is the same in each worker and gateway and after a reload; without one of them only its sessions move.
// The first of the order is each of them as often as its weight sets
// (https://en.wikipedia.org/wiki/Rendezvous_hashing#Weighted_rendezvous_hash).
import { spread } from "../bytes/text/hash";

/** Returns the indices of `places` in the order of a session. Those after `weights` follow in their own order; without weights all are equal. */
export function orderOf(session: u64, places: u64[], weights: i32[]): i32[] {
  const count = weights.length == 0 ? places.length : weights.length;
  const order = new Array<i32>();
  const costs = new Array<f64>();
  for (let i = 0; i < places.length; i++) {
    const cost =
      i < count
        ? costOf(spread(session ^ spread(places[i])), weights.length == 0 ? 1 : weights[i])
        : Infinity;
    let at = order.length;
    order.push(i);
    costs.push(cost);
    for (; at > 0 && costs[at - 1] > cost; at--) {
      order[at] = order[at - 1];
      costs[at] = costs[at - 1];
    }
    order[at] = i;
    costs[at] = cost;
  }
  return order;
}

/** Returns -log2(h) / weight for a hash as a fraction h of 2^64; infinite for a weight of 0. */
function costOf(hash: u64, weight: i32): f64 {
  const zeros = clz(hash);
  // The fraction after the first one: h = 2^(-zeros - 1) * (1 + f).
  const f = <f64>(((hash << zeros) << 1) >>> 12) * 2.220446049250313e-16;
  // log2(1 + f), with an error below 0.0012: shares are right within a thousandth.
  return (<f64>(zeros + 1) - f - f * (1 - f) * (0.42 - 0.16 * f)) / <f64>weight;
}
