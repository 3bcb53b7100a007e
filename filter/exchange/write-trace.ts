// What the span of a request shows (contract/trace.ts). Envoy reads it when the span ends: before `proxy_on_log`, and
// without a callback if the client disconnects. So what is known is written as soon as it is known.
import {
  TRACE_CACHE_READ,
  TRACE_CACHE_WRITE,
  TRACE_ENDPOINT,
  TRACE_ERROR,
  TRACE_FALLBACKS,
  TRACE_FINISH,
  TRACE_FIRST_CHUNK,
  TRACE_GUARD,
  TRACE_INPUT,
  TRACE_KEY,
  TRACE_MODEL,
  TRACE_OPERATION,
  TRACE_OUTPUT,
  TRACE_PROMPT_TARGET,
  TRACE_PROVIDER,
  TRACE_REASONING,
  TRACE_REQUESTED,
  TRACE_RESPONSE_MODEL,
  TRACE_STREAM,
} from "../../contract/trace";
import { BROKEN, GUARD_WORDS } from "../../contract/usage-record";
import { FINISH_NONE } from "../hub/finish-reason";
import { UNKNOWN_TOKENS, Usage } from "../hub/usage";
import { setProperty } from "../host/host";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { UNKNOWN } from "./endpoint";
import { Exchange } from "./exchange";
import { NOTHING, Trace } from "./trace";

const OPERATION = constant(TRACE_OPERATION);
const ENDPOINT = constant(TRACE_ENDPOINT);
const PROVIDER = constant(TRACE_PROVIDER);
const MODEL = constant(TRACE_MODEL);
const REQUESTED = constant(TRACE_REQUESTED);
const STREAM = constant(TRACE_STREAM);
const KEY = constant(TRACE_KEY);
const FIRST_CHUNK = constant(TRACE_FIRST_CHUNK);
const RESPONSE_MODEL = constant(TRACE_RESPONSE_MODEL);
const FINISH = constant(TRACE_FINISH);
const ERROR = constant(TRACE_ERROR);
const FALLBACKS = constant(TRACE_FALLBACKS);
const PROMPT_TARGET = constant(TRACE_PROMPT_TARGET);
const GUARD = constant(TRACE_GUARD);

const TRUE = constant("true");
const BROKEN_STREAM = constant(BROKEN);

/** By the constants of hub/finish-reason.ts, in the words of the conventions where there is one. */
const FINISHES: Span[] = [
  "[]",
  '["stop"]',
  '["stop"]',
  '["length"]',
  '["tool_call"]',
  '["content_filter"]',
  '["pause"]',
  '["length"]',
  '["error"]',
  '["unknown"]',
].map<Span>((text) => constant(text));
const BROKEN_FINISH = FINISHES[8];
const DECISIONS = GUARD_WORDS.map<Span>((word) => constant(word));

const INPUT = constant(TRACE_INPUT);
const OUTPUT = constant(TRACE_OUTPUT);
const CACHE_READ = constant(TRACE_CACHE_READ);
const CACHE_WRITE = constant(TRACE_CACHE_WRITE);
const REASONING = constant(TRACE_REASONING);

const value = scratchBuffer();
const span = new Span(0, 0);

/** Writes what the request shows, and the target of the attempt if it is another one than before. */
export function traceRequest(exchange: Exchange): void {
  const trace = exchange.trace;
  if (trace === null) return;
  const client = exchange.client;
  if (!trace.isStarted && client.endpoint !== UNKNOWN) {
    trace.isStarted = true;
    const operation = client.endpoint.operation;
    if (operation.length > 0) setProperty(OPERATION, operation);
    const keys = client.keys;
    if (keys !== null && client.keyNumber > 0) setProperty(KEY, keys.nameOf(client.keyNumber));
  }
  const target = exchange.target;
  if (target === null || target === trace.target) return;
  if (trace.target === null) {
    if (client.requested.length > 0) setProperty(REQUESTED, client.requested.view(span));
    if (client.isStreaming) setProperty(STREAM, TRUE);
  }
  trace.target = target;
  setProperty(PROVIDER, target.traceProvider);
  setProperty(MODEL, target.modelText);
}

