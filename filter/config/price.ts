// What the tokens of a model cost, by the rates of the document: the control plane computes the same money from the usage record
// (control-plane/observability/prices.ts).
import { atLeastZero, Usage } from "../hub/response/usage";
import { countOr } from "../bytes/json/number";
import { Span } from "../bytes/text/bytes";
import { Document } from "./document";

/** Without a price, or with more tokens than can be multiplied. */
export const NO_COST: i64 = -1;

/** The start of a tier, and the rates of input, output, cache read, cache write, and cache write for an hour. */
const NUMBERS: i32 = 6;
const PICO_PER_NANO: i64 = 1000;
/** Five such products fit into 64 bits. */
const MAX_PRODUCT: i64 = 1_000_000_000_000_000_000;

export class Price {
  /** NUMBERS for each tier, that of the longest input first. Rates are pico-dollars per token. */
  private numbers: i64[] = [];

  constructor(from: Document, node: u32, member: Span) {
    const tiers = from.items(node, member);
    for (let i = 0; i < tiers.length; i++) {
      const items = from.itemsOf(tiers[i]);
      for (let j = 0; j < items.length; j++) {
        const value = countOr(from.tape, items[j], NO_COST);
        if (value < 0) from.report("a number of a price is not a count");
        this.numbers.push(value);
      }
      if (items.length != NUMBERS) from.report("a tier of a price is not complete");
    }
  }

  /** Returns the cost in nano-dollars, rounded once; NO_COST without any usage. */
  costOf(usage: Usage): i64 {
    if (!usage.isKnown) return NO_COST;
    const numbers = this.numbers;
    // As the usage record has it.
    const input = usage.freshInput < 0 ? 0 : usage.input;
    let at = 0;
    while (at < numbers.length && numbers[at] > 0 && input <= numbers[at]) at += NUMBERS;
    if (at + NUMBERS > numbers.length) return NO_COST;
    const write = atLeastZero(usage.cacheWrite);
    const hour = min(atLeastZero(usage.cacheWriteHour), write);
    sum = 0;
    add(atLeastZero(usage.freshInput), numbers[at + 1]);
    add(atLeastZero(usage.output), numbers[at + 2]);
    add(atLeastZero(usage.cacheRead), numbers[at + 3]);
    add(write - hour, numbers[at + 4]);
    add(hour, numbers[at + 5]);
    return sum < 0 ? NO_COST : (sum + PICO_PER_NANO / 2) / PICO_PER_NANO;
  }
}

/** Pico-dollars; negative if a product is too large. */
let sum: i64 = 0;

function add(tokens: i64, rate: i64): void {
  if (sum < 0 || rate == 0) return;
  sum = tokens > MAX_PRODUCT / rate ? -1 : sum + tokens * rate;
}
