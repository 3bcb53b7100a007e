// Reads what a row allows and limits (contract/key-format.ts, USE_…): of a key, of a group or of a user.
import {
  LIMIT_PER,
  LIMIT_REQUESTS,
  LIMIT_TOKENS,
  LIMIT_UNITS,
  MAX_NAME_BYTES,
  ROW_BUDGET_ID,
  ROW_BUDGET_LABEL,
  ROW_BUDGET_REJECTS_UNPRICED,
  USE_BUDGETS,
  USE_LIMITS,
  USE_MODELS,
} from "../../contract/key-format";
import { ApiKey } from "../config/api-keys";
import { Budget } from "../config/budget";
import { RateLimit } from "../config/rate-limit-rule";
import { createBucket } from "../limits/buckets";
import { readCount } from "../bytes/json/number";
import { unescape } from "../bytes/json/text";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { hash64, readHexadecimal } from "../bytes/text/hash";

const MICROSECONDS: f64 = 1_000_000;
const MAX_AMOUNT: i64 = 999_999_999;
/** Separates models, whose names have none. */
export const NEWLINE: u32 = 0x0a;
const BLANK: u32 = 0x20;
/** An index of LIMIT_UNITS. */
const HOUR: i32 = 2;

const UNITS = LIMIT_UNITS.map<Span>((unit) => constant(unit));
const plain = scratchBuffer();
const id = new Span(0, 0);

/** Returns whether a row's members have the right types and sizes. */
export function isUse(tape: Tape, node: u32): bool {
  const models = tape.member(node, constant(USE_MODELS));
  if (models != NO_NODE && !areTexts(tape, models)) return false;
  const limits = tape.member(node, constant(USE_LIMITS));
  let end = tape.next(limits);
  if (limits != NO_NODE && !tape.isArray(limits)) return false;
  for (let limit = tape.first(limits); limit < end; limit = tape.next(limit)) {
    const amount = amountOf(tape, limit);
    const unit = tape.indexIn(tape.member(limit, constant(LIMIT_PER)), UNITS);
    if (amount < 1 || amount > MAX_AMOUNT || unit < 0) return false;
  }
  const budgets = tape.member(node, constant(USE_BUDGETS));
  end = tape.next(budgets);
  if (budgets != NO_NODE && !tape.isArray(budgets)) return false;
  for (let budget = tape.first(budgets); budget < end; budget = tape.next(budget)) {
    if (budgetIdOf(tape, budget) == 0) return false;
    if (!tape.isString(tape.member(budget, constant(ROW_BUDGET_LABEL)))) return false;
  }
  return true;
}

/** Returns whether a node is a list of texts that are neither empty nor long. */
export function areTexts(tape: Tape, list: u32): bool {
  if (!tape.isArray(list)) return false;
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item)) {
    if (!isName(tape, item)) return false;
  }
  return true;
}

export function isName(tape: Tape, node: u32): bool {
  return tape.isString(node) && tape.size(node) - 1 < <u32>MAX_NAME_BYTES;
}

/**
 * Adds the limits and budgets of a row to a client, and appends its models to `models`. Returns whether it restricts the models.
 * @param subject what the row is of: `key research`
 */
export function addUse(tape: Tape, client: ApiKey, subject: string, models: ByteBuffer): bool {
  const limits = tape.member(0, constant(USE_LIMITS));
  let end = tape.next(limits);
  for (let node = tape.first(limits); node < end; node = tape.next(node))
    client.rateLimits.push(readLimit(tape, node, subject));
  const budgets = tape.member(0, constant(USE_BUDGETS));
  end = tape.next(budgets);
  for (let node = tape.first(budgets); node < end; node = tape.next(node)) {
    const label = textIn(tape, tape.member(node, constant(ROW_BUDGET_LABEL))).toText();
    const rejects = readCount(tape, tape.member(node, constant(ROW_BUDGET_REJECTS_UNPRICED))) > 0;
    const budget = new Budget(budgetIdOf(tape, node), label + " of " + subject, rejects);
    budget.isSeparate = true;
    client.budgets.push(budget);
  }
  const list = tape.member(0, constant(USE_MODELS));
  appendTexts(tape, list, NEWLINE, models);
  return tape.isArray(list);
}

/** Appends the texts of a list, with a separator between them and in front of them if `out` is not empty. */
export function appendTexts(tape: Tape, list: u32, separator: u32, out: ByteBuffer): void {
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item)) {
    if (out.length > 0) out.byte(separator);
    unescape(tape.pointer(item), tape.size(item), out);
  }
}

/** Returns a string node's text, until the next call. */
export function textIn(tape: Tape, node: u32): ByteBuffer {
  plain.clear();
  if (tape.isString(node)) unescape(tape.pointer(node), tape.size(node), plain);
  return plain;
}

/** The same subject, amount and unit mean the same bucket. */
function readLimit(tape: Tape, node: u32, subject: string): RateLimit {
  const limit = new RateLimit();
  const unit = max(tape.indexIn(tape.member(node, constant(LIMIT_PER)), UNITS), 0);
  limit.countsRequests = tape.member(node, constant(LIMIT_REQUESTS)) != NO_NODE;
  limit.amount = <f64>amountOf(tape, node);
  limit.period = secondsOf(unit) * MICROSECONDS;
  plain.clear();
  plain.integer(amountOf(tape, node));
  plain.byte(BLANK);
  plain.text(limit.countsRequests ? LIMIT_REQUESTS : LIMIT_TOKENS);
  plain.text(unit == HOUR ? " an " : " a ");
  plain.span(UNITS[unit]);
  plain.text(" for ");
  plain.text(subject);
  limit.label = plain.toText();
  limit.id = max(hash64(plain.pointer, plain.length), 1);
  createBucket(limit);
  return limit;
}

/** Returns the seconds of a unit, by its index in LIMIT_UNITS. */
function secondsOf(unit: i32): f64 {
  if (unit == HOUR) return 3600;
  return unit > HOUR ? 86_400 : unit == 0 ? 1 : 60;
}

function amountOf(tape: Tape, node: u32): i64 {
  const requests = readCount(tape, tape.member(node, constant(LIMIT_REQUESTS)));
  return requests < 0 ? readCount(tape, tape.member(node, constant(LIMIT_TOKENS))) : requests;
}

/** Returns the id of a budget; 0 if it has none. */
function budgetIdOf(tape: Tape, node: u32): u64 {
  const member = tape.member(node, constant(ROW_BUDGET_ID));
  if (!tape.isString(member)) return 0;
  id.pointer = tape.pointer(member);
  id.length = tape.size(member);
  return readHexadecimal(id);
}
