// Stage: chooses the route of a request by the hint header, else by `model`.
import { Config } from "../config/read-config";
import { takeModel } from "../config/wildcard";
import { Fault } from "../hub/fault";
import { HEADER_HINT } from "../../contract/words";
import { Exchange } from "../exchange/exchange";
import { formModel } from "../exchange/form";
import { header, REQUEST_HEADERS } from "../host/host";
import { NO_NODE } from "../bytes/json/tape";
import { unescape } from "../bytes/json/text";
import { constant, sameBytes, scratchBuffer } from "../bytes/text/bytes";
import { printableLength } from "../bytes/text/readable";
import { nearestName } from "./nearest-name";
import { Outcome, Turn } from "./outcome";

const HINT = constant(HEADER_HINT);
const MODEL = constant("model");
const STREAM = constant("stream");
const NONE = constant("none");
const plain = scratchBuffer();
/** A message repeats at most this much of a model name. Bytes. */
const MAX_SHOWN: u32 = 200;

export function chooseModel(exchange: Exchange, turn: Turn): Outcome {
  const client = exchange.client;
  const tape = turn.tape;
  client.isStreaming = tape.isTrue(tape.member(0, STREAM));
  if (client.hasHint) {
    const hint = header(REQUEST_HEADERS, HINT);
    return choose(exchange, turn, hint.pointer, hint.length);
  }
  const field = client.isForm ? formModel(tape.base) : null;
  if (field !== null) return choose(exchange, turn, field.pointer, field.length);
  const model = tape.member(0, MODEL);
  if (!tape.isPresent(model) && client.endpoint.row.mayOmitModel) {
    client.isModelOmitted = true;
    return choose(exchange, turn, NONE.pointer, NONE.length);
  }
  if (!tape.isString(model)) {
    const missing = model == NO_NODE ? "is missing" : "must be a string";
    const message = "'model' " + missing + ". " + choices(turn.config);
    return turn.refuse(new Fault(400, message).at("model"));
  }
  if (!tape.isEscaped(model)) return choose(exchange, turn, tape.pointer(model), tape.size(model));
  plain.clear();
  unescape(tape.pointer(model), tape.size(model), plain);
  return choose(exchange, turn, plain.pointer, plain.length);
}

function choose(exchange: Exchange, turn: Turn, pointer: usize, length: u32): Outcome {
  const config = turn.config;
  const client = exchange.client;
  const isHint = client.hasHint;
  if (exchange.isObserved) {
    const size = printableLength(pointer, min(length, MAX_SHOWN), length, isHint || client.isForm);
    client.requested.bytes(pointer, size);
  }
  let route = config.names.get(pointer, length);
  if (route < 0 && !isHint && sameBytes(pointer, length, NONE.pointer, NONE.length))
    route = config.defaultRoute;
  if (route < 0) {
    const taken = takeModel(config.wildcards, pointer, length);
    exchange.takenModel = taken;
    if (taken !== null) route = taken.route;
  }
  if (route >= 0 && route < config.routes.length) {
    exchange.route = config.routes[route];
    return Outcome.Next;
  }
  return turn.refuse(
    length == 0
      ? new Fault(400, "'model' is empty. " + choices(config)).at("model")
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
  const meant =
    near.length == 0
      ? ""
      : " Did you mean '" + String.UTF8.decodeUnsafe(near.pointer, near.length) + "'?";
  const message = "Unknown model " + name + where + "." + meant;
  return new Fault(404, message + " Available: " + config.modelList + ".")
    .at("model")
    .coded("model_not_found");
}

function choices(config: Config): string {
  return "Send 'none' for the default model, or one of: " + config.modelList + ".";
}

/** Returns a name for a message. Only a JSON body is known to be UTF-8. */
function shown(pointer: usize, length: u32, isAscii: bool): string {
  const size = printableLength(pointer, min(length, MAX_SHOWN), length, isAscii);
  return String.UTF8.decodeUnsafe(pointer, size) + (size < length ? "…" : "");
}
