// Sends keys, groups and users to an Envoy's filter: contract/key-format.ts has the meaning of each member.
import {
  type GROUPS,
  type KEYS,
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
  type SESSIONS,
  type USE_BUDGETS,
  type USE_LIMITS,
  type USE_MODELS,
  type USERS,
} from "../../contract/key-format.ts";
import type { RateUnit } from "../../model/rate-limit.ts";
import { pushToEnvoy } from "../spend/push-to-envoy.ts";

export type RowLimit =
  | { [LIMIT_REQUESTS]: number; [LIMIT_PER]: RateUnit }
  | { [LIMIT_TOKENS]: number; [LIMIT_PER]: RateUnit };

interface RowBudget {
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
  [SESSIONS]?: Rows<Record<string, never>>;
}

export interface KeysResponse {
  [KEYS_FRESH]?: 1;
  [KEYS_COUNT]: number;
}

/** Rows of a part, and their bytes: a push may have 4 MiB. */
const MAX_ROWS = 5_000;
const MAX_PART_BYTES = 3_000_000;
/** Envoy applies a part in less than a second; a machine that is overloaded takes longer. */
const TIMEOUT_MS = 10_000;

/** Sends a part, and returns what the filter knows then. Rejects if it does not accept the part. */
export async function pushKeys(socket: string, push: KeysPush): Promise<KeysResponse> {
  return (await pushToEnvoy(socket, KEYS_PATH, push, TIMEOUT_MS)) as KeysResponse;
}

/** Sends everything that Envoy shall know, in parts. */
export async function pushAllKeys(
  socket: string,
  { keys, groups, users }: Required<Pick<KeysPush, "keys" | "groups" | "users">>,
): Promise<KeysResponse> {
  const entries = <Row>(rows: Rows<Row>) => partsOf(Object.entries(rows).map(measured));
  // Groups and users come first: a key must not be usable without the limits of its group.
  const parts: KeysPush[] = [
    ...[...entries(groups)].map((part) => ({ groups: part })),
    ...[...entries(users)].map((part) => ({ users: part })),
    ...[...entries(keys)].map((part) => ({ keys: part })),
  ];
  if (parts.length === 0) return await pushKeys(socket, { reset: 1, complete: 1 });
  let response: KeysResponse = { keys: 0 };
  for (const [at, part] of parts.entries()) {
    response = await pushKeys(socket, {
      ...(at === 0 ? { reset: 1 } : {}),
      ...(at === parts.length - 1 ? { complete: 1 } : {}),
      ...part,
    });
  }
  return response;
}

/**
 * Cuts rows into parts that a push may have.
 * @param rows names, rows, and how many bytes of JSON each has at most
 */
export function* partsOf<Row>(
  rows: Iterable<readonly [name: string, row: Row | null, bytes: number]>,
): Generator<Rows<Row>> {
  let part: [string, Row | null][] = [];
  let bytes = 0;
  for (const [name, row, size] of rows) {
    if (part.length >= MAX_ROWS || (part.length > 0 && bytes + size > MAX_PART_BYTES)) {
      yield Object.fromEntries(part);
      part = [];
      bytes = 0;
    }
    part.push([name, row]);
    bytes += size;
  }
  if (part.length > 0) yield Object.fromEntries(part);
}

/** Returns a row with its bytes of JSON. */
export function measured<Row>([name, row]: readonly [string, Row | null]) {
  const bytes = Buffer.byteLength(JSON.stringify(row)) + Buffer.byteLength(name) + 8;
  return [name, row, bytes] as const;
}
