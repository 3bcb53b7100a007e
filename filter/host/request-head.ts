// What is looked for in the head of a request. Values are valid until the next `readHead`.
import { HEADER_API_KEY, HEADER_HINT, HEADER_STREAM_CLUSTER } from "../../contract/words";
import { constant } from "../text/bytes";
import { Head, Wanted } from "./head";
import { REQUEST_HEADERS } from "./host";

const head = new Head(REQUEST_HEADERS);

export const PATH = head.want(constant(":path")).value;
export const METHOD = head.want(constant(":method")).value;
export const REQUEST_ID = head.want(constant("x-request-id")).value;
export const HINT = head.want(constant(HEADER_HINT)).value;
export const STREAM_CLUSTER = head.want(constant(HEADER_STREAM_CLUSTER)).value;
export const AUTHORIZATION = head.want(constant("authorization")).value;
export const X_API_KEY = head.want(constant("x-api-key")).value;
export const GATEWAY_KEY = head.want(constant(HEADER_API_KEY)).value;
export const CONTENT_TYPE = head.want(constant("content-type")).value;

const VERSION = head.want(constant("anthropic-version"));
export const ANTHROPIC_VERSION = VERSION.value;

/** Headers of one dialect that say nothing to a provider of the other. */
export const ANTHROPIC_ONLY: Wanted[] = [
  VERSION,
  head.want(constant("anthropic-beta")),
  head.want(constant("anthropic-dangerous-direct-browser-access")),
];
export const OPENAI_ONLY: Wanted[] = [
  head.want(constant("openai-organization")),
  head.want(constant("openai-project")),
  head.want(constant("openai-beta")),
];

/** Reads the head of the current request; answers the bits of the headers above that it has. */
export function readHead(): u32 {
  head.read();
  return head.present;
}
