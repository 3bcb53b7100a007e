// Writes the usage record of an exchange that is over (contract/usage-record.ts), for Envoy's log and for the control plane.
import {
  API_WORDS,
  ATTEMPT_ERROR,
  ATTEMPT_MESSAGE,
  ATTEMPT_MS,
  ATTEMPT_STATUS,
  ATTEMPT_TARGET,
  BROKEN,
  FINISH_WORDS,
  GUARD_WORDS,
  OWNER_WORDS,
  PROPERTY_USAGE,
  RESET_WORDS,
  SERVICE_WORDS,
  STEP_WORDS,
  USAGE_API,
  USAGE_API_REASON,
  USAGE_ATTEMPTS,
  USAGE_AUDIO_CACHE_READ,
  USAGE_AUDIO_INPUT,
  USAGE_AUDIO_OUTPUT,
  USAGE_CACHE_READ,
  USAGE_CACHE_WRITE,
  USAGE_CACHE_WRITE_HOUR,
  USAGE_CODE,
  USAGE_COST,
  USAGE_DIALECT,
  USAGE_DROPPED,
  USAGE_ENDPOINT,
  USAGE_ERROR,
  USAGE_ESTIMATED,
  USAGE_FALLBACKS,
  USAGE_FINISH,
  USAGE_FIRST_TARGET,
  USAGE_FIRST_TOKEN,
  USAGE_GUARD,
  USAGE_ID,
  USAGE_INPUT,
  USAGE_KEY,
  USAGE_LISTENER,
  USAGE_MESSAGE,
  USAGE_OUTPUT,
  USAGE_OWNER,
  USAGE_PROMPT_TARGET,
  USAGE_REASONING,
  USAGE_REQUESTED,
  USAGE_RESPONSE_MODEL,
  USAGE_SEARCHES,
  USAGE_SERVICE,
  USAGE_STEPS,
  USAGE_STREAM,
  USAGE_TARGET,
} from "../../contract/usage-record";
import { LISTENER_EGRESS, LISTENER_INGRESS, LISTENER_INTERNAL_EGRESS } from "../../contract/words";
import { reasonOf } from "../config/choose-api";
import { Fault } from "../hub/faults/fault";
import { Usage } from "../hub/response/usage";
import { setProperty } from "../host/host";
import { escape, escapeText } from "../bytes/json/text";
import { ByteBuffer, constant, sameSpan, scratchBuffer, Span } from "../bytes/text/bytes";
import { maskInPlace } from "../bytes/text/mask";
import { shorten } from "../bytes/text/readable";
import { Client } from "../exchange/client";
import { UNKNOWN } from "../exchange/endpoint";
import { Exchange } from "../exchange/exchange";
import { FailedAttempt } from "../exchange/failed-attempts";
import { NO_TIME, PromptTimes } from "../exchange/prompt-times";
import { requestIdSpan } from "../exchange/request-id";
import { secretsOf } from "../exchange/attempt-secrets";

