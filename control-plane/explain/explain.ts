// What becomes of a client's request: who gets it in which order, and the exact requests, by the release filter.
import { PROPERTY_USAGE } from "../../contract/usage-record.ts";
import { credentialText } from "../../model/cloud-credentials.ts";
import { budgetLabel } from "../../model/budgets.ts";
import type { Budget } from "../../model/budgets.ts";
import { proxyUrl } from "../../model/proxy.ts";
import { bareName } from "../../model/known-models.ts";
import { priceFinder } from "../usage/record-cost.ts";
import { hasChoice, keepsSessions } from "../../model/filter-document/document-sessions.ts";
import type { GatewayModel, Listener, Target, TargetSet } from "../../model/model.ts";
import type { GuardedBy, UsageRecord } from "../usage/usage-line.ts";
import type { ExchangeResult } from "../wasm-host/wasm-exchange.ts";
import type { SentRequest } from "../wasm-host/upstream.ts";
import type { ClientRequest } from "./client-request.ts";
import { droppedMembers } from "../../model/dropped-members.ts";
import type { DroppedMember } from "../../model/dropped-members.ts";
import { contextUse } from "./context-window.ts";
import type { ContextUse, Overflow } from "./context-window.ts";
import { DryRun } from "./dry-run.ts";
import type { DryRunOptions } from "./dry-run.ts";
import { maskHeaders, maskQuery } from "./masked-headers.ts";
import { PromptCalls } from "./prompt-calls.ts";
import type { PromptDecisions } from "./prompt-calls.ts";

/** The gateway's own response. */
export interface OwnResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

export interface Explanation {
  listener: Listener["name"];
  /** The path of the endpoint; absent for an unknown one. */
  endpoint?: string;
  /** The client's dialect. */
  dialect?: string;
  /** The name that the client sent as the model. */
  model?: string;
  /** The name of the client's API key. */
  key?: string;
  /** Of the client (docs/sessions.md); absent if it has none. */
  session?: string;
  subagent?: string;
  /** Whether the session decides which of several targets or keys the first attempt uses; absent if there is nothing to decide. */
  affinity?: "session" | "off" | "none";
  /** What decides which of several targets is tried first; absent: their weights. */
  balance?: NonNullable<TargetSet["balance"]>;
  /** The budgets that it may be charged to, with whatever they have left: `50 USD a month of key research`. */
  budgets?: string[];
  isStream: boolean;
  /** What the policies of `guards` have done with the request; absent if they have found nothing. */
  guards?: GuardedBy[];
  /** What guard and prompt targets have decided. */
  prompt?: PromptDecisions;
  /** The response to the request as it is, if its API key is missing or unknown; the rest is about a valid one. */
  unauthorized?: OwnResponse;
  /** What counts as a failure of an attempt, in the words of `retry.on`; absent if there is one attempt alone. */
  retriedOn?: string[];
  /** In the order in which they are made, each if the one before failed. */
  attempts: ExplainedAttempt[];
  /** Of a request of the log: the attempts that were too long for their model. */
  overflows?: Overflow[];
  /** If no provider gets the request. */
  response?: OwnResponse;
}

export interface ExplainedAttempt {
  /** `<provider>/<model>` as configured. */
  target: string;
  /** The provider's dialect. */
  dialect: string;
  /** If the provider serves several: why this one. */
  apiReason?: string;
  method: string;
  url: string;
  /** Credentials are `$NAME` of their environment variable; a client's own is `***`. */
  headers: [name: string, value: string][];
  /** The proxy that opens the tunnel to the provider; absent: it is reached directly. */
  proxy?: string;
  /** What Envoy adds to this request. */
  addedByEnvoy?: string;
  /** Text, or base64 if it is not UTF-8. */
  body: string;
  encoding: "utf8" | "base64";
  /** Whether the body is the client's, byte for byte. */
  isBodyUnchanged: boolean;
  dropped: DroppedMember[];
  /** How much of the model's context window it takes, estimated; absent if the catalogue does not have the model. */
  context?: ContextUse;
}

/** More attempts than a configuration has in practice. */
const MAX_ATTEMPTS = 50;

export interface ExplainerOptions extends DryRunOptions {
  /** Path of the model server's socket; for requests with `needsModelServer`. */
  modelServer?: string;
}

/** Explains requests under one configuration. */
export class Explainer {
  readonly #options: ExplainerOptions;
  readonly #run: DryRun;
  /** For requests whose API key is missing or unknown. */
  readonly #openRun: DryRun | undefined;

