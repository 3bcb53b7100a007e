// The response to a prompt whose text the gateway has, in the client's dialect, complete or as a stream.
import { wasRefused } from "../memory/blocks";
import { ResponseSink } from "../hub/response/events";
import { Translation } from "../hub/response/translation";
import { outOfMemory } from "../hub/faults/fault";
import { FINISH_STOP } from "../hub/response/finish-reason";
import { Exchange } from "../exchange/exchange";
import { JSON_TYPE } from "../exchange/header-names";
import { respond, respondWithFault, EVENT_STREAM_TYPE } from "../exchange/respond";
import { requestId } from "../exchange/request-id";
import { ResponseMetadata } from "../exchange/response-metadata";
import { currentSeconds } from "../host/host";
import { escapeWire } from "../bytes/json/text";
import { Tape } from "../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { writeMetadata } from "./prompt-metadata";
import { Prompt } from "./prompt";

const response = scratchBuffer();
const out = scratchBuffer();
const value = scratchBuffer();
const member = new Span(0, 0);

/** Sends 200 with `prompt.text`, the inside of a JSON string. */
export function respondToPrompt(prompt: Prompt): void {
  const exchange = prompt.exchange;
  response.clear();
  writeResponse(exchange, prompt);
  out.clear();
  value.clear();
  writeMetadata(prompt, value);
  if (value.length > 0) insertMetadata(exchange);
  out.bytes(response.pointer + inserted, response.length - inserted);
  inserted = 0;
  if (wasRefused()) {
    respondWithFault(exchange, outOfMemory("response"));
    return;
  }
  respond(exchange, 200, exchange.client.isStreaming ? EVENT_STREAM_TYPE : JSON_TYPE, out);
}
/** Bytes of `response` that `out` has already. */
let inserted: u32 = 0;

function insertMetadata(exchange: Exchange): void {
  const metadata = new ResponseMetadata(exchange.client.dialect, value);
  inserted = metadata.insertAt(response.pointer, response.length);
  out.bytes(response.pointer, inserted);
  out.span(metadata.span(member));
  metadata.release();
}

function writeResponse(exchange: Exchange, prompt: Prompt): void {
  const id = requestId(exchange);
  const translation = new Translation(id);
  const head = translation.head;
  escapeWire(id.pointer, id.length, head.id);
  head.model.text("gateway");
  head.clock = currentSeconds;
  const writer = newWriter(exchange, translation, prompt.tape);
  writer.begin();
  writer.text(prompt.text.pointer, prompt.text.length);
  writer.finish(FINISH_STOP, 0, 0);
  writer.usageFinal();
  writer.end();
  writer.release();
  head.release();
}

function newWriter(exchange: Exchange, translation: Translation, tape: Tape): ResponseSink {
  const dialect = exchange.client.dialect;
  // No language model was called for this response.
  translation.usage.freshInput = 0;
  translation.usage.output = 0;
  if (!exchange.client.isStreaming) return dialect.newCompleteWriter(response, translation);
  translation.wantsUsage = tape.isTrue(
    tape.member(tape.member(0, constant("stream_options")), constant("include_usage")),
  );
  return dialect.newStreamWriter(response, translation);
}
