// What a translation has to tell: a fault, or what was left out.
import { Tape } from "../bytes/json/tape";
import { ByteBuffer, Span } from "../bytes/text/bytes";
import { Fault, THREAD_UNSUPPORTED } from "./fault";
import { DROP, Feature } from "./feature";
import { Member, MemberTable } from "./member-table";

export * from "./request-limits";

const THREAD = "thread";

/** The list of dropped names is cut here: it becomes a header. */
const MAX_LIST: u32 = 800;
const MAX_NAME: u32 = 64;
const MAX_NAMED: u32 = 10_000;

/** What came of one translation. One object serves many requests: `reset` before each. */
export class RequestReport {
  /** When not null nothing else counts: the request is answered with it. */
  fault: Fault | null = null;
  isStreaming: bool = false;
  /** Whether a chat client asked for `stream_options.include_usage`. */
  wantsUsage: bool = false;
  /** The `max_tokens` that the gateway chose because the client gave none; 0 otherwise. */
  defaultedMaxTokens: u32 = 0;
  /** Names of what was left out, each once, comma separated: the value of `x-gateway-dropped`. */
  dropped: ByteBuffer = new ByteBuffer();
  /** How many values were left out. */
  droppedCount: u32 = 0;
  isStrict: bool = false;
  /** Name of the target's API for error messages: "the Anthropic Messages API". */
  api: string = "";
  /** Where the reader is, for a refusal: the message, the part in it, and a list's name and index. -1: not there. */
  message: i32 = -1;
  part: i32 = -1;
  list: string = "";
  item: i32 = -1;

  private number: u32 = 0;
  private isCut: bool = false;
  private isLimited: bool = false;
  /** The target's dialect in `Feature.supporters`. */
  private supporter: u32 = 0;

  /** `supporter`: the target's bit in `Feature.supporters`. */
  reset(strict: bool, api: string, supporter: u32): void {
    this.fault = null;
    this.isStreaming = false;
    this.wantsUsage = false;
    this.defaultedMaxTokens = 0;
    this.dropped.clear();
    this.droppedCount = 0;
    this.isStrict = strict;
    this.api = api;
    this.supporter = supporter;
    this.leaveMessages();
    this.leaveList();
    this.isCut = false;
    this.number++;
  }

  leaveMessages(): void {
    this.message = -1;
    this.part = -1;
  }

  enterList(list: string, item: i32): void {
    this.list = list;
    this.item = item;
  }

  leaveList(): void {
    this.list = "";
    this.item = -1;
  }

  /** Where the reader is: `messages[3].content[1]`, `tools[0]`, or empty at the top. */
  place(): string {
    let place = "";
    if (this.message >= 0) {
      place = "messages[" + this.message.toString() + "]";
      if (this.part >= 0) place += ".content[" + this.part.toString() + "]";
    } else if (this.part >= 0) {
      place = "system[" + this.part.toString() + "]";
    }
    if (this.item >= 0) {
      if (place.length > 0) place += ".";
      place += this.list + "[" + this.item.toString() + "]";
    }
    return place;
  }

  /** The path of a member where the reader is. */
  path(name: string): string {
    const place = this.place();
    if (name.length == 0) return place;
    return place.length == 0 ? name : place + "." + name;
  }

  /** Rejects the request for a member of the object where the reader is. The first rejection stays. */
  refuse(name: string, reason: string): void {
    if (this.fault !== null) return;
    const path = this.path(name);
    this.fault = new Fault(400, path + " " + reason).at(path);
  }

  /** Whether the target's request writer supports a feature. */
  supports(feature: Feature): bool {
    return (feature.supporters & this.supporter) != 0;
  }

  /** Rejects the request for a feature that the target does not support, or lists the member, by the feature's fate. */
  missFeature(member: Member, feature: Feature, table: MemberTable): void {
    if (feature.fate == DROP) {
      this.drop(member);
      return;
    }
    this.refuse(table.innerText() + member.nameText(), this.unsupported(feature));
    const fault = this.fault;
    if (fault !== null && fault.member == THREAD) fault.coded(THREAD_UNSUPPORTED);
  }

