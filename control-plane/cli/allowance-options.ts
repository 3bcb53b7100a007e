// Options of `gateway keys` and `gateway groups` for models, limits and budgets, as the admin API has them.
import { type Command, InvalidArgumentError } from "commander";

export interface AllowanceOptions {
  model?: string[];
  ratelimit?: (RateLimit | null)[];
  budget?: (Budget | null)[];
  metadata?: [string, string][];
}

interface RateLimit {
  tokens?: number;
  requests?: number;
  unit: string;
}
interface Budget {
  amount: string;
  per: string;
  unpriced?: string;
}

/** Means that there is none, also where there is a default. */
const NONE = "none";
const ALL = "all";

/** Adds the options. */
export function addAllowanceOptions(command: Command): Command {
  return command
    .option(
      "--model <name...>",
      `models that may be used: openai/gpt-4o, openai/*, an alias; or ${ALL}`,
    )
    .option(
      "--budget <budget>",
      "money in a period: 50 USD/month; several, or none",
      addTo(readBudget),
    )
    .option(
      "--ratelimit <limit>",
      "use in a time: 60 requests/minute, 1000000 tokens/day; several, or none",
      addTo(readRateLimit),
    )
    .option("--metadata <name=value>", "anything to remember; several", addTo(readPair));
}

/** Returns the members of a request; those that were not given are absent. */
export function allowanceBody({ model, ratelimit, budget, metadata }: AllowanceOptions) {
  return {
    ...(model === undefined ? {} : { models: model.includes(ALL) ? null : model }),
    ...(ratelimit === undefined ? {} : { ratelimits: listOf(ratelimit) }),
    ...(budget === undefined ? {} : { budget: listOf(budget) }),
    ...(metadata === undefined ? {} : { metadata: Object.fromEntries(metadata) }),
  };
}

function listOf<Item>(items: (Item | null)[]): Item[] | null {
  const list = items.filter((item) => item !== null);
  return list.length === 0 ? null : list;
}

function addTo<Value>(read: (text: string) => Value) {
  return (text: string, before: Value[] = []) => [...before, read(text)];
}

function readBudget(text: string): Budget | null {
  if (text === NONE) return null;
  const [, amount, per] = /^(.+?)\s*(?:\/|\ba\b|\bper\b)\s*([a-z]+)$/.exec(text.trim()) ?? [];
  const total = /^(.+?)\s+(?:in )?total$/.exec(text.trim())?.[1];
  if (total !== undefined) return { amount: total, per: "total" };
  if (amount === undefined || per === undefined)
    throw new InvalidArgumentError("Expected a budget such as 50 USD/month, or none.");
  return { amount: amount.trim(), per };
}

function readRateLimit(text: string): RateLimit | null {
  if (text === NONE) return null;
  const [, number, what, unit] =
    /^(\d+)\s*(requests?|tokens?)\s*(?:\/|a |per )\s*([a-z]+)$/.exec(text.trim()) ?? [];
  if (number === undefined || what === undefined || unit === undefined)
    throw new InvalidArgumentError("Expected a limit such as 60 requests/minute, or none.");
  const counts = what.startsWith("token") ? "tokens" : "requests";
  return { [counts]: Number(number), unit };
}

function readPair(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Expected a name and a value: cost_center=42.");
  return [text.slice(0, at), text.slice(at + 1)];
}
