// The API keys of a listener; its clients must send one of them.
import { MAX_API_KEY } from "../../contract/words";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, sameInConstantTime } from "../bytes/text/bytes";
import { reportProblem, textOf } from "./document";

/** The key that the client sent, padded with zeros; no key and no header contains a zero. */
const sent = memory.data(MAX_API_KEY);
const LONGEST: u32 = MAX_API_KEY;

export class ApiKeys {
  /** The keys one after the other, each padded with zeros to the maximum length. */
  private keys: ByteBuffer = new ByteBuffer();

  add(key: string): void {
    const end = this.keys.length + LONGEST;
    this.keys.text(key);
    if (this.keys.length + LONGEST == end || this.keys.length > end) {
      this.keys.length = end - LONGEST;
      reportProblem("a client's key is not set for Envoy, or too long");
      return;
    }
    this.keys.zeros(end - this.keys.length);
    if (this.keys.length < end) reportProblem("there is no memory for the clients' keys");
  }

  /**
   * Whether these bytes are one of the keys. The time depends only on the bytes sent and on the number of keys: every
   * byte of every key is compared, padding included, so that timing reveals neither a key nor its length.
   */
  has(pointer: usize, length: u32): bool {
    if (length == 0 || length > LONGEST) return false;
    memory.fill(sent, 0, LONGEST);
    memory.copy(sent, pointer, length);
    let found: u32 = 0;
    for (let at: u32 = 0; at < this.keys.length; at += LONGEST) {
      found |= u32(sameInConstantTime(this.keys.pointer + at, sent, LONGEST));
    }
    return found != 0;
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
    keys.add(environment.has(variable) ? environment.get(variable) : "");
  }
  return keys;
}
