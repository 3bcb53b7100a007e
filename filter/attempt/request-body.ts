// The body of a request for one target: the client's with a few edits, or its translation. Always made from the client's
// body, because the attempts of a request share one buffer.
import { wasRefused } from "../memory/blocks";
import { HEADER_API_KEY } from "../../contract/words";
import { otherApi } from "../config/choose-api";
import { Target } from "../config/target";
import { HostedRequest } from "../dialects/anthropic/messages/hosted/hosted-request";
import { setModel } from "../dialects/edit-model";
import { Fault, outOfMemory } from "../hub/faults/fault";
import { RequestNotes } from "../hub/request/request-notes";
import { CACHE_KEY_HEADER, CACHE_KEY_NONE, RequestReport } from "../hub/request/request-report";
import {
  replaceBodyPrefix,
  REQUEST_BODY,
  REQUEST_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../host/host";
import { Edits } from "../bytes/json/edit";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { Exchange } from "../exchange/exchange";
import { setFormModel } from "../exchange/form";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { find } from "../bytes/text/find";
import { CONTENT_LENGTH, CONTENT_TYPE, JSON_TYPE } from "../exchange/header-names";

/** What is sent of a request, and what the response has to know of it. */
class RequestBody {
  /** The bytes that replace the first `replaced` bytes of the client's body. */
  prefix: ByteBuffer = scratchBuffer();
  replaced: u32 = 0;
  /** Whether the stream is asked for its usage, and the client has not asked for it. */
  asksUsage: bool = false;
  /** Whether reasoning is to be taken out of the content of the response. */
  splitsContent: bool = false;
  report: RequestReport = new RequestReport();
  /** How the target's cloud expects the request; null for every other provider. */
  hosted: HostedRequest | null = null;
  edits: Edits = new Edits();
  /** Given to the response if it holds anything. */
  notes: RequestNotes = new RequestNotes();

  clear(): void {
    this.prefix.clear();
    this.replaced = 0;
    this.asksUsage = false;
    this.splitsContent = false;
    this.report.fault = null;
    this.report.dropped.clear();
    this.notes.clear();
  }
}

const whole = scratchBuffer();
/** What the names of Anthropic's models have, and those of its API. */
const CLAUDE = constant("claude");
const ANTHROPIC = constant("anthropic");
const NO_SESSION = new Span(0, 0);
const sessionSpan = new Span(0, 0);

/** One for all requests: valid until the next body is written. */
const body = new RequestBody();

/**
 * Writes the body of the first attempt into Envoy's buffer, which holds the client's. Returns a fault if the target does
 * not support the request, or has no budget left for it.
 */
export function prepareBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  const fault = checkBody(exchange, target, tape);
  if (fault !== null) return fault;
  startAttempt(exchange, target);
  if (body.replaced == 0 && body.prefix.length == 0) return null;
  replaceBodyPrefix(REQUEST_BODY, body.replaced, body.prefix);
  setLength(tape.length - body.replaced + body.prefix.length);
  return null;
}

/** As `prepareBody` for a later attempt: Envoy's buffer holds `held` bytes that an earlier attempt left. */
export function prepareBodyAgain(
  exchange: Exchange,
  target: Target,
  tape: Tape,
  held: u32,
): Fault | null {
  const fault = makeBody(exchange, target, tape);
  if (fault !== null) return fault;
  startAttempt(exchange, target);
  const prefix = body.prefix;
  prefix.bytes(tape.base + body.replaced, tape.length - body.replaced);
  if (wasRefused()) return outOfMemory("request");
  replaceBodyPrefix(REQUEST_BODY, held, prefix);
  setLength(prefix.length);
  return null;
}

/** As `prepareBody`, but writes nothing: the upstream filter writes the body of a large request from Envoy's buffer. */
export function checkBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  exchange.target = target;
  return makeBody(exchange, target, tape);
}

/** Returns whether a target supports the request; `otherwise` if there is no memory to find out. */
export function isSupported(exchange: Exchange, target: Target, tape: Tape, otherwise: bool): bool {
  const fault = faultOf(exchange, target, tape);
  return wasRefused() ? otherwise : fault === null;
}

