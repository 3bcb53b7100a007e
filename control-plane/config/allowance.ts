// What a key or a group may use: its models, rate limits and budgets, wherever the configuration has them.
import { z } from "zod";
import { rateLimitId } from "../../model/filter-document/rate-limits.ts";
import type { Allowance, BudgetAmount, RateAmount } from "../../model/keys.ts";
import { BUDGET_KEYS, readBudget, rejectDuplicateBudget } from "./budget-amount.ts";
import { checkAmount, limitsOfAmount, rateAmount, rejectDuplicate } from "./rate-amount.ts";
import type { Path } from "../report/problem.ts";
import type { Reading } from "./reading.ts";
import { list, mapping, text } from "./schema-words.ts";
import type { Draft } from "./section.ts";

const A_BUDGET = "a budget, such as {amount: 50 USD, per: month}, or a list of them";
const LIMIT = { what: "a limit", example: "{tokens: 100000, unit: minute}" };

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
  const models = written.models?.flatMap((name) => name ?? []);
  const rateLimits = readRateLimits(reading, path, written, key);
  const budgets = readBudgets(reading, path, written, key);
  return {
    ...(models === undefined ? {} : { models: [...new Set(models)] }),
    ...(rateLimits.length === 0 ? {} : { rateLimits }),
    ...(budgets.length === 0 ? {} : { budgets }),
  };
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
