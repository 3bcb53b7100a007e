// The paths and methods that the gateway serves.
import { DIALECTS } from "../dialects/registry";
import { constant, sameBytes, Span } from "../bytes/text/bytes";
import { lengthWithoutQuery } from "../bytes/text/query";

export const ENDPOINT_UNKNOWN: i32 = 0;
/** A request for a model, in the dialect whose endpoint it is. */
export const ENDPOINT_INFERENCE: i32 = 1;
export const ENDPOINT_MODELS: i32 = 2;
export const ENDPOINT_HEALTH: i32 = 3;
export const ENDPOINT_ROOT: i32 = 4;
/** A route of Envoy responds, which the control plane changes. */
export const ENDPOINT_READY: i32 = 5;

const MODELS_PATH = constant("/v1/models");
const HEALTH_PATH = constant("/healthz");
const READY_PATH = constant("/readyz");
const ROOT_PATH = constant("/");
const ANY_PATH = constant("*");

const GET = constant("GET");
const HEAD = constant("HEAD");
const POST = constant("POST");
const OPTIONS = constant("OPTIONS");

/** Returns the endpoint of a request target, whatever its query. */
export function endpointOf(path: Span): i32 {
  const length = lengthWithoutQuery(path);
  for (let i = 0; i < DIALECTS.length; i++) {
    const own = DIALECTS[i].path;
    if (own.length > 0 && is(path.pointer, length, own)) return ENDPOINT_INFERENCE;
  }
  if (is(path.pointer, length, MODELS_PATH)) return ENDPOINT_MODELS;
  if (is(path.pointer, length, HEALTH_PATH)) return ENDPOINT_HEALTH;
  if (is(path.pointer, length, READY_PATH)) return ENDPOINT_READY;
  if (is(path.pointer, length, ROOT_PATH) || is(path.pointer, length, ANY_PATH))
    return ENDPOINT_ROOT;
  return ENDPOINT_UNKNOWN;
}

/** Returns whether the request reads or uses models: then a listener's key or origin is checked. */
export function isForModels(endpoint: i32, method: Span): bool {
  return endpoint == ENDPOINT_INFERENCE
    ? isPost(method)
    : endpoint == ENDPOINT_MODELS && isGetOrHead(method);
}

/** Returns the value of the `allow` header for an endpoint. */
export function allowedMethods(endpoint: i32): string {
  return takesPost(endpoint) ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

export function takesPost(endpoint: i32): bool {
  return endpoint == ENDPOINT_INFERENCE;
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
