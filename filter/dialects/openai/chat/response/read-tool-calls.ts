// Reads tool calls of chat providers, whole or in fragments, into the hub's events.
//
// Fragments of a call have the same `index`. Some providers omit the index, send index 0 with different ids (Gemini), repeat id
// and name in each fragment, send them late, or never send an id (older Ollama).
import { DROPPED_TOOL_ARGUMENTS, DROPPED_TOOL_CALL } from "../../../../hub/dropped";
import { ResponseSink } from "../../../../hub/response/events";
import { Translation } from "../../../../hub/response/translation";
import { appendGeneratedId } from "../../../../hub/response/generated-id";
import { InnerProgress, isBlank } from "../../../../bytes/json/inner-progress";
import { NO_COUNT, readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { escape } from "../../../../bytes/json/text";
import { ByteBuffer, constant, sameBytes } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";

const NULL = constant("null");

/** `key` of the one call in the older `function_call` member, which has no index. */
const LEGACY_KEY: i64 = -2;
/** More calls in one response are dropped and counted. */
const MAX_CALLS: i32 = 1024;

class ToolCall {
  /** The hub's number, -1 until the call has begun. */
  slot: i32 = -1;
  id: ByteBuffer = new ByteBuffer();
  name: ByteBuffer = new ByteBuffer();
  /** Arguments that came before the name. */
  held: ByteBuffer = new ByteBuffer();
  progress: InnerProgress = new InnerProgress();
  /** Whether the sink got arguments. */
  hasArguments: bool = false;
  isEnded: bool = false;
  /** Whether the gateway created the id, because the provider had sent none. */
  isIdMade: bool = false;

  constructor(public key: i64) {}

  /** `{}` and nothing else so far: some providers send it ahead of the real arguments. */
  get isHeldEmpty(): bool {
    return this.progress.isComplete && this.progress.isEmpty && !this.hasArguments && !this.isEnded;
  }

  release(): void {
    this.id.release();
    this.name.release();
    this.held.release();
  }
}

export class ToolCallReader {
  /** The arguments of the last list of calls if it had nothing else of interest, or NO_NODE. */
  single: u32 = NO_NODE;
  private singleCall: ToolCall | null = null;
  private calls: Array<ToolCall> = [];
  private begun: i32 = 0;
  private scratch: ByteBuffer = new ByteBuffer();

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {}

  readCalls(tape: Tape, list: u32): void {
    this.single = NO_NODE;
    let calls = 0;
    for (
      let entry = tape.first(list), end = tape.next(list);
      entry < end;
      entry = tape.next(entry)
    ) {
      if (!tape.isObject(entry)) continue;
      if (++calls > 1) this.single = NO_NODE;
      const index = readCount(tape, tape.member(entry, constant("index")));
      this.readCall(
        tape,
        index,
        tape.member(entry, constant("id")),
        tape.member(entry, constant("function")),
      );
    }
  }

  /** Reads events that differ from the last one in their arguments alone. */
  repeat(texts: TextRuns): void {
    const call = this.singleCall;
    if (call == null) return;
    for (let i: u32 = 0; i < texts.count; i++)
      this.addArguments(call, texts.pointer(i), texts.length(i));
  }

  /** Reads `function_call`, the predecessor of tool calls: one call without an id. */
  readLegacyCall(tape: Tape, call: u32): void {
    this.readCall(tape, LEGACY_KEY, NO_NODE, call);
  }

  /** Text follows: calls that wait for more arguments are complete. */
  contentBegins(): void {
    for (let i = 0; i < this.calls.length; i++) {
      const call = unchecked(this.calls[i]);
      if (call.isHeldEmpty && call.slot >= 0) this.end(call);
    }
  }

  /** The response is over: open calls end, in order. */
  finish(): void {
    for (let i = 0; i < this.calls.length; i++) {
      const call = unchecked(this.calls[i]);
      if (call.slot < 0) {
        if (call.name.length == 0) {
          this.translation.dropped.add(DROPPED_TOOL_CALL);
          continue;
        }
        this.begin(call);
      }
      if (!call.isEnded) this.end(call);
    }
  }

  release(): void {
    for (let i = 0; i < this.calls.length; i++) unchecked(this.calls[i]).release();
    this.calls.length = 0;
    this.scratch.release();
  }

  private readCall(tape: Tape, index: i64, id: u32, body: u32): void {
    const name = tape.member(body, constant("name"));
    const call = this.find(tape, index, id, name);
    if (call == null) return;
    if (call.slot < 0) {
      if (call.id.length == 0 && tape.isString(id)) call.id.bytes(tape.pointer(id), tape.size(id));
      if (call.name.length == 0 && tape.isString(name))
        call.name.bytes(tape.pointer(name), tape.size(name));
      if (call.name.length > 0 && call.id.length > 0) this.begin(call);
    }
    const value = tape.member(body, constant("arguments"));
    if (tape.isString(value)) {
      this.single = name == NO_NODE && tape.size(value) > 0 ? value : NO_NODE;
      this.singleCall = call;
      this.addArguments(call, tape.pointer(value), tape.size(value));
    } else if (tape.isObject(value)) {
      this.scratch.clear();
      escape(tape.pointer(value), tape.size(value), this.scratch);
      this.addArguments(call, this.scratch.pointer, this.scratch.length);
    }
  }

  /** Returns the call that a fragment belongs to, which may be a new one; null if there are too many. */
  private find(tape: Tape, index: i64, id: u32, name: u32): ToolCall | null {
    const hasId = tape.isString(id) && tape.size(id) > 0;
    let found: ToolCall | null = null;
    for (let i = this.calls.length - 1; i >= 0 && found == null; i--) {
      const call = unchecked(this.calls[i]);
      if (index != NO_COUNT ? call.key == index : !hasId || this.hasSameId(tape, call, id))
        found = call;
    }
    if (found != null) {
      const isOther =
        hasId && found.id.length > 0 && !found.isIdMade && !this.hasSameId(tape, found, id);
      const isNext =
        !hasId && found.progress.isComplete && tape.isString(name) && tape.size(name) > 0;
      if (!isOther && !isNext) return found;
    }
    if (this.calls.length >= MAX_CALLS) {
      this.translation.dropped.add(DROPPED_TOOL_CALL);
      return null;
    }
    this.contentBegins();
    const call = new ToolCall(index);
    this.calls.push(call);
    return call;
  }

  private hasSameId(tape: Tape, call: ToolCall, id: u32): bool {
    return sameBytes(tape.pointer(id), tape.size(id), call.id.pointer, call.id.length);
  }

  private begin(call: ToolCall): void {
    call.slot = this.begun++;
    if (call.id.length == 0) {
      call.isIdMade = true;
      appendGeneratedId(constant("call_"), this.translation.requestId, call.slot, call.id);
    }
    this.sink.toolBegin(
      call.slot,
      call.id.pointer,
      call.id.length,
      call.name.pointer,
      call.name.length,
    );
    if (call.held.length > 0) this.write(call, call.held.pointer, call.held.length);
    call.held.release();
  }

  private addArguments(call: ToolCall, pointer: usize, length: u32): void {
    if (length == 0) return;
    if (call.isEnded) {
      if (!isBlank(pointer, length)) this.translation.dropped.add(DROPPED_TOOL_ARGUMENTS);
      return;
    }
    if (call.isHeldEmpty) {
      call.progress.clear();
      call.held.clear();
    }
    const used = call.progress.feed(pointer, length);
    if (!isBlank(pointer + used, length - used))
      this.translation.dropped.add(DROPPED_TOOL_ARGUMENTS);
    if (call.slot >= 0) {
      this.write(call, pointer, used);
      return;
    }
    call.held.bytes(pointer, used);
    if (call.name.length > 0) this.begin(call);
  }

  private write(call: ToolCall, pointer: usize, length: u32): void {
    if (call.isHeldEmpty) return;
    // `null` is the same as no arguments.
    const isNull = !call.hasArguments && sameBytes(pointer, length, NULL.pointer, NULL.length);
    if (!isNull) {
      call.hasArguments = true;
      this.sink.toolArguments(call.slot, pointer, length);
    }
    if (call.progress.isComplete) this.end(call);
  }

  private end(call: ToolCall): void {
    call.isEnded = true;
    this.sink.toolEnd(call.slot);
  }
}