const LISTENER = member(USAGE_LISTENER);
const ENDPOINT = member(USAGE_ENDPOINT);
const DIALECT = member(USAGE_DIALECT);
const KEY = member(USAGE_KEY);
const REQUESTED = member(USAGE_REQUESTED);
const TARGET = member(USAGE_TARGET);
const API = member(USAGE_API);
const API_REASON = member(USAGE_API_REASON);
const FIRST_TARGET = member(USAGE_FIRST_TARGET);
const FALLBACKS = member(USAGE_FALLBACKS);
const ATTEMPTS = member(USAGE_ATTEMPTS);
const RESPONSE_MODEL = member(USAGE_RESPONSE_MODEL);
const STREAM = member(USAGE_STREAM);
const FIRST_TOKEN = member(USAGE_FIRST_TOKEN);
const INPUT = member(USAGE_INPUT);
const CACHE_READ = member(USAGE_CACHE_READ);
const CACHE_WRITE = member(USAGE_CACHE_WRITE);
const CACHE_WRITE_HOUR = member(USAGE_CACHE_WRITE_HOUR);
const OUTPUT = member(USAGE_OUTPUT);
const REASONING = member(USAGE_REASONING);
const SEARCHES = member(USAGE_SEARCHES);
const AUDIO_INPUT = member(USAGE_AUDIO_INPUT);
const AUDIO_CACHE_READ = member(USAGE_AUDIO_CACHE_READ);
const AUDIO_OUTPUT = member(USAGE_AUDIO_OUTPUT);
const SERVICE = member(USAGE_SERVICE);
const COST = member(USAGE_COST);
const ESTIMATED = member(USAGE_ESTIMATED);
const FINISH = member(USAGE_FINISH);
const OWNER = member(USAGE_OWNER);
const ERROR = member(USAGE_ERROR);
const CODE = member(USAGE_CODE);
const MESSAGE = member(USAGE_MESSAGE);
const DROPPED = member(USAGE_DROPPED);
const PROMPT_TARGET = member(USAGE_PROMPT_TARGET);
const GUARD = member(USAGE_GUARD);
const STEPS = member(USAGE_STEPS);
const STATUS_OF_ATTEMPT = member(ATTEMPT_STATUS);
const ERROR_OF_ATTEMPT = member(ATTEMPT_ERROR);
const MESSAGE_OF_ATTEMPT = member(ATTEMPT_MESSAGE);
const MS_OF_ATTEMPT = member(ATTEMPT_MS);

const API_REASONS = words(API_WORDS);
const FINISHES = words(FINISH_WORDS);
const OWNERS = words(OWNER_WORDS);
const DECISIONS = words(GUARD_WORDS);
const SERVICES = words(SERVICE_WORDS);
const RESETS = words(RESET_WORDS);
/** Each with the quotes and the colon of a member. */
const STEP_MEMBERS = STEP_WORDS.map<Span>((one) => constant('"' + one + '":'));

/** An error code can be a provider's; what was dropped can be a long list. Bytes. */
const MAX_CODE: i32 = 64;
const MAX_DROPPED: u32 = 512;
const MAX_MESSAGE: u32 = 300;
export const MAX_MODEL: u32 = 200;

const record = scratchBuffer();
const dropped = scratchBuffer();
const shown = scratchBuffer();
const span = new Span(0, 0);

/** Charges the budgets, and stores the record in the stream's filter state, from where Envoy's access log takes it. */
export function settleRecord(exchange: Exchange): void {
  exchange.settleCost();
  record.clear();
  writeRecord(exchange, record);
  setProperty(constant(PROPERTY_USAGE), record.view(span));
}

/** Appends the record. */
export function writeRecord(exchange: Exchange, out: ByteBuffer): void {
  out.text('{"' + USAGE_ID + '":"');
  const id = requestIdSpan(exchange);
  escape(id.pointer, id.length, out);
  out.byte(QUOTE);
  writeClient(exchange.client, out);
  writeTarget(exchange, out);
  writeResponse(exchange, out);
  if (exchange.promptTarget.length > 0) text(PROMPT_TARGET, exchange.promptTarget, out);
  word(GUARD, DECISIONS, exchange.guard, out);
  const times = exchange.promptTimes;
  if (times !== null) writeSteps(times, out);
  out.byte(CLOSE_BRACE);
}

function writeClient(client: Client, out: ByteBuffer): void {
  plain(
    LISTENER,
    client.isModelServer
      ? constant(LISTENER_INTERNAL_EGRESS)
      : client.isIngress
        ? constant(LISTENER_INGRESS)
        : constant(LISTENER_EGRESS),
    out,
  );
  if (client.endpoint !== UNKNOWN) plain(ENDPOINT, client.endpoint.path, out);
  if (client.endpoint.row.isForModels && !client.endpoint.row.isForTools)
    plain(DIALECT, client.dialect.nameSpan, out);
  const key = client.apiKey;
  if (key !== null) text(KEY, key.name, out);
  if (client.requested.length > 0) text(REQUESTED, client.requested.view(span), out);
  if (client.isStreaming) number(STREAM, 1, out);
}

