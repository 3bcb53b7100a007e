// Stages of the head: the request's id, endpoint and dialect, and the responses that need no provider.
import { Config } from "../config/read-config";
import { HEADER_STREAM_CLUSTER } from "../../contract/words";
import { DIALECTS, dialectOfPath } from "../dialects/registry";
import { removeHeader, REQUEST_HEADERS } from "../host/host";
import { logClientPath } from "../observe/access-log";
import {
  CONTENT_TYPE,
  hasOwnHeader,
  HINT,
  METHOD,
  PATH,
  readHead,
  STREAM_CLUSTER,
} from "../exchange/request-head";
import { constant, sameSpan, scratchBuffer } from "../bytes/text/bytes";
import { dropCredentials, lengthWithoutQuery } from "../bytes/text/query";
import { JSON_TYPE, respond, respondToOptions } from "../exchange/respond";
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
import { keepPlainRequestId } from "../exchange/request-id";
import { ResponseOwner, ResponsePhase } from "../exchange/response";
import { unknownPath, wrongMethod } from "./not-served";
import { Outcome, Turn } from "./outcome";

const STREAM_CLUSTER_HEADER = constant(HEADER_STREAM_CLUSTER);
const buffer = scratchBuffer();

/** Reads the head; the stages that need its values run in the same callback. */
export function readRequestHead(exchange: Exchange, _turn: Turn): Outcome {
  const client = exchange.client;
  client.headers = readHead();
  keepPlainRequestId(exchange);
  // Only the gateway may set it.
  if (STREAM_CLUSTER.length > 0) removeHeader(REQUEST_HEADERS, STREAM_CLUSTER_HEADER);
  client.hasHint = HINT.length > 0;
  client.hasJsonType = sameSpan(CONTENT_TYPE, JSON_TYPE);
  return Outcome.Next;
}

export function recogniseEndpoint(exchange: Exchange, turn: Turn): Outcome {
  const client = exchange.client;
  const endpoint = endpointOf(PATH);
  client.endpoint = endpoint;
  client.dialect = dialectOfPath(PATH, lengthWithoutQuery(PATH));
  client.path = client.dialect.path;
  keepQuery(exchange);
  const isElsewhere = client.isIngress && takesPost(endpoint) && !client.dialect.isOnIngress;
  if (endpoint == ENDPOINT_UNKNOWN || isElsewhere) return turn.refuse(unknownPath(exchange));
  if (endpoint == ENDPOINT_MODELS && isGetOrHead(METHOD)) chooseDialectOfList(exchange);
  return Outcome.Next;
}

/** Responds to everything that needs no provider, wrong methods included. */
export function respondLocally(exchange: Exchange, turn: Turn): Outcome {
  const endpoint = exchange.client.endpoint;
  if (takesPost(endpoint) && isPost(METHOD)) return Outcome.Next;
  if (endpoint == ENDPOINT_READY && isGetOrHead(METHOD)) {
    exchange.response.enter(ResponseOwner.NativeRoute, ResponsePhase.Passed);
    return Outcome.Leave;
  }
  if (isOptions(METHOD)) {
    respondToOptions(exchange, allowedMethods(endpoint));
    return Outcome.Responded;
  }
  if (takesPost(endpoint) || !isGetOrHead(METHOD)) return turn.refuse(wrongMethod(exchange));
  return respondFromConfig(exchange, turn.config);
}

/** Keeps the query without credentials for the provider; the access log gets all of it, with credentials masked. */
function keepQuery(exchange: Exchange): void {
  const length = lengthWithoutQuery(PATH);
  const queryLength = PATH.length - length;
  if (queryLength == 0) return;
  logClientPath(PATH);
  dropCredentials(PATH.pointer + length, queryLength, exchange.client.query);
  exchange.client.isQueryCut = exchange.client.query.length != queryLength;
}

/** Dialects share the path of the list; a header that only one of them requires decides. */
function chooseDialectOfList(exchange: Exchange): void {
  for (let i = 0; i < DIALECTS.length; i++) {
    const required = DIALECTS[i].requiredHeaders;
    for (let j = 0; j < required.length; j++) {
      if (hasOwnHeader(exchange.client.headers, required[j].name))
        exchange.client.dialect = DIALECTS[i];
    }
  }
}

function respondFromConfig(exchange: Exchange, config: Config): Outcome {
  buffer.clear();
  if (exchange.client.endpoint == ENDPOINT_MODELS) {
    exchange.client.dialect.writeModels(config.modelIds, config.modelOwners, buffer);
  } else {
    buffer.text('{"status":"ok"}');
  }
  respond(exchange, 200, JSON_TYPE, buffer);
  return Outcome.Responded;
}
