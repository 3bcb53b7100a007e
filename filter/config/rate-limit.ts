// A limit of the configuration (`ratelimits[]`): which requests it counts together, and how much they may use.
import { Span } from "../bytes/text/bytes";

export class RateLimit {
  /**
   * What is counted, the same words after a reload; then one byte for the number of a slot. The key of the limit's data
   * that all workers share.
   */
  key: Span = new Span(0, 0);
  /** For a message: `1000 tokens a minute for openai/gpt-4o`. */
  label: string = "";
  /** Request header by whose values requests are told apart; empty where all count together. */
  header: Span = new Span(0, 0);
  /** The one value of the header that counts; empty where each has a budget of its own. */
  value: Span = new Span(0, 0);
  /** Tokens, or requests. */
  amount: f64 = 1;
  countsRequests: bool = false;
  /** Microseconds in which the amount may be used. */
  period: f64 = 1;

  /** Whether Envoy asks the rate limit service; without it the filter counts. */
  isByService: bool = false;
  /** What Envoy is told about the limit: `PROPERTY_LIMIT_CHECK` and `PROPERTY_LIMIT_CHARGE` with its number. */
  check: Span = new Span(0, 0);
  charge: Span = new Span(0, 0);

  /** Whether there is a budget for each value of the header. */
  isOpen(): bool {
    return this.header.length > 0 && this.value.length == 0;
  }
}