function writeSteps(times: PromptTimes, out: ByteBuffer): void {
  out.span(STEPS);
  let separator = OPEN_BRACE;
  for (let i = 0; i < STEP_MEMBERS.length; i++) {
    const milliseconds = times.parts[i];
    if (milliseconds == NO_TIME) continue;
    out.byte(separator);
    number(STEP_MEMBERS[i], milliseconds, out);
    separator = COMMA;
  }
  out.byte(CLOSE_BRACE);
}

function writeTarget(exchange: Exchange, out: ByteBuffer): void {
  const target = exchange.target;
  if (target === null) return;
  text(TARGET, target.nameSpan, out);
  if (target.model.also.length > 0) {
    plain(API, target.dialect.nameSpan, out);
    word(API_REASON, API_REASONS, reasonOf(target, exchange.client.dialect, exchange.needs), out);
  }
  const attempts = exchange.attempts;
  if (attempts === null) return;
  if (attempts.fallbacks > 0) {
    text(FIRST_TARGET, attempts.firstTarget.nameSpan, out);
    number(FALLBACKS, attempts.fallbacks, out);
  }
  const failed = attempts.failed;
  if (failed !== null && failed.list.length > 0) writeAttempts(exchange, failed.list, out);
}

function writeAttempts(exchange: Exchange, list: FailedAttempt[], out: ByteBuffer): void {
  out.span(ATTEMPTS);
  for (let i = 0; i < list.length; i++) {
    const attempt = list[i];
    out.byte(i == 0 ? OPEN_BRACKET : COMMA);
    out.text('{"' + ATTEMPT_TARGET + '":"');
    const name = attempt.target.nameSpan;
    escape(name.pointer, name.length, out);
    out.byte(QUOTE);
    if (attempt.status > 0) number(STATUS_OF_ATTEMPT, attempt.status, out);
    word(ERROR_OF_ATTEMPT, RESETS, attempt.reset, out);
    writeCode(ERROR_OF_ATTEMPT, attempt.code, out);
    writeMessage(exchange, MESSAGE_OF_ATTEMPT, attempt.message, out);
    number(MS_OF_ATTEMPT, attempt.milliseconds, out);
    out.byte(CLOSE_BRACE);
  }
  out.byte(CLOSE_BRACKET);
}

function writeResponse(exchange: Exchange, out: ByteBuffer): void {
  const response = exchange.response;
  const facts = response.facts;
  dropped.clear();
  dropped.bytes(response.dropped.pointer, response.dropped.length);
  if (facts !== null) {
    facts.settle();
    writeUsage(facts.usage, out);
    word(FINISH, FINISHES, facts.finish, out);
    writeModel(exchange, facts.model, out);
    const names = exchange.client.isStreaming ? facts.droppedNames : "";
    if (names.length > 0 && dropped.length > 0) dropped.byte(COMMA);
    dropped.text(names);
  }
  if (response.cost >= 0) {
    number(COST, response.cost, out);
    if (response.isCostEstimated) number(ESTIMATED, 1, out);
  }
  if (exchange.firstToken >= 0) number(FIRST_TOKEN, exchange.firstToken, out);
  word(OWNER, OWNERS, response.owner, out);
  writeCode(ERROR, errorCode(exchange), out);
  const fault = faultOf(exchange);
  if (fault !== null) {
    if (fault === response.providerFault) writeCode(CODE, fault.code, out);
    writeMessage(exchange, MESSAGE, fault.message, out);
  }
  shorten(dropped, MAX_DROPPED);
  if (dropped.length > 0) text(DROPPED, dropped.view(span), out);
}

function writeUsage(usage: Usage, out: ByteBuffer): void {
  if (usage.freshInput >= 0) number(INPUT, usage.input, out);
  if (usage.cacheRead > 0) number(CACHE_READ, usage.cacheRead, out);
  if (usage.cacheWrite > 0) number(CACHE_WRITE, usage.cacheWrite, out);
  if (usage.cacheWriteHour > 0) number(CACHE_WRITE_HOUR, usage.cacheWriteHour, out);
  if (usage.output >= 0) number(OUTPUT, usage.output, out);
  if (usage.reasoning > 0) number(REASONING, usage.reasoning, out);
  if (usage.searches > 0) number(SEARCHES, usage.searches, out);
  if (usage.readsRates) writeRates(usage, out);
}

