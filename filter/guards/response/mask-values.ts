// What a model has written itself: data of the kinds of a policy is replaced by the names of its kind, ends the response, or is counted.
import { GUARD_KINDS } from "../../../contract/guard-kinds";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";
import { find, findByte } from "../../bytes/text/find";
import { BLOCKED, Fault } from "../../hub/faults/fault";
import { CONTEXT_BYTES, Finder } from "../finder";
import { KIND_NAMES } from "../kind-names";
import { writeKindPlaceholder } from "../placeholders";
import { TextRule } from "./text-rule";

const HYPHEN: u32 = 0x2d;
const HYPHENS = constant("-----");

export class Mask extends TextRule {
  /** How many values were found, and what they are: bits by the indices of GUARD_KINDS. */
  count: u32 = 0;
  kinds: u64 = 0;
  /** The kind that was found last. */
  private kind: i32 = 0;

  /**
   * @param name of the policy @param blocks whether the response ends at what is found
   * @param isSilent whether it is only counted @param failsOpen whether what cannot be read passes
   */
  constructor(
    private name: Span,
    private finder: Finder,
    private blocks: bool,
    isSilent: bool,
    failsOpen: bool,
  ) {
    super();
    this.context = CONTEXT_BYTES;
    this.skipsWords = true;
    this.isSilent = isSilent;
    this.isStrict = !failsOpen && !isSilent;
    this.mayBlock = blocks || this.isStrict;
  }

  /** The arguments of a call leave when they are whole: an agent acts on them. */
  waits(isCall: bool, _length: u32): bool {
    return this.blocks && isCall;
  }

  next(pointer: usize, from: u32, length: u32, isFinal: bool): bool {
    const finder = this.finder;
    if (finder.next(pointer, from, length, isFinal)) {
      this.count++;
      this.kind = finder.kind;
      this.kinds |= (<u64>1) << finder.kind;
      this.start = finder.start;
      this.end = finder.stop;
      this.isUnfinished = finder.isUnfinished;
      if (this.isUnfinished)
        this.end = markerFrom(pointer, headerEnd(pointer, this.start, length), this.end);
      if (this.blocks) this.isBlocked = true;
      return true;
    }
    this.open = finder.open;
    return false;
  }

  goesOn(pointer: usize, from: u32, length: u32, isFinal: bool): u32 {
    const finder = this.finder;
    const stop = finder.goesOn(pointer, from, length, isFinal);
    this.isUnfinished = finder.isUnfinished;
    return this.isUnfinished ? markerFrom(pointer, from, stop) : stop;
  }

  fault(): Fault {
    const name = this.name.toText();
    const why = this.isBlocked
      ? `it contains ${GUARD_KINDS[this.kind]}`
      : "the gateway cannot read it, or has no memory for it";
    return new Fault(
      400,
      `The policy ${name} of the gateway has blocked this response: ${why}.`,
    ).coded(BLOCKED);
  }

  write(out: ByteBuffer): void {
    writeKindPlaceholder(KIND_NAMES[this.kind], out);
  }
}

/** Returns where the first line of a private key ends that begins at an offset. */
function headerEnd(pointer: usize, start: u32, length: u32): u32 {
  const from = pointer + start + HYPHENS.length;
  const found = find(from, length - start - HYPHENS.length, HYPHENS);
  return found == 0 ? length : <u32>(found - pointer) + HYPHENS.length;
}

/** Returns where the marker of a private key's end may begin, which the text has cut: it is read again when it is whole. */
function markerFrom(pointer: usize, from: u32, end: u32): u32 {
  const found = findByte(pointer + min(from, end), pointer + end, HYPHEN);
  return found == 0 ? end : <u32>(found - pointer);
}
