// The request on its way out: headers and body for one target. Runs once in the downstream context where a route has
// one target, and once per attempt in the upstream context where it has several; always from what was saved, because
// the header map is shared between the attempts of a request.
import { wasRefused } from "../memory/blocks";
import { HEADER_API_KEY } from "../../contract/words";
import { Target } from "../config/target";
import { Fault, outOfMemory } from "../hub/fault";
import { RequestReport } from "../hub/request-report";
import { StreamUsageFilter } from "../dialects/stream-usage";
import {
  header,
  removeHeader,
  replaceBodyPrefix,
  REQUEST_BODY,
  REQUEST_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../host/host";
import { API_KEY, BEARER_TOKEN } from "../dialects/dialect";
import { hasOwnHeader } from "../exchange/request-head";
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";
import { JSON_TYPE } from "../exchange/answer";
import { KeptHeader } from "../exchange/attempts";
import { Exchange } from "../exchange/exchange";
import { ByteBuffer, constant, sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";
import { CONTENT_LENGTH, CONTENT_TYPE } from "./header-names";

const PATH = constant(":path");
const AUTHORITY = constant(":authority");

const report = new RequestReport();
const edits = new Edits();
const prefix = scratchBuffer();
const path = new Span(0, 0);
const value = new Span(0, 0);
const NO_VALUE = new Span(0, 0);
/** Bytes of the client's body that `prefix` replaces. */
let replaced: u32 = 0;
let asksUsage: bool = false;

/** Prepares the one attempt of a request. A fault means that the target cannot take the request. */
export function prepareAttempt(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  const fault = prepareBody(exchange, target, tape);
  if (fault === null)
    writeHeaders(
      exchange,
      target,
      target.credentials.length > 0 ? target.credentials[0] : NO_VALUE,
    );
  return fault;
}

/** Prepares the body alone, while the host holds it as the client sent it. A fault as above. */
export function prepareBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  const fault = makeBody(exchange, target, tape);
  if (fault !== null) {
    exchange.target = target;
    return fault;
  }
  startAttempt(exchange, target);
  if (replaced == 0 && prefix.length == 0) return null;
  replaceBodyPrefix(REQUEST_BODY, replaced, prefix);
  setHeaderNumber(REQUEST_HEADERS, CONTENT_LENGTH, tape.length - replaced + prefix.length);
  return null;
}

/** The same again for another attempt: `held` is how many bytes the host holds, as an earlier attempt left them. */
export function prepareBodyAgain(
  exchange: Exchange,
  target: Target,
  tape: Tape,
  held: u32,
): Fault | null {
  const fault = makeBody(exchange, target, tape);
  if (fault !== null) return fault;
  startAttempt(exchange, target);
  prefix.bytes(tape.base + replaced, tape.length - replaced);
  if (wasRefused()) return outOfMemory("request");
  replaceBodyPrefix(REQUEST_BODY, held, prefix);
  setHeaderNumber(REQUEST_HEADERS, CONTENT_LENGTH, prefix.length);
  return null;
}

/** The body of a later attempt is made then, from what Envoy holds: nothing is changed now. A fault as above. */
export function leaveBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  exchange.target = target;
  return makeBody(exchange, target, tape);
}

/** Whether a target can take the request: then it is counted where requests are limited. Nothing else is changed. */
export function canTake(exchange: Exchange, target: Target, tape: Tape): bool {
  return makeBody(exchange, target, tape) === null;
}

/** Whether a target can express the request, whatever its rate limits leave. Nothing is changed. */
export function canExpress(exchange: Exchange, target: Target, tape: Tape): bool {
  const fault = writeBody(exchange, target, tape);
  // Without memory it is not known; there may be some when it is asked again.
  return wasRefused() || fault === null;
}

/** Whether the rate limits leave something for a target: then the request is counted. */
export function admits(exchange: Exchange, target: Target): bool {
  const meter = exchange.meter;
  return meter === null || meter.admit(target);
}

/** Makes `prefix`, `replaced`, `report` and `asksUsage`. A fault also where a rate limit leaves nothing for the target. */
function makeBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  const fault = writeBody(exchange, target, tape);
  if (wasRefused()) return outOfMemory("request");
  if (fault !== null) return fault;
  const meter = exchange.meter;
  return meter === null || meter.admit(target) ? null : meter.fault();
}

/** Makes the same, whatever the rate limits leave. */
function writeBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  prefix.clear();
  replaced = 0;
  asksUsage = false;
  report.fault = null;
  report.dropped.clear();
  if (target.passesClientKey && exchange.client.key.length == 0) return noClientKey(target);
  return target.dialect === exchange.client.dialect
    ? editBody(exchange, target, tape)
    : translateBody(exchange, target, tape);
}

/** What the rest of the attempt has to know of the body that was made. */
function startAttempt(exchange: Exchange, target: Target): void {
  exchange.startAttempt(target);
  exchange.response.dropped.bytes(report.dropped.pointer, report.dropped.length);
  if (exchange.isTranslated()) {
    exchange.response.wantsUsage = report.wantsUsage;
    // After an attempt before, its own headers may have been taken out.
    if (!exchange.client.hasJsonType || exchange.runsUpstream())
      setHeader(REQUEST_HEADERS, CONTENT_TYPE, JSON_TYPE);
  } else if (asksUsage) {
    exchange.response.usageFilter = new StreamUsageFilter(target.dialect, true);
  }
}

