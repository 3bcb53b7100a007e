// One model of one provider, as the request path needs it: every value already in bytes.
import { RequestLimits } from "../hub/request-report";
import { Dialect } from "../dialects/dialect";
import { defaultDialect } from "../dialects/registry";
import { Span } from "../bytes/text/bytes";
import { RateLimit } from "./rate-limit";

/** A header for the provider, its secrets filled in. */
export class ProviderHeader {
  constructor(
    public name: Span,
    public value: Span,
  ) {}
}

export class Target {
  /** `<provider>/<model>`, for messages. */
  name: string = "";
  dialect: Dialect = defaultDialect();
  /** The bare model name as a JSON string with its quotes. */
  modelJson: Span = new Span(0, 0);
  /** The same without its quotes. */
  modelText: Span = new Span(0, 0);
  authority: Span = new Span(0, 0);
  path: Span = new Span(0, 0);
  /** Header that carries a key, and its whole value for each of the keys; both empty for a provider without one. */
  credentialName: Span = new Span(0, 0);
  credentials: Span[] = [];
  /** Counts requests, so that the credentials rotate. */
  nextCredential: u32 = 0;
  /** The cluster of one attempt; empty if no route with this target retries. */
  attemptCluster: Span = new Span(0, 0);
  /** Whether the provider is sent the client's own key. */
  passesClientKey: bool = false;
  headers: ProviderHeader[] = [];
  /** What the provider is sent and nobody else may see: keys without what stands before them, and secrets in headers. */
  secrets: Span[] = [];
  /** The inside of a JSON string; empty when there is no system prompt. */
  systemPromptJson: Span = new Span(0, 0);
  /** The same without the top-level one, for a request in which a prompt target's own stands. */
  ownPromptJson: Span = new Span(0, 0);
  asksUsage: bool = false;
  limits: RequestLimits = new RequestLimits();
  /** What this model is limited to, under whichever name it is asked for. */
  rateLimits: RateLimit[] = [];
}

/** How a route retries: which target comes first, how often one is tried, and after which statuses. */
export class RetryPolicy {
  /** Shares of the first so many targets of the route; empty: the first target comes first. */
  weights: i32[] = [];
  totalWeight: u32 = 0;
  /** Attempts at one target. */
  attempts: i32 = 1;
  /** Statuses of responses after which there is another attempt. */
  statuses: i32[] = [];
}

/** Where requests for a model go. */
export class Route {
  /** Limits of the name that stands for this route alone. */
  rateLimits: RateLimit[] = [];
  /** Whether this route or one of its targets has a limit. */
  isLimited: bool = false;

  constructor(
    /** A cluster; a retry policy where there are several attempts. */
    public cluster: Span,
    /** In the order in which they are asked. */
    public targets: Target[],
    /** Null if there is one attempt only. */
    public retryPolicy: RetryPolicy | null,
  ) {}
}
