// The API keys of a listener; its clients must send one of them.
import { MAX_API_KEY } from "../../contract/words";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, sameInConstantTime, Span } from "../bytes/text/bytes";
import { reportProblem, textOf } from "./document";

/** The key that the client sent, padded with zeros; no key and no header contains a zero. */
const sent = memory.data(MAX_API_KEY);
const LONGEST: u32 = MAX_API_KEY;
const NO_NAME = new Span(0, 0);

export class ApiKeys {
  /** The keys one after the other, each padded with zeros to the maximum length. */
  private keys: ByteBuffer = new ByteBuffer();
  /** Their environment variables. */
  private names: Span[] = [];

  add(name: string, key: string): void {
    const end = this.keys.length + LONGEST;
    this.keys.text(key);
    if (this.keys.length + LONGEST == end || this.keys.length > end) {
      this.keys.length = end - LONGEST;
      reportProblem("a client's key is not set for Envoy, or too long");
      return;
    }
    this.keys.zeros(end - this.keys.length);
    if (this.keys.length < end) reportProblem("there is no memory for the clients' keys");
    this.names.push(constant(name));
  }

  /** Returns the environment variable of a key, by its number. */
  nameOf(number: u32): Span {
    return number > 0 && <i32>number <= this.names.length ? this.names[number - 1] : NO_NAME;
  }

  /**
   * Returns the number of the key that these bytes are, counted from 1; 0 if they are none. The time depends only on the
   * bytes sent and on the number of keys: every byte of every key is compared, padding included, so that timing reveals
   * neither a key nor its length.
   */
  find(pointer: usize, length: u32): u32 {
    if (length == 0 || length > LONGEST) return 0;
    memory.fill(sent, 0, LONGEST);
    memory.copy(sent, pointer, length);
    let found: u32 = 0;
    for (let at: u32 = 0, number: u32 = 1; at < this.keys.length; at += LONGEST, number++) {
      const isSame = u32(sameInConstantTime(this.keys.pointer + at, sent, LONGEST));
      // The first one, if two are equal.
      found += number * isSame * u32(found == 0);
    }
    return found;
  }
}

/** Returns the keys of a list of environment variables; null without a list. */
export function readApiKeys(
  tape: Tape,
  list: u32,
  environment: Map<string, string>,
): ApiKeys | null {
  if (list == NO_NODE) return null;
  const keys = new ApiKeys();
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    const variable = textOf(tape, node);
    keys.add(variable, environment.has(variable) ? environment.get(variable) : "");
  }
  return keys;
}
