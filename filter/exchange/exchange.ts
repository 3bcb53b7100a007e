// One request and its response: what the stages learn about it, from its first header to its last byte.
import { freeBlock } from "../memory/blocks";
import { ApiKeys } from "../config/api-keys";
import { Route, Target } from "../config/target";
import { Dialect } from "../dialects/dialect";
import { defaultDialect } from "../dialects/registry";
import { Fault } from "../hub/fault";
import { ResponseTranslator } from "../dialects/translate-response";
import { StreamUsageFilter } from "../dialects/openai_chat/strip-usage";
import { ByteBuffer, Span } from "../bytes/text/bytes";
import { Attempts } from "./attempts";
import { Meter } from "../limits/meter";
import { ResponseMetadata } from "./response-metadata";

const NOTHING = new Span(0, 0);

export class Exchange {
  /** What the request is for: an ENDPOINT_ of route/endpoint.ts. */
  endpoint: i32 = 0;
  /** The client's dialect. */
  dialect: Dialect = defaultDialect();
  /** The client's path without its query, of a request for a model. */
  path: Span = NOTHING;
  /** The query of the client's path with its `?`, without credentials; empty when there is none. */
  query: ByteBuffer = new ByteBuffer();
  /** Whether the client's query held a credential, which `query` lacks. */
  isQueryCut: bool = false;
  /** The client's key for a provider, where some provider is sent it. */
  clientKey: ByteBuffer = new ByteBuffer();
  /** What `requestId` of request-id.ts reads. */
  requestId: ByteBuffer = new ByteBuffer();
  /** Whether the client is the gateway's own model server. */
  isOwn: bool = false;
  /** Whether the client chooses the model by the hint header. */
  hasHint: bool = false;
  /** Which headers the client has sent: bits of request-head.ts. */
  sent: u32 = 0;
  /** Whether the client's content type is the one that a translated request has. */
  hasJsonType: bool = false;
  /** Whether the gateway itself has answered: then the response callbacks have nothing to do. */
  isAnswered: bool = false;
  route: Route | null = null;
  /** The target of the current attempt. */
  target: Target | null = null;
  isStreaming: bool = false;
  /** Whether a prompt's API may have done something already, so that the client must not send the prompt again by itself. */
  mayHaveActed: bool = false;
  /** Whether a prompt target's system prompt stands in the request, in the place of the top-level one. */
  hasTargetPrompt: bool = false;
  /** Whether a chat client asked for the usage chunk of its stream. */
  wantsUsage: bool = false;

  /** The client's body, kept for later attempts while there is memory for it; 0 where Envoy alone has it. Freed by `release`. */
  body: usize = 0;
  bodyLength: u32 = 0;

  /** What becomes of each attempt; null where there is only one. */
  attempts: Attempts | null = null;

  /** Takes out the usage chunk that only the gateway asked for; null where there is none to take out. */
  usageFilter: StreamUsageFilter | null = null;
  /** Translates the response of a provider of another dialect. */
  translator: ResponseTranslator | null = null;
  /** Names of the request's members that the provider could not be told, comma separated. */
  dropped: ByteBuffer = new ByteBuffer();
  /** What the response's `metadata` says of a prompt target; null where there was none. */
  metadata: ResponseMetadata | null = null;
  /** Counts the request and its response; null where no rate limit applies. */
  meter: Meter | null = null;
  /** Whether the response is an error of Envoy's own, whose body is still to be put into the client's dialect. */
  isLocalResponse: bool = false;
  responseStatus: u32 = 0;
  /** Whether the upstream filter found the response compressed: then the filter in the listener reads it, decompressed. */
  isCompressed: bool = false;
  /** Whether Envoy has decompressed the response: then its end has to be looked for, because Envoy cuts what is damaged. */
  isDecompressed: bool = false;
  /** Whether a complete response of the client's own dialect is held until it is whole. */
  isHeldWhole: bool = false;
  /** Reads a decompressed stream of the client's own dialect, to know whether it comes to its end. */
  watch: ResponseTranslator | null = null;
  /** Whether Envoy holds the response's body for the filter, so that it can still be written to when trailers end it. */
  holdsResponse: bool = false;
  /** What is said in the place of the response's body; null where the body says it. */
  responseFault: Fault | null = null;
  /** Whether the body may be a page: then it is held until its first byte decides. */
  mayBePage: bool = false;
  /** Whether the head of an error has left before its body, so that Envoy may start another attempt. */
  isHeadGone: bool = false;
  /** Whether the head of a stream in another dialect waits for its first event. */
  isHeadHeld: bool = false;
  /** Whether the end of a response in another dialect has been translated. */
  isResponseOver: bool = false;

