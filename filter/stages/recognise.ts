// Stages of the head: the request's id, endpoint and dialect, and the responses that need no provider.
import { MCP, MODEL_BY_ID, MODEL_LIST, READINESS } from "../../contract/endpoints";
import { CLIENT_DIALECTS, dialectOfPath } from "../dialects/dialect-registry";
import { outOfMemory } from "../hub/faults/fault";
import { wasRefused } from "../memory/blocks";
import { logClientPath, logForwardedFor } from "../observe/log-fields";
import {
  CONTENT_TYPE,
  copyForeignHeaders,
  FORWARDED_FOR,
  hasForeignHeaders,
  hasOwnHeader,
  HINT,
  METHOD,
  PATH,
  readHead,
  removeClusters,
} from "../exchange/request-head";
import { ByteBuffer, constant, sameSpan } from "../bytes/text/bytes";
import { dropCredentials, lengthWithoutQuery } from "../bytes/text/query";
import { JSON_TYPE } from "../exchange/header-names";
import { respondToOptions } from "../exchange/respond";
import { Config } from "../config/read-config";
import { endpointOf, UNKNOWN } from "../exchange/endpoint";
import { Content } from "../exchange/content-capture";
import { Exchange } from "../exchange/exchange";
import { isFormType } from "../exchange/form";
import { endpointOfSpelling } from "../exchange/path-spelling";
import { keepPlainRequestId, requestIdSpan } from "../exchange/request-id";
import { ResponseOwner } from "../exchange/response";
import { respondFromConfig } from "./local-responses";
import { unknownPath, wrongMethod } from "./not-served";
import { Outcome, StageContext } from "./stage-context";

/** Reads the head; the stages that need its values run in the same callback. */
export function readRequestHead(exchange: Exchange, context: StageContext): Outcome {
  const client = exchange.client;
  client.headers = readHead();
  if (hasForeignHeaders()) {
    client.foreign = new ByteBuffer();
    copyForeignHeaders(client.foreign);
  }
  if (wasRefused()) return context.refuse(outOfMemory("request"));
  keepPlainRequestId(exchange);
  // Before a stage can leave the request to Envoy, which would send it there.
  removeClusters();
  client.hasHint = HINT.length > 0;
  client.hasJsonType = sameSpan(CONTENT_TYPE, JSON_TYPE);
  return Outcome.Next;
}

export function recogniseEndpoint(exchange: Exchange, context: StageContext): Outcome {
  const client = exchange.client;
  let length = lengthWithoutQuery(PATH);
  if (length < PATH.length) logClientPath(PATH);
  if (FORWARDED_FOR.length > 0) logForwardedFor(FORWARDED_FOR);
  let endpoint = endpointOf(PATH, length);
  if (endpoint === UNKNOWN) {
    endpoint = endpointOfSpelling(length);
    length = lengthWithoutQuery(PATH);
  }
  client.endpoint = endpoint;
  client.dialect = endpoint === UNKNOWN ? dialectOfPath(PATH, length) : endpoint.dialect;
  keepPathEnd(exchange, length);
  if (endpoint === UNKNOWN || !isServed(exchange, context.config))
    return context.refuse(unknownPath(exchange, context.config));
  client.isForm = endpoint.row.isForm && isFormType(CONTENT_TYPE);
  if (endpoint.row === MODEL_LIST || endpoint.row === MODEL_BY_ID) chooseDialectOfList(exchange);
  return Outcome.Next;
}

/** Returns whether the listener serves the endpoint. */
function isServed(exchange: Exchange, config: Config): bool {
  const client = exchange.client;
  const row = client.endpoint.row;
  if (row.isForTools && !config.hasTools()) return false;
  if (client.isIngress) return row.isOnIngress;
  return client.isModelServer ? row.isOnOwnEgress : row.isOnEgress;
}

/** Responds to everything that needs no provider, wrong methods included. */
export function respondLocally(exchange: Exchange, context: StageContext): Outcome {
  const endpoint = exchange.client.endpoint;
  if (sameSpan(METHOD, constant("OPTIONS"))) {
    respondToOptions(exchange, endpoint.allow);
    return Outcome.Responded;
  }
  if (!endpoint.allows(METHOD)) return context.refuse(wrongMethod(exchange));
  if (!endpoint.row.isLocal) return Outcome.Next;
  // If its server cannot be reached, the response is Envoy's.
  if (endpoint.row === MCP) return Outcome.Leave;
  if (endpoint.row === READINESS) {
    exchange.response.enter(ResponseOwner.NativeRoute);
    return Outcome.Leave;
  }
  return respondFromConfig(exchange, context);
}

/** Begins to capture a client's request that may be translated, if the configuration asks for it. */
export function captureHead(exchange: Exchange, context: StageContext): Outcome {
  const rules = context.config.content;
  const client = exchange.client;
  if (rules === null || client.isModelServer || !client.endpoint.row.isInference)
    return Outcome.Next;
  const content = new Content(rules);
  content.keepHead(requestIdSpan(exchange), exchange.startedAt, client.isIngress);
  exchange.content = content;
  return Outcome.Next;
}

/** Keeps the path below the endpoint, and the query without credentials, for the provider. */
function keepPathEnd(exchange: Exchange, length: u32): void {
  const client = exchange.client;
  const own = client.endpoint.path.length;
  const childLength = client.endpoint.row.hasChildren && length > own ? length - own : 0;
  const queryLength = PATH.length - length;
  if (childLength + queryLength == 0) return;
  const end = new ByteBuffer();
  client.pathEnd = end;
  end.bytes(PATH.pointer + own, childLength);
  if (queryLength == 0) return;
  dropCredentials(PATH.pointer + length, queryLength, end);
  client.isQueryCut = end.length - childLength != queryLength;
}

/** Dialects share the paths of models; a header that only one of them requires decides. */
function chooseDialectOfList(exchange: Exchange): void {
  for (let i = 0; i < CLIENT_DIALECTS.length; i++) {
    const required = CLIENT_DIALECTS[i].requiredHeaders;
    for (let j = 0; j < required.length; j++) {
      if (hasOwnHeader(exchange.client.headers, required[j].name))
        exchange.client.dialect = CLIENT_DIALECTS[i];
    }
  }
}
