// The metrics of requests, made from the lines of access_usage.log. Label values are names of the configuration or words of
// a fixed list, never what a client can make up: docs/observability.md lists the families.
import { LISTENER_INTERNAL_EGRESS } from "../../contract/words.ts";
import type { GatewayModel } from "../../model/model.ts";
import { knownModels, OTHER } from "../../model/known-models.ts";
import type { KnownModels } from "../../model/known-models.ts";
import { NONE } from "../../model/model-names.ts";
import { knownMember } from "../../model/dropped-members.ts";
import { providerWord } from "../../model/provider-words.ts";
import { CacheMetrics } from "./cache-metrics.ts";
import { errorKind, errorType, operationOf } from "./classify.ts";
import { Families } from "./metric-families.ts";
import { hasTokens, priceFinder, recordedCost } from "../usage/record-cost.ts";
import type { Price } from "../usage/record-cost.ts";
import { MODALITY, requestFamilies, TOKEN_TYPES } from "./request-families.ts";
import type { RequestFamilies } from "./request-families.ts";
import type { UsageLine, UsageRecord } from "../usage/usage-line.ts";

interface Known {
  /** The names that may be label values. */
  models: KnownModels;
  priceOf: (record: UsageRecord) => Price | undefined;
}

export class RequestMetrics {
  readonly families = new Families();
  readonly #of: RequestFamilies = requestFamilies(this.families);
  readonly #known: () => Known;
  readonly #caches: CacheMetrics;

  /** @param model returns the active configuration, which a reload replaces */
  constructor(model: () => GatewayModel) {
    let of: GatewayModel | undefined;
    let known: Known | undefined;
    this.#known = () => {
      const now = model();
      if (known === undefined || of !== now)
        known = { models: knownModels(now), priceOf: priceFinder(now) };
      of = now;
      return known;
    };
    this.#caches = new CacheMetrics(
      this.#of,
      (record) => this.#known().priceOf(record),
      (record) => this.#whereOf(record).slice(1),
    );
  }

  /** Counts a request. Returns its cost in nano-dollars; undefined if it has no tokens or no known price. */
  observe(line: UsageLine): number | undefined {
    const { record } = line;
    const error = errorType(line);
    const provider = providerOf(record?.target);
    const original = record === undefined ? NONE : this.#known().models.requestedName(record);
    this.#of.requests.add([
      record?.listener ?? NONE,
      record?.endpoint ?? NONE,
      original,
      provider,
      String(line.status),
      error,
    ]);
    const kind = errorKind(line);
    if (kind !== undefined) this.#of.errors.add([kind, ...this.#whereOf(record)]);
    this.#of.bytes.add(["received"], line.bytesReceived ?? 0);
    this.#of.bytes.add(["sent"], line.bytesSent ?? 0);
    if (record === undefined) return undefined;
    this.#caches.observe(line, record);
    this.#observeDecisions(line, record, original);
    const key = record.key ?? NONE;
    // The model server's calls belong to the prompt of a client, which has been counted.
    if (record.listener !== LISTENER_INTERNAL_EGRESS) this.#of.keyRequests.add([key, error]);
    const operation = operationOf(record.endpoint);
    if (operation === undefined || record.target === undefined) return undefined;
    const model = modelOf(this.#nameOf(record.target, record));
    const labels = [operation, provider, original, model, model];
    this.#observeTimes(line, record, labels, error);
    this.#observeTokens(record, labels);
    return this.#observeCost(record, provider, model);
  }

  #observeDecisions(line: UsageLine, record: UsageRecord, original: string): void {
    const { first_target: first, target, guard, prompt_target: promptTarget, dropped } = record;
    if (first !== undefined && target !== undefined)
      this.#of.fallbacks.add([this.#nameOf(first, record), this.#nameOf(target, record)]);
    if (line.status === 429 && record.error === "rate_limit_exceeded" && record.owner === "gateway")
      this.#of.rateLimited.add([original, record.key ?? NONE]);
    if (guard !== undefined) this.#of.guard.add([guard]);
    for (const { policy, direction, action } of record.guards ?? [])
      this.#of.guards.add([policy, direction ?? "request", action]);
    if (promptTarget !== undefined) this.#of.promptTargets.add([promptTarget]);
    for (const member of dropped?.split(",") ?? [])
      this.#of.dropped.add([knownMember(member.trim()) ?? OTHER]);
  }

  #observeTimes(line: UsageLine, record: UsageRecord, labels: string[], error: string): void {
    const { duration, requestOverhead, responseOverhead, attempts } = line;
    this.#of.duration.record([...labels, error], Math.round(duration * 1000));
    if (attempts === 1 && requestOverhead !== undefined && record.prompt_target === undefined)
      this.#of.overhead.record([], requestOverhead + (responseOverhead ?? 0));
    const firstToken = firstTokenOf(line, record);
    if (record.stream === undefined || firstToken === undefined || error !== "") return;
    this.#of.firstToken.record(labels, firstToken);
    const tokens = record.output ?? 0;
    const rest = duration * 1000 - firstToken;
    if (tokens > 1 && rest > 0) this.#of.perToken.record(labels, Math.round(rest / (tokens - 1)));
  }

  #observeTokens(record: UsageRecord, labels: string[]): void {
    for (const { member, type } of TOKEN_TYPES) {
      const tokens = record[member];
      if (tokens === undefined) continue;
      this.#of.tokens.record([...labels, type], tokens);
      this.#of.keyTokens.add([record.key ?? NONE, type], tokens);
    }
    for (const { member, counter } of this.#of.usage) {
      const tokens = record[member];
      if (tokens !== undefined) counter.add([...labels, MODALITY], tokens);
    }
  }

  #observeCost(record: UsageRecord, provider: string, model: string): number | undefined {
    const cost = recordedCost(record, this.#known().priceOf);
    if (cost === undefined) {
      if (hasTokens(record)) this.#of.unpriced.add([provider, model]);
      return undefined;
    }
    this.#of.cost.add([provider, model, record.key ?? NONE], cost);
    return cost;
  }

  /** Returns who sent an error, and the provider and the model of the request, also of one that was rejected. */
  #whereOf(record: UsageRecord | undefined): string[] {
    const name = record === undefined ? undefined : this.#known().models.modelOf(record);
    return [record?.owner ?? "envoy", providerOf(name), name === undefined ? NONE : modelOf(name)];
  }

  #nameOf(target: string, { requested }: UsageRecord): string {
    return this.#known().models.nameOf(target, requested);
  }
}

/** `openai/gpt-4o` → `openai`, by the word of the conventions. */
function providerOf(target: string | undefined): string {
  return target === undefined ? NONE : providerWord(target.slice(0, target.indexOf("/")));
}

function modelOf(target: string): string {
  return target.slice(target.indexOf("/") + 1);
}

/** Returns the microseconds until the first token of a stream; until its first byte if no token was seen. */
function firstTokenOf(
  { firstByte }: UsageLine,
  { first_token: ms }: UsageRecord,
): number | undefined {
  return ms === undefined ? firstByte : ms * 1000;
}
