// The request on its way out: headers and body for one target. Runs once in the downstream context where a route has
// one target, and once per attempt in the upstream context where it has several; always from what was saved, because
// the header map is shared between the attempts of a request.
import { Target } from "../config/target";
import { Fault } from "../chat/fault";
import { RequestReport } from "../chat/request-report";
import { addAnthropicSystem } from "../dialects/anthropic_messages/edit";
import { removeUnsignedThinking } from "../dialects/anthropic_messages/edit-thinking";
import { ANTHROPIC_MESSAGES } from "../dialects/dialect";
import { setModel } from "../dialects/edit-model";
import { limitRequest } from "../dialects/limit-request";
import { addOpenaiSystem, askUsage } from "../dialects/openai_chat_completions/edit";
import { translateRequest } from "../dialects/translate-request";
import { StreamUsageFilter } from "../dialects/openai_chat_completions/strip-usage";
import {
  header,
  removeHeader,
  replaceBodyPrefix,
  REQUEST_BODY,
  REQUEST_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../host/host";
import { Edits } from "../json/edit";
import { Tape } from "../json/tape";
import { JSON_TYPE } from "../exchange/answer";
import { Exchange } from "../exchange/exchange";
import { ByteBuffer, constant, sameBytes, Span } from "../text/bytes";
import { CONTENT_LENGTH, CONTENT_TYPE } from "./header-names";

const PATH = constant(":path");
const AUTHORITY = constant(":authority");
const AUTHORIZATION = constant("authorization");
const X_API_KEY = constant("x-api-key");
const ANTHROPIC_VERSION = constant("anthropic-version");
const DEFAULT_ANTHROPIC_VERSION = constant("2023-06-01");

/** Headers of one dialect that say nothing to a provider of the other. */
const ANTHROPIC_HEADERS: Span[] = [
  ANTHROPIC_VERSION,
  constant("anthropic-beta"),
  constant("anthropic-dangerous-direct-browser-access"),
];
const OPENAI_HEADERS: Span[] = [
  constant("openai-organization"),
  constant("openai-project"),
  constant("openai-beta"),
];

const report = new RequestReport();
const edits = new Edits();
const prefix = new ByteBuffer();
const path = new Span(0, 0);

/** Prepares the attempt. A fault means that this target cannot take the request. */
export function prepareAttempt(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  const meter = exchange.meter;
  if (meter !== null && !meter.admits(target)) {
    exchange.target = target;
    return meter.fault();
  }
  if (exchange.isSplit()) forgetAttempt(exchange.target);
  exchange.startAttempt(target);
  if (exchange.isForeign()) {
    const fault = translateBody(exchange, target, tape);
    if (fault !== null) return fault;
  } else {
    const fault = editBody(exchange, target, tape);
    if (fault !== null) return fault;
  }
  writeHeaders(exchange, target);
  return null;
}

/** The body for a provider of the other dialect; a fault when the dialect cannot say what the client asks. */
function translateBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  prefix.clear();
  const from = exchange.dialect;
  translateRequest(
    tape,
    from,
    target.dialect,
    target.modelJson,
    exchange.systemPromptOf(target),
    target.limits,
    prefix,
    report,
  );
  if (report.fault !== null) return report.fault;
  exchange.wantsUsage = report.wantsUsage;
  exchange.dropped.bytes(report.dropped.pointer, report.dropped.length);
  replaceBodyPrefix(REQUEST_BODY, tape.length, prefix);
  setHeaderNumber(REQUEST_HEADERS, CONTENT_LENGTH, prefix.length);
  setHeader(REQUEST_HEADERS, CONTENT_TYPE, JSON_TYPE);
  const foreign = from == ANTHROPIC_MESSAGES ? ANTHROPIC_HEADERS : OPENAI_HEADERS;
  for (let i = 0; i < foreign.length; i++) removeHeader(REQUEST_HEADERS, foreign[i]);
  return null;
}

/** The client's own body, with the few edits that this target asks for; a fault when strict limits forbid one. */
function editBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  edits.clear();
  setModel(tape, target.modelJson, edits);
  let prompt = exchange.systemPromptOf(target);
  if (target.limits.isLimiting) {
    prompt = limitRequest(tape, target.dialect, target.limits, prompt, edits, report);
    if (report.fault !== null) return report.fault;
    exchange.dropped.bytes(report.dropped.pointer, report.dropped.length);
  }
  if (target.dialect == ANTHROPIC_MESSAGES) {
    removeUnsignedThinking(tape, edits);
    if (prompt.length > 0) addAnthropicSystem(tape, prompt, edits);
  } else {
    if (prompt.length > 0) addOpenaiSystem(tape, prompt, edits);
    if (exchange.isStreaming && target.asksUsage && askUsage(tape, edits)) {
      exchange.usageFilter = new StreamUsageFilter(true);
    }
  }
  if (edits.isEmpty()) return null;
  prefix.clear();
  const replaced = edits.prefix(tape.base, prefix);
  replaceBodyPrefix(REQUEST_BODY, replaced, prefix);
  setHeaderNumber(REQUEST_HEADERS, CONTENT_LENGTH, tape.length - replaced + prefix.length);
  return null;
}

/** Takes back what the attempt before put into the shared header map. */
function forgetAttempt(before: Target | null): void {
  removeHeader(REQUEST_HEADERS, AUTHORIZATION);
  removeHeader(REQUEST_HEADERS, X_API_KEY);
  if (before === null) return;
  for (let i = 0; i < before.headers.length; i++)
    removeHeader(REQUEST_HEADERS, before.headers[i].name);
}

function writeHeaders(exchange: Exchange, target: Target): void {
  writePath(exchange, target);
  setHeader(REQUEST_HEADERS, AUTHORITY, target.authority);
  if (target.credentialName.length > 0)
    setHeader(REQUEST_HEADERS, target.credentialName, target.credential);
  // A chat client's own version says nothing of what the translation speaks.
  if (target.dialect == ANTHROPIC_MESSAGES && (exchange.isForeign() || !hasVersion(exchange))) {
    setHeader(REQUEST_HEADERS, ANTHROPIC_VERSION, DEFAULT_ANTHROPIC_VERSION);
  }
  for (let i = 0; i < target.headers.length; i++) {
    setHeader(REQUEST_HEADERS, target.headers[i].name, target.headers[i].value);
  }
}

/** An attempt before may have taken the version out, or put it in: then the headers have to be asked. */
function hasVersion(exchange: Exchange): bool {
  return exchange.isSplit()
    ? header(REQUEST_HEADERS, ANTHROPIC_VERSION).length > 0
    : exchange.hasVersion;
}

/** A client's query belongs to its dialect (`?beta=true` of Anthropic's SDKs): it goes on where the dialect does. */
function writePath(exchange: Exchange, target: Target): void {
  // Most providers listen where the client has asked: a header that is right already costs nothing.
  const isRight = sameBytes(
    target.path.pointer,
    target.path.length,
    exchange.path.pointer,
    exchange.path.length,
  );
  if (isRight && !exchange.isForeign() && !exchange.isSplit()) return;
  if (exchange.query.length == 0 || exchange.isForeign()) {
    setHeader(REQUEST_HEADERS, PATH, target.path);
    return;
  }
  prefix.clear();
  prefix.span(target.path);
  prefix.bytes(exchange.query.pointer, exchange.query.length);
  path.pointer = prefix.pointer;
  path.length = prefix.length;
  setHeader(REQUEST_HEADERS, PATH, path);
}
