// The prices of the models that a wildcard takes: the first pattern that matches the name of a model decides.
import { NO_NODE, Tape } from "../bytes/json/tape";
import { Span } from "../bytes/text/bytes";
import { bytesOf, integerOf, memberOf, onlyKnownMembers, reportProblem } from "./document";
import { Price } from "./price";
import { matches } from "./wildcard";

export class PriceList {
  private patterns: Span[] = [];
  private prices: Price[] = [];

  add(pattern: Span, price: Price): void {
    this.patterns.push(pattern);
    this.prices.push(price);
  }

  /** Returns what the tokens of a model cost; null if that is not known. */
  priceOf(model: Span): Price | null {
    for (let i = 0; i < this.patterns.length; i++) {
      if (matches(this.patterns[i], model)) return this.prices[i];
    }
    return null;
  }
}

/** Returns the lists, which may be missing. */
export function readPriceLists(tape: Tape, list: u32): PriceList[] {
  const lists = new Array<PriceList>();
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node))
    lists.push(readPriceList(tape, node));
  return lists;
}

function readPriceList(tape: Tape, list: u32): PriceList {
  const prices = new PriceList();
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    onlyKnownMembers(tape, node, ["models", "price"]);
    const price = new Price(tape, memberOf(tape, node, "price"));
    const models = memberOf(tape, node, "models");
    const stop = tape.next(models);
    for (let item = tape.first(models); item < stop; item = tape.next(item))
      prices.add(bytesOf(tape, item), price);
  }
  return prices;
}

/** Returns the list with an index; null without one. */
export function pickPriceList(tape: Tape, node: u32, lists: PriceList[]): PriceList | null {
  if (node == NO_NODE) return null;
  const at = integerOf(tape, node);
  if (at >= 0 && at < lists.length) return lists[at];
  reportProblem("a target names a list of prices that is not there");
  return null;
}
