// The response to a prompt whose text the gateway has: a chat completion, or a stream of its chunks.
import { wasRefused } from "../memory/blocks";
import { outOfMemory } from "../hub/fault";
import { respond, respondWithFault, JSON_TYPE } from "../exchange/respond";
import { requestId } from "../exchange/request-id";
import { currentSeconds } from "../host/host";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { CompletionHead, writeCompletion, writeCompletionStream } from "./completion";
import { writeMetadata } from "./metadata";
import { Prompt } from "./prompt";

const EVENT_STREAM_TYPE = constant("text/event-stream; charset=utf-8");
const STREAM_OPTIONS = constant("stream_options");
const INCLUDE_USAGE = constant("include_usage");

const head = new CompletionHead();
const out = scratchBuffer();
const text = new Span(0, 0);

/** Sends 200 with `prompt.text`, the inside of a JSON string. */
export function answerPrompt(prompt: Prompt): void {
  const exchange = prompt.exchange;
  const tape = prompt.tape;
  head.requestId = requestId(exchange);
  head.created = currentSeconds();
  head.metadata.clear();
  writeMetadata(prompt, head.metadata);
  head.hasUsage = tape.isTrue(tape.member(tape.member(0, STREAM_OPTIONS), INCLUDE_USAGE));
  prompt.text.view(text);
  out.clear();
  if (exchange.client.isStreaming) writeCompletionStream(head, text, out);
  else writeCompletion(head, text, out);
  if (wasRefused()) {
    respondWithFault(exchange, outOfMemory("response"));
    return;
  }
  respond(exchange, 200, exchange.client.isStreaming ? EVENT_STREAM_TYPE : JSON_TYPE, out);
}
