// Writes the usage record of an exchange that is over (contract/usage-record.ts), for Envoy's log and for the control plane.
import * as fields from "../../contract/usage-record";
import { LISTENER_EGRESS, LISTENER_INGRESS, LISTENER_INTERNAL_EGRESS } from "../../contract/words";
import { reasonOf } from "../config/choose-api";
import { Fault } from "../hub/faults/fault";
import { Usage } from "../hub/response/usage";
import { setProperty } from "../host/host";
import { escape, escapeText } from "../bytes/json/text";
import { ByteBuffer, constant, sameSpan, scratchBuffer, Span } from "../bytes/text/bytes";
import { HeldText } from "../bytes/text/held-text";
import { maskInPlace } from "../bytes/text/mask";
import { shorten } from "../bytes/text/readable";
import { Client } from "../exchange/client";
import { UNKNOWN } from "../exchange/endpoint";
import { Exchange } from "../exchange/exchange";
import { FailedAttempt } from "../exchange/failed-attempts";
import { PolicyDecision } from "../exchange/guarded";
import { kindList } from "../guards/kind-names";
import { NO_TIME, PromptTimes } from "../exchange/prompt-times";
import { requestIdSpan } from "../exchange/request-id";
import { Session } from "../exchange/client-session";
import { secretsOf } from "../exchange/attempt-secrets";

const API_REASONS = words(fields.API_WORDS);
const FINISHES = words(fields.FINISH_WORDS);
const OWNERS = words(fields.OWNER_WORDS);
export const DECISIONS = words(fields.GUARD_WORDS);
const SERVICES = words(fields.SERVICE_WORDS);
const RESETS = words(fields.RESET_WORDS);
const STEPS = words(fields.STEP_WORDS);

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
  text(constant(fields.USAGE_ID), requestIdSpan(exchange), OPEN_BRACE);
  writeClient(exchange.client);
  const session = exchange.session;
  if (session !== null) writeSession(session);
  writeTarget(exchange);
  writeResponse(exchange);
  if (exchange.promptTarget.length > 0)
    text(constant(fields.USAGE_PROMPT_TARGET), exchange.promptTarget);
  word(constant(fields.USAGE_GUARD), DECISIONS, exchange.guard);
  const guarded = exchange.guarded;
  if (guarded !== null && guarded.decisions.length > 0) writeGuards(guarded.decisions);
  const times = exchange.promptTimes;
  if (times !== null) writeSteps(times);
  record.byte(CLOSE_BRACE);
  setProperty(constant(fields.PROPERTY_USAGE), record.view(span));
}

function writeClient(client: Client): void {
  plain(
    constant(fields.USAGE_LISTENER),
    client.isModelServer
      ? constant(LISTENER_INTERNAL_EGRESS)
      : client.isIngress
        ? constant(LISTENER_INGRESS)
        : constant(LISTENER_EGRESS),
  );
  if (client.endpoint !== UNKNOWN) plain(constant(fields.USAGE_ENDPOINT), client.endpoint.path);
  if (client.endpoint.row.isForModels && !client.endpoint.row.isForTools)
    plain(constant(fields.USAGE_DIALECT), client.dialect.nameSpan);
  const key = client.apiKey;
  if (key !== null) {
    text(constant(fields.USAGE_KEY), key.name);
    held(constant(fields.USAGE_KEY_ID), key.id);
    held(constant(fields.USAGE_GROUP), key.group);
    held(constant(fields.USAGE_USER), key.user);
  }
  if (client.requested.length > 0)
    text(constant(fields.USAGE_REQUESTED), client.requested.view(span));
  if (client.isStreaming) number(constant(fields.USAGE_STREAM), 1);
}

function writeSession(session: Session): void {
  const id = session.id;
  if (id !== null) {
    held(constant(fields.USAGE_SESSION), id);
    held(constant(fields.USAGE_AGENT), session.agent);
  }
  held(constant(fields.USAGE_SUBAGENT), session.subagent);
  held(constant(fields.USAGE_PARENT), session.parent);
  held(constant(fields.USAGE_PURPOSE), session.purpose);
  const prompt = session.prompt;
  if (prompt !== null) {
    member(constant(fields.USAGE_PROMPT));
    record.span(prompt.view(span));
  }
  if (session.isKept) number(constant(fields.USAGE_AFFINITY), 1);
}

