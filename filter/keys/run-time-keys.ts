// Finds the key that a client sends among those that were created at run time, by its hash.
import {
  ROW_DISABLED,
  ROW_EXPIRES,
  ROW_GROUPS,
  ROW_ID,
  ROW_NAME,
  ROW_OWNER,
} from "../../contract/key-format";
import { MAX_API_KEY } from "../../contract/words";
import { ApiKey } from "../config/api-keys";
import { Config } from "../config/read-config";
import { currentSeconds } from "../host/host";
import { UNKNOWN } from "../host/shared-counter";
import { longAt } from "../bytes/fields";
import { readCount } from "../bytes/json/number";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { HeldText } from "../bytes/text/held-text";
import { sha256 } from "../bytes/text/sha256";
import { completeIdentity, heldText } from "./identity";
import { freeRow, hadRow, HASH_PREFIX, KEY_ROW, readRow, row } from "./key-rows";
import { addUse, appendTexts, textIn } from "./read-use";

const COMMA: u32 = 0x2c;
/** The keys that a VM keeps as objects: a power of two. One that was used longer ago is read again. */
const MAX_RECENT: i32 = 2048;

const digest = memory.data(32, 16);
const tape = scratchTape();
const list = scratchBuffer();

/** A key that was read, and is valid until its row may have changed. */
class RecentKey {
  private hash0: i64 = longAt(digest, 0);
  private hash1: i64 = longAt(digest, 8);
  private hash2: i64 = longAt(digest, 16);
  private hash3: i64 = longAt(digest, 24);

  constructor(
    public client: ApiKey,
    /** Seconds since 1970; 0: never. */
    public expires: i64,
    /** The number of changes when it was read. */
    public readAt: u64,
  ) {}

  /** Returns whether it is of the key with `digest`. */
  isSought(): bool {
    const difference =
      (this.hash0 ^ longAt(digest, 0)) |
      (this.hash1 ^ longAt(digest, 8)) |
      (this.hash2 ^ longAt(digest, 16)) |
      (this.hash3 ^ longAt(digest, 24));
    return difference == 0;
  }
}

/** By the first bits of the hash. Empty until a key is read. */
let recent: StaticArray<RecentKey | null> = [];

/**
 * Returns the client with a key; null if it is unknown, disabled or expired.
 * @param now the number of changes of rows
 */
export function findRunTimeKey(config: Config, key: Span, now: u64): ApiKey | null {
  if (key.length == 0 || key.length > <u32>MAX_API_KEY) return null;
  sha256(key.pointer, key.length, digest);
  const place = <i32>(longAt(digest, 0) & (MAX_RECENT - 1));
  let found = place < recent.length ? recent[place] : null;
  if (found === null || !found.isSought() || found.readAt != now || now == UNKNOWN) {
    found = readKey(config, now);
    if (found === null) return null;
    if (recent.length == 0) recent = new StaticArray<RecentKey | null>(MAX_RECENT);
    recent[place] = found;
  }
  return found.expires > 0 && found.expires <= currentSeconds() ? null : found.client;
}

/** Returns whether a value is the key of a row, valid or not, or of one that was removed. */
export function isRunTimeKey(key: Span): bool {
  if (key.length == 0 || key.length > <u32>MAX_API_KEY) return false;
  sha256(key.pointer, key.length, digest);
  return hadRow(KEY_ROW, digest, HASH_PREFIX);
}

/**
 * Returns a key of the configuration with what the rows of its groups and of its owner add.
 * @param now the number of changes of rows
 */
export function withGroups(config: Config, key: ApiKey, now: u64): ApiKey {
  if (key.group === null && key.user === null) return key;
  const last = key.complete;
  if (last !== null && key.completeAt == now && now != UNKNOWN) return last;
  const complete = new ApiKey(key.held);
  complete.group = key.group;
  complete.user = key.user;
  complete.allowed = key.allowed;
  for (let i = 0; i < key.rateLimits.length; i++) complete.rateLimits.push(key.rateLimits[i]);
  complete.addBudgets(key.budgets);
  completeIdentity(config, complete, null);
  key.complete = complete;
  key.completeAt = now;
  return complete;
}

/** Reads the row of the key with `digest`. Returns null if there is no valid one. */
function readKey(config: Config, now: u64): RecentKey | null {
  let found: RecentKey | null = null;
  if (readRow(KEY_ROW, digest, HASH_PREFIX) && scan(tape, row.pointer, row.length) == SCAN_OK) {
    const expires = readCount(tape, tape.member(0, constant(ROW_EXPIRES)));
    if (!tape.isPresent(tape.member(0, constant(ROW_DISABLED))))
      found = new RecentKey(readClient(config), max<i64>(expires, 0), now);
  }
  tape.reset();
  freeRow();
  return found;
}

/** Returns the client of the row in `tape`, whose bytes are freed where the rows of its groups are read. */
function readClient(config: Config): ApiKey {
  const client = new ApiKey(textOf(constant(ROW_NAME)));
  client.id = textOf(constant(ROW_ID));
  client.addBudgets(config.budgets.all);
  const groups = tape.member(0, constant(ROW_GROUPS));
  list.clear();
  appendTexts(tape, groups, COMMA, list);
  if (list.length > 0) client.group = heldText(list);
  if (tape.isPresent(tape.member(0, constant(ROW_OWNER))))
    client.user = textOf(constant(ROW_OWNER));
  list.clear();
  const isRestricted = addUse(tape, client, "key " + client.name.toText(), list);
  completeIdentity(config, client, isRestricted ? heldText(list) : null);
  return client;
}

function textOf(member: Span): HeldText {
  return heldText(textIn(tape, tape.member(0, member)));
}
