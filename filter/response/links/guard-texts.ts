// The texts of a response as its client gets them, whoever wrote them: what a rule finds in them is replaced, or ends the response. It
// stands after all links that read the provider's dialect, so that there are three forms to read, not one for each provider.
import { wasRefused } from "../../memory/blocks";
import { mayHold } from "../../memory/memory-budget";
import { Fault, outOfMemory } from "../../hub/faults/fault";
import { LOOKS_SSE, looksLike } from "../../bytes/sse/looks-like";
import { ByteBuffer, scratchBuffer } from "../../bytes/text/bytes";
import { GuardAction, GuardPolicy } from "../../config/guard-policy";
import { Content } from "../../exchange/content-capture";
import { Exchange } from "../../exchange/exchange";
import { CONTENT_LENGTH } from "../../exchange/header-names";
import { Link } from "../../exchange/link";
import { requestId } from "../../exchange/request-id";
import { CONTENT_LENGTH as RESPONSE_LENGTH, isEventStream } from "../../exchange/response-head";
import { GuardedStream } from "../../guards/response/guarded-stream";
import { Restore } from "../../guards/response/restore";
import { Mask } from "../../guards/response/mask-values";
import { replacedText } from "../../guards/response/text-replacement";
import { TextRule } from "../../guards/response/text-rule";
import { ALL, header, removeHeader, RESPONSE_HEADERS, setHeaderNumber } from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import {
  bodySize,
  dropBytes,
  prependBytes,
  replaceBytes,
  replaceBytesBehind,
  takeBytes,
} from "../body";
import { replaceResponse } from "../replace";

/** The most bytes that are kept of a body that is no stream. */
const MAX_WHOLE: u32 = 32 << 20;

const out = scratchBuffer();
const joined = scratchBuffer();

/** Adds a link for each policy that looks into the response. */
export function addGuards(exchange: Exchange): void {
  const guarded = exchange.guarded;
  if (guarded === null) return;
  const isInference = exchange.client.endpoint.row.isInference;
  for (let i = 0; i < guarded.policies.length; i++) {
    const policy = guarded.policies[i];
    if (isInference && policy.onResponses)
      exchange.response.add(new PolicyTexts(exchange, policy, ruleOf(policy)));
  }
  if (guarded.placeholders.count == 0) return;
  // The log of bodies gets the placeholders, as it does of the request.
  const content = exchange.content;
  if (content !== null) content.isGuarded = true;
  exchange.response.add(new GuardTexts(exchange, new Restore(guarded.placeholders), content));
}

/** Returns an error's message as the policies that look into responses let it into the usage record. */
export function guardedMessage(exchange: Exchange, message: string): string {
  const guarded = exchange.guarded;
  if (guarded === null) return message;
  for (let i = 0; i < guarded.policies.length; i++) {
    const policy = guarded.policies[i];
    if (policy.onResponses && policy.action != GuardAction.Monitor)
      message = replacedText(ruleOf(policy), message);
  }
  return message;
}

function ruleOf(policy: GuardPolicy): Mask {
  const action = policy.action;
  return new Mask(
    policy.name,
    policy.finder,
    action == GuardAction.Block,
    action == GuardAction.Monitor,
    policy.failsOpen,
  );
}

class GuardTexts extends Link {
  private stream: GuardedStream;
  private isStream: bool;
  /** What has come of a body that is read when it is whole. */
  private kept: ByteBuffer = new ByteBuffer();
  /** Whether the rest passes, and whether it is dropped. */
  private isPassing: bool = false;
  protected isOver: bool = false;
  /** Whether the response, or a part of it, could not be read. */
  protected hasFailed: bool = false;

  /** @param content gets the bytes as they are before the rule; null if it gets those that leave */
  constructor(
    protected exchange: Exchange,
    private rule: TextRule,
    private content: Content | null,
  ) {
    super();
    const isStream = isEventStream();
    this.isStream = isStream;
    this.stream = new GuardedStream(exchange.client.dialect, rule);
    this.passes = true;
    this.holdsHead = !isStream;
    if (RESPONSE_LENGTH.length > 0 && (isStream || exchange.runsUpstream()))
      removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  }

  onBytes(size: u32, isEnd: bool): i32 {
    if (this.isPassing) return CONTINUE;
    if (this.isOver) {
      if (size > 0) dropBytes();
      return CONTINUE;
    }
    const bytes = takeBytes(0, size);
    const pointer = bytes.pointer;
    const length = bytes.length;
    if (wasRefused()) return this.fail(size);
    const content = this.content;
    if (content !== null && length > 0) content.keepResponse(pointer, length);
    if (this.isStream) return this.read(pointer, length, size, isEnd);
    if (!isEnd) return this.keep(pointer, length, size);
    if (this.kept.length == 0) return this.readAll(pointer, length, size);
    prependBytes(this.kept.pointer, this.kept.length);
    this.kept.release();
    size = bodySize();
    const all = takeBytes(0, size);
    if (wasRefused()) return this.fail(size);
    return this.readAll(all.pointer, all.length, size);
  }

  release(): void {
    this.stream.release();
    this.kept.release();
  }

