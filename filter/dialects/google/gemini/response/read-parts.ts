// Reads the parts of a candidate's content: texts, thoughts, calls.
// @see https://ai.google.dev/api/caching#Part
import {
  DROPPED_BLOCK,
  DROPPED_SERVER_TOOL,
  DROPPED_TOOL_ARGUMENTS,
  DROPPED_TOOL_CALL,
} from "../../../../hub/dropped";
import { ResponseSink } from "../../../../hub/response/events";
import { Translation } from "../../../../hub/response/translation";
import { HOSTED_CODE } from "../../../../hub/request/hosted-tools";
import { appendString, HostedCall } from "../../../../hub/response/hosted-call";
import { appendGeneratedId } from "../../../../hub/response/generated-id";
import { isIdText, MAX_SIGNED_ID, writeSignedId } from "../../../../hub/request/signed-call-id";
import { minify } from "../../../../bytes/json/minify";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { escape, unescape } from "../../../../bytes/json/text";
import { startsWith } from "../../../../bytes/text/at";
import { constant, scratchBuffer } from "../../../../bytes/text/bytes";
import { isServerPart, TOOL_CALL } from "../server-part";
import { SourceReader } from "./read-sources";
import { CARRIER_PART, MEMBER_PART, writeUnsignedMark } from "../../../../hub/reasoning-carrier";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { appendBase64Url } from "../signature";
import { NO_SEARCH } from "../../../../hub/request/request-notes";
import { GroundedText } from "./grounded-text";

const THOUGHT_SIGNATURE = constant("thoughtSignature");
/** Pieces of the arguments, which the gateway does not ask for. */
const PARTIAL_ARGS = constant("partialArgs");

const OPEN_NOTHING: i32 = 0;
const OPEN_TEXT: i32 = 1;
const OPEN_THOUGHT: i32 = 2;

/** More calls in one response are dropped and counted. */
export const MAX_CALLS: i32 = 1024;

const id = scratchBuffer();
const plain = scratchBuffer();
const signature = scratchBuffer();
const text = scratchBuffer();