function writeRates(usage: Usage, out: ByteBuffer): void {
  if (usage.audioInput > 0) number(AUDIO_INPUT, usage.audioInput, out);
  if (usage.audioCacheRead > 0) number(AUDIO_CACHE_READ, usage.audioCacheRead, out);
  if (usage.audioOutput > 0) number(AUDIO_OUTPUT, usage.audioOutput, out);
  word(SERVICE, SERVICES, usage.service, out);
}

/** Appends the model of a response, which is escaped, unless it is the target's. */
function writeModel(exchange: Exchange, model: ByteBuffer, out: ByteBuffer): void {
  const target = exchange.target;
  if (target === null || model.length == 0 || model.length > MAX_MODEL) return;
  const name = model.view(span);
  if (!sameSpan(name, exchange.modelText(target))) plain(RESPONSE_MODEL, name, out);
}

/** Appends an error code; nothing if it is empty. */
function writeCode(name: Span, code: string, out: ByteBuffer): void {
  if (code.length == 0) return;
  out.span(name);
  out.byte(QUOTE);
  escapeText(code.substring(0, MAX_CODE), out);
  out.byte(QUOTE);
}

/** Appends the message of an error; nothing if it is empty. */
function writeMessage(exchange: Exchange, name: Span, message: string, out: ByteBuffer): void {
  if (message.length == 0) return;
  shown.clear();
  shown.text(message);
  maskInPlace(shown, secretsOf(exchange));
  shorten(shown, MAX_MESSAGE);
  text(name, shown.view(span), out);
}

/** Returns the error that the client got; null without one. */
function faultOf(exchange: Exchange): Fault | null {
  const fault = exchange.fault;
  if (fault !== null) return fault;
  const response = exchange.response;
  const facts = response.facts;
  return facts === null || facts.fault === null ? response.providerFault : facts.fault;
}

/** Returns the code of the client's error; empty if it has none, or got its error from the provider. */
export function errorCode(exchange: Exchange): string {
  const fault = exchange.fault;
  if (fault !== null) return fault.code;
  const facts = exchange.response.facts;
  if (facts === null) return "";
  const failure = facts.fault;
  if (failure === null) return isBroken(exchange) ? BROKEN : "";
  // The status of a complete response reports the failure.
  return exchange.client.isStreaming ? BROKEN : failure.code;
}

/** Returns whether a stream that passed unchanged has failed after its head. */
function isBroken(exchange: Exchange): bool {
  const client = exchange.client;
  const facts = exchange.response.facts;
  return client.isStreaming && client.endpoint.row.isInference && facts !== null && facts.isBroken;
}

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const OPEN_BRACKET: u32 = 0x5b;
const CLOSE_BRACKET: u32 = 0x5d;
const OPEN_BRACE: u32 = 0x7b;
const CLOSE_BRACE: u32 = 0x7d;

/** Appends a text that needs no escapes. */
function plain(name: Span, value: Span, out: ByteBuffer): void {
  out.span(name);
  out.byte(QUOTE);
  out.span(value);
  out.byte(QUOTE);
}

function text(name: Span, value: Span, out: ByteBuffer): void {
  out.span(name);
  out.byte(QUOTE);
  escape(value.pointer, value.length, out);
  out.byte(QUOTE);
}

/** Appends a word by its index; nothing for the first one. */
function word(name: Span, list: Span[], index: i32, out: ByteBuffer): void {
  if (index > 0 && index < list.length) plain(name, list[index], out);
}

function number(name: Span, value: i64, out: ByteBuffer): void {
  out.span(name);
  out.integer(value);
}

function member(name: string): Span {
  return constant(',"' + name + '":');
}

function words(list: string[]): Span[] {
  return list.map<Span>((one) => constant(one));
}
