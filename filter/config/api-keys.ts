// The API keys of a listener; its clients must send one of them.
import * as members from "../../contract/filter-document";
import { MAX_API_KEY } from "../../contract/words";
import { NO_NODE } from "../bytes/json/tape";
import { ByteBuffer, constant, sameInConstantTime, scratchBuffer, Span } from "../bytes/text/bytes";
import { HeldText } from "../bytes/text/held-text";
import { AllowedModels, readAllowedModels } from "./allowed-models";
import { Budget } from "./budget";
import { Document, textOf } from "./document";
import { RateLimit } from "./rate-limit-rule";

/** The key that the client sent, padded with zeros; no key and no header contains a zero. */
const sent = memory.data(MAX_API_KEY);
const LONGEST: u32 = MAX_API_KEY;

const nameSpan = new Span(0, 0);
const plain = scratchBuffer();

/** Who a client is, by its key or token, and what it may do. */
export class ApiKey {
  /** The limits of its requests, whatever model they are for. */
  rateLimits: RateLimit[] = [];
  /** The budgets of its requests, whatever model they are for: of the key, and of all requests. */
  budgets: Budget[] = [];
  /** Null: all models. */
  allowed: AllowedModels | null = null;
  /** Null for a key of the configuration. */
  id: HeldText | null = null;
  /** The names of its groups, with commas between them. Null: none. */
  group: HeldText | null = null;
  /** Null: not known. */
  user: HeldText | null = null;
  /** Of a key of the configuration: with what its groups and its owner add, and the number of changes when that was read (filter/keys/). */
  complete: ApiKey | null = null;
  completeAt: u64 = 0;

  constructor(public readonly held: HeldText) {}

  addBudgets(budgets: Budget[]): void {
    for (let i = 0; i < budgets.length; i++) this.budgets.push(budgets[i]);
  }

  /** For errors and usage records; valid until the next call. */
  get name(): Span {
    return this.held.view(nameSpan);
  }
}

export class ApiKeys {
  /** The values one after the other, each padded with zeros to the maximum length. */
  private values: ByteBuffer = new ByteBuffer();
  private list: ApiKey[] = [];

  /** Returns false if the value is empty or too long, or there is no memory for it. */
  add(key: ApiKey, value: string): bool {
    const end = this.values.length + LONGEST;
    this.values.text(value);
    if (this.values.length + LONGEST == end || this.values.length > end) return false;
    this.values.zeros(end - this.values.length);
    this.list.push(key);
    return this.values.length == end;
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
    if (length == 0 || length > LONGEST || this.list.length == 0) return 0;
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

/** Returns the keys in a member; null without them. `routes`: how many routes there are. */
export function readApiKeys(
  from: Document,
  node: u32,
  member: Span,
  limits: RateLimit[],
  routes: i32,
): ApiKeys | null {
  if (!from.has(node, member)) return null;
  const keys = new ApiKeys();
  const list = from.items(node, member);
  for (let i = 0; i < list.length; i++) {
    let variable = textOf(from.tape, list[i]);
    let name = variable;
    const isNamed = from.tape.isObject(list[i]);
    if (isNamed) {
      variable = from.text(list[i], constant(members.KEY_KEY));
      name = from.text(list[i], constant(members.KEY_NAME));
    }
    const key = new ApiKey(heldText(name));
    if (isNamed) readUse(from, list[i], key, limits, routes);
    if (!keys.add(key, from.variable(variable)))
      from.report("a client's key is not set for Envoy, or too long");
  }
  return keys;
}

function heldText(text: string): HeldText {
  plain.clear();
  plain.text(text);
  return new HeldText(plain.pointer, plain.length);
}

/** Reads what a key may be used for. */
function readUse(from: Document, node: u32, key: ApiKey, limits: RateLimit[], routes: i32): void {
  key.rateLimits = from.pick<RateLimit>(node, constant(members.KEY_RATE_LIMITS), limits);
  const groups = from.text(node, constant(members.KEY_GROUP));
  if (groups.length > 0) key.group = heldText(groups);
  const owner = from.text(node, constant(members.KEY_OWNER));
  if (owner.length > 0) key.user = heldText(owner);
  const allowed = from.member(node, constant(members.KEY_ALLOWED));
  if (allowed != NO_NODE) key.allowed = readAllowedModels(from, allowed, routes);
}
