// The `metadata` member of the response to a prompt whose API was called, in a language model's response.
import { wasRefused } from "../../memory/blocks";
import { FALSE, SHOULD_RETRY } from "../../exchange/respond";
import { Exchange } from "../../exchange/exchange";
import { CONTENT_LENGTH } from "../../exchange/header-names";
import { ResponseOwner } from "../../exchange/response";
import { ResponseMetadata } from "../../exchange/response-metadata";
import { removeHeader, RESPONSE_HEADERS, setHeader } from "../../host/host";
import { scratchBuffer, Span } from "../../bytes/text/bytes";
import { replaceBytes, takeBytes } from "../body";

/** A response's first brace stands in its first bytes. */
const SEARCHED_BYTES: u32 = 4096;

const start = scratchBuffer();
const member = new Span(0, 0);

/**
 * Prepares the head of a language model's response. An error has no metadata, and must not make an SDK call the API again;
 * any other response gets longer.
 */
export function prepareMetadata(exchange: Exchange): void {
  const response = exchange.response;
  if (response.owner == ResponseOwner.Provider && response.status < 400) {
    removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
    return;
  }
  if (exchange.mayHaveActed) setHeader(RESPONSE_HEADERS, SHOULD_RETRY, FALSE);
  exchange.dropMetadata();
}

/** Inserts the member into the bytes that are about to leave, if their first brace is among them. */
export function insertMetadata(metadata: ResponseMetadata): void {
  if (metadata.isDone) return;
  const bytes = takeBytes(0, SEARCHED_BYTES);
  if (bytes.pointer == 0) return;
  const at = metadata.insertAt(bytes.pointer, bytes.length);
  if (at > 0) {
    start.clear();
    start.bytes(bytes.pointer, at);
    start.span(metadata.span(member));
    if (!wasRefused()) replaceBytes(at, start);
  }
  // The length of a held complete response was set before the insertion.
  if (at > 0) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
}
