// Writes frames of AWS's binary event stream (application/vnd.amazon.eventstream), as Bedrock sends them.
// @see https://smithy.io/2.0/aws/amazon-eventstream.html
import { crc32 } from "node:zlib";

/** A header with a value that is not a string has its type, and the bytes of its value with their length, if it has one. */
export type HeaderValue = string | { type: number; bytes: Uint8Array };

/** Returns a frame. A payload that is no string is sent as JSON. */
export function frame(headers: Record<string, HeaderValue>, payload: unknown = ""): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(head.length + body.length + 16, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const content = Buffer.concat([prelude, head, body]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(content));
  return Buffer.concat([content, end]);
}

/** Returns the frame of an event. Bedrock pads payloads with a member `p`. */
export function eventFrame(type: string, payload: unknown): Buffer {
  const headers = { ":event-type": type, ":content-type": "application/json" };
  return frame({ ...headers, ":message-type": "event" }, payload);
}

/** Returns the frame of an exception of the API, such as `throttlingException`. */
export function exceptionFrame(type: string, payload: unknown): Buffer {
  const headers = { ":exception-type": type, ":content-type": "application/json" };
  return frame({ ...headers, ":message-type": "exception" }, payload);
}

/** Returns the frame of an error that the API does not define. */
export function errorFrame(code: string, message: string): Buffer {
  return frame({ ":message-type": "error", ":error-code": code, ":error-message": message });
}

/** Returns the frame of an event of a model that InvokeModel streams: its JSON as base64. */
export function chunkFrame(event: unknown): Buffer {
  const text = typeof event === "string" ? event : JSON.stringify(event);
  return eventFrame("chunk", { bytes: Buffer.from(text).toString("base64"), p: "abcdef" });
}

function header(name: string, value: HeaderValue): Buffer {
  const type = typeof value === "string" ? 7 : value.type;
  const bytes = Buffer.from(typeof value === "string" ? value : value.bytes);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  const isSized = typeof value === "string";
  return Buffer.concat([
    Buffer.of(name.length),
    Buffer.from(name),
    Buffer.of(type),
    ...(isSized ? [length] : []),
    bytes,
  ]);
}