  /** As `missFeature`, for a block whose `type` asks for the feature. */
  missType(member: Member, feature: Feature): void {
    if (feature.fate == DROP) this.drop(member);
    else this.refuse("type", "'" + member.nameText() + "' " + this.unsupported(feature));
  }

  /** The second half of an error message, with what to do instead. */
  unsupported(feature: Feature): string {
    return "is not supported by " + this.api + ". " + feature.adviceText();
  }

  /** Lists a member that is left out. */
  private drop(member: Member): void {
    if (member.listedIn != this.number) {
      member.listedIn = this.number;
      this.dropName(member.path.pointer, member.path.length);
    } else {
      this.droppedCount++;
    }
  }

  /** Counts something by its path. */
  dropSpan(path: Span): void {
    this.dropName(path.pointer, path.length);
  }

  /** Counts something, by its path, that the format can say but the model does not take. */
  dropLimited(path: Span): void {
    this.isLimited = true;
    this.dropName(path.pointer, path.length);
    this.isLimited = false;
  }

  /** Counts a member that nobody knows. */
  dropUnknown(prefix: Span, tape: Tape, key: u32): void {
    if (this.droppedCount > MAX_NAMED && !this.isStrict) {
      this.droppedCount++;
      return;
    }
    const name = new ByteBuffer();
    name.span(prefix);
    const size = min<u32>(tape.size(key), MAX_NAME);
    for (let i: u32 = 0; i < size; i++) name.byte(headerByte(load<u8>(tape.pointer(key) + i)));
    this.dropName(name.pointer, name.length);
    name.release();
  }

  /** A word of the client's for a message: letters, digits, dots, dashes; anything else is a question mark. */
  word(tape: Tape, node: u32): string {
    const text = new ByteBuffer();
    const size = min<u32>(tape.size(node), MAX_NAME);
    for (let i: u32 = 0; i < size; i++) text.byte(headerByte(load<u8>(tape.pointer(node) + i)));
    const word = String.UTF8.decodeUnsafe(text.pointer, text.length);
    text.release();
    return word;
  }

  private dropName(pointer: usize, length: u32): void {
    this.droppedCount++;
    if (this.isStrict) {
      if (this.fault === null) {
        const name = String.UTF8.decodeUnsafe(pointer, length);
        const by = this.isLimited ? "this model" : this.api;
        const reason = " (rejected because overrides.strict_translation is on). ";
        const advice = "Remove it, or turn strict_translation off.";
        this.fault = new Fault(400, name + " is not supported by " + by + reason + advice).at(name);
      }
      return;
    }
    // Of so many values the names are known long since; a hostile body must not buy time with them.
    if (this.isCut || this.droppedCount > MAX_NAMED) return;
    if (this.isListed(pointer, length)) return;
    if (this.dropped.length + length > MAX_LIST) {
      this.dropped.text(",...");
      this.isCut = true;
      return;
    }
    if (this.dropped.length > 0) this.dropped.byte(0x2c);
    this.dropped.bytes(pointer, length);
  }

  private isListed(pointer: usize, length: u32): bool {
    const list = this.dropped.pointer;
    const end = this.dropped.length;
    let start: u32 = 0;
    for (let at: u32 = 0; at <= end; at++) {
      if (at < end && load<u8>(list + at) != 0x2c) continue;
      if (at - start == length && memory.compare(list + start, pointer, length) == 0) return true;
      start = at + 1;
    }
    return false;
  }
}

/** What may stand in a header's list: anything else of a client's name becomes a question mark. */
function headerByte(byte: u32): u32 {
  const isLetter = (byte | 0x20) - 0x61 < 26;
  return isLetter || byte - 0x30 < 10 || byte == 0x5f || byte == 0x2d || byte == 0x2e ? byte : 0x3f;
}
