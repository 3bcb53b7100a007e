// A key and a group as they are stored. A record has the SHA-256 of the key, never the key.
import { createHash, randomBytes } from "node:crypto";
import type { Allowance } from "../../model/keys.ts";

export interface KeyRecord extends Allowance {
  /** `key_…`: stays as long as the key exists. */
  id: string;
  /** Of errors, usage records and budgets. It cannot be changed, because what was spent is counted by it. */
  name: string;
  /** SHA-256 of the key: 64 hexadecimal digits. */
  hash: string;
  /** Beginning and end of the key, by which its owner recognises it. */
  hint: string;
  /** The user whom the key belongs to. */
  owner?: string;
  groups?: string[];
  /** Milliseconds since 1970; absent: never. */
  expires?: number;
  isDisabled?: true;
  metadata?: Record<string, string>;
  created: number;
  createdBy: string;
  updated: number;
  /** Grows by 1 with each change. */
  version: number;
  /** Milliseconds since 1970. */
  revoked?: number;
  /** Hashes that the key had before it was rotated, the newest last, and until when each is valid. */
  previous?: { hash: string; until: number }[];
}

export interface GroupRecord extends Allowance {
  name: string;
  metadata?: Record<string, string>;
  created: number;
  updated: number;
  version: number;
  /** Milliseconds since 1970. A deleted group is kept, so that every gateway learns of it. */
  deleted?: number;
}

/** One change of the store, with what it replaces. */
export type Change = { kind: "key"; record: KeyRecord } | { kind: "group"; record: GroupRecord };

const KEY_PREFIX = "gwk_";
const KEY_BYTES = 32;
const ID_BYTES = 10;
const HINT_END = 4;

/** Returns a new key: 256 random bits. */
export function newKey(): string {
  return KEY_PREFIX + randomBytes(KEY_BYTES).toString("base64url");
}

export function newKeyId(): string {
  return `key_${randomBytes(ID_BYTES).toString("hex")}`;
}

/** Returns the hash of a key, as the filter computes it and as LiteLLM stores it. */
export function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Returns what may be shown of a key: 24 bits of 256. */
export function hintOf(key: string): string {
  return `${KEY_PREFIX}…${key.slice(-HINT_END)}`;
}
