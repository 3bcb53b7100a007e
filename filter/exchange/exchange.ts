// One request and its response, from the first header to the last byte: the parts, and the questions that need several.
import { Route, Target } from "../config/target";
import { ApiKeys } from "../config/api-keys";
import { WildcardModel } from "../config/wildcard";
import { HostedClaude } from "../dialects/anthropic/messages/hosted/hosted-claude";
import { ProviderDialect } from "../dialects/provider-dialect";
import { Fault } from "../hub/faults/fault";
import { ApiNeeds } from "../hub/request/api-needs";
import { Usage } from "../hub/response/usage";
import { Span } from "../bytes/text/bytes";
import { Ending } from "../balance/open-attempt";
import { Price } from "../config/price";
import { BudgetCharge } from "../limits/budget-charge";
import { RateLimiter } from "../limits/rate-limiter";
import { UsageEstimate } from "../limits/usage-estimate";
import { NO_CALLOUT } from "../host/callout";
import { currentMilliseconds } from "../host/host";
import { Attempts } from "./attempts";
import { Client } from "./client";
import { Guarded } from "./guarded";
import { Content } from "./content-capture";
import { PromptPart, PromptTimes } from "./prompt-times";
import { Response, ResponseOwner } from "./response";
import { ResponseMetadata } from "./response-metadata";
import { Session } from "./client-session";
import { Trace } from "./written-trace";

const NO_PROMPT = new Span(0, 0);
const NO_NAME = new Span(0, 0);
const NO_TOKEN: i64 = -1;

/** What the jailbreak guard decided; the words are GUARD_WORDS of contract/usage-record.ts. */
export const enum GuardDecision {
  None,
  Passed,
  Blocked,
  /** It gave no decision, and the prompt is accepted or rejected by `on_failure`. */
  Unavailable,
}

export class Exchange {
  /** The stage that runs next: an index of STAGES (stages/stages.ts). */
  stage: i32 = 0;
  /** The token of the callout that the exchange waits for, NO_CALLOUT if there is none (callouts/). */
  callout: u32 = NO_CALLOUT;
  client: Client;
  response: Response = new Response();
  route: Route | null = null;
  /** What the request shows of its session; null if nothing needs it. */
  session: Session | null = null;
  /** The model that the client names of an entry for all models; null if the name is configured. */
  wildcardModel: WildcardModel | null = null;
  /** What decides the APIs of its targets; null if nothing of the request does. */
  needs: ApiNeeds | null = null;
  /** The target of the current attempt. */
  target: Target | null = null;
  /** Chooses each attempt's target and key; null if the route allows one attempt only. */
  attempts: Attempts | null = null;
  /** Counts the request and its response; null if no rate limit applies. */
  limiter: RateLimiter | null = null;
  /** The budgets of the request; null if it has none. */
  budgetCharge: BudgetCharge | null = null;
  /** Whether a complete response shows its cost in a header. */
  showsCost: bool = false;
  /** What the response has used; null if neither limits nor prices need it. */
  estimate: UsageEstimate | null = null;
  /** The `metadata` member of the response, about a prompt target; null if none was called. */
  metadata: ResponseMetadata | null = null;
  /** Whether a prompt's API may have done something already, so that an SDK must not retry the prompt. */
  mayHaveActed: bool = false;
  /** Whether the request holds a prompt target's system prompt, which replaces the top-level one. */
  hasTargetPrompt: bool = false;
  /** Whether a usage record is written at the end (usage-record.ts). */
  isObserved: bool = false;
  /** Whether the time of the first token is needed. */
  seeksToken: bool = false;
  /** Whether that record, or the request's span, has the usage of the response. */
  private recordsUsage: bool = false;
  /** What the request's span shows; null if there are no traces. */
  trace: Trace | null = null;
  /** What is captured of the request and its response; null if nothing is. */
  content: Content | null = null;
  /** The last error of the gateway that the client gets; null if there is none. */
  fault: Fault | null = null;
  /** The name of the prompt target whose API was called; empty if none was. */
  promptTarget: Span = NO_NAME;
  guard: GuardDecision = GuardDecision.None;
  /** What the policies of `guards` do with it; null if none is configured. */
  guarded: Guarded | null = null;
  /** Of a prompt's callouts; null if no usage record is written, or there were none. */
  promptTimes: PromptTimes | null = null;
  /** When the request came, in milliseconds since 1970; 0 if no usage record is written. */
  startedAt: i64 = 0;
  /** Milliseconds from then to the first token of a stream, NO_TOKEN if none was seen. */
  firstToken: i64 = NO_TOKEN;

