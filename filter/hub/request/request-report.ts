// The result of fitting a request to its target: a fault, or the names of what was dropped.
import { Tape } from "../../bytes/json/tape";
import { byteAt, isDigit, isLetter } from "../../bytes/text/at";
import { ByteBuffer, constant, sameBytes, Span } from "../../bytes/text/bytes";
import { ClientPaths, NO_PATHS } from "./client-paths";
import { Fault, THREAD_UNSUPPORTED } from "../faults/fault";
import { DROP, Feature } from "./feature";
import { Member, MemberTable } from "./member-table";
import { RequestHost } from "./request-host";

export * from "./request-limits";

const THREAD = "thread";

/** The list of dropped names ends here, because it becomes a header. Bytes. */
const MAX_LIST: u32 = 800;
const MAX_NAME: u32 = 64;
/** Values above this number are counted, but no longer named: a hostile body must not buy time with them. */
const MAX_NAMED: u32 = 10_000;
/** Lists inside of each other: the contents of a result in a message. */
const MAX_DEPTH: i32 = 3;

const NO_NAME = constant("");
const droppedName = new Span(0, 0);

/** One object serves many requests: `reset` before each. */
export class RequestReport {
  /** The response to the request, if it is rejected: then nothing else counts. */
  fault: Fault | null = null;
  isStreaming: bool = false;
  /** Whether the client asked for the usage of a stream (OpenAI: `stream_options.include_usage`). */
  wantsUsage: bool = false;
  /** The `max_tokens` that the gateway chose because the client gave none; else 0. */
  defaultedMaxTokens: u32 = 0;
  /** Names of what was dropped, each once, comma separated: the value of `x-gateway-dropped`. */
  dropped: ByteBuffer = new ByteBuffer();
  /** How many values were dropped. */
  droppedCount: u32 = 0;
  isStrict: bool = false;
  /** The key of the client's session that the target gets; empty if it gets none. */
  cacheKey: ByteBuffer = new ByteBuffer();
  /** The betas of Anthropic that the written request needs: bits of added-betas.ts. */
  betas: u32 = 0;
  /** How the target's cloud expects the request; null for every other provider. `reset` keeps it. */
  host: RequestHost | null = null;
  /** Whether the model has another API of its provider, which may support what this one does not. `reset` keeps it. */
  hasOtherApi: bool = false;
  /** The hosted tools that the model has in that API: a bit `1 << HOSTED_` for each. `reset` keeps it. */
  otherServerTools: u32 = 0;
  /** Whether the model has a version of Anthropic's tool for a computer. */
  hasComputer: bool = false;
  /** Whether the request asks for a hosted tool that an API may serve which serves nothing else. */
  needsHosted: bool = false;
  /** Name of the target's API for error messages: "the Anthropic Messages API". */
  api: string = "";

  /** The client's names of what the request writers drop. */
  paths: ClientPaths = NO_PATHS;

  private number: u32 = 0;
  private isCut: bool = false;
  /** The target's bit in `Feature.supporters`. */
  private supporter: u32 = 0;
  /** The lists that the reader is in, and its place in each. */
  private lists: StaticArray<Span> = [NO_NAME, NO_NAME, NO_NAME];
  private items: StaticArray<i32> = [0, 0, 0];
  private depth: i32 = 0;

  /** `supporter`: the target's bit in `Feature.supporters`. */
  reset(strict: bool, api: string, supporter: u32): void {
    this.fault = null;
    this.isStreaming = false;
    this.wantsUsage = false;
    this.defaultedMaxTokens = 0;
    this.dropped.clear();
    this.cacheKey.clear();
    this.betas = 0;
    this.droppedCount = 0;
    this.isStrict = strict;
    this.api = api;
    this.supporter = supporter;
    this.depth = 0;
    this.isCut = false;
    this.needsHosted = false;
    this.number++;
  }

  enterList(name: Span): void {
    const depth = this.depth++;
    if (depth >= MAX_DEPTH) return;
    unchecked((this.lists[depth] = name));
    unchecked((this.items[depth] = -1));
  }

  nextItem(): void {
    const depth = this.depth - 1;
    if (depth >= 0 && depth < MAX_DEPTH) unchecked((this.items[depth] += 1));
  }

  /** Goes to an item of the list by its index. */
  atItem(index: i32): void {
    const depth = this.depth - 1;
    if (depth >= 0 && depth < MAX_DEPTH) unchecked((this.items[depth] = index));
  }

  leaveList(): void {
    if (this.depth > 0) this.depth--;
  }

