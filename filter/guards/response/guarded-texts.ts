// The texts of a response in the client's dialect, of a whole body or event by event: a rule finds in them what is replaced. A part of a
// text from which on something may begin is held, and leaves with the next part, or in an event before the text's end. Every byte
// that is not replaced stays as it is.
import { Fault } from "../../hub/faults/fault";
import { mayHold } from "../../memory/memory-budget";
import { Edits } from "../../bytes/json/edit";
import { readCount } from "../../bytes/json/number";
import { scan, SCAN_OK } from "../../bytes/json/scan";
import { scratchTape } from "../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { ClientDialect } from "../../dialects/client-dialect";
import { ALL_GROUPS, EventTexts } from "../../dialects/event-texts";
import { ResponseEnding } from "../../dialects/response-ending";
import { Channel, LOGPROBS, SEQUENCE_NUMBER } from "./channel";
import { JSON_MEMBERS, WORDS } from "./text-members";
import { hasReplaced, replaced, replaceText } from "./text-replacement";
import { TextRule } from "./text-rule";

/** Texts of one response that are open at the same time; those above are over when the next ones begin. */
const MAX_CHANNELS = 64;
/** The most bytes of one text that are held. */
const MAX_HELD: u32 = 4 << 20;
const NO_GROUP: i64 = -1;
const NO_NAME = constant("");

const tape = scratchTape();
const edits = new Edits();
const joined = scratchBuffer();
const value = scratchBuffer();
const bytes = new Span(0, 0);

export class GuardedTexts extends EventTexts {
  private channels: Channel[] = [];
  /** The group whose texts end with the event; ALL_GROUPS, or NO_GROUP. */
  private ended: i64 = NO_GROUP;
  private eventCount: u32 = 0;
  /** By how much the numbers of the provider's events have grown, and the last one that was sent. */
  private added: i64 = 0;
  private lastNumber: i64 = -1;
  /** How many events with a number were added since the last one. */
  private countAdded: i64 = 0;
  /** The strings of the event that are parts. */
  private parts: u32[] = [];
  private nextPart: i32 = 0;
  private eventName: Span = NO_NAME;
  private ending: ResponseEnding = new ResponseEnding();
  /** Whether more had to be held than may be. */
  isOverfull: bool = false;

  constructor(
    private dialect: ClientDialect,
    private rule: TextRule,
  ) {
    super();
  }

  // ---- Whole bodies

  /** Reads a whole body. Returns false if it is not JSON. */
  readWhole(pointer: usize, length: u32): bool {
    edits.clear();
    const isRead = scan(tape, pointer, length) == SCAN_OK;
    if (isRead) this.visit(0, 1);
    if (this.rule.isBlocked) this.ending.keep(tape, 0, true);
    tape.reset();
    return isRead;
  }

  /** Whether nothing is held, and no event has got another number: an event without anything for the rule need not be read. */
  get isIdle(): bool {
    if (this.added > 0) return false;
    for (let i = 0; i < this.channels.length; i++) {
      if (unchecked(this.channels[i]).held.length > 0) return false;
    }
    return true;
  }

  /** Whether something was replaced in what was read last. */
  get isChanged(): bool {
    return !edits.isEmpty();
  }

  /** Appends what was read last up to the last change. Returns of how many of its bytes. */
  writeChanges(pointer: usize, out: ByteBuffer): u32 {
    return edits.prefix(pointer, out);
  }

  // ---- Events

  /**
   * Reads the data of an event, and writes what leaves before it. Returns false if it is not JSON. `name`: of the event.
   */
  readEvent(pointer: usize, length: u32, name: Span, out: ByteBuffer): bool {
    edits.clear();
    this.parts.length = 0;
    this.nextPart = 0;
    this.eventName = name;
    this.ended = NO_GROUP;
    this.eventCount++;
    if (scan(tape, pointer, length) != SCAN_OK) {
      tape.reset();
      return false;
    }
    if (this.rule.mayBlock) this.ending.keep(tape, this.dialect.describes(tape), false);
    this.dialect.markTexts(tape, this);
    this.visit(0, 1);
    const node = tape.member(0, SEQUENCE_NUMBER);
    const number = readCount(tape, node);
    const before = this.added;
    if (!this.rule.isBlocked) this.flush(false, number + before, out);
    if (this.rule.isBlocked) {
      // The event does not leave.
      this.lastNumber += this.added - before;
    } else if (number >= 0) {
      this.lastNumber = number + this.added;
      if (this.added > 0) this.writeNumber(node);
    }
    tape.reset();
    return true;
  }

