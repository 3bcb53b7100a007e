// What the span of a request shows (contract/trace.ts). Envoy reads it when the span ends: before `proxy_on_log`, and
// without a callback if the client disconnects. So what is known is written as soon as it is known.
import * as names from "../../contract/trace";
import { BROKEN } from "../../contract/usage-record";
import { FINISH_NONE } from "../hub/response/finish-reason";
import { atLeastZero, UNKNOWN_TOKENS, Usage } from "../hub/response/usage";
import { setProperty } from "../host/host";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { HeldText } from "../bytes/text/held-text";
import { UNKNOWN } from "../exchange/endpoint";
import { Exchange } from "../exchange/exchange";
import { PolicyDecision } from "../exchange/guarded";
import { Trace } from "../exchange/written-trace";
import { DECISIONS, errorCode, MAX_MODEL } from "./write-usage-record";

const RESPONSE_MODEL = constant(names.TRACE_RESPONSE_MODEL);
const FINISH = constant(names.TRACE_FINISH);
const ERROR = constant(names.TRACE_ERROR);

const BLANK: u32 = 0x20;

/** By the constants of hub/finish-reason.ts, in the words of the conventions where there is one. */
const FINISHES: Span[] = [
  constant("[]"),
  constant('["stop"]'),
  constant('["stop"]'),
  constant('["length"]'),
  constant('["tool_call"]'),
  constant('["content_filter"]'),
  constant('["pause"]'),
  constant('["length"]'),
  constant('["error"]'),
  constant('["unknown"]'),
];
const BROKEN_FINISH = FINISHES[8];

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
    if (operation.length > 0) setProperty(constant(names.TRACE_OPERATION), operation);
    else writeSubject(client.endpoint.path);
    const key = client.apiKey;
    if (key !== null) {
      setProperty(constant(names.TRACE_KEY), key.name);
      writeHeld(constant(names.TRACE_GROUP), key.group);
      writeHeld(constant(names.TRACE_USER), key.user);
    }
  }
  const target = exchange.target;
  if (target === null || target === trace.target) return;
  if (trace.target === null) {
    if (client.requested.length > 0)
      setProperty(constant(names.TRACE_REQUESTED), client.requested.view(span));
    if (client.isStreaming) setProperty(constant(names.TRACE_STREAM), constant("true"));
    const session = exchange.session;
    if (session !== null) {
      writeHeld(constant(names.TRACE_SESSION), session.id);
      writeHeld(constant(names.TRACE_SUBAGENT), session.subagent);
    }
  }
  trace.target = target;
  setProperty(constant(names.TRACE_PROVIDER), target.traceProvider);
  setProperty(constant(names.TRACE_MODEL), exchange.modelText(target));
  writeSubject(exchange.modelText(target));
}

function writeHeld(name: Span, text: HeldText | null): void {
  if (text !== null) setProperty(name, text.view(span));
}

/** Writes what follows the operation in the names of spans. */
function writeSubject(name: Span): void {
  value.clear();
  value.byte(BLANK);
  value.span(name);
  setProperty(constant(names.TRACE_SUBJECT), value.view(span));
}

/** Writes what a part of the response has shown; all that is known if it is the last. */
export function traceResponse(exchange: Exchange, isEnd: bool): void {
  const trace = exchange.trace;
  if (trace === null || trace.isOver) return;
  const facts = exchange.response.facts;
  if (!trace.hasFirstToken && exchange.firstToken >= 0) {
    trace.hasFirstToken = true;
    writeFirstToken(exchange.firstToken);
  }
  if (facts !== null) {
    if (isEnd) facts.settle();
    if (facts.hasBegun || isEnd) writeModel(trace, facts.model);
    writeTokens(exchange, trace, facts.usage, facts.finish, isEnd);
  }
  if (isEnd) writeEnd(exchange, trace);
}

/** Writes the model that was asked for if the provider reports none, as Bedrock's Converse API. */
function writeAskedModel(exchange: Exchange, trace: Trace): void {
  const target = exchange.target;
  if (trace.hasModel || target === null || exchange.response.status >= 400) return;
  if (exchange.client.endpoint.operation.length == 0) return;
  trace.hasModel = true;
  setProperty(RESPONSE_MODEL, exchange.modelText(target));
}

