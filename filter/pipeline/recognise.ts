// First stage: path and method → endpoint and dialect; what needs no body is answered here.
import { Config } from "../config/read-config";
import { HEADER_STREAM_CLUSTER } from "../../contract/words";
import { Fault } from "../hub/fault";
import { DIALECTS, dialectOfPath } from "../dialects/registry";
import { removeHeader, REQUEST_HEADERS } from "../host/host";
import { addLocalHeader } from "../host/local-response";
import { logClientPath } from "../observe/access-log";
import {
  CONTENT_LENGTH,
  CONTENT_TYPE,
  hasOwnHeader,
  HINT,
  METHOD,
  PATH,
  readHead,
  STREAM_CLUSTER,
} from "../exchange/request-head";
import { constant, sameSpan, scratchBuffer } from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";
import { dropCredentials, lengthWithoutQuery } from "../bytes/text/query";
import { bodyTooLarge } from "../exchange/envoy-errors";
import { answer, answerFault, answerOptions, JSON_TYPE } from "../exchange/answer";
import {
  allowedMethods,
  ENDPOINT_MODELS,
  ENDPOINT_READY,
  ENDPOINT_UNKNOWN,
  endpointOf,
  isGetOrHead,
  isOptions,
  isPost,
  takesPost,
} from "./endpoint";
import { Exchange } from "../exchange/exchange";
import { ResponseOwner, ResponsePhase } from "../exchange/response";
import { keepClientKey, refusal } from "./client-key";
import { keepSaneRequestId } from "../exchange/request-id";
import { originFault } from "./origin";
import { unknownPath, wrongMethod } from "./not-served";

const STREAM_CLUSTER_HEADER = constant(HEADER_STREAM_CLUSTER);
/** What a 401 has to say (RFC 9110, section 15.5.2). */
const WWW_AUTHENTICATE = constant("www-authenticate");
const BEARER = constant("Bearer");
const buffer = scratchBuffer();

/** Whether the request goes on, to its body or to its route; false when it has been answered. */
export function recognise(exchange: Exchange, config: Config, endsHere: bool): bool {
  exchange.client.headers = readHead();
  keepSaneRequestId(exchange);
  // Only a stream of ours may have it.
  if (STREAM_CLUSTER.length > 0) removeHeader(REQUEST_HEADERS, STREAM_CLUSTER_HEADER);
  exchange.client.hasHint = HINT.length > 0;
  exchange.client.endpoint = endpointOf(PATH);
  exchange.client.dialect = dialectOfPath(PATH, lengthWithoutQuery(PATH));
  keepQuery(exchange);
  if (
    exchange.client.endpoint == ENDPOINT_UNKNOWN ||
    (exchange.client.isIngress &&
      takesPost(exchange.client.endpoint) &&
      !exchange.client.dialect.isOnIngress)
  ) {
    answerFault(exchange, unknownPath(exchange));
    return false;
  }
  const isForModel = takesPost(exchange.client.endpoint) && isPost(METHOD);
  const isList = exchange.client.endpoint == ENDPOINT_MODELS && isGetOrHead(METHOD);
  if (isList) chooseDialectOfList(exchange);
  if (isForModel || isList) {
    const fault = exchange.client.keys === null ? originFault() : refusal(exchange.client.keys);
    if (fault !== null) {
      if (fault.status == 401) addLocalHeader(WWW_AUTHENTICATE, BEARER);
      answerFault(exchange, fault);
      return false;
    }
  }
  if (isForModel) {
    if (config.passesClientKey) keepClientKey(exchange, config);
    exchange.client.path = exchange.client.dialect.path;
    exchange.client.hasJsonType = sameSpan(CONTENT_TYPE, JSON_TYPE);
    const fault = bodyFault(config, endsHere);
    if (fault === null) return true;
    answerFault(exchange, fault);
    return false;
  }
  if (exchange.client.endpoint == ENDPOINT_READY && isGetOrHead(METHOD)) {
    // By a route; the response is left alone.
    exchange.response.enter(ResponseOwner.NativeRoute, ResponsePhase.Passed);
    return true;
  }
  if (isOptions(METHOD)) answerOptions(exchange, allowedMethods(exchange.client.endpoint));
  else if (!takesPost(exchange.client.endpoint) && isGetOrHead(METHOD)) answerOwn(exchange, config);
  else answerFault(exchange, wrongMethod(exchange));
  return false;
}

/** What the provider may get of the query; the client's log line has all of it, with credentials masked. */
function keepQuery(exchange: Exchange): void {
  const length = lengthWithoutQuery(PATH);
  const queryLength = PATH.length - length;
  if (queryLength == 0) return;
  logClientPath(PATH);
  dropCredentials(PATH.pointer + length, queryLength, exchange.client.query);
  exchange.client.isQueryCut = exchange.client.query.length != queryLength;
}

/** Dialects share the path of the list; a header that a dialect requires tells them apart. */
function chooseDialectOfList(exchange: Exchange): void {
  for (let i = 0; i < DIALECTS.length; i++) {
    const required = DIALECTS[i].requiredHeaders;
    for (let j = 0; j < required.length; j++) {
      if (hasOwnHeader(exchange.client.headers, required[j].name))
        exchange.client.dialect = DIALECTS[i];
    }
  }
}

/** Returns why the body is not waited for, or null: there is none, or it is announced as too large. */
function bodyFault(config: Config, endsHere: bool): Fault | null {
  if (endsHere) return new Fault(400, "The request has no body; send a JSON object.");
  if (CONTENT_LENGTH.length == 0) return null;
  const length = decimal(CONTENT_LENGTH);
  // More digits than `decimal` reads are more than any limit.
  return length < 0 || <u32>length > config.largestBody ? bodyTooLarge() : null;
}

function answerOwn(exchange: Exchange, config: Config): void {
  buffer.clear();
  if (exchange.client.endpoint == ENDPOINT_MODELS) {
    exchange.client.dialect.writeModels(config.modelIds, config.modelOwners, buffer);
  } else {
    buffer.text('{"status":"ok"}');
  }
  answer(exchange, 200, JSON_TYPE, buffer);
}