function writeSteps(times: PromptTimes): void {
  member(constant(fields.USAGE_STEPS));
  let separator = OPEN_BRACE;
  for (let i = 0; i < STEPS.length; i++) {
    const milliseconds = times.parts[i];
    if (milliseconds == NO_TIME) continue;
    member(STEPS[i], separator);
    record.integer(milliseconds);
    separator = COMMA;
  }
  record.byte(CLOSE_BRACE);
}

function writeGuards(decisions: PolicyDecision[]): void {
  member(constant(fields.USAGE_GUARDS));
  for (let i = 0; i < decisions.length; i++) {
    const decision = decisions[i];
    record.byte(i == 0 ? OPEN_BRACKET : COMMA);
    text(constant(fields.GUARDED_POLICY), decision.policy.name, OPEN_BRACE);
    if (decision.isResponse) plain(constant(fields.GUARDED_DIRECTION), constant("response"));
    writeCode(constant(fields.GUARDED_ACTION), decision.word);
    if (decision.findings > 0) {
      member(constant(fields.GUARDED_KINDS));
      record.byte(QUOTE);
      record.text(kindList(decision.kinds));
      record.byte(QUOTE);
      number(constant(fields.GUARDED_FINDINGS), decision.findings);
    }
    // A response is checked while its bytes come.
    if (!decision.isResponse) number(constant(fields.GUARDED_MS), decision.milliseconds);
    record.byte(CLOSE_BRACE);
  }
  record.byte(CLOSE_BRACKET);
}

function writeTarget(exchange: Exchange): void {
  const target = exchange.target;
  if (target === null) return;
  text(constant(fields.USAGE_TARGET), target.nameSpan);
  if (target.model.also.length > 0) {
    plain(constant(fields.USAGE_API), target.dialect.nameSpan);
    word(
      constant(fields.USAGE_API_REASON),
      API_REASONS,
      reasonOf(target, exchange.client.dialect, exchange.needs),
    );
  }
  const attempts = exchange.attempts;
  if (attempts === null) return;
  if (target.credentials.length > 1)
    number(constant(fields.USAGE_PROVIDER_KEY), attempts.credentialIndex + 1);
  if (attempts.fallbacks > 0) {
    text(constant(fields.USAGE_FIRST_TARGET), attempts.firstTarget.nameSpan);
    number(constant(fields.USAGE_FALLBACKS), attempts.fallbacks);
  }
  const failed = attempts.failed;
  if (failed !== null && failed.list.length > 0) writeAttempts(exchange, failed.list);
}

function writeAttempts(exchange: Exchange, list: FailedAttempt[]): void {
  member(constant(fields.USAGE_ATTEMPTS));
  for (let i = 0; i < list.length; i++) {
    const attempt = list[i];
    record.byte(i == 0 ? OPEN_BRACKET : COMMA);
    text(constant(fields.ATTEMPT_TARGET), attempt.target.nameSpan, OPEN_BRACE);
    if (attempt.status > 0) number(constant(fields.ATTEMPT_STATUS), attempt.status);
    word(constant(fields.ATTEMPT_ERROR), RESETS, attempt.reset);
    writeCode(constant(fields.ATTEMPT_ERROR), attempt.code);
    writeMessage(exchange, constant(fields.ATTEMPT_MESSAGE), attempt.message);
    writeContext(attempt.contextTokens, attempt.contextLimit);
    number(constant(fields.ATTEMPT_MS), attempt.milliseconds);
    record.byte(CLOSE_BRACE);
  }
  record.byte(CLOSE_BRACKET);
}

function writeResponse(exchange: Exchange): void {
  const response = exchange.response;
  const facts = response.facts;
  dropped.clear();
  dropped.bytes(response.dropped.pointer, response.dropped.length);
  if (facts !== null) {
    facts.settle();
    writeUsage(facts.usage);
    word(constant(fields.USAGE_FINISH), FINISHES, facts.finish);
    writeModel(exchange, facts.model);
    const names = exchange.client.isStreaming ? facts.droppedNames : "";
    if (names.length > 0 && dropped.length > 0) dropped.byte(COMMA);
    dropped.text(names);
  }
  if (response.cost >= 0) {
    number(constant(fields.USAGE_COST), response.cost);
    if (response.isCostEstimated) number(constant(fields.USAGE_ESTIMATED), 1);
  }
  if (exchange.firstToken >= 0) number(constant(fields.USAGE_FIRST_TOKEN), exchange.firstToken);
  word(constant(fields.USAGE_OWNER), OWNERS, response.owner);
  writeCode(constant(fields.USAGE_ERROR), errorCode(exchange));
  const fault = faultOf(exchange);
  if (fault !== null) {
    if (fault === response.providerFault) writeCode(constant(fields.USAGE_CODE), fault.code);
    writeMessage(exchange, constant(fields.USAGE_MESSAGE), fault.message);
    writeContext(fault.neededTokens, fault.maxTokens);
  }
  shorten(dropped, MAX_DROPPED);
  if (dropped.length > 0) text(constant(fields.USAGE_DROPPED), dropped.view(span));
}

