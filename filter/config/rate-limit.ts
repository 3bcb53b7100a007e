// A limit of the configuration (`ratelimits[]`): which requests share a budget, and how large it is.
import { Span } from "../bytes/text/bytes";

export class RateLimit {
  /** Identifies the limit across reloads: the key of its data that all workers share. */
  key: Span = new Span(0, 0);
  /** For a message: `1000 tokens a minute for openai/gpt-4o`. */
  label: string = "";
  /** Request header that selects requests; empty if all requests share one budget. */
  header: Span = new Span(0, 0);
  /** The only value of the header that is limited; empty if each value has its own budget. */
  value: Span = new Span(0, 0);
  /** Tokens, or requests. */
  amount: f64 = 1;
  countsRequests: bool = false;
  /** Microseconds in which the amount comes back. */
  period: f64 = 1;

  /** Whether the rate limit service counts; otherwise the filter does. */
  isByService: bool = false;
  /** Names of the properties that Envoy's rate limit filters read: `PROPERTY_LIMIT_CHECK` and `PROPERTY_LIMIT_CHARGE` with its number. */
  check: Span = new Span(0, 0);
  charge: Span = new Span(0, 0);

  /** Returns whether each value of the header has its own budget. */
  isPerValue(): bool {
    return this.header.length > 0 && this.value.length == 0;
  }
}
