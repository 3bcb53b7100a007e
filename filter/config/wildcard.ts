// Entries for all models of a provider whose names begin alike: which route a name takes that no entry has.
import { byteAt, startsWith } from "../bytes/text/at";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { isPathValue } from "../bytes/text/url-value";

/** The maximum length of a model's name, and of a name in the configuration. */
const MAX_NAME: u32 = 200;
const QUOTE: u32 = 0x22;
const STAR: u32 = 0x2a;

const asked = new Span(0, 0);
const bareName = new Span(0, 0);

/** Models of a wildcard with separate limits: patterns of their bare names, in which `*` stands for any text. */
export class Family {
  constructor(
    public patterns: Span[],
    public route: i32,
  ) {}
}

export class Wildcard {
  /** How the names begin: `openai/`, `openai/gpt-5`. */
  prefix: Span = constant("");
  /** The length of the provider and its slash. */
  bareFrom: u32 = 0;
  /** How names without the provider begin that it takes too: `gpt-`. */
  bare: Span[] = [];
  families: Family[] = [];
  /** The route of all other models. */
  route: i32 = 0;

  /** Returns the bare name of a model that this entry takes: a part of `name`, until the next call; null if it does not. */
  bareNameOf(name: Span): Span | null {
    if (startsWith(name.pointer, name.length, this.prefix) && name.length > this.bareFrom) {
      bareName.pointer = name.pointer + this.bareFrom;
      bareName.length = name.length - this.bareFrom;
      return bareName;
    }
    for (let i = 0; i < this.bare.length; i++) {
      if (startsWith(name.pointer, name.length, this.bare[i])) return name;
    }
    return null;
  }

  /** Returns the route of a bare name. */
  routeOf(model: Span): i32 {
    for (let i = 0; i < this.families.length; i++) {
      const patterns = this.families[i].patterns;
      for (let j = 0; j < patterns.length; j++) {
        if (matches(patterns[j], model)) return this.families[i].route;
      }
    }
    return this.route;
  }
}

/** A model that a wildcard covers, and no entry names. */
export class WildcardModel {
  /** The bare name as a JSON string with its quotes. */
  private quoted: ByteBuffer = new ByteBuffer();
  /** The views of it that requests are written from. */
  json: Span = new Span(0, 0);
  text: Span = new Span(0, 0);
  route: i32 = 0;

  /** Copies the name. */
  set(model: Span, route: i32): void {
    this.route = route;
    this.quoted.byte(QUOTE);
    this.quoted.span(model);
    this.quoted.byte(QUOTE);
    this.quoted.view(this.json);
    this.text.pointer = this.quoted.pointer + 1;
    this.text.length = this.quoted.length > 2 ? this.quoted.length - 2 : 0;
  }

  /** Frees the name, and keeps the object for another request: spans are never freed. */
  release(): void {
    this.quoted.release();
    spare.push(this);
  }
}

/** As many as there were at once. */
const spare: WildcardModel[] = [];

/** Returns the model for a name that is not configured; null if no entry takes it. The longest prefixes come first. */
export function modelOfWildcard(
  wildcards: Wildcard[],
  pointer: usize,
  length: u32,
): WildcardModel | null {
  if (wildcards.length == 0) return null;
  const name = asked;
  name.pointer = pointer;
  name.length = length;
  if (!isName(name)) return null;
  for (let i = 0; i < wildcards.length; i++) {
    const model = wildcards[i].bareNameOf(name);
    if (model === null) continue;
    // The name may become a part of the provider's path.
    if (!isPathValue(model.pointer, model.length, true)) return null;
    const found = spare.length > 0 ? spare.pop() : new WildcardModel();
    found.set(model, wildcards[i].routeOf(model));
    if (found.text.length == model.length) return found;
    found.release();
    return null;
  }
  return null;
}

/** Returns whether a name has the characters that names in the configuration may have: the name goes into JSON and headers. */
function isName(name: Span): bool {
  if (name.length == 0 || name.length > MAX_NAME) return false;
  for (let i: u32 = 0; i < name.length; i++) {
    const byte = byteAt(name.pointer, i);
    if (byte < 0x21 || byte > 0x7e) return false;
    // " ' * < > \ `
    if (byte == 0x22 || byte == 0x27 || byte == STAR || byte == 0x3c || byte == 0x3e) return false;
    if (byte == 0x5c || byte == 0x60) return false;
  }
  return true;
}

/** Returns whether a name has the form of a pattern, in which `*` stands for any text. */
export function matches(pattern: Span, name: Span): bool {
  let at: u32 = 0;
  let from: u32 = 0;
  /** Behind the last star, and where in the name its text ends. */
  let star: u32 = u32.MAX_VALUE;
  let resume: u32 = 0;
  while (at < name.length) {
    if (from < pattern.length && byteAt(pattern.pointer, from) == STAR) {
      star = ++from;
      resume = at;
    } else if (from < pattern.length && byteAt(pattern.pointer, from) == byteAt(name.pointer, at)) {
      from++;
      at++;
    } else if (star != u32.MAX_VALUE) {
      from = star;
      at = ++resume;
    } else return false;
  }
  while (from < pattern.length && byteAt(pattern.pointer, from) == STAR) from++;
  return from == pattern.length;
}