/** Appends by how much a request was too long; nothing of what is not known. */
function writeContext(tokens: u32, limit: u32): void {
  if (tokens > 0) number(constant(fields.CONTEXT_TOKENS), tokens);
  if (limit > 0) number(constant(fields.CONTEXT_LIMIT), limit);
}

function writeUsage(usage: Usage): void {
  if (usage.freshInput >= 0) number(constant(fields.USAGE_INPUT), usage.input);
  if (usage.cacheRead > 0) number(constant(fields.USAGE_CACHE_READ), usage.cacheRead);
  if (usage.cacheWrite > 0) number(constant(fields.USAGE_CACHE_WRITE), usage.cacheWrite);
  if (usage.cacheWriteHour > 0)
    number(constant(fields.USAGE_CACHE_WRITE_HOUR), usage.cacheWriteHour);
  if (usage.output >= 0) number(constant(fields.USAGE_OUTPUT), usage.output);
  if (usage.reasoning > 0) number(constant(fields.USAGE_REASONING), usage.reasoning);
  if (usage.searches > 0) number(constant(fields.USAGE_SEARCHES), usage.searches);
  if (usage.readsRates) writeRates(usage);
}

function writeRates(usage: Usage): void {
  if (usage.audioInput > 0) number(constant(fields.USAGE_AUDIO_INPUT), usage.audioInput);
  if (usage.audioCacheRead > 0)
    number(constant(fields.USAGE_AUDIO_CACHE_READ), usage.audioCacheRead);
  if (usage.audioOutput > 0) number(constant(fields.USAGE_AUDIO_OUTPUT), usage.audioOutput);
  word(constant(fields.USAGE_SERVICE), SERVICES, usage.service);
}

/** Appends the model of a response, which is escaped, unless it is the target's. */
function writeModel(exchange: Exchange, model: ByteBuffer): void {
  const target = exchange.target;
  if (target === null || model.length == 0 || model.length > MAX_MODEL) return;
  const name = model.view(span);
  if (!sameSpan(name, exchange.modelText(target)))
    plain(constant(fields.USAGE_RESPONSE_MODEL), name);
}

/** Appends an error code; nothing if it is empty. */
function writeCode(name: Span, code: string): void {
  if (code.length == 0) return;
  member(name);
  record.byte(QUOTE);
  escapeText(code.substring(0, MAX_CODE), record);
  record.byte(QUOTE);
}

/** Appends the message of an error; nothing if it is empty. */
function writeMessage(exchange: Exchange, name: Span, message: string): void {
  if (message.length == 0) return;
  shown.clear();
  shown.text(message);
  maskInPlace(shown, secretsOf(exchange));
  shorten(shown, MAX_MESSAGE);
  text(name, shown.view(span));
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
  if (failure === null) return isBroken(exchange) ? fields.BROKEN : "";
  // The status of a complete response reports the failure.
  return exchange.client.isStreaming ? fields.BROKEN : failure.code;
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
const COLON: u32 = 0x3a;

/** Appends a text that needs no escapes. */
function plain(name: Span, value: Span): void {
  member(name);
  record.byte(QUOTE);
  record.span(value);
  record.byte(QUOTE);
}

function text(name: Span, value: Span, separator: u32 = COMMA): void {
  member(name, separator);
  record.byte(QUOTE);
  escape(value.pointer, value.length, record);
  record.byte(QUOTE);
}

/** Appends a text; nothing without one. */
function held(name: Span, value: HeldText | null): void {
  if (value !== null) text(name, value.view(span));
}

/** Appends a word by its index; nothing for the first one. */
function word(name: Span, list: Span[], index: i32): void {
  if (index > 0 && index < list.length) plain(name, list[index]);
}

function number(name: Span, value: i64): void {
  member(name);
  record.integer(value);
}

function member(name: Span, separator: u32 = COMMA): void {
  record.byte(separator);
  record.byte(QUOTE);
  record.span(name);
  record.byte(QUOTE);
  record.byte(COLON);
}

function words(list: string[]): Span[] {
  return list.map<Span>((one) => constant(one));
}
