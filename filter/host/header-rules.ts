// Which headers stay on their side of the gateway, by their names.
import { byteAt, endsWith, startsWith } from "../bytes/text/at";
import { constant, sameBytes, Span } from "../bytes/text/bytes";

const PLACES = 64;

/** Unmanaged, as Span: never freed. */
@unmanaged
class Rule {
  constructor(
    public text: Span,
    public isPrefix: bool,
    /** The next rule with the same `placeOf`. */
    public next: Rule | null,
  ) {}
}

/** Only at module level: its spans are never freed. */
export class NameRules {
  /** By the `placeOf` of their texts, which excludes most headers. */
  private rules: StaticArray<Rule | null> = new StaticArray<Rule | null>(PLACES);
  private exceptions: Span[] = [];
  private suffix: Span = new Span(0, 0);
  /** Of the suffix; NUL, which no name has, if there is none. */
  private lastByte: u32 = 0;

  setSuffix(text: string): void {
    this.suffix = constant(text);
    this.lastByte = byteAt(this.suffix.pointer, text.length - 1);
  }

  addPrefixes(texts: string[]): void {
    for (let i = 0; i < texts.length; i++) this.add(texts[i], true);
  }

  addNames(texts: string[]): void {
    for (let i = 0; i < texts.length; i++) this.add(texts[i], false);
  }

  /** Excludes names with one of the prefixes. */
  except(texts: string[]): void {
    for (let i = 0; i < texts.length; i++) this.exceptions.push(constant(texts[i]));
  }

  /** Returns whether a rule applies to a name, which is in lower case and has a NUL after it. */
  matches(name: usize, length: u32): bool {
    let rule = unchecked(this.rules[placeOf(name)]);
    while (rule !== null) {
      const text = rule.text;
      if ((rule.isPrefix || length == text.length) && startsWith(name, length, text))
        return !rule.isPrefix || !isIn(this.exceptions, name, length);
      rule = rule.next;
    }
    return (
      length > 0 && byteAt(name, length - 1) == this.lastByte && endsWith(name, length, this.suffix)
    );
  }

  private add(text: string, isPrefix: bool): void {
    const span = constant(text + "\0");
    const place = placeOf(span.pointer);
    span.length--;
    this.rules[place] = new Rule(span, isPrefix, this.rules[place]);
  }
}

/** Returns a number below PLACES of the first and the third byte, in which most names differ: many begin with `x-`. */
function placeOf(name: usize): i32 {
  return <i32>((byteAt(name) ^ (byteAt(name, 2) << 1)) & (PLACES - 1));
}

function isIn(list: Span[], name: usize, length: u32): bool {
  for (let i = 0; i < list.length; i++) {
    const one = unchecked(list[i]);
    if (length == one.length && sameBytes(name, length, one.pointer, one.length)) return true;
  }
  return false;
}
