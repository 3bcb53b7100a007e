// The `metadata` member of the response to a prompt whose API was called: in the gateway's response or the language model's.
import { freeBlock, wasRefused } from "../memory/blocks";
import { FALSE, SHOULD_RETRY } from "../exchange/respond";
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
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { Prompt } from "./prompt";

const CONTENT_LENGTH = constant("content-length");
/** A response's first brace stands in its first bytes. */
const SEARCHED_BYTES: u32 = 4096;

const start = scratchBuffer();
const member = new Span(0, 0);

/** Writes the value: the target, its parameters, and the status of its API. Nothing if no API was called. */
export function writeMetadata(prompt: Prompt, out: ByteBuffer): void {
  const target = prompt.target;
  if (target === null || prompt.apiStatus == 0) return;
  out.text('{"prompt_target":{"name":"');
  out.span(target.name);
  out.text('","arguments":');
  if (prompt.argumentsJson.length == 0) out.text("{}");
  out.bytes(prompt.argumentsJson.pointer, prompt.argumentsJson.length);
  out.text(',"status":');
  out.integer(<i64>prompt.apiStatus);
  out.text("}}");
}

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
  const bytes = takeBody(RESPONSE_BODY, 0, SEARCHED_BYTES);
  if (bytes.pointer == 0) return;
  const at = metadata.insertAt(bytes.pointer, bytes.length);
  if (at > 0) {
    start.clear();
    start.bytes(bytes.pointer, at);
    start.span(metadata.span(member));
    if (!wasRefused()) replaceBodyPrefix(RESPONSE_BODY, at, start);
  }
  freeBlock(bytes.pointer);
  // The length of a held complete response was set before the insertion.
  if (at > 0) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
}
