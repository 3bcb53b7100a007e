// Sends keys, groups and users to an Envoy's filter: contract/key-format.ts has the meaning of each member.
import {
  type GROUPS,
  KEYS,
  type KEYS_COMPLETE,
  type KEYS_COUNT,
  type KEYS_FRESH,
  KEYS_PATH,
  type KEYS_RESET,
  type LIMIT_PER,
  type LIMIT_REQUESTS,
  type LIMIT_TOKENS,
  type ROW_BUDGET_ID,
  type ROW_BUDGET_LABEL,
  type ROW_BUDGET_REJECTS_UNPRICED,
  type ROW_DISABLED,
  type ROW_EXPIRES,
  type ROW_GROUPS,
  type ROW_ID,
  type ROW_NAME,
  type ROW_OWNER,
  type USE_BUDGETS,
  type USE_LIMITS,
  type USE_MODELS,
  type USERS,
} from "../../contract/key-format.ts";
import type { RateUnit } from "../../model/rate-limit.ts";
import { fetchAt } from "../model-server/unix-socket.ts";

export type RowLimit =
  | { [LIMIT_REQUESTS]: number; [LIMIT_PER]: RateUnit }
  | { [LIMIT_TOKENS]: number; [LIMIT_PER]: RateUnit };

export interface RowBudget {
  [ROW_BUDGET_ID]: string;
  [ROW_BUDGET_LABEL]: string;
  [ROW_BUDGET_REJECTS_UNPRICED]?: 1;
}

/** What a key, a group or a user may be used for. */
export interface UseRow {
  [USE_MODELS]?: readonly string[];
  [USE_LIMITS]?: readonly RowLimit[];
  [USE_BUDGETS]?: readonly RowBudget[];
}

export interface KeyRow extends UseRow {
  [ROW_ID]: string;
  [ROW_NAME]: string;
  [ROW_OWNER]?: string;
  [ROW_GROUPS]?: readonly string[];
  [ROW_EXPIRES]?: number;
  [ROW_DISABLED]?: 1;
}

/** Rows by the hash of the key, or by name; null removes a row. */
type Rows<Row> = Readonly<Record<string, Row | null>>;

export interface KeysPush {
  [KEYS_RESET]?: 1;
  [KEYS_COMPLETE]?: 1;
  [KEYS]?: Rows<KeyRow>;
  [GROUPS]?: Rows<UseRow>;
  [USERS]?: Rows<UseRow>;
}

export interface KeysResponse {
  [KEYS_FRESH]?: 1;
  [KEYS_COUNT]: number;
}

/** Rows of a part: 10,000 rows of 400 bytes are below the 4 MiB that a push may have. */
const MAX_ROWS = 5_000;
const MAX_PART_BYTES = 3_500_000;
/** Envoy applies a part in less than a second; a machine that is overloaded takes longer. */
const TIMEOUT_MS = 10_000;

/** Envoy has read a push, and does not accept it: the same push is rejected again. */
export class PushRejected extends Error {}
const REJECTIONS = new Set([400, 413]);

/** Sends a part, and returns what the filter knows then. Rejects if it does not accept the part. */
export async function pushKeys(socket: string, push: KeysPush): Promise<KeysResponse> {
  return await post(socket, JSON.stringify(push));
}

/** Sends everything that Envoy shall know, in parts. */
export async function pushAllKeys(
  socket: string,
  { keys, groups, users }: Required<Pick<KeysPush, "keys" | "groups" | "users">>,
): Promise<KeysResponse> {
  // Groups and users come first: a key must not be usable without the limits of its group.
  const parts = [
    ...partsOf(groups).map((part): KeysPush => ({ groups: part })),
    ...partsOf(users).map((part): KeysPush => ({ users: part })),
    ...partsOf(keys).map((part): KeysPush => ({ [KEYS]: part })),
  ];
  if (parts.length === 0) return await pushKeys(socket, { reset: 1, complete: 1 });
  let response: KeysResponse = { keys: 0 };
  for (const [at, part] of parts.entries()) {
    response = await pushKeys(socket, {
      ...(at === 0 ? { reset: 1 as const } : {}),
      ...(at === parts.length - 1 ? { complete: 1 as const } : {}),
      ...part,
    });
  }
  return response;
}

/** Cuts rows into parts that a push may have. */
export function partsOf<Row>(rows: Rows<Row>): Rows<Row>[] {
  const parts: [string, Row | null][][] = [];
  let count = MAX_ROWS;
  let bytes = 0;
  for (const [name, row] of Object.entries(rows)) {
    const size = Buffer.byteLength(JSON.stringify(row)) + Buffer.byteLength(name) + 8;
    if (count >= MAX_ROWS || bytes + size > MAX_PART_BYTES) {
      parts.push([]);
      count = 0;
      bytes = 0;
    }
    parts.at(-1)?.push([name, row]);
    count++;
    bytes += size;
  }
  return parts.map((part) => Object.fromEntries(part));
}

async function post(socket: string, body: string): Promise<KeysResponse> {
  const response = await fetchAt(socket, `http://gateway${KEYS_PATH}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) {
    const reason = `Envoy responds with ${String(response.status)}: ${text}`;
    throw REJECTIONS.has(response.status) ? new PushRejected(reason) : new Error(reason);
  }
  return JSON.parse(text) as KeysResponse;
}