/** Returns the fault of a request that a target does not support, or null. */
export function faultOf(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  return writeBody(exchange, target, tape);
}

/** Returns the other API of a target whose own does not support the request; null if that would not help. */
export function apiInstead(exchange: Exchange, target: Target, fault: Fault): Target | null {
  // The client's own format supports all that the client can say.
  if (fault.status != 400 || target.dialect === exchange.client.dialect) return null;
  const other = exchange.client.endpoint.row.isInference ? otherApi(target) : null;
  // An API that a model has for searches alone is of no use without one.
  return other !== null && (other.isServed || body.report.needsHosted) ? other : null;
}

/**
 * Counts the request against the rate limits of a target. Returns the client's error if one of them, or a budget, is used up, or a
 * budget cannot count the request; then nothing is counted.
 */
export function takeBudget(exchange: Exchange, target: Target): Fault | null {
  const charge = exchange.budgetCharge;
  if (charge !== null) {
    let fault = charge.faultOf(target);
    if (fault === null && exchange.priceOf(target) === null)
      fault = charge.unpricedFault(
        target,
        target.isWildcard ? exchange.modelText(target).toText() : target.name,
      );
    if (fault !== null) return fault;
  }
  const limiter = exchange.limiter;
  return limiter === null || limiter.admit(target) ? null : limiter.fault();
}

/** Writes the body and counts the request. Returns a fault if either fails. */
function makeBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  const fault = writeBody(exchange, target, tape);
  if (wasRefused()) return outOfMemory("request");
  return fault === null ? takeBudget(exchange, target) : fault;
}

/** Writes `body`. Returns a fault if the target does not support the request. */
function writeBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  body.clear();
  const fault = keyFault(exchange, target);
  if (fault !== null) return fault;
  const row = exchange.client.endpoint.row;
  const hosted = target.hostedRequest(exchange.client.betas, row.isEstimated);
  body.hosted = hosted;
  body.report.host = hosted;
  if (!row.isInference && !row.isEstimated) {
    editModel(exchange, target, tape);
    return null;
  }
  return target.dialect === exchange.client.dialect
    ? editBody(exchange, target, tape)
    : translateBody(exchange, target, tape);
}

/** Sets what the response has to know of `body`. */
function startAttempt(exchange: Exchange, target: Target): void {
  const response = exchange.response;
  const report = body.report;
  exchange.startAttempt(target);
  response.dropped.bytes(report.dropped.pointer, report.dropped.length);
  if (exchange.isTranslated()) {
    response.wantsUsage = report.wantsUsage;
    if (target.limits.cacheKey == CACHE_KEY_HEADER) exchange.client.keepCacheKey(report.cacheKey);
    exchange.client.addedBetas = report.betas;
    if (!body.notes.isEmpty) {
      response.notes = body.notes;
      body.notes = new RequestNotes();
    }
  } else {
    response.asksUsage = body.asksUsage;
    response.splitsContent = body.splitsContent;
    if (body.splitsContent) response.wantsUsage = report.wantsUsage;
  }
  const client = exchange.client;
  // What was read as JSON, nobody may read as anything else, such as a form. The headers of an earlier target, which have been
  // removed, may have included the type.
  const isOther = !client.hasJsonType && !client.isForm;
  if (isOther || (exchange.isTranslated() && exchange.runsUpstream()))
    setHeader(REQUEST_HEADERS, CONTENT_TYPE, JSON_TYPE);
}

function translateBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  const report = body.report;
  const limits = target.limits;
  // The client's own format, if that is the other one, was left out on purpose.
  const other = exchange.client.endpoint.row.isInference ? otherApi(target) : null;
  report.hasOtherApi = other !== null && other.dialect !== exchange.client.dialect;
  report.otherServerTools = other !== null && report.hasOtherApi ? other.limits.serverTools : 0;
  exchange.client.dialect.translateRequest(
    tape,
    target.dialect,
    exchange.modelJson(target),
    exchange.systemPromptOf(target),
    limits,
    limits.addsCaching && limits.cacheKey != CACHE_KEY_NONE
      ? namedSession(exchange, tape)
      : NO_SESSION,
    body.prefix,
    report,
    body.notes,
  );
  if (exchange.client.endpoint.row.isEstimated)
    target.dialect.cutToCount(body.prefix, target.path, exchange.modelText(target));
  body.replaced = tape.length;
  return report.fault;
}

