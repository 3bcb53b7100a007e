// Stages of the endpoints whose requests pass to one provider: which one, and whether it serves the endpoint.
import { HEADER_HINT, HEADER_STREAM_CLUSTER } from "../../contract/words";
import { Config } from "../config/read-config";
import { Target } from "../config/target";
import { asClientDialect } from "../dialects/dialect-registry";
import { Fault } from "../hub/faults/fault";
import { estimateTokens } from "../hub/request/token-estimate";
import { Exchange } from "../exchange/exchange";
import { respondWithEstimate } from "../exchange/respond";
import { header, REQUEST_HEADERS } from "../host/host";
import { byteAt, startsWith } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { isSupported, keyFault } from "../attempt/request-body";
import { sendTo, writeHeaders } from "../attempt/request-headers";
import { notAllowedProvider, unknownModel } from "./choose-model";
import { Outcome, StageContext } from "./stage-context";

const SLASH: u32 = 0x2f;
const QUESTION: u32 = 0x3f;
/** OpenAI's ids have at most 64 bytes. */
const MAX_ID: u32 = 128;

/** Sends a request for an endpoint without models to a provider, with the first credential of its model. */
export function passToProvider(exchange: Exchange, context: StageContext): Outcome {
  const client = exchange.client;
  if (client.endpoint.row.hasModel) return Outcome.Next;
  const fault = client.hasHint
    ? useNamed(exchange, context.config)
    : useOnly(exchange, context.config);
  return fault === null ? Outcome.Leave : context.refuse(fault);
}

/** Uses the provider that the hint header names. */
function useNamed(exchange: Exchange, config: Config): Fault | null {
  const hint = header(REQUEST_HEADERS, constant(HEADER_HINT));
  const named = targetOf(config, hint);
  if (named === null) return unknownModel(exchange, config, hint.pointer, hint.length);
  const allowed = exchange.client.allowed;
  if (allowed !== null && !allowed.hasProviderOf(named))
    return notAllowedProvider(exchange, named, exchange.client.endpoint.row.path);
  const target = exchange.client.endpoint.servingTarget(named);
  return target === null ? notServed(exchange, named) : send(exchange, target);
}

/** Uses the only provider that serves the endpoint. */
function useOnly(exchange: Exchange, config: Config): Fault | null {
  const endpoint = exchange.client.endpoint;
  if (!endpoint.row.mayGuessProvider) return noProvider(exchange);
  let only: Target | null = null;
  for (let i = 0; i < config.targets.length; i++) {
    const target = endpoint.servingTarget(config.targets[i]);
    if (target === null) continue;
    if (only !== null && !only.isAtSameAccount(target)) return unknownResponse(exchange);
    only = target;
  }
  return only === null ? unknownResponse(exchange) : send(exchange, only);
}

function send(exchange: Exchange, target: Target): Fault | null {
  const allowed = exchange.client.allowed;
  if (allowed !== null && !allowed.hasProviderOf(target))
    return notAllowedProvider(exchange, target, exchange.client.endpoint.row.path);
  const fault = keyFault(exchange, target);
  if (fault !== null) return fault;
  exchange.client.dialect = asClientDialect(target.dialect);
  exchange.startAttempt(target);
  sendTo(exchange, constant(HEADER_STREAM_CLUSTER), target.cluster);
  writeHeaders(exchange, target, target.credential(0));
  return null;
}

/** Rejects a request that its model's provider does not serve, or responds with an estimate. */
export function checkProvider(exchange: Exchange, context: StageContext): Outcome {
  const client = exchange.client;
  const endpoint = client.endpoint;
  const route = exchange.route;
  if (endpoint.row.isInference || route === null) return Outcome.Next;
  const first = route.targets[0];
  if (endpoint.row.isEstimated) {
    if (!client.dialect.isRequest(context.tape))
      return context.refuse(
        new Fault(400, "'messages' must be a list of messages.").at("messages"),
      );
    const prompt = exchange.systemPromptOf(first);
    client.estimatedTokens = estimateTokens(context.tape, prompt.length);
  }
  const target = endpoint.servingTarget(first);
  if (target === null) return useCounterpart(exchange, context, first);
  exchange.target = target;
  client.dialect = asClientDialect(target.dialect);
  return Outcome.Next;
}

/** Uses the request or endpoint of another API with the same purpose, which keeps the client's dialect. */
function useCounterpart(exchange: Exchange, context: StageContext, first: Target): Outcome {
  const endpoint = exchange.client.endpoint;
  const counterpart = endpoint.counterpart;
  let target: Target | null = null;
  if (endpoint.row.isEstimated && first.countMember.length > 0) target = first;
  else if (counterpart !== null) target = counterpart.servingTarget(first);
  if (target !== null && isSupported(exchange, target, context.tape, false)) {
    exchange.target = target;
    return Outcome.Next;
  }
  if (!endpoint.row.isEstimated) return context.refuse(notServed(exchange, first));
  respondWithEstimate(exchange);
  return Outcome.Responded;
}

/** Returns the target with a name of a model, or else the first one of a provider. */
function targetOf(config: Config, name: Span): Target | null {
  const route = config.names.get(name.pointer, name.length);
  if (route >= 0 && route < config.routes.length) return config.routes[route].targets[0];
  for (let i = 0; i < config.wildcards.length; i++) {
    const wildcard = config.wildcards[i];
    if (wildcard.bareNameOf(name) !== null) return config.routes[wildcard.route].targets[0];
  }
  for (let i = 0; i < config.targets.length; i++) {
    const full = config.targets[i].nameSpan;
    if (full.length <= name.length || byteAt(full.pointer, name.length) != SLASH) continue;
    if (startsWith(full.pointer, full.length, name)) return config.targets[i];
  }
  return null;
}

function noProvider(exchange: Exchange): Fault {
  const how = " is not a request for a model: name a model or its provider in the header ";
  return new Fault(404, exchange.client.endpoint.row.path + how + HEADER_HINT + ".");
}

/** Returns OpenAI's own error for a response that it has not stored. */
function unknownResponse(exchange: Exchange): Fault {
  const path = exchange.client.pathEnd;
  let end: u32 = 1;
  while (end < path.length && isOfId(byteAt(path.pointer, end))) end++;
  const id = end < MAX_ID ? String.UTF8.decodeUnsafe(path.pointer + 1, end - 1) : "";
  return new Fault(404, "Response with id '" + id + "' not found.");
}

function isOfId(byte: u32): bool {
  return byte != SLASH && byte != QUESTION;
}

function notServed(exchange: Exchange, target: Target): Fault {
  const endpoint = exchange.client.endpoint;
  const what = " is not supported by '" + target.name + "', whose provider uses ";
  const how = "; choose one whose provider uses " + endpoint.api + ".";
  const fault = new Fault(404, endpoint.row.path + what + target.api + how);
  return endpoint.row.hasModel ? fault.at("model") : fault;
}
