// The way of one prompt: guard, target, parameters, grounding, the target's API. It holds the steps and no cleverness:
// the model server decides, and every step is a callout through the internal listener, which logs it.
//
//   guard → embeddings → zeroshot → extraction → grounding → API → the client's request, extended, to its model
//
// The listener's timeout is one limit on all of it: each callout gets its own limit or what is left, and the language
// model what is left then. When nothing is left, the client gets a 504.
//
// When a step fails: the guard closed (503) unless it is configured to fail open; the choice of a target and the
// extraction open (a plain model call, and a warning in the log); grounding closed, because an API is not called with
// values that nobody has checked; the API's failure is told to the client.
import { freeBlock, wasRefused } from "../memory/blocks";
import { Fault, outOfMemory } from "../hub/fault";
import { Exchange } from "../exchange/exchange";
import { ResponseMetadata } from "../exchange/response-metadata";
import { CALLOUT_BODY, enterStream, NO_CALLOUT } from "../host/callout";
import {
  currentMilliseconds,
  logWarning,
  replaceBodyPrefix,
  REQUEST_BODY,
  takeBody,
} from "../host/host";
import { Edits } from "../bytes/json/edit";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { NO_NODE, scratchTape, Tape } from "../bytes/json/tape";
import { escape, unescape } from "../bytes/json/text";
import { ByteBuffer, constant, sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";
import { maskInPlace } from "../bytes/text/mask";
import { isFromProvider, upstreamFault } from "../exchange/envoy-errors";
import { apiBody, apiPath, writeApiRequest } from "./api-request";
import { augment } from "./augment";
import { appendValidUtf8 } from "./valid-utf8";
import { calloutDetails, calloutStatus, callApi, callModelServer, isGarbled } from "./calls";
import { appendMessages, appendText, appendUserTurns, lastUserMessage } from "./conversation";
import { PromptConfig, PromptTarget } from "../config/prompt-target";

/** A callout is in flight: the request is held. */
export const OUTCOME_WAIT: i32 = 0;
/** The request (`flow.body`, `flow.tape`) goes to its model. */
export const OUTCOME_SEND: i32 = 1;
/** The gateway responds with `flow.text` (`answerPrompt`). */
export const OUTCOME_ANSWER: i32 = 2;
/** The gateway responds with `flow.fault`. */
export const OUTCOME_FAULT: i32 = 3;
/** Of the last step: the API's response is in `flow.text`. */
const OUTCOME_DISPATCH: i32 = 4;

const STEP_GUARD: i32 = 0;
const STEP_EMBEDDINGS: i32 = 1;
const STEP_ZEROSHOT: i32 = 2;
const STEP_EXTRACTION: i32 = 3;
const STEP_GROUNDING: i32 = 4;
const STEP_API: i32 = 5;

/** The steps as the log and errors call them. */
function nameOf(step: i32): string {
  if (step == STEP_GUARD) return "guard";
  if (step == STEP_EMBEDDINGS) return "embeddings";
  if (step == STEP_ZEROSHOT) return "zeroshot";
  if (step == STEP_EXTRACTION) return "extraction";
  return step == STEP_GROUNDING ? "hallucination" : "API";
}

/** Envoy's timers fire a moment early or late: less than this is no time for anything. Milliseconds. */
const MIN_TIME: u32 = 5;

const GARBLED =
  " compressed its answer, although it was asked not to, and the gateway cannot tell whether it is whole: it is damaged, or not JSON.";

/** An API's answer becomes part of a prompt: more than this is no prompt. Bytes. */
const MAX_ANSWER: u32 = 1 << 20;
/** Arguments wait for two steps; more than this are no arguments of an API. Bytes. */
const MAX_ARGUMENTS: u32 = 256 << 10;

const GUARD_PATH = constant("/guard");
const EMBEDDINGS_PATH = constant("/embeddings");
const ZEROSHOT_PATH = constant("/zeroshot");
const EXTRACTION_PATH = constant("/v1/chat/completions");
const GROUNDING_PATH = constant("/hallucination");
const EXTRACTION_TIMEOUT: u32 = 20_000;
const STEP_TIMEOUT: u32 = 5_000;

const JAILBREAK_VERDICT = constant("jailbreak_verdict");
const DECISION = constant("decision");
const DECISION_TARGET = constant("target");
const DECISION_NONE = constant("none");
const PREDICTED_CLASS = constant("predicted_class");
const CANDIDATES = constant("candidates");
const CHOICES = constant("choices");
const MESSAGE = constant("message");
const TOOL_CALLS = constant("tool_calls");
const FUNCTION = constant("function");
const NAME = constant("name");
const ARGUMENTS = constant("arguments");
const CONTENT = constant("content");
const MISSING = constant("missing");
const QUESTION = constant("question");

/** The response of the step under way; one at a time is read, so one tape serves all flows. */
const response = scratchTape();
const request = scratchBuffer();
const scratch = scratchBuffer();
const answer = new Span(0, 0);
const edits = new Edits();

export class PromptFlow {
  /** Token of the callout under way, NO_CALLOUT between steps. */
  token: u32 = NO_CALLOUT;
  /** The text to say (the inside of a JSON string), or the API's answer (plain bytes). */
  text: ByteBuffer = new ByteBuffer();
  fault: Fault | null = null;
  target: PromptTarget | null = null;
  /** Whether nobody can tell if the API's answer is whole. */
  private isGarbled: bool = false;
  /** Whether the API has been called: then the response's `metadata` tells of it. */
  apiStatus: u32 = 0;
  /** The arguments as a JSON object. */
  argumentsJson: ByteBuffer = new ByteBuffer();
  private argumentsTape: Tape = new Tape();
  private step: i32 = STEP_GUARD;
  /** When the listener's timeout is used up. Milliseconds since the epoch. */
  private deadline: i64 = 0;
  /** Whether the callout under way has got all the time that was left. */
  private hasAllTime: bool = false;

  /** Takes the client's body, which is scanned, until `close`: while the flow waits, Envoy alone has it. */
  constructor(
    private config: PromptConfig,
    public exchange: Exchange,
    /** A scratch tape, of the body while there is one. */
    public tape: Tape,
    public body: usize,
    private length: u32,
  ) {}

  /** Starts the flow; the pipeline acts on the outcome. */
  start(): i32 {
    return this.finish(this.firstStep());
  }

  private firstStep(): i32 {
    this.deadline = currentMilliseconds() + this.config.timeoutMs;
    if (lastUserMessage(this.tape) == NO_NODE) return OUTCOME_SEND;
    return this.config.hasGuard() ? this.askGuard() : this.askEmbeddings();
  }

  /** The callback ends: what the flow can read again is given back. */
  close(): void {
    freeBlock(this.body);
    this.body = 0;
    freeBlock(responseBytes);
    responseBytes = 0;
  }

  /** Reads the client's body again. False when there is no memory for it. */
  private open(): bool {
    const bytes = takeBody(REQUEST_BODY, 0, this.length);
    this.body = bytes.pointer;
    return this.body != 0 && scan(this.tape, this.body, bytes.length) == SCAN_OK;
  }

  /** Reads the response of the callout (status 0: it failed); the pipeline acts on the outcome. */
  onResponse(size: u32): i32 {
    return this.finish(this.nextStep(size));
  }

  private nextStep(size: u32): i32 {
    this.token = NO_CALLOUT;
    const status = calloutStatus();
    const isApi = this.step == STEP_API;
    const details = calloutDetails();
    const isRead = isApi ? this.readAnswer(status, size) : status == 200 && this.read(size);
    // From here on headers and bodies are the stream's again.
    enterStream(this.exchange.contextId);
    if (wasRefused() || !this.open()) return this.noMemory();
    if (isApi) return this.onApi(status, size, details);
    // Envoy's timer may fire a moment before the time is up by the clock.
    const isUp = this.hasAllTime && status == 504 && details.length == 0;
    if (!isRead && (isUp || this.timeLeft() == 0)) return this.tooLate();
    if (this.step == STEP_GUARD) return this.onGuard(isRead);
    if (!isRead) return this.onFailure(status);
    if (this.step == STEP_EMBEDDINGS) return this.askZeroshot();
    if (this.step == STEP_ZEROSHOT) return this.onZeroshot();
    return this.step == STEP_EXTRACTION ? this.onExtraction() : this.onGrounding();
  }

  /** Milliseconds of the listener's timeout that are left for this prompt. */
  timeLeft(): u32 {
    const left = this.deadline - currentMilliseconds();
    if (left < <i64>MIN_TIME) return 0;
    // A clock that was set back gives no more time than there was.
    return min(<u32>left, this.config.timeoutMs);
  }

  private noMemory(): i32 {
    this.fault = outOfMemory("request");
    return OUTCOME_FAULT;
  }

  /** Applies what the steps have found to the request, if it goes to its model; the time has to last for the model, too. */
  private finish(outcome: i32): i32 {
    const target = this.target;
    if (outcome == OUTCOME_DISPATCH && target !== null && !target.dispatches) {
      this.escapeAnswer();
      return OUTCOME_ANSWER;
    }
    if (outcome != OUTCOME_SEND && outcome != OUTCOME_DISPATCH) return outcome;
    if (this.timeLeft() == 0) return this.tooLate();
    if (outcome == OUTCOME_DISPATCH && !this.extendRequest()) return this.noMemory();
    return OUTCOME_SEND;
  }

  private tooLate(): i32 {
    return this.refuse(
      504,
      "The listener's timeout was used up before the prompt could be answered; the last step was " +
        nameOf(this.step) +
        ".",
    );
  }

  /** Makes the API's response the inside of a JSON string. */
  private escapeAnswer(): void {
    scratch.clear();
    escape(this.text.pointer, this.text.length, scratch);
    this.text.clear();
    this.text.bytes(scratch.pointer, scratch.length);
  }

  /** Puts the API's answer into the client's request, in Envoy's buffer as well as here. False when there is no memory. */
  private extendRequest(): bool {
    const target = this.target;
    if (target === null) return true;
    answer.pointer = this.text.pointer;
    answer.length = this.text.length;
    edits.clear();
    augment(this.tape, target.systemPromptJson, answer, edits);
    this.exchange.mayHaveActed = this.mayHaveActed();
    this.exchange.hasTargetPrompt = target.systemPromptJson.length > 0;
    scratch.clear();
    const replaced = edits.prefix(this.body, scratch);
    scratch.bytes(this.body + replaced, this.length - replaced);
    freeBlock(this.body);
    this.body = 0;
    if (wasRefused()) return false;
    replaceBodyPrefix(REQUEST_BODY, this.length, scratch);
    this.length = scratch.length;
    // What was valid JSON still is: the edits are made of valid pieces.
    if (!this.open()) return false;
    const value = new ByteBuffer();
    writeMetadata(this, value);
    if (value.length > 0) this.exchange.metadata = new ResponseMetadata(value);
    value.release();
    return true;
  }

  /** The exchange owns the body now. */
  detachBody(): void {
    this.body = 0;
  }

  release(): void {
    this.text.release();
    this.argumentsJson.release();
    this.argumentsTape.release();
    freeBlock(this.body);
    this.body = 0;
  }

  private askGuard(): i32 {
    request.clear();
    request.text('{"input":"');
    this.addPrompt();
    request.text('","task":"jailbreak"}');
    return this.ask(STEP_GUARD, GUARD_PATH, STEP_TIMEOUT);
  }

  private onGuard(isRead: bool): i32 {
    if (!isRead) {
      if (!this.config.guardFailsOpen)
        return this.refuse(
          503,
          "The jailbreak guard could not be asked, and it is configured to refuse then.",
        );
      logWarning(
        "gateway: the jailbreak guard could not be asked; the prompt passes (on_failure: allow)",
      );
      return this.askEmbeddings();
    }
    if (!response.isTrue(response.member(0, JAILBREAK_VERDICT))) return this.askEmbeddings();
    this.text.clear();
    this.text.span(this.config.guardMessageJson);
    return OUTCOME_ANSWER;
  }

  private askEmbeddings(): i32 {
    // Nothing to choose from: neither targets at all, nor any but the default one.
    if (this.config.zeroshotMembers.length == 0) return this.onNoTarget();
    request.clear();
    request.text('{"input":"');
    this.addPrompt();
    request.text('","model":"embedding"}');
    return this.ask(STEP_EMBEDDINGS, EMBEDDINGS_PATH, STEP_TIMEOUT);
  }

  private askZeroshot(): i32 {
    request.clear();
    request.text('{"input":"');
    this.addPrompt();
    request.text('","messages":');
    appendMessages(this.tape, request);
    request.text(',"model":"zeroshot",');
    request.span(this.config.zeroshotMembers);
    request.text("}");
    return this.ask(STEP_ZEROSHOT, ZEROSHOT_PATH, STEP_TIMEOUT);
  }

  private onZeroshot(): i32 {
    const decision = response.member(0, DECISION);
    if (response.equals(decision, DECISION_NONE)) return this.onNoTarget();
    const isSure = response.equals(decision, DECISION_TARGET);
    this.target = this.findTarget(response, response.member(0, PREDICTED_CLASS));
    const target = this.target;
    if (isSure && target === null) return this.onNoTarget();
    if (isSure && target !== null && target.parameters.length == 0) return this.callTarget();
    return this.askExtraction(isSure);
  }

  /** No target fits: the default one if there is one, else the language model alone. */
  private onNoTarget(): i32 {
    if (this.config.defaultTarget < 0) return OUTCOME_SEND;
    this.target = this.config.targets[this.config.defaultTarget];
    return this.callTarget();
  }

  private askExtraction(isSure: bool): i32 {
    request.clear();
    request.text('{"model":"extraction","stream":false,"metadata":{"decision":"');
    request.text(isSure ? "target" : "ask_model");
    request.text('"},"messages":');
    appendMessages(this.tape, request);
    request.text(',"tools":[');
    const target = this.target;
    let count = 0;
    if (isSure && target !== null) {
      request.span(target.tool);
      count++;
    } else {
      const list = response.member(0, CANDIDATES);
      const end = response.next(list);
      for (let name = response.first(list); name < end; name = response.next(name)) {
        const candidate = this.findTarget(response, name);
        if (candidate === null) continue;
        if (count++ > 0) request.byte(0x2c);
        request.span(candidate.tool);
      }
    }
    request.text("]}");
    return count == 0
      ? this.onNoTarget()
      : this.ask(STEP_EXTRACTION, EXTRACTION_PATH, EXTRACTION_TIMEOUT);
  }

  private onExtraction(): i32 {
    const message = firstMessage();
    const calls = response.member(message, TOOL_CALLS);
    if (response.isArray(calls) && !response.isEmpty(calls))
      return this.onToolCall(response.member(response.first(calls), FUNCTION));
    const content = response.member(message, CONTENT);
    if (!response.isString(content) || response.size(content) == 0) return this.onNoTarget();
    this.text.clear();
    this.text.bytes(response.pointer(content), response.size(content));
    return OUTCOME_ANSWER;
  }

  private onToolCall(call: u32): i32 {
    this.target = this.findTarget(response, response.member(call, NAME));
    const text = response.member(call, ARGUMENTS);
    this.argumentsJson.clear();
    if (response.isString(text))
      unescape(response.pointer(text), response.size(text), this.argumentsJson);
    if (this.argumentsJson.length == 0) this.argumentsJson.text("{}");
    removeSpace(this.argumentsJson);
    if (this.target === null || !this.scanArguments()) return this.onFailure(0);
    return this.askGrounding();
  }

  private scanArguments(): bool {
    if (this.argumentsJson.length > MAX_ARGUMENTS) return false;
    const code = scan(this.argumentsTape, this.argumentsJson.pointer, this.argumentsJson.length);
    return code == SCAN_OK && this.argumentsTape.isObject(0);
  }

  private askGrounding(): i32 {
    const target = this.target;
    if (target === null) return this.onNoTarget();
    request.clear();
    request.text('{"model":"grounding","target":"');
    request.span(target.name);
    request.text('","prompt":"');
    appendUserTurns(this.tape, request);
    request.text('","messages":');
    appendMessages(this.tape, request);
    request.text(',"parameters":');
    request.bytes(this.argumentsJson.pointer, this.argumentsJson.length);
    request.text("}");
    return this.ask(STEP_GROUNDING, GROUNDING_PATH, STEP_TIMEOUT);
  }

  private onGrounding(): i32 {
    const missing = response.member(0, MISSING);
    if (!response.isArray(missing) || response.isEmpty(missing)) return this.callTarget();
    const question = response.member(0, QUESTION);
    if (!response.isString(question)) return this.onFailure(0);
    this.text.clear();
    this.text.bytes(response.pointer(question), response.size(question));
    return OUTCOME_ANSWER;
  }

  private callTarget(): i32 {
    const target = this.target;
    if (target === null) return OUTCOME_SEND;
    if (this.argumentsJson.length == 0) {
      this.argumentsJson.text("{}");
      if (!this.scanArguments()) return OUTCOME_SEND;
    }
    const wrong = writeApiRequest(target, this.argumentsTape, this.tape);
    if (wrong.length > 0) {
      const name = String.UTF8.decodeUnsafe(wrong.pointer, wrong.length);
      return this.refuse(
        400,
        "The value of '" + name + "' cannot be part of a URL; say another one.",
      );
    }
    this.step = STEP_API;
    if (wasRefused()) return this.noMemory();
    const left = this.timeLeft();
    if (left == 0) return this.tooLate();
    this.token = callApi(this.exchange.contextId, target, apiPath, apiBody, left);
    return this.token == NO_CALLOUT ? this.onApi(0, 0, "") : OUTCOME_WAIT;
  }

  private onApi(status: u32, size: u32, details: string): i32 {
    this.apiStatus = status;
    const target = this.target;
    const name =
      target === null ? "" : String.UTF8.decodeUnsafe(target.name.pointer, target.name.length);
    const upstream = "the API of the prompt target '" + name + "'";
    const api = "T" + upstream.substring(1);
    if (details.length == 0) {
      if (status == 504 || this.timeLeft() == 0)
        return this.refuse(504, api + " did not answer within the listener's timeout.");
      return this.refuse(502, api + " broke off its answer, or answered more than 1 MiB.");
    }
    if (!isFromProvider(details)) {
      this.fault = upstreamFault(status, details, upstream, "");
      return OUTCOME_FAULT;
    }
    if (status >= 400) return this.refuse(status, api + " answered " + status.toString() + ".");
    if (status < 200 || status >= 300)
      return this.refuse(502, api + " answered " + status.toString() + ", which is no answer.");
    if (size > MAX_ANSWER) return this.refuse(502, api + " answered more than 1 MiB.");
    if (this.isGarbled) return this.refuse(502, api + GARBLED);
    return OUTCOME_DISPATCH;
  }

  /** Whether an API was called by POST, so that something may have been done, whatever came of it. */
  mayHaveActed(): bool {
    const target = this.target;
    return this.step == STEP_API && target !== null && !target.isGet;
  }

  /** Keeps the API's answer as text: of a default target's chat completion the message. False when none can be used. */
  private readAnswer(status: u32, size: u32): bool {
    this.text.clear();
    this.isGarbled = isGarbled(size);
    if (status < 200 || status >= 300 || size == 0 || size > MAX_ANSWER) return false;
    const target = this.target;
    if (target !== null && target.isDefault && this.read(size)) {
      const content = response.member(firstMessage(), CONTENT);
      if (response.isString(content)) {
        unescape(response.pointer(content), response.size(content), this.text);
        maskInPlace(this.text, target.secrets);
        return true;
      }
    }
    const bytes = takeBody(CALLOUT_BODY, 0, size);
    appendValidUtf8(bytes.pointer, bytes.length, this.text);
    freeBlock(bytes.pointer);
    if (target !== null) maskInPlace(this.text, target.secrets);
    return true;
  }

  /** A step of the model server has failed: the prompt is answered without a target, but for grounding. */
  private onFailure(status: u32): i32 {
    if (this.step == STEP_GROUNDING) {
      return this.refuse(
        503,
        "The values that were found in the prompt could not be checked; try again in a moment.",
      );
    }
    logWarning(
      "gateway: the step " +
        nameOf(this.step) +
        " of a prompt failed with " +
        status.toString() +
        "; it goes to the model without a target",
    );
    return OUTCOME_SEND;
  }

  private refuse(status: u32, message: string): i32 {
    this.fault = new Fault(status, message);
    return OUTCOME_FAULT;
  }

  private ask(step: i32, path: Span, timeoutMs: u32): i32 {
    this.step = step;
    if (wasRefused()) return this.noMemory();
    const left = this.timeLeft();
    if (left == 0) return this.tooLate();
    this.hasAllTime = left <= timeoutMs;
    this.token = callModelServer(this.exchange.contextId, path, request, min(timeoutMs, left));
    if (this.token != NO_CALLOUT) return OUTCOME_WAIT;
    return step == STEP_GUARD ? this.onGuard(false) : this.onFailure(0);
  }

  private addPrompt(): void {
    appendText(this.tape, lastUserMessage(this.tape), request);
  }

  private findTarget(tape: Tape, name: u32): PromptTarget | null {
    if (!tape.isString(name) || tape.isEscaped(name)) return null;
    const targets = this.config.targets;
    for (let i = 0; i < targets.length; i++) {
      const own = targets[i].name;
      if (sameBytes(own.pointer, own.length, tape.pointer(name), tape.size(name)))
        return targets[i];
    }
    return null;
  }

  /** Scans the response; its bytes live until the next response is read. */
  private read(size: u32): bool {
    freeBlock(responseBytes);
    const bytes = takeBody(CALLOUT_BODY, 0, size);
    responseBytes = bytes.pointer;
    return (
      bytes.pointer != 0 &&
      scan(response, bytes.pointer, bytes.length) == SCAN_OK &&
      response.isObject(0)
    );
  }
}

let responseBytes: usize = 0;

/** The message of the chat completion that `response` holds, NO_NODE when it is none. */
function firstMessage(): u32 {
  const choices = response.member(0, CHOICES);
  const has = response.isArray(choices) && !response.isEmpty(choices);
  return has ? response.member(response.first(choices), MESSAGE) : NO_NODE;
}

/** Removes the white space between the tokens of a JSON text: it goes into the line of an event. */
function removeSpace(json: ByteBuffer): void {
  const end = json.pointer + json.length;
  let to = json.pointer;
  let isInString = false;
  for (let from = json.pointer; from < end; from++) {
    const byte = <u32>load<u8>(from);
    if (!isInString && (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09)) continue;
    if (byte == 0x22) isInString = !isInString;
    store<u8>(to++, <u8>byte);
    if (isInString && byte == 0x5c && from + 1 < end) store<u8>(to++, load<u8>(++from));
  }
  json.length = <u32>(to - json.pointer);
}

/** The value of the response's `metadata`: which target, with which arguments, and what its API answered. */
export function writeMetadata(flow: PromptFlow, out: ByteBuffer): void {
  const target = flow.target;
  if (target === null || flow.apiStatus == 0) return;
  out.text('{"prompt_target":{"name":"');
  out.span(target.name);
  out.text('","arguments":');
  out.bytes(flow.argumentsJson.pointer, flow.argumentsJson.length);
  out.text(',"status":');
  out.integer(<i64>flow.apiStatus);
  out.text("}}");
}