  constructor(
    public contextId: u32,
    public isIngress: bool,
    /** Keys of the listener's clients; null where anybody may ask. */
    public keys: ApiKeys | null,
  ) {}

  /** Whether there may be several attempts. */
  splits(): bool {
    const route = this.route;
    return route !== null && route.several !== null;
  }

  /** Whether the upstream filter does the provider's half, because there may be several attempts. */
  isSplit(): bool {
    return this.attempts !== null;
  }

  /** Whether the upstream filter reads the provider's response. */
  isReadUpstream(): bool {
    return this.isSplit() && !this.isCompressed;
  }

  /** Whether client and provider speak different dialects. */
  isForeign(): bool {
    const target = this.target;
    return target !== null && target.dialect !== this.dialect;
  }

  /** Returns the dialect of the current attempt's provider. */
  responseDialect(): Dialect {
    const target = this.target;
    return target === null ? this.dialect : target.dialect;
  }

  /** Whether a provider's response passes as it is. */
  isUntouched(): bool {
    const isTold = this.dropped.length > 0 || this.metadata !== null;
    return this.usageFilter === null && !isTold && this.meter === null && !this.isForeign();
  }

  /** The system prompt that is put before the request's own, the inside of a JSON string. The model server has instructions of its own. */
  systemPromptOf(target: Target): Span {
    if (this.isOwn) return NOTHING;
    return this.hasTargetPrompt ? target.ownPromptJson : target.systemPromptJson;
  }

  /** Forgets what the last attempt left behind. */
  startAttempt(target: Target): void {
    this.target = target;
    this.isCompressed = false;
    this.isDecompressed = false;
    this.isHeldWhole = false;
    this.holdsResponse = false;
    this.isResponseOver = false;
    this.isHeadHeld = false;
    this.responseFault = null;
    this.mayBePage = false;
    this.isHeadGone = false;
    this.dropped.clear();
    const meter = this.meter;
    if (meter !== null) meter.dropObserver();
    this.dropUsageFilter();
    this.dropTranslator();
  }

  dropUsageFilter(): void {
    const filter = this.usageFilter;
    if (filter !== null) filter.release();
    this.usageFilter = null;
  }

  dropTranslator(): void {
    const translator = this.translator;
    if (translator !== null) translator.release();
    this.translator = null;
    this.dropWatch();
  }

  dropWatch(): void {
    const watch = this.watch;
    if (watch !== null) watch.release();
    this.watch = null;
  }

  /** Charges what the response used, the first time that it is called; `isWhole`: the response has come to its end. */
  chargeUsage(isWhole: bool): void {
    const meter = this.meter;
    if (meter === null) return;
    const translator = this.translator;
    const observer = meter.observer;
    const filter = this.usageFilter;
    if (translator !== null) {
      if (translator.fault !== null && !translator.usage.isKnown) return;
      meter.chargeUsage(this.target, translator.usage, translator.events, isWhole);
    } else if (observer !== null) {
      observer.end();
      const events = filter === null || filter.isPassing ? 0 : filter.events;
      meter.chargeUsage(this.target, observer.usage, events, isWhole);
    }
  }

  /** Frees what stands outside the collected heap. Called once, when the stream is deleted. */
  release(): void {
    freeBlock(this.body);
    this.body = 0;
    this.dropped.release();
    this.query.release();
    this.clientKey.release();
    this.requestId.release();
    const metadata = this.metadata;
    if (metadata !== null) metadata.release();
    this.metadata = null;
    this.chargeUsage(false);
    const meter = this.meter;
    if (meter !== null) meter.dropObserver();
    this.meter = null;
    const attempts = this.attempts;
    if (attempts !== null) attempts.release();
    this.dropUsageFilter();
    this.dropTranslator();
  }
}
