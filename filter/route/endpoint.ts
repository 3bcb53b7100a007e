// What a request is for: the path and method of what the gateway serves, and the dialect to answer in.
import { ANTHROPIC_MESSAGES, OPENAI_CHAT_COMPLETIONS } from "../dialects/dialect";
import { constant, sameBytes, Span } from "../text/bytes";
import { lengthWithoutQuery } from "../text/query";

export const ENDPOINT_UNKNOWN: i32 = 0;
export const ENDPOINT_CHAT: i32 = 1;
export const ENDPOINT_MESSAGES: i32 = 2;
export const ENDPOINT_MODELS: i32 = 3;
export const ENDPOINT_HEALTH: i32 = 4;
export const ENDPOINT_ROOT: i32 = 5;
/** The answer is a route of Envoy's, which the control plane changes. */
export const ENDPOINT_READY: i32 = 6;

const CHAT_PATH = constant("/v1/chat/completions");
const MESSAGES_PATH = constant("/v1/messages");
const MODELS_PATH = constant("/v1/models");
const HEALTH_PATH = constant("/healthz");
const READY_PATH = constant("/readyz");
const ROOT_PATH = constant("/");
const ANY_PATH = constant("*");

const GET = constant("GET");
const HEAD = constant("HEAD");
const POST = constant("POST");
const OPTIONS = constant("OPTIONS");

/** The endpoint of a request target; its query does not matter. */
export function endpointOf(path: Span): i32 {
  const length = lengthWithoutQuery(path);
  if (is(path.pointer, length, CHAT_PATH)) return ENDPOINT_CHAT;
  if (is(path.pointer, length, MESSAGES_PATH)) return ENDPOINT_MESSAGES;
  if (is(path.pointer, length, MODELS_PATH)) return ENDPOINT_MODELS;
  if (is(path.pointer, length, HEALTH_PATH)) return ENDPOINT_HEALTH;
  if (is(path.pointer, length, READY_PATH)) return ENDPOINT_READY;
  if (is(path.pointer, length, ROOT_PATH) || is(path.pointer, length, ANY_PATH))
    return ENDPOINT_ROOT;
  return ENDPOINT_UNKNOWN;
}

/** The dialect that a path speaks: everything at and below /v1/messages is Anthropic's, the rest OpenAI's. */
export function dialectOfPath(path: Span): i32 {
  const length = lengthWithoutQuery(path);
  if (length < MESSAGES_PATH.length || !is(path.pointer, MESSAGES_PATH.length, MESSAGES_PATH)) {
    return OPENAI_CHAT_COMPLETIONS;
  }
  const ends =
    length == MESSAGES_PATH.length || load<u8>(path.pointer + MESSAGES_PATH.length) == 0x2f;
  return ends ? ANTHROPIC_MESSAGES : OPENAI_CHAT_COMPLETIONS;
}

/** Value of the `allow` header for an endpoint. */
export function allowedMethods(endpoint: i32): string {
  return takesPost(endpoint) ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

export function takesPost(endpoint: i32): bool {
  return endpoint == ENDPOINT_CHAT || endpoint == ENDPOINT_MESSAGES;
}

/** The path of an endpoint that takes POST. */
export function pathOf(endpoint: i32): Span {
  return endpoint == ENDPOINT_MESSAGES ? MESSAGES_PATH : CHAT_PATH;
}

export function isPost(method: Span): bool {
  return is(method.pointer, method.length, POST);
}

export function isOptions(method: Span): bool {
  return is(method.pointer, method.length, OPTIONS);
}

export function isGetOrHead(method: Span): bool {
  return is(method.pointer, method.length, GET) || is(method.pointer, method.length, HEAD);
}

function is(pointer: usize, length: u32, text: Span): bool {
  return sameBytes(pointer, length, text.pointer, text.length);
}