/** Returns the session that the client names; empty if it names none: only that one is sent to providers, which keep the conversations of a key apart by it. */
function namedSession(exchange: Exchange, tape: Tape): Span {
  const session = exchange.session;
  if (session === null) return NO_SESSION;
  session.readNamed(tape);
  if (!session.isNamed) return NO_SESSION;
  const id = session.id;
  return id === null ? NO_SESSION : id.view(sessionSpan);
}

/** Sets the model of a body that otherwise passes as it is. */
function editModel(exchange: Exchange, target: Target, tape: Tape): void {
  if (exchange.client.isModelOmitted) return;
  const edits = body.edits;
  edits.clear();
  if (exchange.client.isForm) setFormModel(exchange.modelText(target), edits);
  else setModel(tape, exchange.modelJson(target), edits);
  if (!edits.isEmpty()) body.replaced = edits.prefix(tape.base, body.prefix);
}

/** Makes the few edits that the target requires of the client's own body. */
function editBody(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  const client = exchange.client;
  const edits = body.edits;
  const report = body.report;
  const hosted = body.hosted;
  edits.clear();
  if (hosted === null || hosted.keepsModel) setModel(tape, exchange.modelJson(target), edits);
  let prompt = exchange.systemPromptOf(target);
  if (target.limits.isLimiting) {
    prompt = client.dialect.fitRequest(tape, target.limits, prompt, edits, report);
    if (report.fault !== null) return report.fault;
  }
  client.dialect.editRequest(tape, prompt, edits);
  const attribution = client.dialect.attributionIn(tape);
  if (attribution != NO_NODE && !isClaude(exchange, target))
    client.dialect.removeAttribution(tape, attribution, edits);
  if (edits.dropped.length > 0) report.drop(edits.dropped);
  if (target.limits.thinkTags != 0) {
    body.splitsContent = client.dialect.hasOneChoice(tape);
    report.wantsUsage = client.dialect.hasAskedUsage(tape);
  }
  body.asksUsage =
    client.isStreaming &&
    target.asksUsage &&
    exchange.readsUsage() &&
    client.dialect.askUsage(tape, edits);
  if (!edits.isEmpty()) body.replaced = edits.prefix(tape.base, body.prefix);
  if (hosted !== null && hosted.isWrapped) wrapBody(tape, hosted);
  return null;
}

/** Returns whether a target is a model of Anthropic, wherever it is served. */
function isClaude(exchange: Exchange, target: Target): bool {
  if (target.hosted !== null) return true;
  const name = exchange.modelText(target);
  return (
    find(name.pointer, name.length, CLAUDE) != 0 ||
    find(target.nameSpan.pointer, target.nameSpan.length, ANTHROPIC) != 0
  );
}

/** Puts the whole body into another request. */
function wrapBody(tape: Tape, hosted: HostedRequest): void {
  const prefix = body.prefix;
  prefix.bytes(tape.base + body.replaced, tape.length - body.replaced);
  whole.clear();
  whole.bytes(prefix.pointer, prefix.length);
  prefix.clear();
  hosted.wrap(whole, prefix);
  body.replaced = tape.length;
}

function setLength(length: u32): void {
  setHeaderNumber(REQUEST_HEADERS, CONTENT_LENGTH, length);
}

/** Returns a fault if the provider needs the client's own key, and there is none. */
export function keyFault(exchange: Exchange, target: Target): Fault | null {
  if (!target.passesClientKey || exchange.client.key.length > 0) return null;
  const how = "' uses pass-through auth; send your provider key as 'Authorization: Bearer' or ";
  const other = "'x-api-key', and an API key of the gateway as '" + HEADER_API_KEY + "'.";
  return new Fault(401, "'" + target.name + how + other).coded("invalid_api_key");
}