  /** Returns the path of a member of the object that the reader is in: `messages[3].content[1].text`. */
  private path(name: string): string {
    let path = "";
    for (let i = 0; i < min(this.depth, MAX_DEPTH); i++) {
      if (i > 0) path += ".";
      path += unchecked(this.lists[i]).toText() + "[" + unchecked(this.items[i]).toString() + "]";
    }
    if (name.length == 0) return path;
    return path.length == 0 ? name : path + "." + name;
  }

  /** Rejects the request for a member of the object that the reader is in. The first rejection stays. */
  reject(name: string, reason: string): void {
    if (this.fault !== null) return;
    const path = this.path(name);
    this.fault = new Fault(400, path + " " + reason).at(path);
  }

  /** Returns whether the target's request writer supports a feature. */
  supports(feature: Feature): bool {
    return (feature.supporters & this.supporter) != 0;
  }

  /** Rejects the request for a feature that the target does not support, or drops the member: by the feature's fate. */
  rejectOrDrop(member: Member, feature: Feature, table: MemberTable): void {
    if (feature.fate == DROP) {
      this.dropMember(member);
      return;
    }
    this.reject(table.innerText() + member.nameText(), this.notSupported(feature));
    const fault = this.fault;
    if (fault !== null && fault.member == THREAD) fault.coded(THREAD_UNSUPPORTED);
  }

  /** As `rejectOrDrop`, for a block whose `type` asks for the feature. */
  rejectOrDropType(member: Member, feature: Feature): void {
    if (feature.fate == DROP) this.dropMember(member);
    else this.reject("type", "'" + member.nameText() + "' " + this.notSupported(feature));
  }

  /** Returns the second half of an error message, with what to do instead. */
  notSupported(feature: Feature): string {
    return "is not supported by " + this.api + ". " + feature.adviceText();
  }

  private dropMember(member: Member): void {
    if (member.listedIn != this.number) {
      member.listedIn = this.number;
      this.drop(member.path);
    } else {
      this.droppedCount++;
    }
  }

  /** Drops something that the target's API does not support. */
  drop(path: Span): void {
    this.dropName(path.pointer, path.length, false);
  }

  /** Drops something that the target's model does not support. */
  dropForModel(path: Span): void {
    this.dropName(path.pointer, path.length, true);
  }

  /** Drops a member that is in no table. */
  dropUnknown(prefix: Span, tape: Tape, key: u32): void {
    if (this.droppedCount > MAX_NAMED && !this.isStrict) {
      this.droppedCount++;
      return;
    }
    const name = new ByteBuffer();
    name.span(prefix);
    writePrintable(tape, key, name);
    this.dropName(name.pointer, name.length, false);
    name.release();
  }

  /** Returns a client's word for a message: letters, digits, `_`, `-` and `.`; anything else becomes a question mark. */
  printable(tape: Tape, node: u32): string {
    const buffer = new ByteBuffer();
    writePrintable(tape, node, buffer);
    const text = buffer.toText();
    buffer.release();
    return text;
  }

  private dropName(pointer: usize, length: u32, isForModel: bool): void {
    this.droppedCount++;
    if (this.isStrict) {
      if (this.fault === null) {
        droppedName.pointer = pointer;
        droppedName.length = length;
        const member = droppedName.toText();
        const by = isForModel ? "this model" : this.api;
        const reason = " (rejected because overrides.strict_translation is on). ";
        const advice = "Remove it, or turn strict_translation off.";
        this.fault = new Fault(400, member + " is not supported by " + by + reason + advice).at(
          member,
        );
      }
      return;
    }
    if (this.isCut || this.droppedCount > MAX_NAMED) return;
    if (this.isListed(pointer, length)) return;
    if (this.dropped.length + length > MAX_LIST) {
      this.dropped.text(",...");
      this.isCut = true;
      return;
    }
    if (this.dropped.length > 0) this.dropped.byte(COMMA);
    this.dropped.bytes(pointer, length);
  }

  private isListed(pointer: usize, length: u32): bool {
    const list = this.dropped.pointer;
    const end = this.dropped.length;
    let start: u32 = 0;
    for (let at: u32 = 0; at <= end; at++) {
      if (at < end && byteAt(list, at) != COMMA) continue;
      if (sameBytes(list + start, at - start, pointer, length)) return true;
      start = at + 1;
    }
    return false;
  }
}

const COMMA: u32 = 0x2c;

/** Writes what may stand in a header's list of a client's name: anything else becomes a question mark. */
function writePrintable(tape: Tape, node: u32, out: ByteBuffer): void {
  const size = min<u32>(tape.size(node), MAX_NAME);
  for (let i: u32 = 0; i < size; i++) {
    const byte = byteAt(tape.pointer(node), i);
    const isSign = byte == 0x5f || byte == 0x2d || byte == 0x2e;
    out.byte(isLetter(byte) || isDigit(byte) || isSign ? byte : 0x3f);
  }
}
