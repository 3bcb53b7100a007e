// What the history and the live page count of a usage line: its names, its times and its cost.
import { ENDPOINTS } from "../../../contract/endpoints.ts";
import { LISTENER_INTERNAL_EGRESS } from "../../../contract/words.ts";
import { knownModels } from "../../../model/known-models.ts";
import type { KnownModels } from "../../../model/known-models.ts";
import type { GatewayModel } from "../../../model/model.ts";
import { errorType } from "../classify.ts";
import { hasTokens, priceFinder, recordedCost } from "../../usage/record-cost.ts";
import type { Price } from "../../usage/record-cost.ts";
import type { FailedAttempt, UsageLine, UsageRecord } from "../../usage/usage-line.ts";

/** Name of what a request has none of: a model, a key. */
const NO_NAME = "";

export interface ObservedRequest {
  line: UsageLine;
  /** `<provider>/<model>` of the last attempt, or of what a rejected request asked for (model/known-models.ts). */
  model: string;
  /** The same of the target that was chosen first, and of the failed attempts. */
  firstTarget: string | undefined;
  failedAttempts: FailedAttempt[] | undefined;
  /** The name of the client's key. */
  key: string;
  /** `error.type`; empty for a request that succeeded. */
  error: string;
  /** Nano-dollars; undefined without tokens or a known price. */
  cost: number | undefined;
  /** Whether it has tokens, but no known price. */
  isUnpriced: boolean;
  /** Whether a client sent it: the model server's calls belong to the prompt of a client. */
  isOfClient: boolean;
  /** Seconds since 1970. */
  ended: number;
  /** Microseconds, as far as they are known. */
  firstToken: number | undefined;
  duration: number;
  /** What the gateway added, and what is left for the provider. */
  overhead: number | undefined;
  provider: number | undefined;
  /** Output tokens per second after the first token. */
  rate: number | undefined;
}

type PriceOf = (record: UsageRecord) => Price | undefined;

export type Observe = (line: UsageLine) => ObservedRequest;

/** Paths of probes. They are no requests of anybody. */
const PROBES = new Set(ENDPOINTS.filter(({ isForModels }) => !isForModels).map(({ path }) => path));

export function isProbe({ record }: UsageLine): boolean {
  return record?.endpoint !== undefined && PROBES.has(record.endpoint);
}

/** Returns the function that reads a line. @param model returns the active configuration, whose prices hold */
export function observer(model: () => GatewayModel): Observe {
  let of: GatewayModel | undefined;
  let known: { priceOf: PriceOf; models: KnownModels } | undefined;
  return (line) => {
    const now = model();
    if (known === undefined || of !== now)
      known = { priceOf: priceFinder(now), models: knownModels(now) };
    of = now;
    return observed(line, known.priceOf, known.models);
  };
}

function observed(line: UsageLine, priceOf: PriceOf, models: KnownModels): ObservedRequest {
  const { record } = line;
  const model = (record === undefined ? undefined : models.modelOf(record)) ?? NO_NAME;
  const nameOf = (target: string) => models.nameOf(target, record?.requested);
  const cost = record === undefined ? undefined : recordedCost(record, priceOf);
  const error = errorType(line);
  const firstToken = firstTokenOf(line, record);
  const duration = line.duration * 1000;
  const overhead = overheadOf(line, record);
  return {
    line,
    model,
    firstTarget: record?.first_target === undefined ? undefined : nameOf(record.first_target),
    failedAttempts: record?.attempts?.map((attempt) => ({
      ...attempt,
      target: nameOf(attempt.target),
    })),
    key: record?.key ?? NO_NAME,
    error,
    cost,
    isUnpriced:
      record !== undefined && hasTokens(record) && model !== NO_NAME && cost === undefined,
    isOfClient: record?.listener !== LISTENER_INTERNAL_EGRESS,
    ended: line.startTime + line.duration / 1000,
    firstToken,
    duration,
    overhead,
    provider: overhead === undefined ? undefined : Math.max(duration - overhead, 0),
    rate: error === "" ? rateOf(duration, firstToken, record?.output) : undefined,
  };
}

function firstTokenOf(
  { firstByte }: UsageLine,
  record: UsageRecord | undefined,
): number | undefined {
  if (record?.stream === undefined) return undefined;
  return record.first_token === undefined ? firstByte : record.first_token * 1000;
}

/** Known for a request with one attempt: of several, Envoy reports the last one's times. */
function overheadOf(
  { attempts, requestOverhead, responseOverhead }: UsageLine,
  record: UsageRecord | undefined,
): number | undefined {
  if (attempts !== 1 || requestOverhead === undefined || record?.prompt_target !== undefined)
    return undefined;
  return requestOverhead + (responseOverhead ?? 0);
}

function rateOf(
  duration: number,
  firstToken: number | undefined,
  output: number | undefined,
): number | undefined {
  const rest = duration - (firstToken ?? duration);
  return output !== undefined && output > 1 && rest > 0 ? ((output - 1) * 1e6) / rest : undefined;
}
