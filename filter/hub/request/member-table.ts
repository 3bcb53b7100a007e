// The members of a dialect's request: which slot of the hub each one holds, or which feature it asks for. A table is one
// object of the request, such as a message or a tool; dialects/<dialect>/members.ts declares them.
//
// Tables are created at module start, and unmanaged: the collector would visit hundreds of objects per request.
import { NameIndex } from "../../bytes/name-index";
import { ObjectList } from "../../bytes/records";
import { KIND_FALSE, KIND_NUMBER, KIND_STRING, KIND_TRUE, Tape } from "../../bytes/json/tape";
import { constant, sameSpan, Span } from "../../bytes/text/bytes";
import { Feature } from "./feature";
import { readDecimal } from "./request-number";

/** Holds a slot of the hub: a reader asks for it by its index. */
const SLOT: i32 = 0;
/** Asks for a feature. */
const FEATURE: i32 = 1;
/** Has no meaning in a request (clients send members of responses back): dropped, and not listed. */
const IGNORED: i32 = 2;

@unmanaged
export class Member {
  /** Number of the report that lists it already: each path is listed once. */
  listedIn: u32 = 0;
  name: Span;
  /** For `x-gateway-dropped`: `messages[].name`. */
  path: Span;
  private neutral: Span;
  private neutralNumber: f64;

  constructor(
    public index: i32,
    public kind: i32,
    name: string,
    path: string,
    /** FEATURE only. */
    private feature: Feature | null,
    /** The value that asks for nothing: `0`, `1`, `true`, `false`, `empty` or a word; empty if there is none. */
    neutral: string,
  ) {
    this.name = constant(name);
    this.path = constant(path);
    this.neutral = constant(neutral);
    this.neutralNumber = neutral == "0" ? 0 : neutral == "1" ? 1 : f64.NaN;
  }

  /** Returns the feature that the member asks for, or null. */
  featureOf(): Feature | null {
    return this.feature;
  }

  isIgnored(): bool {
    return this.kind == IGNORED;
  }

  /** Returns whether a value asks for nothing but what happens without it. */
  isNeutral(tape: Tape, node: u32): bool {
    if (!tape.isPresent(node)) return true;
    if (this.neutral.length == 0) return false;
    const kind = tape.kind(node);
    if (kind == KIND_NUMBER) return readDecimal(tape, node) == this.neutralNumber;
    if (kind == KIND_TRUE) return sameSpan(this.neutral, constant("true"));
    if (kind == KIND_FALSE) return sameSpan(this.neutral, constant("false"));
    if (kind == KIND_STRING) return tape.equals(node, this.neutral);
    return sameSpan(this.neutral, constant("empty")) && tape.isEmpty(node);
  }

  nameText(): string {
    return this.name.toText();
  }
}

/** One kind of object in a dialect's request, or one kind of word (`type` of a block). */
@unmanaged
export class MemberTable {
  /** Where it stands, as the beginning of a member's path: `messages[].`. */
  prefix: Span;
  private inner: Span;
  private members: ObjectList<Member> = new ObjectList<Member>();
  private names: NameIndex = new NameIndex();

  constructor(
    prefix: string,
    /** The part of that path which leads from a part, call or tool to it: `function.`. */
    inner: string = "",
    _title: i32 = 0,
  ) {
    this.prefix = constant(prefix);
    this.inner = constant(inner);
  }

  /**
   * Adds a member that holds a slot. Returns its index for MemberReader. `_slot` and the notes (`reads`, `writes`) are for
   * the documentation.
   */
  slot(name: string, _slot: i32, _note: i32 = 0, _other: i32 = 0): i32 {
    return this.add(SLOT, name, null, "");
  }

  /** Adds a member that asks for a feature, unless it has its neutral value. Returns its index. */
  feature(name: string, feature: Feature, neutral: string = "", _note: i32 = 0): i32 {
    return this.add(FEATURE, name, feature, neutral);
  }

  /** Adds members that ask for the same feature: names, comma-separated. */
  features(names: string, feature: Feature): void {
    for (let at = 0; at < names.length;) {
      const comma = names.indexOf(",", at);
      const end = comma < 0 ? names.length : comma;
      this.feature(names.substring(at, end), feature);
      at = end + 1;
    }
  }

  /** Adds a member without meaning in a request. */
  ignored(name: string, _note: i32 = 0): void {
    this.add(IGNORED, name, null, "");
  }

  /** Returns the member that a string node names, or null. */
  find(tape: Tape, node: u32): Member | null {
    if (tape.kind(node) != KIND_STRING) return null;
    if (tape.flaggedKindOf(node) != KIND_STRING) return this.findEscaped(tape, node);
    const index = this.names.find(tape.base + tape.startOf(node), tape.sizeOf(node));
    return index < 0 ? null : this.members.at(index);
  }

  private findEscaped(tape: Tape, node: u32): Member | null {
    for (let i = 0; i < this.count; i++) {
      const member = this.at(i);
      if (tape.equals(node, member.name)) return member;
    }
    return null;
  }

  /** Returns whether a member has this name. */
  has(name: Span): bool {
    for (let i = 0; i < this.count; i++) {
      if (sameSpan(this.at(i).name, name)) return true;
    }
    return false;
  }

  get count(): i32 {
    return this.members.count;
  }

  /** Returns a member by its index, which must be below `count`. */
  at(index: i32): Member {
    return this.members.at(index);
  }

  innerText(): string {
    return this.inner.toText();
  }

  private add(kind: i32, name: string, feature: Feature | null, neutral: string): i32 {
    const index = this.count;
    const path = this.prefix.toText() + name;
    const member = new Member(index, kind, name, path, feature, neutral);
    this.members.push(member);
    this.names.add(member.name);
    return index;
  }
}

/** Documentation only: how a dialect reads a member. scripts/constant-bytes.ts leaves the text out of the filter. */
export function reads(_note: string): i32 {
  return 0;
}

/** Documentation only: how a dialect writes a slot into a member. */
export function writes(_note: string): i32 {
  return 0;
}

/** Documentation only: the title of a table, and the provider's page. */
export function object(_title: string, _link: string = ""): i32 {
  return 0;
}
