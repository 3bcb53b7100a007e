// What a key or a group may use: its models, rate limits and budgets, wherever the configuration has them.
import { z } from "zod";
import { MAX_ROW_BYTES } from "../../contract/key-format.ts";
import { rateLimitId } from "../../model/filter-document/rate-limits.ts";
import {
  type Allowance,
  type BudgetAmount,
  isRowText,
  type RateAmount,
  ROW_TEXT_EXPECTED,
} from "../../model/keys.ts";
import { BUDGET_KEYS, readBudget, rejectDuplicateBudget } from "./budget-amount.ts";
import { checkAmount, limitsOfAmount, rateAmount, rejectDuplicate } from "./rate-amount.ts";
import type { Path } from "../report/problem.ts";
import type { Reading } from "./reading.ts";
import { list, mapping, text } from "./schema-words.ts";
import type { Draft } from "./section.ts";

const A_BUDGET = "a budget, such as {amount: 50 USD, per: month}, or a list of them";
const LIMIT = { what: "a limit", example: "{tokens: 100000, unit: minute}" };

/** Bytes of JSON that a list of models may have: all limits and budgets that a row can have take less than 1 KiB. */
const MAX_LIST_BYTES = MAX_ROW_BYTES - 1024;

interface About {
  models: string;
  ratelimits: string;
  budget: string;
}

const amount = mapping(BUDGET_KEYS, "One budget.");

/** Returns the schemas. @param about what each key means where it is */
export function allowanceKeys(about: About) {
  return {
    models: list(
      text(
        "A configured model, an alias, a model under a wildcard, or all models whose names begin alike: `openai/*`.",
        "the name of a model",
      ),
      about.models,
    ).optional(),
    ratelimits: list(
      rateAmount("One limit: `tokens`, `requests` or both."),
      about.ratelimits,
    ).optional(),
    budget: z
      .union([amount, z.array(amount, { error: A_BUDGET })], { error: A_BUDGET })
      .meta({ description: about.budget })
      .optional(),
  };
}

export type AllowanceDraft = Draft<z.output<z.ZodObject<ReturnType<typeof allowanceKeys>>>>;

/** Returns what is set, without what has a problem. @param key stands for the key or group in the ids of limits */
export function readAllowance(
  reading: Reading,
  path: Path,
  written: AllowanceDraft,
  key: string,
): Allowance {
  const models = readModels(reading, path, written);
  const rateLimits = readRateLimits(reading, path, written, key);
  const budgets = readBudgets(reading, path, written, key);
  return {
    ...(models === undefined ? {} : { models }),
    ...(rateLimits.length === 0 ? {} : { rateLimits }),
    ...(budgets.length === 0 ? {} : { budgets }),
  };
}

/** Returns the list. Reports what Envoy's filter would reject (contract/key-format.ts). */
function readModels(
  reading: Reading,
  path: Path,
  { models }: AllowanceDraft,
): string[] | undefined {
  if (models === undefined) return undefined;
  models.forEach((name, index) => {
    if (name !== undefined && !isRowText(name))
      reading.problem([...path, "models", index], `expected ${ROW_TEXT_EXPECTED}`);
  });
  const names = [...new Set(models.flatMap((name) => name ?? []))];
  const bytes = Buffer.byteLength(JSON.stringify(names));
  if (bytes > MAX_LIST_BYTES)
    reading.problem(
      [...path, "models"],
      `the list has ${String(bytes)} bytes of JSON, and Envoy accepts ${String(MAX_LIST_BYTES)}`,
      { hint: "use beginnings of names, such as openai/*" },
    );
  return names;
}

function readRateLimits(
  reading: Reading,
  path: Path,
  { ratelimits = [] }: AllowanceDraft,
  key: string,
): RateAmount[] {
  const first = new Map<string, Path>();
  return ratelimits.flatMap((one, index) => {
    const at = [...path, "ratelimits", index];
    checkAmount(reading, at, one, LIMIT);
    return limitsOfAmount(one, { subject: { key } }).map((limit): RateAmount => {
      rejectDuplicate(reading, at, limit, rateLimitId(limit, []), first);
      const { counts, amount, unit } = limit;
      return { counts, amount, unit };
    });
  });
}

function readBudgets(
  reading: Reading,
  path: Path,
  { budget }: AllowanceDraft,
  key: string,
): BudgetAmount[] {
  if (budget === undefined) return [];
  const isList = Array.isArray(budget);
  const first = new Map<string, Path>();
  return (isList ? budget : [budget]).flatMap((one, index): BudgetAmount[] => {
    const at = [...path, "budget", ...(isList ? [index] : [])];
    const read = one === undefined ? undefined : readBudget(reading, at, one, { key });
    if (read === undefined) return [];
    rejectDuplicateBudget(reading, at, read, first);
    const { subject: _, ...amount } = read;
    return [amount];
  });
}
