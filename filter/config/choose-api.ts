// Which API of a provider a request uses, if its provider serves several: by what the model has, and what the request needs.
// The client's own format passes unchanged where it is as good.
import { ClientDialect } from "../dialects/client-dialect";
import { ProviderDialect } from "../dialects/provider-dialect";
import { ApiNeeds } from "../hub/request/api-needs";
import { isReasoningModel } from "../hub/request/request-fitting";
import { EFFORT_UNSET } from "../hub/request/request";
import { Tape } from "../bytes/json/tape";
import { Target } from "./target";

/** Why an attempt uses an API; the words are API_WORDS of contract/usage-record.ts. */
export const enum ApiReason {
  /** It is the only one, or the client's own, or the first one of the provider. */
  Usual,
  /** The model has no other. */
  Model,
  /** The model does not reason beside tools in the usual one. */
  Tools,
  /** The usual one loses the model's reasoning, and the request is translated in any case. */
  Reasoning,
  /** The usual one does not support something in the request. */
  Request,
}

/** Returns whether the usual API for clients of a dialect may not be the best for each request. */
export function mayLeaveUsual(model: Target, client: ProviderDialect): bool {
  if (model.also.length == 0) return false;
  const usual = model.forClient(client);
  if (otherApi(usual) === null) return false;
  if (losesSearch(usual, client)) return true;
  return losesTools(usual) || losesReasoning(usual, client);
}

function losesTools(usual: Target): bool {
  return !usual.limits.servesSearches && !usual.dialect.reasonsWithTools(usual.limits);
}

/** The request of another client is rejected by the usual API when it is translated. */
function losesSearch(usual: Target, client: ProviderDialect): bool {
  return usual.dialect === client && !usual.dialect.searches(usual.limits);
}

/** A client whose own format passes has chosen it. */
function losesReasoning(usual: Target, client: ProviderDialect): bool {
  const limits = usual.limits;
  if (usual.dialect === client || usual.dialect.carriesReasoning(limits)) return false;
  return !limits.servesSearches && limits.knowsEfforts && isReasoningModel(EFFORT_UNSET, limits);
}

/** Returns the same model in the other API that it has, or has for searches; null if it has none. */
export function otherApi(usual: Target): Target | null {
  const model = usual.model;
  if (model !== usual && model.isServed) return model;
  for (let i = 0; i < model.also.length; i++) {
    const other = model.also[i];
    if (other !== usual && (other.isServed || other.limits.servesSearches)) return other;
  }
  return null;
}

/** Returns the needs of a request, of which `chooseApi` decides. */
export function readNeeds(client: ClientDialect, tape: Tape): ApiNeeds {
  const needs = new ApiNeeds();
  client.readNeeds(tape, needs);
  return needs;
}

/** Returns the target of a request: `model` in one of its APIs. */
export function chooseApi(model: Target, client: ProviderDialect, needs: ApiNeeds): Target {
  const usual = model.forClient(client);
  if (reasonToLeave(usual, client, needs) == ApiReason.Usual) return usual;
  const other = otherApi(usual);
  return other === null ? usual : other;
}

function reasonToLeave(usual: Target, client: ProviderDialect, needs: ApiNeeds): ApiReason {
  if (usual.model.also.length == 0) return ApiReason.Usual;
  const limits = usual.limits;
  if (needs.hasSearch && losesSearch(usual, client)) return ApiReason.Request;
  if (!needs.reasons(limits)) return ApiReason.Usual;
  if (needs.hasTools && losesTools(usual)) return ApiReason.Tools;
  const isStopped = needs.hasStop && usual.dialect.supportsStop(limits);
  return !isStopped && losesReasoning(usual, client) ? ApiReason.Reasoning : ApiReason.Usual;
}

/** Returns why a request of a client uses this target. `needs`: null if they were not read. */
export function reasonOf(
  target: Target,
  client: ProviderDialect,
  needs: ApiNeeds | null,
): ApiReason {
  const model = target.model;
  if (model.also.length == 0) return ApiReason.Usual;
  const usual = model.forClient(client);
  const reason = needs === null ? ApiReason.Usual : reasonToLeave(usual, client, needs);
  if (usual !== target) return reason == ApiReason.Usual ? ApiReason.Request : reason;
  if (usual !== model.usualFor(client)) return ApiReason.Model;
  return reason == ApiReason.Usual || otherApi(usual) === null
    ? ApiReason.Usual
    : ApiReason.Request;
}