/** The body for a provider of the other dialect; a fault when the dialect cannot say what the client asks. */
function translateBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  exchange.client.dialect.translateRequest(
    tape,
    target.dialect,
    target.modelJson,
    exchange.systemPromptOf(target),
    target.limits,
    prefix,
    report,
  );
  replaced = tape.length;
  return report.fault;
}

/** The client's own body, with the few edits that this target asks for; a fault when strict limits forbid one. */
function editBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  edits.clear();
  target.dialect.setModel(tape, target.modelJson, edits);
  let prompt = exchange.systemPromptOf(target);
  if (target.limits.isLimiting) {
    prompt = target.dialect.fitRequest(tape, target.limits, prompt, edits, report);
    if (report.fault !== null) return report.fault;
  }
  target.dialect.editRequest(tape, prompt, edits);
  asksUsage =
    exchange.client.isStreaming && target.asksUsage && target.dialect.askUsage(tape, edits);
  if (!edits.isEmpty()) replaced = edits.prefix(tape.base, prefix);
  return null;
}

/** Takes back what the attempt before put into the shared header map; credentials are taken out by Envoy. */
export function forgetHeaders(exchange: Exchange, before: Target): void {
  for (let i = 0; i < before.headers.length; i++)
    removeHeader(REQUEST_HEADERS, before.headers[i].name);
  if (before.dialect === exchange.client.dialect) return;
  const required = before.dialect.requiredHeaders;
  for (let i = 0; i < required.length; i++) removeHeader(REQUEST_HEADERS, required[i].name);
}

/** Takes out what only the client's dialect knows. An attempt in that dialect may follow, so it is kept then. */
function removeForeignHeaders(exchange: Exchange): void {
  const foreign = exchange.client.dialect.ownHeaders;
  const attempts = exchange.attempts;
  for (let i = 0; i < foreign.length; i++) {
    const name = foreign[i];
    // An attempt before may have put in what the client has not sent.
    if (attempts !== null) attempts.keep(name, header(REQUEST_HEADERS, name));
    else if (!hasOwnHeader(exchange.client.headers, name)) continue;
    removeHeader(REQUEST_HEADERS, name);
  }
}

function restoreHeaders(exchange: Exchange): void {
  const attempts = exchange.attempts;
  if (attempts === null) return;
  let kept: KeptHeader | null = attempts.kept;
  while (kept !== null) {
    value.pointer = kept.value.pointer;
    value.length = kept.value.length;
    setHeader(REQUEST_HEADERS, kept.name, value);
    kept = kept.next;
  }
}

/** The headers of a target, with one of its keys. */
export function writeHeaders(exchange: Exchange, target: Target, credential: Span): void {
  writePath(exchange, target);
  setHeader(REQUEST_HEADERS, AUTHORITY, target.authority);
  if (credential.length > 0) setHeader(REQUEST_HEADERS, target.credentialName, credential);
  if (target.passesClientKey) passClientKey(exchange.client.key, target);
  if (exchange.isTranslated()) removeForeignHeaders(exchange);
  else restoreHeaders(exchange);
  const required = target.dialect.requiredHeaders;
  for (let i = 0; i < required.length; i++) {
    // What a client of another dialect sends is not about what the translation writes.
    if (exchange.isTranslated() || !hasHeader(exchange, required[i].name))
      setHeader(REQUEST_HEADERS, required[i].name, required[i].value);
  }
  for (let i = 0; i < target.headers.length; i++) {
    setHeader(REQUEST_HEADERS, target.headers[i].name, target.headers[i].value);
  }
}

function noClientKey(target: Target): Fault {
  const how = "' wants a key of your own, as 'Authorization: Bearer' or 'x-api-key'";
  const other = "; a key of the gateway's goes into '" + HEADER_API_KEY + "'.";
  return new Fault(401, "'" + target.name + how + other).coded("invalid_api_key");
}

/** The client's own key, in the header that the provider wants it in, and in no other. */
function passClientKey(key: ByteBuffer, target: Target): void {
  value.pointer = key.pointer;
  value.length = key.length;
  const scheme = target.dialect.credentialScheme(value);
  prefix.clear();
  prefix.span(scheme.prefix);
  prefix.bytes(key.pointer, key.length);
  value.pointer = prefix.pointer;
  value.length = prefix.length;
  setHeader(REQUEST_HEADERS, scheme.header, value);
  removeHeader(REQUEST_HEADERS, scheme === API_KEY ? BEARER_TOKEN.header : API_KEY.header);
}

/** An earlier attempt may have added a header that the client has not sent: then the header map is read again. */
function hasHeader(exchange: Exchange, name: Span): bool {
  return exchange.runsUpstream()
    ? header(REQUEST_HEADERS, name).length > 0
    : hasOwnHeader(exchange.client.headers, name);
}

/** A client's query belongs to its dialect (`?beta=true` of Anthropic's SDKs): it goes on where the dialect does. */
function writePath(exchange: Exchange, target: Target): void {
  // Most providers listen where the client has asked: a header that is right already costs nothing.
  const isRight = sameBytes(
    target.path.pointer,
    target.path.length,
    exchange.client.path.pointer,
    exchange.client.path.length,
  );
  if (
    isRight &&
    !exchange.isTranslated() &&
    !exchange.runsUpstream() &&
    !exchange.client.isQueryCut
  )
    return;
  prefix.clear();
  target.dialect.writePath(target.path, target.modelText, exchange.client.isStreaming, prefix);
  if (!exchange.isTranslated())
    prefix.bytes(exchange.client.query.pointer, exchange.client.query.length);
  path.pointer = prefix.pointer;
  path.length = prefix.length;
  setHeader(REQUEST_HEADERS, PATH, path);
}
