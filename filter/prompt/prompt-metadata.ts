// The value of the `metadata` member of the response to a prompt whose API was called.
import { ResponseMetadata } from "../exchange/response-metadata";
import { ByteBuffer } from "../bytes/text/bytes";
import { Prompt } from "./prompt";

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

/** Keeps the member for the language model's response. */
export function keepMetadata(prompt: Prompt): void {
  const value = new ByteBuffer();
  writeMetadata(prompt, value);
  prompt.exchange.metadata = new ResponseMetadata(prompt.exchange.client.dialect, value);
  value.release();
}
