// One model of one provider, in the form that the request path needs: every value already in bytes.
import { HostedClaude } from "../dialects/anthropic/messages/hosted/hosted-claude";
import { HostedRequest } from "../dialects/anthropic/messages/hosted/hosted-request";
import { RequestLimits } from "../hub/request/request-report";
import { ProviderDialect } from "../dialects/provider-dialect";
import { defaultDialect } from "../dialects/dialect-registry";
import { ByteBuffer, constant, sameSpan, Span } from "../bytes/text/bytes";
import { Budget } from "./budget";
import { Price } from "./price";
import { PriceList } from "./price-list";
import { RateLimit } from "./rate-limit-rule";

const NO_CREDENTIAL = constant("");

/** A header that is sent to the provider, with its secrets filled in. */
export class ProviderHeader {
  constructor(
    public name: Span,
    public value: Span,
  ) {}
}

export class Target {
  /** `<provider>/<model>`, for messages. */
  name: string = "";
  /** Whether it is an entry for all models of its provider; the client names the model. */
  isWildcard: bool = false;
  /** The same in bytes. */
  nameSpan: Span = constant("");
  dialect: ProviderDialect = defaultDialect();
  /** The bare model name as a JSON string with its quotes. */
  modelJson: Span = constant("");
  /** The same without its quotes. */
  modelText: Span = constant("");
  /** `gen_ai.provider.name`; empty if there are no traces. */
  traceProvider: Span = constant("");
  authority: Span = constant("");
  path: Span = constant("");
  /** The query of every request, with its `?`; may be empty. */
  query: Span = constant("");
  /** The path of the provider's other endpoints, without their own end: `/v1`. */
  basePath: Span = constant("");
  /**
   * Header that carries a key, and its complete value for each of the keys; both empty for a provider without a key.
   */
  credentialName: Span = constant("");
  credentials: Span[] = [];
  /** What sessions are spread over: hashes of the names of the target and of its keys, which are the same in each gateway. */
  place: u64 = 0;
  keyPlaces: u64[] = [];
  /** Counts requests, so that the credentials rotate. */
  nextCredential: u32 = 0;
  /** The cluster of a request with one attempt. */
  cluster: Span = constant("");
  /** The cluster of one attempt of several; empty if no route with this target retries. */
  attemptCluster: Span = constant("");
  /** Whether the provider uses pass-through auth (it is sent the client's own key). */
  passesClientKey: bool = false;
  /** Whether Envoy decompresses its responses. */
  decompresses: bool = false;
  headers: ProviderHeader[] = [];
  /**
   * Secrets that only the provider may receive: keys without their prefix (`Bearer `), and secret values in headers.
   */
  secrets: Span[] = [];
  /** The inside of a JSON string; empty when there is no system prompt. */
  systemPromptJson: Span = constant("");
  /** The same without the top-level system prompt, for a request to which a prompt target has added its own. */
  ownPromptJson: Span = constant("");
  asksUsage: bool = false;
  limits: RequestLimits = new RequestLimits();
  /** The rate limits of this model, by whichever name it is requested. */
  rateLimits: RateLimit[] = [];
  /** The budgets of this model. */
  budgets: Budget[] = [];
  /** What its tokens cost; null if that is not known, or not needed. */
  price: Price | null = null;
  /** The same for each model of a wildcard; null if it has one price for all, or none. */
  priceList: PriceList | null = null;
  /** Whether that depends on audio tokens, or on how a request was processed; also if the price is not needed here. */
  hasRates: bool = false;
  /** The same model in further dialects that its provider supports: they differ in dialect, path and query alone. */
  also: Target[] = [];
  /** Set for those: the target that has them. */
  private first: Target | null = null;
  /** When Envoy had no credential for it, in milliseconds; 0: not lately (`exchange/missing-credential.ts`). */
  lackedCredentialAt: i64 = 0;

  /** How its cloud expects messages; null for every other provider. */
  hosted: HostedClaude | null = null;

  /** Returns how its cloud expects one request; null for every other provider. Arguments as in `HostedRequest`. */
  hostedRequest(betas: ByteBuffer, isCounting: bool): HostedRequest | null {
    const hosted = this.hosted;
    return hosted === null ? null : new HostedRequest(hosted, betas, isCounting);
  }

  /** Returns the API in error messages. */
  get api(): string {
    const hosted = this.hosted;
    return hosted === null ? this.dialect.api : hosted.api;
  }

  /** Appends the path of an inference request. */
  writePath(model: Span, isStreaming: bool, out: ByteBuffer): void {
    const hosted = this.hosted;
    if (hosted === null) this.dialect.writePath(this.path, model, isStreaming, out);
    else hosted.writePath(this.path, model, isStreaming, out);
  }

  /** The member of a count's response with the number of tokens; empty if the response has Anthropic's form. */
  get countMember(): Span {
    const hosted = this.hosted;
    return hosted === null ? this.dialect.countMember : hosted.countMember;
  }