  constructor(
    public contextId: u32,
    isIngress: bool,
    isModelServer: bool,
    keys: ApiKeys | null,
  ) {
    this.client = new Client(isIngress, isModelServer, keys);
  }

  /** Has a usage record written at the end. @param readsUsage whether it has the usage of the response */
  observe(readsUsage: bool): void {
    this.isObserved = true;
    this.seeksToken = true;
    this.recordsUsage = readsUsage;
    this.startedAt = currentMilliseconds();
  }

  /** Records when the first token of the stream came. */
  noteToken(): void {
    if (this.firstToken < 0) this.firstToken = max(currentMilliseconds() - this.startedAt, 0);
  }

  /** Adds the time of a finished callout. */
  notePromptTime(part: PromptPart, milliseconds: i64): void {
    let times = this.promptTimes;
    if (times === null) {
      times = new PromptTimes();
      this.promptTimes = times;
    }
    times.add(part, milliseconds);
  }

  /** Returns whether the upstream filter writes each attempt's request, because there may be several attempts. */
  runsUpstream(): bool {
    return this.attempts !== null;
  }

  /** Returns whether the upstream filter reads the provider's response; else the filter in the listener does. */
  isReadUpstream(): bool {
    return this.attempts !== null && !this.response.isLeftToListener;
  }

  /** Returns whether client and provider use different dialects. */
  isTranslated(): bool {
    const target = this.target;
    return target !== null && target.dialect !== this.client.dialect;
  }

  /** Returns whether the response is written anew: it is translated, or its reasoning comes out of its content. */
  isRewritten(): bool {
    return this.isTranslated() || this.response.splitsContent;
  }

  /** Returns the dialect of the current attempt's provider. */
  providerDialect(): ProviderDialect {
    const target = this.target;
    return target === null ? this.client.dialect : target.dialect;
  }

  /** Returns how the cloud of the current attempt expects messages; null for any other provider. */
  hosted(): HostedClaude | null {
    const target = this.target;
    return target === null ? null : target.hosted;
  }

  /** Returns whether the gateway reads the usage of a response in the client's dialect: for limits of tokens, or the usage record. */
  readsUsage(): bool {
    const limiter = this.limiter;
    if (limiter !== null && limiter.countsTokens) return true;
    return this.recordsUsage && this.client.endpoint.row.countsTokens;
  }

  /** Returns the system prompt that goes before the request's own: the inside of a JSON string, empty if there is none. */
  systemPromptOf(target: Target): Span {
    if (this.client.isModelServer) return NO_PROMPT;
    return this.hasTargetPrompt ? target.ownPromptJson : target.systemPromptJson;
  }

  /** Returns the bare name of the model that a target is sent, as a JSON string with its quotes. */
  modelJson(target: Target): Span {
    const model = this.wildcardModel;
    return model !== null && target.isWildcard ? model.json : target.modelJson;
  }

  /** Returns the same without the quotes. */
  modelText(target: Target): Span {
    const model = this.wildcardModel;
    return model !== null && target.isWildcard ? model.text : target.modelText;
  }

  /** Returns what the tokens of a target cost; null if that is not known. */
  priceOf(target: Target): Price | null {
    const list = target.priceList;
    const model = this.wildcardModel;
    return list === null || model === null ? target.price : list.priceOf(model.text);
  }