  /** Keeps bytes of a body that is not whole: Envoy would give them again, to the links before this one too. */
  private keep(pointer: usize, length: u32, size: u32): i32 {
    const kept = this.kept;
    kept.bytes(pointer, length);
    if (wasRefused() || kept.length > MAX_WHOLE || !mayHold(kept.length)) return this.fail(size);
    if (size > 0) dropBytes();
    return STOP;
  }

  /** Reads the next bytes of a stream. */
  private read(pointer: usize, length: u32, size: u32, isEnd: bool): i32 {
    const stream = this.stream;
    out.clear();
    stream.push(pointer, length, isEnd, out);
    if (stream.isOver) {
      // What was read before has been checked.
      const fault = this.rule.fault();
      this.hasFailed = !this.rule.isBlocked;
      stream.texts.writeEnd(fault, requestId(this.exchange), out);
      this.exchange.fault = fault;
      this.isOver = true;
    }
    if (stream.unchanged != length || out.length > 0)
      replaceFrom(stream.unchanged, pointer, length, size);
    return CONTINUE;
  }

  private readAll(pointer: usize, length: u32, size: u32): i32 {
    if (length == 0) return CONTINUE;
    const status = this.stream.texts.readWhole(pointer, length)
      ? this.readObject(pointer, size)
      : this.readText(pointer, length, size);
    // The length that was set before is that of another body.
    if (
      this.exchange.response.isHeadHeld &&
      size != ALL &&
      header(RESPONSE_HEADERS, CONTENT_LENGTH).length > 0
    )
      setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, bodySize());
    return status;
  }

  /** The body is JSON, and has been read. */
  private readObject(pointer: usize, size: u32): i32 {
    const texts = this.stream.texts;
    if (this.rule.isBlocked) return this.end(this.rule.fault(), size);
    if (!texts.isChanged) return CONTINUE;
    out.clear();
    replaceBytes(texts.writeChanges(pointer, out), out);
    return CONTINUE;
  }

  /** The body is no JSON: it may be a stream of another type. */
  private readText(pointer: usize, length: u32, size: u32): i32 {
    if (looksLike(pointer, length) == LOOKS_SSE) {
      const status = this.read(pointer, length, size, true);
      if (this.isOver || this.stream.hasEvents) return status;
    }
    this.hasFailed = true;
    return this.rule.isStrict ? this.end(this.rule.fault(), size) : CONTINUE;
  }

  /** There is no memory to read the response. */
  private fail(size: u32): i32 {
    this.hasFailed = true;
    if (this.rule.isStrict) return this.end(outOfMemory("response"), size);
    this.isPassing = true;
    out.clear();
    out.bytes(this.kept.pointer, this.kept.length);
    this.stream.giveUp(out);
    prependBytes(out.pointer, out.length);
    return CONTINUE;
  }

  /** Ends the response in its place. */
  private end(fault: Fault, size: u32): i32 {
    const exchange = this.exchange;
    const dialect = exchange.client.dialect;
    out.clear();
    const id = requestId(exchange);
    if (this.isStream) this.stream.texts.writeEnd(fault, id, out);
    else if (!this.stream.texts.writeEndOfWhole(fault, out)) {
      if (exchange.response.isHeadHeld) return replaceResponse(exchange, fault);
      dialect.writeFault(fault, id, out);
    }
    exchange.fault = fault;
    replaceBytes(size, out);
    this.isOver = true;
    return CONTINUE;
  }
}

/** A policy on what the model has written: what it finds is in the usage record. */
class PolicyTexts extends GuardTexts {
  /** How much of what it has found was reported. */
  private reported: u32 = 0;

  constructor(
    exchange: Exchange,
    private policy: GuardPolicy,
    private mask: Mask,
  ) {
    super(exchange, mask, null);
  }

  onBytes(size: u32, isEnd: bool): i32 {
    this.maskFaults();
    const status = super.onBytes(size, isEnd);
    this.report();
    return status;
  }

  private report(): void {
    const mask = this.mask;
    const guarded = this.exchange.guarded;
    if (guarded === null || (mask.count == this.reported && !this.hasFailed)) return;
    const decision = guarded.decisionOf(this.policy, true);
    decision.findings += mask.count - this.reported;
    this.reported = mask.count;
    decision.kinds |= mask.kinds;
    if (this.isOver) decision.isBlocked = true;
    if (this.hasFailed) decision.hasFailed = true;
  }

  /** The usage record has the message of a provider's error, which is in the body too. */
  private maskFaults(): void {
    const mask = this.mask;
    if (mask.isSilent) return;
    const response = this.exchange.response;
    const count = mask.count;
    const fault = response.providerFault;
    if (fault !== null) fault.message = replacedText(mask, fault.message);
    const facts = response.facts;
    if (facts !== null) {
      const other = facts.fault;
      if (other !== null && other !== fault) other.message = replacedText(mask, other.message);
    }
    mask.count = count;
  }
}

/** Replaces what follows the first `kept` of the bytes, which are the last that were taken, by what is in `out`. */
function replaceFrom(kept: u32, pointer: usize, length: u32, size: u32): void {
  // In place of the bytes there is no room for more.
  if (out.length <= length - kept) {
    replaceBytesBehind(size, kept, out);
    return;
  }
  joined.clear();
  joined.bytes(pointer, kept);
  joined.bytes(out.pointer, out.length);
  replaceBytes(size, joined);
}
