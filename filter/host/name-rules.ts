// Which headers stay on their side of the gateway, by their names.
import { byteAt, endsWith, startsWith } from "../bytes/text/at";
import { constant, sameBytes, Span } from "../bytes/text/bytes";

/** Only at module level: its spans are never freed. */
export class NameRules {
  private prefixes: Span[] = [];
  private names: Span[] = [];
  private exceptions: Span[] = [];
  /** Bits of the `placeOf` of all prefixes and names: they exclude most headers. */
  private places: u64 = 0;
  private suffix: Span = new Span(0, 0);
  /** Of the suffix; NUL, which no name has, if there is none. */
  private lastByte: u32 = 0;

  setSuffix(text: string): void {
    this.suffix = constant(text);
    this.lastByte = byteAt(this.suffix.pointer, text.length - 1);
  }

  addPrefixes(texts: string[]): void {
    for (let i = 0; i < texts.length; i++) this.add(texts[i], this.prefixes);
  }

  addNames(texts: string[]): void {
    for (let i = 0; i < texts.length; i++) this.add(texts[i], this.names);
  }

  /** Excludes names with one of the prefixes. */
  except(texts: string[]): void {
    for (let i = 0; i < texts.length; i++) this.add(texts[i], this.exceptions);
  }

  /** Returns whether a rule applies to a name, which is in lower case and has a NUL behind it. */
  matches(name: usize, length: u32): bool {
    if (((this.places >> placeOf(name)) & 1) != 0) {
      const prefixes = this.prefixes;
      for (let i = 0; i < prefixes.length; i++) {
        if (startsWith(name, length, unchecked(prefixes[i])))
          return !isIn(this.exceptions, name, length);
      }
      if (isIn(this.names, name, length)) return true;
    }
    return (
      length > 0 && byteAt(name, length - 1) == this.lastByte && endsWith(name, length, this.suffix)
    );
  }

  private add(text: string, list: Span[]): void {
    const span = constant(text + "\0");
    this.places |= (<u64>1) << placeOf(span.pointer);
    span.length--;
    list.push(span);
  }
}

/** Returns a number below 64 of the first and the third byte, in which most names differ: many begin with `x-`. */
function placeOf(name: usize): u64 {
  return <u64>((byteAt(name) ^ (byteAt(name, 2) << 1)) & 63);
}

function isIn(list: Span[], name: usize, length: u32): bool {
  for (let i = 0; i < list.length; i++) {
    const one = unchecked(list[i]);
    if (length == one.length && sameBytes(name, length, one.pointer, one.length)) return true;
  }
  return false;
}