export class PartReader {
  /** The text of the last list of parts if it was its only part, or NO_NODE. */
  single: u32 = NO_NODE;
  private open: i32 = OPEN_NOTHING;
  private calls: i32 = 0;
  /** The open text, or the last one, if the provider may search. */
  private grounded: GroundedText | null = null;
  /** Code whose output has not come. */
  private code: HostedCall | null = null;

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
    private sources: SourceReader,
    /** Where the numbers of its generated ids begin. */
    private firstId: i32 = 0,
  ) {
    if (translation.notes.search != NO_SEARCH) this.grounded = new GroundedText();
  }

  release(): void {
    const code = this.code;
    if (code !== null) code.release();
    this.code = null;
    const grounded = this.grounded;
    if (grounded !== null) grounded.release();
  }

  /** The text to which sources may be written, if the provider may search. */
  get openText(): GroundedText | null {
    return this.open == OPEN_TEXT ? this.grounded : null;
  }

  get hasOpenText(): bool {
    return this.open == OPEN_TEXT;
  }

  /** Reads parts, from one to before another. */
  read(tape: Tape, first: u32, end: u32): void {
    this.single = NO_NODE;
    let count = 0;
    for (let part = first; part < end; part = tape.next(part)) {
      this.readPart(tape, part);
      if (count++ > 0) this.single = NO_NODE;
    }
  }

  /** Reads texts that continue the last one. */
  repeat(texts: TextRuns): void {
    if (this.open != OPEN_THOUGHT) {
      this.sink.texts(texts);
      return;
    }
    for (let i: u32 = 0; i < texts.count; i++)
      this.sink.reasoning(texts.pointer(i), texts.length(i));
  }

  /** Ends the open text or thought. */
  end(): void {
    if (this.open != OPEN_NOTHING) this.sink.blockEnd();
    this.open = OPEN_NOTHING;
  }

  private readPart(tape: Tape, part: u32): void {
    const words = tape.member(part, constant("text"));
    const call = tape.member(part, constant("functionCall"));
    if (tape.isString(words)) this.readText(tape, part, words);
    else if (tape.isObject(call)) this.readCall(tape, part, call);
    else if (tape.isPresent(tape.member(part, constant("inlineData"))))
      this.readMedia(tape, tape.member(part, constant("inlineData")));
    else if (tape.isPresent(tape.member(part, constant("fileData"))))
      this.translation.dropped.add(DROPPED_BLOCK);
    else if (
      !this.readCode(tape, part) &&
      !this.readServerPart(tape, part) &&
      !isSignature(tape, part)
    )
      this.translation.dropped.add(DROPPED_SERVER_TOOL);
  }

  /**
   * Reads code that Google ran, or its output. Returns whether a part is one of them.
   * @see https://ai.google.dev/gemini-api/docs/code-execution
   */
  private readCode(tape: Tape, part: u32): bool {
    const code = tape.member(part, constant("executableCode"));
    const result = tape.member(part, constant("codeExecutionResult"));
    if (!tape.isObject(code) && !tape.isObject(result)) return false;
    if (tape.isObject(code)) this.endCode();
    let call = this.code;
    if (call === null) {
      call = new HostedCall(HOSTED_CODE);
      this.code = call;
    }
    appendString(tape, tape.member(code, constant("code")), call.input);
    if (!tape.isObject(result)) return true;
    appendString(tape, tape.member(result, constant("output")), call.output);
    const outcome = tape.member(result, constant("outcome"));
    call.isError = tape.isString(outcome) && !tape.equals(outcome, constant("OUTCOME_OK"));
    this.endCode();
    return true;
  }

  /**
   * Reads a call of a tool that Google runs beside functions, or its result: it must come back as it is. Returns whether a part is one
   * of them.
   * @see https://ai.google.dev/gemini-api/docs/tool-combination
   */
  private readServerPart(tape: Tape, part: u32): bool {
    const call = tape.member(part, TOOL_CALL);
    const origin = this.translation.origin;
    if (origin.length == 0 || !isServerPart(tape, part)) return false;
    if (tape.isObject(call)) this.sources.readCall(tape, tape.member(call, constant("args")));
    this.end();
    plain.clear();
    plain.bytes(tape.pointer(part), tape.size(part));
    minify(plain);
    text.clear();
    writeUnsignedMark(MEMBER_PART, origin, text);
    text.byte(0x2e);
    escape(plain.pointer, plain.length, text);
    this.sink.signature(CARRIER_PART, text.pointer, text.length);
    this.sink.blockEnd();
    return true;
  }

  /** Ends the code that ran last. */
  endCode(): void {
    const call = this.code;
    this.code = null;
    if (call === null) return;
    this.end();
    this.sink.hosted(call);
    call.release();
  }

  /** Reads an image; other media are dropped. */
  private readMedia(tape: Tape, node: u32): void {
    const type = tape.member(node, constant("mimeType"));
    const data = tape.member(node, constant("data"));
    if (
      !tape.isString(data) ||
      !tape.isString(type) ||
      !startsWith(tape.pointer(type), tape.size(type), constant("image/"))
    ) {
      this.translation.dropped.add(DROPPED_BLOCK);
      return;
    }
    this.end();
    this.sink.image(tape.pointer(type), tape.size(type), tape.pointer(data), tape.size(data));
  }

  private readText(tape: Tape, part: u32, words: u32): void {
    const size = tape.size(words);
    // The last part of a stream may be an empty text with a signature.
    if (size == 0) return;
    const kind = isThought(tape, part) ? OPEN_THOUGHT : OPEN_TEXT;
    const isNew = kind != this.open;
    if (isNew) this.end();
    this.open = kind;
    if (kind == OPEN_THOUGHT) this.sink.reasoning(tape.pointer(words), size);
    else this.sink.text(tape.pointer(words), size);
    const grounded = this.grounded;
    if (grounded !== null) {
      if (kind == OPEN_TEXT) grounded.append(tape.pointer(words), size, isNew);
    } else if (tape.member(part, THOUGHT_SIGNATURE) == NO_NODE) this.single = words;
  }

  private readCall(tape: Tape, part: u32, call: u32): void {
    const name = tape.member(call, constant("name"));
    if (!tape.isString(name) || tape.size(name) == 0 || this.calls >= MAX_CALLS) {
      this.translation.dropped.add(DROPPED_TOOL_CALL);
      return;
    }
    this.end();
    const slot = this.calls++;
    this.writeId(
      tape,
      tape.member(call, constant("id")),
      slot,
      tape.member(part, THOUGHT_SIGNATURE),
    );
    this.sink.toolBegin(slot, id.pointer, id.length, tape.pointer(name), tape.size(name));
    const args = tape.member(call, constant("args"));
    if (tape.isObject(args)) {
      plain.clear();
      plain.bytes(tape.pointer(args), tape.size(args));
      minify(plain);
      text.clear();
      escape(plain.pointer, plain.length, text);
      this.sink.toolArguments(slot, text.pointer, text.length);
    }
    const pieces = tape.member(call, PARTIAL_ARGS);
    if (tape.isArray(pieces) && !tape.isEmpty(pieces))
      this.translation.dropped.add(DROPPED_TOOL_ARGUMENTS);
    this.sink.toolEnd(slot);
  }

  /** Writes the provider's id, or one of our own if it has none, with the call's signature, into `id`. */
  private writeId(tape: Tape, given: u32, slot: i32, signed: u32): void {
    plain.clear();
    if (tape.isString(given)) unescape(tape.pointer(given), tape.size(given), plain);
    if (
      plain.length == 0 ||
      plain.length > MAX_SIGNED_ID ||
      !isIdText(plain.pointer, plain.length)
    ) {
      plain.clear();
      appendGeneratedId(constant("call_"), this.translation.requestId, this.firstId + slot, plain);
    }
    id.clear();
    if (!this.readSignature(tape, signed)) id.bytes(plain.pointer, plain.length);
    else writeSignedId(plain, signature, id);
  }

  /** Returns whether a node has a signature, which is then in `signature`. */
  private readSignature(tape: Tape, node: u32): bool {
    if (!tape.isString(node)) return false;
    text.clear();
    unescape(tape.pointer(node), tape.size(node), text);
    signature.clear();
    return appendBase64Url(text.pointer, text.length, signature);
  }
}

/** Returns where the last text of some parts ends; `first` if they have none. Thoughts are no text. */
export function endOfText(tape: Tape, first: u32, end: u32): u32 {
  let found = first;
  for (let part = first; part < end; part = tape.next(part)) {
    const words = tape.member(part, constant("text"));
    if (tape.isString(words) && tape.size(words) > 0 && !isThought(tape, part))
      found = tape.next(part);
  }
  return found;
}

function isThought(tape: Tape, part: u32): bool {
  return tape.isTrue(tape.member(part, constant("thought")));
}

/** Returns whether a part without content is a signature alone; what Google's tools did may be signed too. */
function isSignature(tape: Tape, part: u32): bool {
  if (!tape.isPresent(tape.member(part, THOUGHT_SIGNATURE))) return false;
  const end = tape.next(part);
  for (let key = tape.first(part); key < end; key = tape.next(key + 1)) {
    if (tape.isObject(key + 1)) return false;
  }
  return true;
}
