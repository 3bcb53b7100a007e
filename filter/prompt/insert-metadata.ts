// The `metadata` member of a language model's answer to a prompt that an API has helped with.
import { freeBlock, wasRefused } from "../memory/blocks";
import { FALSE, SHOULD_RETRY } from "../exchange/answer";
import { Exchange } from "../exchange/exchange";
import { ResponseOwner } from "../exchange/response";
import { ResponseMetadata } from "../exchange/response-metadata";
import {
  removeHeader,
  replaceBodyPrefix,
  RESPONSE_BODY,
  RESPONSE_HEADERS,
  setHeader,
  takeBody,
} from "../host/host";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";

const CONTENT_LENGTH = constant("content-length");
/** A response's first brace stands in its first bytes. */
const LOOKED_AT: u32 = 4096;

const out = scratchBuffer();
const member = new Span(0, 0);

/** An error has no place for it, and must not make an SDK call the API again; any other response grows. */
export function prepareMetadata(exchange: Exchange): void {
  const response = exchange.response;
  if (response.owner == ResponseOwner.Provider && response.status < 400) {
    removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
    return;
  }
  if (exchange.mayHaveActed) setHeader(RESPONSE_HEADERS, SHOULD_RETRY, FALSE);
  exchange.dropMetadata();
}

/** Puts the member into the bytes that are about to leave, if their first brace is among them. */
export function insertMetadata(metadata: ResponseMetadata): void {
  if (metadata.isDone) return;
  const bytes = takeBody(RESPONSE_BODY, 0, LOOKED_AT);
  if (bytes.pointer == 0) return;
  const at = metadata.insertAt(bytes.pointer, bytes.length);
  if (at > 0) {
    out.clear();
    out.bytes(bytes.pointer, at);
    out.span(metadata.span(member));
    if (!wasRefused()) replaceBodyPrefix(RESPONSE_BODY, at, out);
  }
  freeBlock(bytes.pointer);
  // In a held complete response the length has been set for what it was before.
  if (at > 0) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
}
