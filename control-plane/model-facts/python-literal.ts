// Reads a value of Python source that consists of literals and constructor calls, such as the price list of genai-prices:
// a call becomes an object with its arguments, `Decimal('2.5')` a number. Nothing is evaluated.

/** Deeper than any list, and bounded. */
const MAX_DEPTH = 64;

export type PythonValue =
  string | number | boolean | null | PythonValue[] | { [name: string]: PythonValue };

/** Returns the value that is assigned to a name at the start of a line. Throws if it has another form. */
export function pythonValueOf(source: string, name: string): PythonValue {
  const start = new RegExp(`^${name}\\b[^=\\n]*=`, "m").exec(source);
  if (start === null) throw new Error(`no assignment to ${name}`);
  return new Reader(source, start.index + start[0].length).value(0);
}

class Reader {
  private readonly source: string;
  private at: number;

  constructor(source: string, at: number) {
    this.source = source;
    this.at = at;
  }

  value(depth: number): PythonValue {
    if (depth > MAX_DEPTH) throw this.error("is nested too deeply");
    this.skip();
    const first = this.source[this.at];
    if (first === "'" || first === '"') return this.texts();
    if (first === "[") return this.items("]", depth);
    if (first === "(") return this.items(")", depth);
    if (first === "{") return this.mapping(depth);
    const number = this.match(/-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?/y);
    if (number !== undefined) return Number(number.replaceAll("_", ""));
    const word = this.match(/[A-Za-z_][\w.]*/y);
    if (word === "None") return null;
    if (word === "True" || word === "False") return word === "True";
    if (word === undefined) throw this.error("is not a literal");
    return this.next() === "(" ? this.call(word, depth) : word;
  }

  private call(name: string, depth: number): PythonValue {
    this.at += 1;
    const named: Record<string, PythonValue> = {};
    const positional: PythonValue[] = [];
    while (this.next() !== ")") {
      const member = this.match(/[A-Za-z_]\w*(?=\s*=[^=])/y);
      if (member === undefined) positional.push(this.value(depth + 1));
      else {
        this.expect("=");
        named[member] = this.value(depth + 1);
      }
      if (this.next() === ",") this.at += 1;
    }
    this.at += 1;
    if (name === "Decimal") return Number(positional[0]);
    if (name === "datetime.date") {
      return positional.map((part) => textOf(part).padStart(2, "0")).join("-");
    }
    return { "": name, ...named, ...(positional.length === 0 ? {} : { arguments: positional }) };
  }

  private items(end: string, depth: number): PythonValue[] {
    this.at += 1;
    const found: PythonValue[] = [];
    while (this.next() !== end) {
      found.push(this.value(depth + 1));
      if (this.next() === ",") this.at += 1;
    }
    this.at += 1;
    return found;
  }

  private mapping(depth: number): PythonValue {
    this.at += 1;
    const found: Record<string, PythonValue> = {};
    while (this.next() !== "}") {
      const name = textOf(this.value(depth + 1));
      this.expect(":");
      found[name] = this.value(depth + 1);
      if (this.next() === ",") this.at += 1;
    }
    this.at += 1;
    return found;
  }

  /** Adjacent texts are one. */
  private texts(): string {
    let all = "";
    for (;;) {
      const text = this.match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y);
      if (text === undefined) return all;
      all += text
        .slice(1, -1)
        .replaceAll(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
      this.skip();
    }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private expect(character: string): void {
    if (this.next() !== character) throw this.error(`has no ${character}`);
    this.at += 1;
  }

  private next(): string {
    this.skip();
    const character = this.source[this.at];
    if (character === undefined) throw this.error("ends too early");
    return character;
  }

  private skip(): void {
    this.match(/(?:\s|#[^\n]*)*/y);
  }

  private error(what: string): Error {
    return new Error(`the Python value at offset ${String(this.at)} ${what}`);
  }
}

function textOf(value: PythonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
