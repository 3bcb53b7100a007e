// The keys of which the clients of a listener have to send one.
import { MAX_API_KEY } from "../../contract/words";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer } from "../bytes/text/bytes";
import { reportProblem, textOf } from "./document";

/** What a client sent, filled up with zeros; no key and no header holds a zero. */
const sent = memory.data(MAX_API_KEY);
const LONGEST: u32 = MAX_API_KEY;

export class ApiKeys {
  /** One behind the other, each filled up with zeros to the longest length. */
  private keys: ByteBuffer = new ByteBuffer();

  add(key: string): void {
    const start = this.keys.reserve(LONGEST);
    if (start == 0) {
      reportProblem("there are more keys of clients than the gateway's memory can hold");
      return;
    }
    memory.fill(start, 0, LONGEST);
    const length = <u32>String.UTF8.byteLength(key);
    if (length == 0 || length > LONGEST)
      reportProblem("a client's key is not set for Envoy, or too long");
    else String.UTF8.encodeUnsafe(changetype<usize>(key), key.length, start);
    this.keys.length += LONGEST;
  }

  /**
   * Returns whether these bytes are one of the keys. How long that takes depends on what the client sent and on the number of
   * keys only: every byte of every key is compared, padding included, so that time tells nothing of a key or its length.
   */
  has(pointer: usize, length: u32): bool {
    if (length == 0 || length > LONGEST) return false;
    memory.fill(sent, 0, LONGEST);
    memory.copy(sent, pointer, length);
    let found: u32 = 0;
    for (let at: u32 = 0; at < this.keys.length; at += LONGEST) {
      const key = this.keys.pointer + at;
      let difference: u64 = 0;
      for (let i: u32 = 0; i < LONGEST; i += 8)
        difference |= load<u64>(key + i) ^ load<u64>(sent + i);
      found |= u32(difference == 0);
    }
    return found != 0;
  }
}

/** The keys of a list of environment variables; null without a list. */
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