  private constructor(options: ExplainerOptions, run: DryRun, openRun: DryRun | undefined) {
    this.#options = options;
    this.#run = run;
    this.#openRun = openRun;
  }

  static async open(options: ExplainerOptions): Promise<Explainer> {
    const { model } = options;
    const { apiKeys: ingressKeys, ...ingress } = model.ingress;
    const { apiKeys: egressKeys, ...egress } = model.egress;
    const hasKeys = (ingressKeys ?? egressKeys) !== undefined;
    return new Explainer(
      options,
      await DryRun.open(options),
      hasKeys ? await DryRun.open({ ...options, model: { ...model, ingress, egress } }) : undefined,
    );
  }

  async explain(request: ClientRequest): Promise<Explanation> {
    const run = request.isAuthorized === true ? this.#openRun : undefined;
    const first = await this.#explain(request, run ?? this.#run);
    const isUnauthorized = first.response?.status === 401;
    if (!isUnauthorized || run !== undefined || this.#openRun === undefined) return first;
    const explanation = await this.#explain(request, this.#openRun);
    return { ...explanation, unauthorized: first.response };
  }

  async #explain(request: ClientRequest, run: DryRun): Promise<Explanation> {
    const { model } = this.#options;
    const listener = listenerOf(request, model);
    const calls = this.#promptCalls();
    const whole = await run.run(request, { listener, maxAttempts: MAX_ATTEMPTS, calls });
    const record = recordOf(whole);
    const { endpoint, dialect, requested, key, stream, session, subagent, guards } = record;
    const attempts: ExplainedAttempt[] = [];
    for (const [index, sent] of whole.sent.entries()) {
      // What the last attempt dropped is in the record; each attempt is the last one of a run.
      const isLast = index === whole.sent.length - 1;
      const options = { listener, maxAttempts: index + 1, calls: this.#promptCalls() };
      const result = isLast ? whole : await run.run(request, options);
      attempts.push(attemptOf(request, result.sent[index] ?? sent, recordOf(result), model));
    }
    const budgets = budgetsOf(model, key, attempts, requested);
    const set = targetSetOf(model, requested, attempts[0]);
    const retriedOn = attempts[1] === undefined ? undefined : set && reasonsOf(set);
    const affinity = set && affinityOf(set, model, record);
    return {
      listener,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(dialect === undefined ? {} : { dialect }),
      ...(requested === undefined ? {} : { model: requested }),
      ...(key === undefined ? {} : { key }),
      ...(session === undefined ? {} : { session }),
      ...(subagent === undefined ? {} : { subagent }),
      ...(affinity === undefined ? {} : { affinity }),
      ...(set?.balance === undefined ? {} : { balance: set.balance }),
      ...(budgets.length === 0 ? {} : { budgets }),
      ...(guards === undefined ? {} : { guards }),
      isStream: stream === 1,
      ...(calls === undefined || calls.isEmpty ? {} : { prompt: calls.decisions() }),
      ...(retriedOn === undefined ? {} : { retriedOn }),
      attempts,
      ...(attempts.length > 0 ? {} : { response: ownResponse(whole) }),
    };
  }

  /** Whether a model server decides about the request: a prompt on ingress, or the guard of egress. */
  needsModelServer(request: ClientRequest): boolean {
    return needsModelServer(request, this.#options.model);
  }

  #promptCalls(): PromptCalls | undefined {
    const { model, modelServer } = this.#options;
    if (model.prompt === undefined || modelServer === undefined) return undefined;
    return new PromptCalls(model.prompt, modelServer);
  }
}

function budgetsOf(
  model: GatewayModel,
  key: string | undefined,
  attempts: readonly ExplainedAttempt[],
  requested: string | undefined,
): string[] {
  const priceOf = priceFinder(model);
  const unpriced = attempts.flatMap(({ target }) => {
    const record = {
      id: "",
      listener: "",
      target,
      ...(requested === undefined ? {} : { requested }),
    };
    return priceOf(record) === undefined ? [target] : [];
  });
  const rejected = ({ rejectsUnpriced }: Budget) =>
    rejectsUnpriced === true && unpriced.length > 0
      ? `, which rejects ${unpriced.join(", ")}: no price is known`
      : "";
  const { budgets = [] } = model;
  const applies = ({ subject }: Budget) => {
    if (subject === "all") return attempts.length > 0;
    if ("key" in subject) return subject.key === key && attempts.length > 0;
    if (!("target" in subject)) return false;
    return attempts.some(({ target }) => target === subject.target);
  };
  return budgets.filter(applies).map((budget) => budgetLabel(budget) + rejected(budget));
}

/** Returns what the requested name stands for, if there may be several attempts. */
function targetSetOf(
  { targets, targetSets = [] }: GatewayModel,
  requested: string | undefined,
  first: ExplainedAttempt | undefined,
): TargetSet | undefined {
  if (first === undefined) return undefined;
  return (
    targetSets.find((one) => "name" in one && one.name === requested) ??
    targetSets.find((one) => "of" in one && targets[one.of]?.name === first.target)
  );
}

function reasonsOf({ retry }: TargetSet): string[] {
  const { afterRefusal, afterReset, afterContextLength, statuses } = retry;
  return [
    ...(afterRefusal ? ["connect_failure"] : []),
    ...(afterReset ? ["reset"] : []),
    ...(afterContextLength === true ? ["context_length"] : []),
    ...statuses.map(String),
  ];
}

function affinityOf(
  set: TargetSet,
  model: GatewayModel,
  { affinity }: UsageRecord,
): Explanation["affinity"] {
  if (!hasChoice(set, model)) return undefined;
  if (!keepsSessions(set, model)) return "off";
  return affinity === 1 ? "session" : "none";
}

/** Whether a model server decides about the request: a prompt on ingress, or the guard of egress. */
export function needsModelServer(request: ClientRequest, model: GatewayModel): boolean {
  if (model.prompt === undefined) return false;
  const listener = listenerOf(request, model);
  return listener === "ingress" || model.prompt.guard?.listeners.includes(listener) === true;
}

/** Returns the listener whose port the request names; egress for any other. */
export function listenerOf(request: ClientRequest, { ingress }: GatewayModel): Listener["name"] {
  const { headers, listener } = request;
  if (listener !== undefined) return listener;
  const host = headers.find(([name]) => name === "host")?.[1] ?? "";
  return host.endsWith(`:${String(ingress.port)}`) ? "ingress" : "egress";
}

function attemptOf(
  request: ClientRequest,
  sent: SentRequest,
  record: UsageRecord,
  model: GatewayModel,
): ExplainedAttempt {
  const target = model.targets.find(({ name }) => name === record.target);
  if (target === undefined) throw new Error("the filter's record names no target");
  const body = Buffer.from(sent.body);
  const sentText = body.toString("utf8");
  const isText = body.equals(Buffer.from(sentText));
  const added = addedByEnvoy(target);
  const dialect = record.api ?? target.dialect;
  const name =
    target.wildcard === undefined ? target.model : bareName(target, record.requested ?? "");
  const context = isText ? contextUse(target, name, sentText) : undefined;
  return {
    target: target.name,
    dialect,
    ...(record.api === undefined ? {} : { apiReason: apiReason(record, target) }),
    method: sent.method,
    url: maskQuery(`${schemeOf(target)}://${sent.authority}${sent.path}`),
    headers: maskHeaders(sent.headers, model.filterEnvironment),
    ...(target.address.kind === "host" && target.address.proxy !== undefined
      ? { proxy: proxyUrl(target.address.proxy) }
      : {}),
    ...(added === undefined ? {} : { addedByEnvoy: added }),
    body: isText ? sentText : body.toString("base64"),
    encoding: isText ? "utf8" : "base64",
    isBodyUnchanged: body.equals(request.body),
    dropped: droppedMembers(record.dropped, record.dialect, dialect, sentText),
    ...(context === undefined ? {} : { context }),
  };
}

const API_REASONS: Readonly<Record<string, string>> = {
  model: "the model has no other API",
  tools: "the model does not reason with tools in chat completions",
  reasoning: "chat completions would not return the model's reasoning",
  request: "the other API does not support a member of the request",
};

function apiReason({ api, api_reason: reason = "", dialect }: UsageRecord, target: Target): string {
  if (API_REASONS[reason] !== undefined) return API_REASONS[reason];
  if (api === dialect) return "the client's own";
  return api === target.dialect ? "the provider's first" : "";
}

function schemeOf({ address }: Target): string {
  return address.kind !== "embedded" && address.tls ? "https" : "http";
}

function recordOf({ filterState }: ExchangeResult): UsageRecord {
  // The filter wrote it.
  return JSON.parse(filterState.get(PROPERTY_USAGE) ?? "{}") as UsageRecord;
}

function ownResponse({ response: { status, headers, body } }: ExchangeResult): OwnResponse {
  return {
    status,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    body: Buffer.from(body).toString("utf8"),
  };
}

/** Describes the credential that Envoy attaches after the filter. */
function addedByEnvoy({ auth }: Target): string | undefined {
  const credential = credentialText(auth);
  return credential === undefined ? undefined : `authorization: ${credential}`;
}
