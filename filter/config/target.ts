// One model of one provider, as the request path needs it: every value already in bytes.
import { RequestLimits } from "../chat/request-report";
import { Span } from "../text/bytes";
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
  dialect: i32 = 0;
  /** The bare model name as a JSON string with its quotes. */
  modelJson: Span = new Span(0, 0);
  /** The same without its quotes. */
  modelText: Span = new Span(0, 0);
  authority: Span = new Span(0, 0);
  path: Span = new Span(0, 0);
  /** Header that carries the key, and its whole value; both empty for a provider without one. */
  credentialName: Span = new Span(0, 0);
  credential: Span = new Span(0, 0);
  headers: ProviderHeader[] = [];
  /** The inside of a JSON string; empty when there is no system prompt. */
  systemPromptJson: Span = new Span(0, 0);
  /** The same without the top-level one, for a request in which a prompt target's own stands. */
  ownPromptJson: Span = new Span(0, 0);
  asksUsage: bool = false;
  limits: RequestLimits = new RequestLimits();
  /** What this model is limited to, under whichever name it is asked for. */
  rateLimits: RateLimit[] = [];
}

/** A cluster, and the targets that stand behind it. */
export class Route {
  /** Limits of the name that stands for this route alone. */
  rateLimits: RateLimit[] = [];
  /** Whether this route or one of its targets has a limit. */
  isLimited: bool = false;

  constructor(
    public cluster: Span,
    public targets: Target[],
  ) {}
}