  /** Has the usage of a response read with what else its price depends on. What the request asks for holds until the response reports it. */
  readRates(usage: Usage): void {
    const target = this.target;
    if (target === null || !target.hasRates) return;
    usage.readsRates = true;
    if (!this.isTranslated()) usage.service = this.client.service;
  }

  /** Has the usage of the response read, and the time of its first token. */
  measure(): void {
    this.seeksToken = true;
    this.recordsUsage = true;
    if (this.startedAt == 0) this.startedAt = currentMilliseconds();
  }

  /** The current attempt is over, if it is measured. @param isLeft whether that may be because the client has left */
  endMeasurement(isLeft: bool): void {
    const attempts = this.attempts;
    if (attempts === null) return;
    const measured = attempts.measured;
    if (measured === null) return;
    const response = this.response;
    const owner = response.owner;
    const hasFailed = owner == ResponseOwner.Envoy || (owner == ResponseOwner.None && !isLeft);
    const ending = hasFailed
      ? Ending.Failure
      : owner != ResponseOwner.Provider
        ? Ending.Left
        : response.status < 400
          ? Ending.Response
          : Ending.ClientError;
    const token = this.firstToken < 0 ? 0 : this.startedAt + this.firstToken;
    measured.end(ending, token, response.facts);
  }

  startAttempt(target: Target): void {
    this.target = target;
    this.response.reset();
    const estimate = this.estimate;
    if (estimate !== null) estimate.hasResponse = false;
  }

  /** Charges the rate limits with what the response has used, the first time that it is called. */
  chargeLimits(): void {
    const limiter = this.limiter;
    const estimate = this.estimate;
    if (limiter === null || estimate === null) return;
    const used = estimate.read(this.response.facts);
    if (used !== null) limiter.charge(this.target, used.total);
  }

  /** Sets what the response has cost so far, and whether that is an estimate; nothing if its target has no price. */
  setCost(): void {
    const target = this.target;
    const estimate = this.estimate;
    if (target === null || estimate === null) return;
    const price = this.priceOf(target);
    if (price === null) return;
    const used = estimate.read(this.response.facts);
    if (used === null) return;
    this.response.cost = price.costOf(used);
    this.response.isCostEstimated = estimate.isEstimated;
  }

  /** Sets the cost of a request that was sent, and whose client left before there was a response. */
  private setCostOfInput(): void {
    const target = this.target;
    const estimate = this.estimate;
    if (target === null || estimate === null) return;
    const price = this.priceOf(target);
    if (price === null) return;
    const used = estimate.estimateInput();
    this.readRates(used);
    this.response.cost = price.costOf(used);
    this.response.isCostEstimated = true;
  }

  /** Sets the final cost, and charges the budgets. Called once, when the response is over. */
  settleCost(): void {
    // A header with the cost has left already.
    if (this.response.cost < 0) this.setCost();
    const charge = this.budgetCharge;
    const target = this.target;
    if (charge !== null && this.response.owner == ResponseOwner.None) this.setCostOfInput();
    if (charge !== null && target !== null) charge.add(target, this.response.cost);
    this.budgetCharge = null;
  }

  /** Frees what is not on the collected heap. Called once, when the stream is deleted. */
  release(): void {
    this.endMeasurement(true);
    this.client.release();
    this.dropMetadata();
    this.chargeLimits();
    this.limiter = null;
    const attempts = this.attempts;
    if (attempts !== null) attempts.release();
    this.response.release();
    const model = this.wildcardModel;
    if (model !== null) model.release();
    this.wildcardModel = null;
    const content = this.content;
    if (content !== null) content.release();
    const guarded = this.guarded;
    if (guarded !== null) guarded.release();
  }

  dropMetadata(): void {
    const metadata = this.metadata;
    if (metadata !== null) metadata.release();
    this.metadata = null;
  }
}
