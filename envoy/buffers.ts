// How much of a request and of a response Envoy may buffer.
import type { GatewayModel } from "../model/model.ts";
import type { Fields } from "./envoy-types.ts";

const MEBIBYTE = 1_048_576;

/** Bytes of a complete response that the filter can hold to translate it, whatever the limit of requests is. */
const HELD_RESPONSE = 40 * MEBIBYTE;

/**
 * Returns how much of a request or of a complete response the filter can have Envoy hold; Envoy has one number for both. It is
 * more than the configured limit of requests, which the filter itself enforces: Envoy compares it with the body after the
 * filter has changed it, so a system prompt counts too.
 */
export function heldBytes(model: GatewayModel): number {
  const { requestBodyBytes } = model.limits;
  const prompts = model.targets.map(({ systemPrompt = "" }) =>
    Buffer.byteLength(JSON.stringify(systemPrompt)),
  );
  // Allowance for the bytes that a translation into another dialect adds.
  const growth = Math.max(MEBIBYTE, Math.ceil(requestBodyBytes / 4));
  return Math.max(HELD_RESPONSE, requestBodyBytes + growth + Math.max(0, ...prompts));
}

/**
 * Bytes of a connection, client's or provider's, that are read ahead or wait to be written: what one client that does not
 * read its response can hold is a few times this. Also the maximum that the filter gets in one callback.
 */
export const CONNECTION_BUFFER = MEBIBYTE / 4;

/**
 * Bytes of one HTTP/2 stream that are on their way: 10 MB per second at a round trip of 100 ms. Envoy also buffers as much for a
 * client that does not read the stream.
 */
const STREAM_WINDOW = MEBIBYTE;
/** Requests on one HTTP/2 connection to a provider; a further one gets another connection. Most providers accept 100 to 128. */
const MAX_STREAMS = 100;

/**
 * Returns the windows of HTTP/2. What Envoy holds of a stream whose client does not read uses up the window of the
 * provider's connection: with room for all of its streams, no client can stop those of others.
 */
export function windows(): Fields {
  return {
    initial_stream_window_size: STREAM_WINDOW,
    // Twice, because Envoy grants more only when half of it has been read.
    initial_connection_window_size: 2 * MAX_STREAMS * STREAM_WINDOW,
  };
}

/** Returns the windows of connections to providers, and the number of streams that they have room for. */
export function providerWindows(): Fields {
  return { ...windows(), max_concurrent_streams: MAX_STREAMS };
}