  /** The event that was read last has been written: writes what comes after it. */
  afterEvent(out: ByteBuffer): void {
    this.flush(true, this.lastNumber + 1, out);
  }

  /** The stream ends, or reports its end: writes all that is held. */
  endAll(out: ByteBuffer): void {
    this.end(ALL_GROUPS);
    this.flush(true, this.lastNumber + 1, out);
  }

  /** Writes the end of a stream that does not go on. */
  writeEnd(fault: Fault, requestId: ByteBuffer, out: ByteBuffer): void {
    this.ending.number = this.lastNumber + 1;
    this.dialect.writeEnding(this.ending, fault, requestId, out);
  }

  /** Writes a response in the place of a whole one. Returns false if it has to be an error. */
  writeEndOfWhole(fault: Fault, out: ByteBuffer): bool {
    return this.dialect.writeWholeEnding(this.ending, fault, out);
  }

  part(node: u32, group: u32, name: u32, isJson: bool, isCall: bool): void {
    const rule = this.rule;
    let channel = this.find(group, name);
    if (channel === null && this.channels.length < 2 * MAX_CHANNELS) {
      if (this.channels.length >= MAX_CHANNELS) this.channels[0].isEnding = true;
      channel = new Channel(group, name, isJson ? 2 : 1, isCall);
      this.channels.push(channel);
    }
    // A call begins with its name, before it has arguments.
    const begins = isCall ? channel === null || !channel.hasBegun : tape.size(node) > 0;
    if (begins) this.endOthers(group, channel);
    if (channel !== null) channel.hasBegun = true;
    this.parts.push(node);
    this.ending.lastChoice = max(this.ending.lastChoice, group);
    if (channel === null) {
      this.edit(node, isJson ? 2 : 1, null, true);
      return;
    }
    if (this.ended == ALL_GROUPS || this.ended == group) channel.isEnding = true;
    channel.lastEvent = this.eventCount;
    this.edit(node, channel.depth, channel, channel.isEnding);
    if (channel.held.length > 0 && !rule.isSilent) channel.keepForm(tape, node, this.eventName);
  }

  end(group: u32): void {
    this.ended = group;
    for (let i = 0; i < this.channels.length; i++) {
      const channel = unchecked(this.channels[i]);
      if (group == ALL_GROUPS || channel.group == group) channel.isEnding = true;
    }
  }

  release(): void {
    this.ending.release();
    for (let i = 0; i < this.channels.length; i++) this.channels[i].release();
    this.channels.length = 0;
  }

  private find(group: u32, name: u32): Channel | null {
    for (let i = 0; i < this.channels.length; i++) {
      const channel = unchecked(this.channels[i]);
      if (channel.name == name && channel.group == group) return channel;
    }
    return null;
  }

  private endOthers(group: u32, but: Channel | null): void {
    for (let i = 0; i < this.channels.length; i++) {
      const channel = unchecked(this.channels[i]);
      if (channel.group == group && channel !== but && channel.held.length > 0)
        channel.isEnding = true;
    }
  }

  /** Writes what is held of texts that are over. `isAfter`: of those with a part in the event, too. */
  private flush(isAfter: bool, number: i64, out: ByteBuffer): void {
    const channels = this.channels;
    let kept = 0;
    for (let i = 0; i < channels.length; i++) {
      const channel = unchecked(channels[i]);
      const isOver = channel.isEnding && (isAfter || channel.lastEvent != this.eventCount);
      if (isOver || (channel.isEnding && channel.held.length == 0)) {
        if (this.writeHeld(channel, number + this.countAdded, out)) this.countAdded++;
        channel.release();
      } else {
        unchecked((channels[kept++] = channel));
      }
    }
    channels.length = kept;
    this.added += this.countAdded;
    if (isAfter) this.lastNumber += this.countAdded;
    this.countAdded = 0;
  }

