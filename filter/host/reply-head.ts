// What is looked for in the head of a reply. Values are valid until the next `readReplyHead`.
import { constant } from "../text/bytes";
import { Head } from "./head";
import { RESPONSE_HEADERS } from "./host";

const head = new Head(RESPONSE_HEADERS);

export const STATUS = head.want(constant(":status")).value;
export const CONTENT_TYPE = head.want(constant("content-type")).value;
export const CONTENT_LENGTH = head.want(constant("content-length")).value;
export const CONTENT_ENCODING = head.want(constant("content-encoding")).value;
/** The provider's own id of the request, by the names of both dialects. */
export const OPENAI_ID = head.want(constant("x-request-id")).value;
export const ANTHROPIC_ID = head.want(constant("request-id")).value;

/** Reads the head of the current reply. */
export function readReplyHead(): void {
  head.read();
}
