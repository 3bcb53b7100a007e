// The prices of the models that a wildcard takes: the first pattern that matches the name of a model decides.
import * as members from "../../contract/filter-document";
import { byteAt, isDigit, lowerCaseAt } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { Document } from "./document";
import { Price } from "./price";

const SLASH: u32 = 0x2f;
const STAR: u32 = 0x2a;
const HASH: u32 = 0x23;

export class PriceList {
  private patterns: Span[] = [];
  private prices: Price[] = [];

  add(pattern: Span, price: Price): void {
    this.patterns.push(pattern);
    this.prices.push(price);
  }

  /** Returns what the tokens of a model cost; null if that is not known. */
  priceOf(model: Span): Price | null {
    const price = this.find(model.pointer, model.length);
    if (price !== null) return price;
    // The names of some clouds begin with the publisher.
    let start = model.length;
    while (start > 0 && byteAt(model.pointer, start - 1) != SLASH) start--;
    return start == 0 ? null : this.find(model.pointer + start, model.length - start);
  }

  private find(name: usize, length: u32): Price | null {
    for (let i = 0; i < this.patterns.length; i++) {
      if (namesModel(this.patterns[i], name, length)) return this.prices[i];
    }
    return null;
  }
}

/** Returns whether a name has the form of a pattern: `*` at an end of it stands for any text, `#` for a digit. */
function namesModel(pattern: Span, name: usize, length: u32): bool {
  const opens = pattern.length > 0 && byteAt(pattern.pointer) == STAR;
  const closes = pattern.length > 1 && byteAt(pattern.pointer, pattern.length - 1) == STAR;
  const fixed = pattern.pointer + u32(opens);
  const fixedLength = pattern.length - u32(opens) - u32(closes);
  if (fixedLength > length) return false;
  const last = length - fixedLength;
  if (!opens) return (closes || last == 0) && isSame(fixed, name, fixedLength);
  for (let at: u32 = closes ? 0 : last; at <= last; at++) {
    if (isSame(fixed, name + at, fixedLength)) return true;
  }
  return false;
}

/** Compares without case. */
function isSame(pattern: usize, text: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    const wanted = byteAt(pattern, i);
    const byte = lowerCaseAt(text, i);
    if (wanted != byte && (wanted != HASH || !isDigit(byte))) return false;
  }
  return true;
}

/** Returns the lists, which may be missing. */
export function readPriceLists(from: Document, root: u32): PriceList[] {
  const lists = new Array<PriceList>();
  const nodes = from.items(root, constant(members.DOCUMENT_PRICE_LISTS));
  for (let i = 0; i < nodes.length; i++) {
    const list = new PriceList();
    const entries = from.itemsOf(nodes[i]);
    for (let j = 0; j < entries.length; j++) {
      const price = new Price(from, entries[j], constant(members.PRICED_PRICE));
      const models = from.spans(entries[j], constant(members.PRICED_MODELS));
      for (let k = 0; k < models.length; k++) list.add(models[k], price);
    }
    lists.push(list);
  }
  return lists;
}