  /** Writes what is held of a text that is over, as an event. Returns whether that has a number. */
  private writeHeld(channel: Channel, number: i64, out: ByteBuffer): bool {
    if (channel.held.length == 0) return false;
    const held = channel.held;
    joined.clear();
    joined.bytes(held.pointer, held.length);
    held.clear();
    replaceText(this.rule, joined.pointer, joined.length, channel.depth, channel, true);
    if (this.rule.isSilent || this.rule.isBlocked) return false;
    held.bytes(replaced.pointer, replaced.length);
    return held.length > 0 && channel.write(number, out);
  }

  private writeNumber(node: u32): void {
    value.clear();
    value.integer(this.lastNumber);
    edits.append(value.view(bytes));
    edits.replaceAppended(tape.start(node), tape.end(node));
  }

  // ---- Strings

  /** Visits all strings that are no parts. The scanner limits the depth of JSON, and so the recursion. */
  private visit(node: u32, depth: i32): void {
    if (tape.isString(node)) {
      if (!this.isPart(node)) this.edit(node, depth, null, true);
      return;
    }
    const end = tape.next(node);
    if (tape.isArray(node)) {
      for (let item = tape.first(node); item < end; item = tape.next(item)) this.visit(item, depth);
    } else if (tape.isObject(node)) {
      for (let key = tape.first(node); key < end; key = tape.next(key + 1))
        this.visitMember(key, key + 1);
    }
  }

  /** The nodes come in the order of the event, as the parts do. */
  private isPart(node: u32): bool {
    const parts = this.parts;
    while (this.nextPart < parts.length && unchecked(parts[this.nextPart]) < node) this.nextPart++;
    return this.nextPart < parts.length && unchecked(parts[this.nextPart]) == node;
  }

  private visitMember(key: u32, node: u32): void {
    if (this.rule.skipsWords) {
      if (tape.equals(key, LOGPROBS)) return this.hideTokens(node);
      if (tape.isString(node) && tape.indexIn(key, WORDS) >= 0) return;
    }
    this.edit(key, 1, null, true);
    const isJson = tape.isString(node) && tape.indexIn(key, JSON_MEMBERS) >= 0;
    this.visit(node, isJson ? 2 : 1);
  }

  /** Tokens show the text as the model has written it. */
  private hideTokens(node: u32): void {
    if (!tape.isPresent(node) || this.rule.isSilent) return;
    const nothing = tape.isArray(node) ? constant("[]") : constant("null");
    edits.replace(tape.outerStart(node), tape.outerEnd(node), nothing);
  }

  /** Looks at a string, after what is held of its text. */
  private edit(node: u32, depth: i32, channel: Channel | null, isFinal: bool): void {
    const rule = this.rule;
    let pointer = tape.pointer(node);
    let length = tape.size(node);
    let isJoined = false;
    if (channel !== null && channel.held.length > 0) {
      isJoined = true;
      const held = channel.held;
      if (!isFinal && rule.waits(channel.isCall, held.length + length)) {
        held.bytes(pointer, length);
        this.checkHeld(held);
        this.replaceString(node, 0, 0);
        return;
      }
      joined.clear();
      joined.bytes(held.pointer, held.length);
      joined.bytes(pointer, length);
      held.clear();
      pointer = joined.pointer;
      length = joined.length;
    } else if (!rule.concerns(pointer, length, tape.isEscaped(node))) {
      return;
    } else if (channel !== null && !isFinal && rule.waits(channel.isCall, length)) {
      channel.held.bytes(pointer, length);
      this.replaceString(node, 0, 0);
      return;
    }
    const kept = replaceText(rule, pointer, length, depth, channel, isFinal);
    if (channel !== null && kept < length) {
      channel.held.bytes(pointer + kept, length - kept);
      this.checkHeld(channel.held);
    }
    if (!isJoined && kept == length && !hasReplaced) return;
    this.replaceString(node, replaced.pointer, replaced.length);
  }

  private checkHeld(held: ByteBuffer): void {
    if (held.length > MAX_HELD || !mayHold(held.length)) this.isOverfull = true;
  }

  private replaceString(node: u32, pointer: usize, length: u32): void {
    if (this.rule.isSilent) return;
    bytes.pointer = pointer;
    bytes.length = length;
    edits.append(bytes);
    edits.replaceAppended(tape.start(node), tape.end(node));
  }
}
