// Records as the admin API shows them, and its bodies as the store takes them. No view has a key or a hash.
import type { z } from "zod";
import { NANO_PER_DOLLAR } from "../../../model/budgets.ts";
import type { Allowance, BudgetAmount, Group, RateAmount } from "../../../model/keys.ts";
import { parseAmount } from "../../config/budget-amount.ts";
import { parseLifetime } from "../../config/lifetime.ts";
import type { KeyStatus } from "../key-status.ts";
import type { KeyUpdate, NewKey } from "../key-service.ts";
import type { GroupRecord, KeyRecord } from "../key-records.ts";
import type { GroupInput } from "../subjects.ts";
import type {
  groupSchema,
  importSchema,
  keySchema,
  keyUpdateSchema,
  newGroupSchema,
  newKeySchema,
} from "./schemas.ts";

export type KeyView = z.output<typeof keySchema>;
export type GroupView = z.output<typeof groupSchema>;
type NewKeyBody = z.output<typeof newKeySchema>;
type KeyUpdateBody = z.output<typeof keyUpdateSchema>;
type AllowanceBody = Pick<NewKeyBody, "models" | "ratelimits" | "budget">;

export function viewOfKey(record: KeyRecord, now: number): KeyView {
  const {
    id,
    name,
    hint,
    owner,
    groups = [],
    expires,
    metadata,
    created,
    createdBy,
    updated,
  } = record;
  const { revoked, previous = [], version } = record;
  const grace = previous.findLast(({ until }) => until > now);
  return {
    ...{ id, name, hint, status: statusOf(record, now) },
    ...(owner === undefined ? {} : { owner }),
    groups,
    ...viewOfAllowance(record),
    ...(expires === undefined ? {} : { expires: timeText(expires) }),
    ...(metadata === undefined ? {} : { metadata }),
    ...{ created: timeText(created), created_by: createdBy, updated: timeText(updated) },
    ...(revoked === undefined ? {} : { revoked: timeText(revoked) }),
    ...(grace === undefined || revoked !== undefined
      ? {}
      : { old_key_valid_until: timeText(grace.until) }),
    version,
  };
}

export function viewOfGroup(group: GroupRecord | Group, keys: number): GroupView {
  const own = "version" in group ? group : undefined;
  return {
    name: group.name,
    source: own === undefined ? "configuration" : "api",
    ...viewOfAllowance(group),
    ...(own?.metadata === undefined ? {} : { metadata: own.metadata }),
    keys,
    ...(own === undefined
      ? {}
      : { created: timeText(own.created), updated: timeText(own.updated), version: own.version }),
  };
}

function statusOf({ revoked, isDisabled, expires = Infinity }: KeyRecord, now: number): KeyStatus {
  if (revoked !== undefined) return "revoked";
  if (isDisabled === true) return "disabled";
  return expires <= now ? "expired" : "active";
}

function viewOfAllowance({ models, rateLimits, budgets }: Allowance) {
  return {
    ...(models === undefined ? {} : { models }),
    ...(rateLimits === undefined
      ? {}
      : { ratelimits: rateLimits.map(({ counts, amount, unit }) => ({ [counts]: amount, unit })) }),
    ...(budgets === undefined
      ? {}
      : {
          budget: budgets.map(({ amount, per, rejectsUnpriced }) => ({
            amount: `${String(amount / NANO_PER_DOLLAR)} USD`,
            per,
            ...(rejectsUnpriced === true ? { unpriced: "reject" as const } : {}),
          })),
        }),
  };
}

export function readNewKey(body: NewKeyBody, now: number): NewKey {
  const { name, owner, metadata } = body;
  return { name, owner, metadata, ...readUse(body, now) };
}

export function readKeyUpdate(body: KeyUpdateBody, now: number): KeyUpdate {
  const { owner, metadata } = body;
  return { owner, metadata, ...readUse(body, now) };
}

/** Returns what a new key and a change of a key have in the same form. */
function readUse(body: NewKeyBody | KeyUpdateBody, now: number) {
  const { groups, expires, disabled } = body;
  return {
    ...{ groups, isDisabled: disabled },
    ...readAllowance(body),
    ...(expires === undefined ? {} : { expires: expires === null ? null : timeOf(expires, now) }),
  };
}

export function readGroup(body: z.output<typeof newGroupSchema>): GroupInput & { name: string } {
  const { models, rateLimits, budgets } = readAllowance(body);
  return {
    name: body.name,
    ...(models ? { models } : {}),
    ...(rateLimits ? { rateLimits } : {}),
    ...(budgets ? { budgets } : {}),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
  };
}

export function readImport(body: z.output<typeof importSchema>, now: number) {
  return {
    spent: body.spent.map(({ key, dollars }) => ({
      key,
      cost: Math.round(dollars * NANO_PER_DOLLAR),
    })),
    groups: body.groups.map(readGroup),
    keys: body.keys.map(({ hash, hint, ...key }) => ({
      ...readNewKey(key, now),
      imported: { hash, hint: hint ?? `sha256:${hash.slice(0, 8)}…` },
    })),
  };
}

/** Returns what is set; null removes what there is. */
export function readAllowance({ models, ratelimits, budget }: AllowanceBody): {
  models?: string[] | null;
  rateLimits?: RateAmount[] | null;
  budgets?: BudgetAmount[] | null;
} {
  return {
    ...(models === undefined ? {} : { models: models && [...new Set(models)] }),
    ...(ratelimits === undefined ? {} : { rateLimits: orNone(ratelimits?.flatMap(limitsOf)) }),
    ...(budget === undefined ? {} : { budgets: orNone(budget?.flatMap(budgetOf)) }),
  };
}

function orNone<Item>(list: Item[] | null | undefined): Item[] | null {
  return list === undefined || list === null || list.length === 0 ? null : list;
}

function limitsOf({ tokens, requests, unit }: NonNullable<NewKeyBody["ratelimits"]>[number]) {
  return [
    ...(tokens === undefined ? [] : [{ counts: "tokens" as const, amount: tokens, unit }]),
    ...(requests === undefined ? [] : [{ counts: "requests" as const, amount: requests, unit }]),
  ];
}

function budgetOf({
  amount,
  per,
  unpriced,
}: NonNullable<NewKeyBody["budget"]>[number]): BudgetAmount[] {
  const nano = parseAmount(amount);
  if (typeof nano !== "number") return [];
  return [
    { amount: nano, per, ...(unpriced === "reject" ? { rejectsUnpriced: true as const } : {}) },
  ];
}

function timeOf(text: string, now: number): number {
  const ms = parseLifetime(text);
  return ms === undefined ? Date.parse(text) : now + ms;
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}