  /** Appends the path of a request that counts tokens. Returns false if it is the path of an endpoint. */
  writeCountPath(model: Span, out: ByteBuffer): bool {
    const hosted = this.hosted;
    if (hosted !== null) hosted.writeCountPath(this.path, model, out);
    else if (this.dialect.countMember.length == 0) return false;
    else this.dialect.writeCountPath(this.path, model, out);
    return true;
  }

  /** The target that stands for all APIs of the model. */
  get model(): Target {
    const first = this.first;
    return first === null ? this : first;
  }

  /** Whether the model is there in this API. */
  get isServed(): bool {
    return (this.limits.lackedApis & this.dialect.supporter) == 0;
  }

  addVariant(variant: Target): void {
    variant.first = this;
    this.also.push(variant);
  }

  /** Returns the target for clients of a dialect: without a translation, if provider and model support it. */
  forClient(dialect: ProviderDialect): Target {
    const usual = this.usualFor(dialect);
    if (usual.isServed) return usual;
    if (this.isServed) return this;
    for (let i = 0; i < this.also.length; i++) {
      if (this.also[i].isServed) return this.also[i];
    }
    return usual;
  }

  /** Returns the same whatever the model supports. */
  usualFor(dialect: ProviderDialect): Target {
    for (let i = 0; i < this.also.length; i++) {
      if (this.also[i].dialect === dialect) return this.also[i];
    }
    return this;
  }

  /** Returns whether requests with one attempt use the same account at the same provider. */
  isAtSameAccount(other: Target): bool {
    return (
      sameSpan(this.cluster, other.cluster) &&
      sameSpan(this.authority, other.authority) &&
      sameSpan(this.basePath, other.basePath) &&
      sameSpan(this.credential(0), other.credential(0))
    );
  }

  /** Sets the cluster of a request with one attempt, for all dialects. */
  setCluster(cluster: Span): void {
    this.cluster = cluster;
    for (let i = 0; i < this.also.length; i++) this.also[i].cluster = cluster;
  }

  /** Returns the index of the credential whose turn it is; 0 if there is none. */
  takeCredential(): u32 {
    const count = <u32>this.credentials.length;
    return count > 1 ? this.nextCredential++ % count : 0;
  }

  /** Returns the value of a credential header; empty if there is none. */
  credential(index: u32): Span {
    return <i32>index < this.credentials.length ? this.credentials[index] : NO_CREDENTIAL;
  }
}

/** What decides which target comes first; the words are those of RETRY_BALANCE. */
export const enum Balance {
  Weight,
  Latency,
  Load,
  Cost,
}

/**
 * The retry policy of a route: which target comes first, the attempts per target, and the statuses that are retried.
 */
export class RetryPolicy {
  /** Weights of the first targets of the route; empty: the first target comes first. */
  weights: i32[] = [];
  totalWeight: u32 = 0;
  balance: Balance = Balance.Weight;
  /** The mean of the weights above 0; only if something is measured. */
  meanWeight: f64 = 0;
  /** Maximum attempts at one target. */
  attempts: i32 = 1;
  /** Response statuses that are retried. */
  statuses: i32[] = [];
  /** Whether the next target follows the error that the request is too long. */
  afterContextLength: bool = false;

  /** Whether the requests of a session keep to their first target and key. */
  keepsSessions: bool = false;

  /** Returns the policy for the first target alone, whatever the weights. */
  forOneModel(): RetryPolicy {
    const policy = new RetryPolicy();
    policy.attempts = this.attempts;
    policy.statuses = this.statuses;
    return policy;
  }
}

/** Where requests for a model go. */
export class Route {
  /** Limits of the name that identifies this route alone. */
  rateLimits: RateLimit[] = [];
  /** Whether this route or one of its targets has a limit. */
  isLimited: bool = false;
  /** The targets for clients of each dialect; null if they are the same for all. */
  private variants: Target[][] | null = null;
  /** Whether the API of a target depends on the request, by the index of the client's dialect; empty: never. */
  private choices: bool[] = [];
  /** Whether the client's betas are needed, because a target is Claude at a cloud. */
  needsBetas: bool = false;
  /** Whether a target's price depends on how a request was processed. */
  hasRates: bool = false;

  constructor(
    /** A cluster, or the name of a retry policy if there are several attempts. */
    public cluster: Span,
    /** In the order of the attempts. */
    public targets: Target[],
    /** Null if there is only one attempt. */
    public retryPolicy: RetryPolicy | null,
  ) {
    for (let i = 0; i < targets.length; i++) {
      if (targets[i].hosted !== null) this.needsBetas = true;
      if (targets[i].hasRates) this.hasRates = true;
    }
  }

  /** Returns the targets for clients of a dialect, in the order of the attempts. */
  targetsFor(dialect: ProviderDialect): Target[] {
    const variants = this.variants;
    return variants === null ? this.targets : variants[dialect.index];
  }

  /** Returns whether the APIs of the targets depend on the request. */
  choosesApis(dialect: ProviderDialect): bool {
    return this.choices.length > 0 && this.choices[dialect.index];
  }

  /** Prepares `targetsFor`. @param choices whether the request decides, for each dialect */
  setVariants(variants: Target[][], choices: bool[]): void {
    this.variants = variants;
    this.choices = choices;
  }
}
