// The API keys of a listener; its clients must send one of them.
import { MAX_API_KEY } from "../../contract/words";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, sameInConstantTime, Span } from "../bytes/text/bytes";
import { AllowedModels, readAllowedModels } from "./allowed-models";
import { Budget } from "./budget";
import { onlyKnownMembers, reportProblem, stringMember, textOf } from "./document";
import { RateLimit } from "./rate-limit";
import { pickRateLimits } from "./read-rate-limits";

/** The key that the client sent, padded with zeros; no key and no header contains a zero. */
const sent = memory.data(MAX_API_KEY);
const LONGEST: u32 = MAX_API_KEY;

/** A key of a client, without its value. */
export class ApiKey {
  /** The limits of its requests, whatever model they are for. */
  rateLimits: RateLimit[] = [];
  /** The budgets of its requests, whatever model they are for: of the key, and of all requests. */
  budgets: Budget[] = [];
  /** Null: all models. */
  allowed: AllowedModels | null = null;

  constructor(
    /** For errors and usage records. */
    public name: Span,
  ) {}
}

export class ApiKeys {
  /** The values one after the other, each padded with zeros to the maximum length. */
  private values: ByteBuffer = new ByteBuffer();
  private list: ApiKey[] = [];

  add(key: ApiKey, value: string): void {
    const end = this.values.length + LONGEST;
    this.values.text(value);
    if (this.values.length + LONGEST == end || this.values.length > end) {
      this.values.length = end - LONGEST;
      reportProblem("a client's key is not set for Envoy, or too long");
      return;
    }
    this.values.zeros(end - this.values.length);
    if (this.values.length < end) reportProblem("there is no memory for the clients' keys");
    this.list.push(key);
  }

  /** Returns a key by its number; null if there is none. */
  at(number: u32): ApiKey | null {
    return number > 0 && <i32>number <= this.list.length ? this.list[number - 1] : null;
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
    for (let at: u32 = 0, number: u32 = 1; at < this.values.length; at += LONGEST, number++) {
      const isSame = u32(sameInConstantTime(this.values.pointer + at, sent, LONGEST));
      // The first one, if two are equal.
      found += number * isSame * u32(found == 0);
    }
    return found;
  }
}

/** Returns the keys of a list; null without a list. `routes`: how many routes there are. */
export function readApiKeys(
  tape: Tape,
  list: u32,
  environment: Map<string, string>,
  limits: RateLimit[],
  routes: i32,
): ApiKeys | null {
  if (list == NO_NODE) return null;
  const keys = new ApiKeys();
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    const isNamed = tape.isObject(node);
    const variable = isNamed ? stringMember(tape, node, constant("key")) : textOf(tape, node);
    const name = isNamed ? stringMember(tape, node, constant("name")) : variable;
    const key = new ApiKey(constant(name));
    if (isNamed) readUse(tape, node, key, limits, routes);
    keys.add(key, environment.has(variable) ? environment.get(variable) : "");
  }
  return keys;
}

/** Reads what a key may be used for. */
function readUse(tape: Tape, node: u32, key: ApiKey, limits: RateLimit[], routes: i32): void {
  onlyKnownMembers(tape, node, constant("key name rate_limits allowed"));
  pickRateLimits(tape, tape.member(node, constant("rate_limits")), limits, key.rateLimits);
  const allowed = tape.member(node, constant("allowed"));
  if (allowed != NO_NODE) key.allowed = readAllowedModels(tape, allowed, routes);
}
