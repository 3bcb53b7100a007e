// A stream of server-sent events whose texts a rule edits (guarded-texts.ts): cut into events, wherever the network has split it.
import { mayHold } from "../../memory/memory-budget";
import { SseFramer } from "../../bytes/sse/sse-framer";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { byteAt } from "../../bytes/text/at";
import { ClientDialect } from "../../dialects/client-dialect";
import { GuardedTexts } from "./guarded-texts";
import { TextRule } from "./text-rule";

/** A longer event cannot be read. Bytes. */
const MAX_EVENT: u32 = 32 << 20;
const LF: u32 = 0x0a;
const SPACE: u32 = 0x20;
const EVENT = constant("event: ");
const DATA = constant("data: ");
const END = constant("\n\n");

const lines = scratchBuffer();
const name = new Span(0, 0);

export class GuardedStream {
  texts: GuardedTexts;
  /** How many of the bytes that were pushed last the client gets as they are, before what is in `out`. */
  unchanged: u32 = 0;
  /** Whether an event could not be read that must not pass. */
  isUnreadable: bool = false;
  private framer: SseFramer = new SseFramer();
  private origin: usize = 0;
  /** How many bytes of the unfinished event at the end the provider has sent. */
  private tail: u32 = 0;

  constructor(
    private dialect: ClientDialect,
    private rule: TextRule,
  ) {
    this.texts = new GuardedTexts(dialect, rule);
  }

  /** Whether the rest of the stream must not be sent. */
  get isOver(): bool {
    return this.rule.isBlocked || this.isUnreadable;
  }

  /** Whether there was an event with data. */
  get hasEvents(): bool {
    return this.framer.events > 0;
  }

  /** Appends all that is held, before the rest passes unread. */
  giveUp(out: ByteBuffer): void {
    this.texts.endAll(out);
    out.bytes(this.framer.heldPointer(), this.framer.heldLength());
  }

  /** Reads the next bytes, and appends to `out` what the client gets of them after the `unchanged` ones. */
  push(pointer: usize, length: u32, isLast: bool, out: ByteBuffer): void {
    const framer = this.framer;
    this.unchanged = 0;
    if (this.isOver) return;
    this.origin = pointer;
    framer.push(pointer, length);
    while (framer.next()) {
      this.readEvent(out);
      if (this.isOver) return;
    }
    framer.hold();
    const held = framer.heldLength();
    if (isLast) this.end(held, out);
    else if (framer.isCut || held > MAX_EVENT || !mayHold(held)) this.cut(held, out);
  }

  release(): void {
    this.framer.release();
    this.texts.release();
  }

  private readEvent(out: ByteBuffer): void {
    const framer = this.framer;
    const texts = this.texts;
    const pointer = framer.dataPointer;
    const length = framer.dataLength;
    if (framer.isCut || framer.isLateLf || length == 0 || this.isUnconcerned())
      return this.send(out);
    if (this.dialect.isEndMark(pointer, length)) {
      texts.endAll(out);
      if (!this.rule.isBlocked) this.send(out);
      return;
    }
    name.pointer = framer.namePointer;
    name.length = framer.nameLength;
    const isRead = texts.readEvent(pointer, length, name, out);
    if (this.rule.isBlocked) return;
    if (!isRead || texts.isOverfull) return this.sendUnread(out);
    if (texts.isChanged) this.sendChanged(out);
    else this.send(out);
    texts.afterEvent(out);
  }

  /** Most events need not be read again for a rule that knows what it looks for. */
  private isUnconcerned(): bool {
    const framer = this.framer;
    return this.texts.isIdle && !this.rule.concerns(framer.dataPointer, framer.dataLength, true);
  }

  private sendUnread(out: ByteBuffer): void {
    if (!this.rule.isStrict) return this.send(out);
    // Half of an event at the end of a stream that was cut is no loss.
    if (this.tail == 0) this.isUnreadable = true;
  }

  /** The stream ends, perhaps inside of an event. */
  private end(held: u32, out: ByteBuffer): void {
    const framer = this.framer;
    if (held > 0) {
      this.tail = held;
      framer.end();
      if (framer.next()) this.readEvent(out);
    }
    if (!this.isOver) this.texts.endAll(out);
  }

  /** Lets an event that is too long to be held pass. */
  private cut(held: u32, out: ByteBuffer): void {
    if (this.rule.isStrict) {
      this.isUnreadable = true;
      return;
    }
    out.bytes(this.framer.heldPointer(), held);
    this.framer.cut();
  }

  private send(out: ByteBuffer): void {
    const framer = this.framer;
    const pointer = framer.rawPointer;
    const length = this.tail > 0 ? min(this.tail, framer.rawLength) : framer.rawLength;
    if (out.length == 0 && pointer == this.origin + this.unchanged) this.unchanged += length;
    else out.bytes(pointer, length);
  }

  private sendChanged(out: ByteBuffer): void {
    const framer = this.framer;
    const raw = framer.rawPointer;
    const rawEnd = raw + framer.rawLength;
    const data = framer.dataPointer;
    const dataEnd = data + framer.dataLength;
    if (data >= raw && dataEnd <= rawEnd) {
      out.bytes(raw, <u32>(data - raw));
      const done = this.texts.writeChanges(data, out);
      out.bytes(data + done, <u32>(rawEnd - data) - done);
      return;
    }
    // Data of several lines, which break between values.
    if (name.length > 0) {
      out.span(EVENT);
      out.span(name);
      out.byte(LF);
    }
    out.span(DATA);
    lines.clear();
    const done = this.texts.writeChanges(data, lines);
    lines.bytes(data + done, framer.dataLength - done);
    for (let i: u32 = 0; i < lines.length; i++) {
      const byte = byteAt(lines.pointer, i);
      out.byte(byte == LF ? SPACE : byte);
    }
    out.span(END);
  }
}
