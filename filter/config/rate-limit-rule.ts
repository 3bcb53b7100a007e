// A rate limit of the configuration (`ratelimits[]`): the requests that share a bucket, and its size.
import { constant, Span } from "../bytes/text/bytes";

export class RateLimit {
  /** Identifies the limit across reloads: the key of its shared data, which all workers use. */
  key: Span = constant("");
  /** The same for a limit that comes at run time, which has no text; else 0. */
  id: u64 = 0;
  /** For messages: `1000 tokens a minute for openai/gpt-4o`. */
  label: string = "";
  /** Request header that selects requests; empty if all requests share one bucket. */
  header: Span = constant("");
  /** The only value of the header that is limited; empty if each value has its own bucket. */
  value: Span = constant("");
  /** Whether each session, or each user, has a bucket: an index of `session|user`; -1: neither. */
  each: i32 = -1;
  /** Number of tokens, or of requests. */
  amount: f64 = 1;
  countsRequests: bool = false;
  /** Microseconds in which the full amount is refilled. */
  period: f64 = 1;

  /** Whether the rate limit service counts; otherwise the filter does. */
  isByService: bool = false;
  /**
   * Names of the properties that Envoy's rate limit filters read: `PROPERTY_LIMIT_CHECK` and `PROPERTY_LIMIT_CHARGE`,
   * each followed by the limit's number.
   */
  check: Span = constant("");
  charge: Span = constant("");

  /** Returns whether each value of the header, each session or each user has a bucket. */
  isPerValue(): bool {
    return this.each >= 0 || (this.header.length > 0 && this.value.length == 0);
  }
}