/** At the end the span of the attempt is over: so only the request's has the tokens, and they are counted once. */
function writeTokens(
  exchange: Exchange,
  trace: Trace,
  usage: Usage,
  finish: i32,
  isEnd: bool,
): void {
  if (!isEnd) {
    if (exchange.client.isStreaming) writePartial(trace, usage);
    return;
  }
  writeUsage(usage);
  if (finish > FINISH_NONE && finish < FINISHES.length) setProperty(FINISH, FINISHES[finish]);
}

function writeFirstToken(milliseconds: i64): void {
  value.clear();
  value.integer(milliseconds);
  value.text("e-3");
  setProperty(constant(names.TRACE_FIRST_CHUNK), value.view(span));
}

function writeModel(trace: Trace, model: ByteBuffer): void {
  if (trace.hasModel || model.length == 0 || model.length > MAX_MODEL) return;
  trace.hasModel = true;
  setProperty(RESPONSE_MODEL, model.view(span));
}

/** Writes the tokens that a stream has reported so far: after a disconnect, no more are written. */
function writePartial(trace: Trace, usage: Usage): void {
  const input = usage.freshInput >= 0 ? usage.input : UNKNOWN_TOKENS;
  if (input == trace.input && usage.output == trace.output) return;
  trace.input = input;
  trace.output = usage.output;
  value.clear();
  value.text('{"input_tokens":');
  value.integer(atLeastZero(input));
  value.text(',"output_tokens":');
  value.integer(atLeastZero(usage.output));
  value.text("}");
  setProperty(constant(names.TRACE_PARTIAL), value.view(span));
}

function writeUsage(usage: Usage): void {
  if (usage.freshInput >= 0) number(constant(names.TRACE_INPUT), usage.input);
  if (usage.output >= 0) number(constant(names.TRACE_OUTPUT), usage.output);
  if (usage.cacheRead > 0) number(constant(names.TRACE_CACHE_READ), usage.cacheRead);
  if (usage.cacheWrite > 0) number(constant(names.TRACE_CACHE_WRITE), usage.cacheWrite);
  if (usage.reasoning > 0) number(constant(names.TRACE_REASONING), usage.reasoning);
}

function number(name: Span, amount: i64): void {
  value.clear();
  value.integer(amount);
  setProperty(name, value.view(span));
}

function writeEnd(exchange: Exchange, trace: Trace): void {
  trace.isOver = true;
  traceRequest(exchange);
  writeError(exchange);
  writeAskedModel(exchange, trace);
  const attempts = exchange.attempts;
  if (attempts !== null && attempts.fallbacks > 0)
    number(constant(names.TRACE_FALLBACKS), attempts.fallbacks);
  if (exchange.promptTarget.length > 0) {
    setProperty(constant(names.TRACE_PROMPT_TARGET), exchange.promptTarget);
    if (exchange.client.endpoint.row.isForTools) writeSubject(exchange.promptTarget);
  }
  if (exchange.guard > 0) setProperty(constant(names.TRACE_GUARD), DECISIONS[exchange.guard]);
  const guarded = exchange.guarded;
  if (guarded !== null && guarded.decisions.length > 0) writeGuards(guarded.decisions);
}

function writeGuards(decisions: PolicyDecision[]): void {
  value.clear();
  for (let i = 0; i < decisions.length; i++) {
    if (i > 0) value.text(",");
    value.span(decisions[i].policy.name);
    value.text(":" + decisions[i].word);
  }
  setProperty(constant(names.TRACE_GUARDS), value.view(span));
}

function writeError(exchange: Exchange): void {
  const fault = exchange.fault;
  if (errorCode(exchange) == BROKEN) {
    setProperty(ERROR, constant(BROKEN));
    setProperty(FINISH, BROKEN_FINISH);
    return;
  }
  const status = fault === null ? exchange.response.status : fault.status;
  if (status >= 400) number(ERROR, status);
}
