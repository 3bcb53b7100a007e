// What the tokens of a model cost, by the rates of the document: the control plane computes the same money from the usage record
// (control-plane/observability/prices.ts).
import { atLeastZero, Usage } from "../hub/response/usage";
import { countOr } from "../bytes/json/number";
import { Span } from "../bytes/text/bytes";
import { Document } from "./document";

/** Without a price, or with more tokens than can be multiplied. */
export const NO_COST: i64 = -1;

/** Bits of the services, the start of a tier, and the rates of input, output, cache read, cache write, and cache write for an hour. */
const NUMBERS: i32 = 7;
/** Those of a tier of the standard service, whose bit is left out. */
const STANDARD: i64 = 1;
const AUDIO_NUMBERS: i32 = 3;
const FACTOR_NUMBERS: i32 = 2;
const PICO_PER_NANO: i64 = 1000;
/** Nine such products fit into 64 bits. */
const MAX_PRODUCT: i64 = 1_000_000_000_000_000_000;

export class Price {
  /** NUMBERS for each tier, that of the longest input first. Rates are pico-dollars per token. */
  private numbers: i64[] = [];
  /** The rates of audio input, output, and input from a cache; empty if they are as text. */
  private audio: i64[] = [];
  /** Pico-dollars. */
  private search: i64 = 0;

  constructor(from: Document, node: u32, member: Span) {
    const lists = from.items(node, member);
    for (let i = 0; i < lists.length; i++) {
      const items = from.itemsOf(lists[i]);
      const length = items.length;
      if (length == NUMBERS - 1) this.numbers.push(STANDARD);
      const numbers = length == AUDIO_NUMBERS ? this.audio : this.numbers;
      for (let j = 0; j < length; j++) {
        const value = countOr(from.tape, items[j], NO_COST);
        if (value < 0) from.report("a number of a price is not a count");
        if (length == 1) this.search = value;
        else numbers.push(value);
      }
      if (length == FACTOR_NUMBERS) this.addService();
      else if (length != 1 && length != AUDIO_NUMBERS && length != NUMBERS && length != NUMBERS - 1)
        from.report("a tier of a price is not complete");
    }
  }

  /** Adds the tiers of services: the last two numbers are their bits, and the thousandths of the rates before that they cost. */
  private addService(): void {
    const numbers = this.numbers;
    const factor = numbers.pop();
    const bits = numbers.pop();
    const end = numbers.length;
    for (let at = 0; at < end; at++) {
      const part = at % NUMBERS;
      if (part == 0 && numbers[at] != STANDARD) return;
      numbers.push(part == 0 ? bits : part == 1 ? numbers[at] : (numbers[at] * factor) / 1000);
    }
  }

  /** Returns the cost in nano-dollars, rounded once; NO_COST without any usage. */
  costOf(usage: Usage): i64 {
    if (!usage.isKnown) return NO_COST;
    // As the usage record has it.
    const input = usage.freshInput < 0 ? 0 : usage.input;
    let at = this.tierOf((<i64>1) << max(usage.service, 0), input);
    if (at < 0) at = this.tierOf(STANDARD, input);
    if (at < 0) return NO_COST;
    const numbers = this.numbers;
    const write = atLeastZero(usage.cacheWrite);
    const hour = min(atLeastZero(usage.cacheWriteHour), write);
    sum = 0;
    this.addSome(usage.freshInput, numbers[at + 2], usage.audioInput, 0);
    this.addSome(usage.output, numbers[at + 3], usage.audioOutput, 1);
    this.addSome(usage.cacheRead, numbers[at + 4], usage.audioCacheRead, 2);
    add(write - hour, numbers[at + 5]);
    add(hour, numbers[at + 6]);
    add(usage.searches, this.search);
    return sum < 0 ? NO_COST : (sum + PICO_PER_NANO / 2) / PICO_PER_NANO;
  }

  /** Returns where the numbers of the tier of an input are; less than 0 if the service has no tiers. */
  private tierOf(service: i64, input: i64): i32 {
    const numbers = this.numbers;
    for (let at = 0; at + NUMBERS <= numbers.length; at += NUMBERS) {
      const start = numbers[at + 1];
      if ((numbers[at] & service) != 0 && (start == 0 || input > start)) return at;
    }
    return -1;
  }

  /** Adds tokens of which some may be audio. @param kind the index of their rate */
  private addSome(count: i64, rate: i64, heard: i64, kind: i32): void {
    const tokens = atLeastZero(count);
    if (this.audio.length != AUDIO_NUMBERS) return add(tokens, rate);
    const audio = min(heard, tokens);
    add(tokens - audio, rate);
    add(audio, this.audio[kind]);
  }
}

/** Pico-dollars; negative if a product is too large. */
let sum: i64 = 0;

function add(tokens: i64, rate: i64): void {
  if (sum < 0 || rate == 0) return;
  sum = tokens > MAX_PRODUCT / rate ? -1 : sum + tokens * rate;
}
