// Sends the callouts of prompts, to the model server and to APIs, all through the internal listener.
import { HEADER_CLUSTER } from "../../contract/words";
import { PromptTarget } from "../config/prompt-target";
import { Exchange } from "../exchange/exchange";
import { REQUEST_ID, requestIdSpan } from "../exchange/request-id";
import { addCalloutHeader, NO_CALLOUT, sendCallout } from "../host/callout";
import { logCalloutPath } from "../observe/access-log";
import { ByteBuffer, constant, sameSpan, Span } from "../bytes/text/bytes";
import { ApiRequest } from "./api-request";
import { addTraceContext } from "./trace-context";

const INTERNAL = constant("internal");
const MODEL_SERVER = constant("model_server");
const CONTENT_TYPE = constant("content-type");
const JSON_TYPE = constant("application/json");
const ACCEPT = constant("accept");
const POST = constant("POST");

/** Context ids of the streams with a callout in flight, by token. */
const waiting = new Map<u32, u32>();

const path = new Span(0, 0);
const body = new Span(0, 0);

/** Sends a POST to the model server. Returns the token, or NO_CALLOUT. */
export function callModelServer(
  exchange: Exchange,
  to: Span,
  bytes: ByteBuffer,
  timeoutMs: u32,
): u32 {
  addCommonHeaders(exchange, MODEL_SERVER);
  addCalloutHeader(CONTENT_TYPE, JSON_TYPE);
  const token = sendCallout(INTERNAL, POST, to, MODEL_SERVER, bytes.view(body), timeoutMs);
  return remember(exchange, token);
}

/** Sends a request to a prompt target's API. Returns the token, or NO_CALLOUT. */
export function callApi(
  exchange: Exchange,
  target: PromptTarget,
  request: ApiRequest,
  timeoutMs: u32,
): u32 {
  addCommonHeaders(exchange, target.cluster);
  let hasAccept = false;
  if (!target.isGet) addCalloutHeader(CONTENT_TYPE, JSON_TYPE);
  for (let i = 0; i < target.headers.length; i++) {
    const name = target.headers[i].name;
    addCalloutHeader(name, target.headers[i].value);
    if (sameSpan(name, ACCEPT)) hasAccept = true;
  }
  if (!hasAccept) addCalloutHeader(ACCEPT, JSON_TYPE);
  logCalloutPath(request.path.view(path));
  request.body.view(body);
  const method = target.isGet ? constant("GET") : POST;
  const token = sendCallout(INTERNAL, method, path, target.authority, body, timeoutMs);
  return remember(exchange, token);
}

/** Returns the context id of the stream that sent a callout, or -1, and forgets the callout. */
export function takeWaiting(token: u32): i32 {
  if (!waiting.has(token)) return -1;
  const contextId = waiting.get(token);
  waiting.delete(token);
  return <i32>contextId;
}

/** Forgets a callout whose stream is gone. */
export function forgetCallout(token: u32): void {
  waiting.delete(token);
}

function addCommonHeaders(exchange: Exchange, cluster: Span): void {
  addCalloutHeader(constant(HEADER_CLUSTER), cluster);
  addCalloutHeader(REQUEST_ID, requestIdSpan(exchange));
  addTraceContext(exchange);
}

function remember(exchange: Exchange, token: u32): u32 {
  if (token != NO_CALLOUT) waiting.set(token, exchange.contextId);
  return token;
}
