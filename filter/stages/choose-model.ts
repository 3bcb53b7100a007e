// Stage: chooses the route of a request by the hint header, else by `model`.
import { AllowedModels } from "../config/allowed-models";
import { ModelList } from "../config/model-list";
import { Config } from "../config/read-config";
import { Target } from "../config/target";
import { Fault } from "../hub/faults/fault";
import { findReference } from "../hub/request/stored-references";
import { HEADER_HINT } from "../../contract/words";
import { Exchange } from "../exchange/exchange";
import { formModel } from "../exchange/form";
import { header, REQUEST_HEADERS } from "../host/host";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { unescape } from "../bytes/json/text";
import { ByteBuffer, constant, sameBytes, scratchBuffer } from "../bytes/text/bytes";
import { printableLength } from "../bytes/text/readable";
import { nearestName } from "./nearest-name";
import { Outcome, StageContext } from "./stage-context";

const NONE = constant("none");
const plain = scratchBuffer();
/** A message repeats at most this much of a model name. Bytes. */
const MAX_SHOWN: u32 = 200;

export function chooseModel(exchange: Exchange, context: StageContext): Outcome {
  const client = exchange.client;
  const tape = context.tape;
  client.isStreaming = tape.isTrue(tape.member(0, constant("stream")));
  if (client.hasHint) {
    const hint = header(REQUEST_HEADERS, constant(HEADER_HINT));
    return choose(exchange, context, hint.pointer, hint.length);
  }
  const field = client.isForm ? formModel(tape.base) : null;
  if (field !== null) return choose(exchange, context, field.pointer, field.length);
  const model = tape.member(0, constant("model"));
  if (!tape.isPresent(model) && client.endpoint.row.mayOmitModel) {
    client.isModelOmitted = true;
    const outcome = choose(exchange, context, NONE.pointer, NONE.length);
    return mayOmitModel(exchange)
      ? outcome
      : context.refuse(notAllowed(exchange, "a request without 'model'").at("model"));
  }
  if (!tape.isString(model)) {
    const missing = model == NO_NODE ? "is missing" : "must be a string";
    const message = "'model' " + missing + ". " + choices(exchange, context.config);
    return context.refuse(new Fault(400, message).at("model"));
  }
  if (!tape.isEscaped(model))
    return choose(exchange, context, tape.pointer(model), tape.size(model));
  plain.clear();
  unescape(tape.pointer(model), tape.size(model), plain);
  return choose(exchange, context, plain.pointer, plain.length);
}

/** Returns whether the client's key may be used for whatever model the provider chooses. */
function mayOmitModel(exchange: Exchange): bool {
  const allowed = exchange.client.allowed;
  const route = exchange.route;
  return allowed === null || route === null || allowed.hasProviderOf(route.targets[0]);
}

function choose(exchange: Exchange, context: StageContext, pointer: usize, length: u32): Outcome {
  const config = context.config;
  const client = exchange.client;
  const isHint = client.hasHint;
  if (exchange.isObserved) {
    const size = printableLength(pointer, min(length, MAX_SHOWN), length, isHint || client.isForm);
    client.requested = new ByteBuffer();
    client.requested.bytes(pointer, size);
  }
  let route = config.names.get(pointer, length);
  if (route < 0 && !isHint && sameBytes(pointer, length, NONE.pointer, NONE.length))
    route = config.defaultRoute;
  if (route < 0) {
    route = config.routeOfOther(pointer, length);
    exchange.wildcardModel = config.taken;
  }
  if (route >= 0 && route < config.routes.length) {
    const allowed = client.allowed;
    if (allowed !== null && !allowed.has(route, exchange.wildcardModel))
      return context.refuse(
        modelNotAllowed(exchange, shown(pointer, length, isHint || client.isForm)),
      );
    const chosen = config.routes[route];
    exchange.route = chosen;
    return allowed === null
      ? Outcome.Next
      : context.check(referenceFault(exchange, allowed, chosen.targets, context.tape));
  }
  return context.refuse(
    length == 0
      ? new Fault(400, "'model' is empty. " + choices(exchange, config)).at("model")
      : unknownModel(exchange, config, pointer, length),
  );
}

/** Returns the 404 for a name that the hint header, the body or the path has. */
export function unknownModel(
  exchange: Exchange,
  config: Config,
  pointer: usize,
  length: u32,
): Fault {
  const client = exchange.client;
  const isPath = client.endpoint.row.isLocal;
  const isHint = client.hasHint && !isPath;
  const where = isHint ? " in the header " + HEADER_HINT : "";
  const name = "'" + shown(pointer, length, isHint || isPath || client.isForm) + "'";
  const near = nearestName(config.names, pointer, length);
  const allowed = client.allowed;
  const isOther =
    allowed !== null && !allowed.has(config.names.get(near.pointer, near.length), null);
  const meant =
    near.length == 0 || isOther
      ? ""
      : " Did you mean '" + String.UTF8.decodeUnsafe(near.pointer, near.length) + "'?";
  const message = "Unknown model " + name + where + "." + meant;
  return new Fault(404, message + " Available: " + modelsFor(exchange, config).text + ".")
    .at("model")
    .coded("model_not_found");
}

/** Returns the models that the client may see. */
export function modelsFor(exchange: Exchange, config: Config): ModelList {
  const allowed = exchange.client.allowed;
  return allowed === null ? config.models : allowed.list();
}

/** Returns the 403 for a model that the client's key may not be used for. */
function modelNotAllowed(exchange: Exchange, name: string): Fault {
  return notAllowed(exchange, name == "none" ? "the default model" : "the model '" + name + "'").at(
    "model",
  );
}

/** Returns the 403 for a reference to what a provider has stored, unless the key may be used for all of its models; or null. */
function referenceFault(
  exchange: Exchange,
  allowed: AllowedModels,
  targets: Target[],
  tape: Tape,
): Fault | null {
  for (let i = 0; i < targets.length; i++) {
    if (allowed.hasProviderOf(targets[i])) continue;
    const found = findReference(tape);
    if (found === null) return null;
    const name = String.UTF8.decodeUnsafe(found.pointer, found.length);
    return notAllowedProvider(exchange, targets[i], "'" + name + "'").at(name);
  }
  return null;
}

/** What a provider stores is of its account: a batch may name any model, and a file may be another client's. */
export function notAllowedProvider(exchange: Exchange, target: Target, what: string): Fault {
  const provider = target.name.substring(0, target.name.indexOf("/"));
  return notAllowed(
    exchange,
    what + ", which needs all models of its provider ('" + provider + "/*')",
  );
}

/** Returns the 403 for what the client's key may not be used for. */
function notAllowed(exchange: Exchange, what: string): Fault {
  const key = exchange.client.apiKey;
  const allowed = exchange.client.allowed;
  const name = key === null ? "" : String.UTF8.decodeUnsafe(key.name.pointer, key.name.length);
  const list = allowed === null ? "" : allowed.list().text;
  const message =
    "The key '" + name + "' may not be used for " + what + ". Its models: " + list + ".";
  return new Fault(403, message).coded("model_not_allowed");
}

function choices(exchange: Exchange, config: Config): string {
  const list = modelsFor(exchange, config).text;
  return "Send 'none' for the default model, or one of: " + list + ".";
}

/** Returns a name for a message. Only a JSON body is known to be UTF-8. */
function shown(pointer: usize, length: u32, isAscii: bool): string {
  const size = printableLength(pointer, min(length, MAX_SHOWN), length, isAscii);
  return String.UTF8.decodeUnsafe(pointer, size) + (size < length ? "…" : "");
}