/** Writes what a part of the response has shown; all that is known if it is the last. */
export function traceResponse(exchange: Exchange, isEnd: bool): void {
  const trace = exchange.trace;
  if (trace === null || trace.isOver) return;
  const response = exchange.response;
  const translator = response.translator;
  const observer = response.observer;
  if (!trace.hasFirstToken && exchange.firstToken >= 0) {
    trace.hasFirstToken = true;
    writeFirstToken(exchange.firstToken);
  }
  if (translator !== null) {
    writeUsage(trace, translator.usage);
    writeModel(trace, translator.model);
    if (isEnd) writeFinish(translator.finish);
  } else if (observer !== null) {
    if (isEnd) observer.end();
    writeUsage(trace, observer.usage);
    writeModel(trace, observer.model);
    if (isEnd) writeFinish(observer.finish);
  }
  if (isEnd) writeEnd(exchange, trace);
}

/**
 * Takes the tokens from the filter state when the request's span has ended: the span of an attempt that the client has cut
 * off ends later, and the tokens would be counted twice.
 */
export function endTrace(exchange: Exchange): void {
  const trace = exchange.trace;
  if (trace === null || trace.isOver) return;
  clear(INPUT, trace.input);
  clear(OUTPUT, trace.output);
  clear(CACHE_READ, trace.cacheRead);
  clear(CACHE_WRITE, trace.cacheWrite);
  clear(REASONING, trace.reasoning);
}

function clear(name: Span, written: i64): void {
  if (written >= 0) setProperty(name, NOTHING);
}

function writeFirstToken(milliseconds: i64): void {
  value.clear();
  value.integer(milliseconds);
  value.text("e-3");
  setProperty(FIRST_CHUNK, value.view(span));
}

function writeModel(trace: Trace, model: ByteBuffer): void {
  if (trace.hasModel || model.length == 0) return;
  trace.hasModel = true;
  setProperty(RESPONSE_MODEL, model.view(span));
}

function writeUsage(trace: Trace, usage: Usage): void {
  const input = usage.freshInput >= 0 ? usage.input : UNKNOWN_TOKENS;
  trace.input = number(INPUT, input, trace.input);
  trace.output = number(OUTPUT, usage.output, trace.output);
  trace.cacheRead = part(CACHE_READ, usage.cacheRead, trace.cacheRead);
  trace.cacheWrite = part(CACHE_WRITE, usage.cacheWrite, trace.cacheWrite);
  trace.reasoning = part(REASONING, usage.reasoning, trace.reasoning);
}

/** As `number`, for a part of a count, which is left out if it is 0. */
function part(name: Span, now: i64, before: i64): i64 {
  return now == 0 ? before : number(name, now, before);
}

/** Writes a number that differs from the one before. Returns what is written now. */
function number(name: Span, now: i64, before: i64): i64 {
  if (now == before || now < 0) return before;
  value.clear();
  value.integer(now);
  setProperty(name, value.view(span));
  return now;
}

function writeFinish(finish: i32): void {
  if (finish > FINISH_NONE && finish < FINISHES.length) setProperty(FINISH, FINISHES[finish]);
}

function writeEnd(exchange: Exchange, trace: Trace): void {
  trace.isOver = true;
  traceRequest(exchange);
  writeError(exchange);
  if (trace.target === null) setProperty(ENDPOINT, exchange.client.endpoint.path);
  const attempts = exchange.attempts;
  if (attempts !== null && attempts.fallbacks > 0) number(FALLBACKS, attempts.fallbacks, 0);
  if (exchange.promptTarget.length > 0) setProperty(PROMPT_TARGET, exchange.promptTarget);
  if (exchange.guard > 0) setProperty(GUARD, DECISIONS[exchange.guard]);
}

function writeError(exchange: Exchange): void {
  const translator = exchange.response.translator;
  const fault = exchange.fault;
  const isBroken = translator !== null && translator.fault !== null && exchange.client.isStreaming;
  if (isBroken) {
    setProperty(ERROR, BROKEN_STREAM);
    setProperty(FINISH, BROKEN_FINISH);
    return;
  }
  const status = fault === null ? exchange.response.status : fault.status;
  if (status >= 400) number(ERROR, status, 0);
}
