// Keys and groups as Envoy's filter gets them.
import { amountLabel, type Budget, budgetFingerprint } from "../../model/budgets.ts";
import type { Allowance } from "../../model/keys.ts";
import type { KeyRow, RowLimit, UseRow } from "./push-keys.ts";
import type { KeyRecord } from "./key-records.ts";

/** Returns the row of a key for each of its hashes; null for a hash that is no longer valid. */
export function keyRows(record: KeyRecord, now: number): [hash: string, row: KeyRow | null][] {
  const { hash, previous = [], expires } = record;
  const isRevoked = record.revoked !== undefined;
  const row = isRevoked ? null : keyRow(record, expires);
  const old = previous.map(({ hash: one, until }): [string, KeyRow | null] => {
    if (isRevoked || until <= now) return [one, null];
    return [one, keyRow(record, Math.min(until, expires ?? Infinity))];
  });
  return [...old, [hash, row]];
}

function keyRow(record: KeyRecord, expires: number | undefined): KeyRow {
  const { id, name, owner, groups = [], isDisabled } = record;
  return {
    id,
    name,
    ...(owner === undefined ? {} : { owner }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(expires === undefined ? {} : { expires: Math.max(0, Math.ceil(expires / 1000)) }),
    ...(isDisabled === true ? { disabled: 1 as const } : {}),
    ...useRow(record, { key: name }),
  };
}

/** Returns what is common to keys and groups. @param subject whose requests the budgets count */
export function useRow(
  { models, rateLimits = [], budgets = [] }: Allowance,
  subject: Budget["subject"],
): UseRow {
  return {
    ...(models === undefined ? {} : { models }),
    ...(rateLimits.length === 0
      ? {}
      : {
          limits: rateLimits.map(({ counts, amount, unit }): RowLimit =>
            counts === "tokens" ? { tokens: amount, per: unit } : { requests: amount, per: unit },
          ),
        }),
    ...(budgets.length === 0
      ? {}
      : {
          budgets: budgets.map((budget) => ({
            id: budgetFingerprint({ ...budget, subject }),
            label: amountLabel(budget),
            ...(budget.rejectsUnpriced === true ? { rejects_unpriced: 1 as const } : {}),
          })),
        }),
  };
}
