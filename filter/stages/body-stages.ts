// Stages of the body: whether it is waited for, and the scan that everything after it reads.
import { mayBegin } from "../memory/memory-budget";
import { Fault, outOfMemory } from "../hub/faults/fault";
import { caseFault } from "../dialects/member-case";
import { bodyTooLarge } from "../exchange/envoy-errors";
import { Exchange } from "../exchange/exchange";
import { CONTENT_LENGTH } from "../exchange/request-head";
import { scanErrorAt, scanMessage, SCAN_MEMORY, SCAN_OK } from "../bytes/json/scan";
import { byteAt } from "../bytes/text/at";
import { decimal } from "../bytes/text/decimal";
import { Outcome, StageContext } from "./stage-context";

const FORM_PROBLEM =
  "The request body is not valid multipart/form-data: check the boundary, the last line, and that each part has one name.";

export function checkLength(exchange: Exchange, context: StageContext): Outcome {
  if (exchange.client.isWhole) return context.refuse(noBody());
  if (CONTENT_LENGTH.length == 0) return Outcome.Next;
  const length = decimal(CONTENT_LENGTH);
  // More digits than `decimal` reads are more than any limit.
  const isTooLarge = length < 0 || <u32>length > context.config.largestBody;
  return isTooLarge ? context.refuse(bodyTooLarge()) : Outcome.Next;
}

export function admitToMemory(_exchange: Exchange, context: StageContext): Outcome {
  return mayBegin() ? Outcome.Next : context.refuse(outOfMemory("request"));
}

export function awaitBody(exchange: Exchange, context: StageContext): Outcome {
  const client = exchange.client;
  if (client.bodyLength > context.config.largestBody) return context.refuse(bodyTooLarge());
  return client.isWhole ? Outcome.Next : Outcome.Wait;
}

export function scanBody(exchange: Exchange, context: StageContext): Outcome {
  const client = exchange.client;
  if (client.bodyLength == 0) return context.refuse(noBody());
  const code = context.openBody(client);
  const content = exchange.content;
  // With policies, a body is captured after they have masked it.
  const isGuarded = context.config.guards.length > 0;
  if (content !== null && !isGuarded && context.body != 0)
    content.keepRequest(context.body, client.bodyLength);
  if (code == SCAN_MEMORY) return context.refuse(outOfMemory("request"));
  if (code != SCAN_OK)
    return context.refuse(
      client.isForm ? new Fault(400, FORM_PROBLEM) : notJson(code, context.body),
    );
  return client.isForm || context.tape.isObject(0)
    ? Outcome.Next
    : context.refuse(new Fault(400, "The request body must be a JSON object."));
}

export function checkMemberNames(exchange: Exchange, context: StageContext): Outcome {
  return context.check(caseFault(context.tape, exchange.client.dialect));
}

function noBody(): Fault {
  return new Fault(400, "The request has no body; send a JSON object.");
}

function notJson(code: i32, body: usize): Fault {
  // The magic number of gzip.
  if (byteAt(body, 0) == 0x1f && byteAt(body, 1) == 0x8b)
    return new Fault(415, "Compressed request bodies are not supported; send plain JSON.");
  const where = " (at byte " + scanErrorAt.toString() + ")";
  return new Fault(400, "The request body is not valid JSON: " + scanMessage(code) + where + ".");
}
