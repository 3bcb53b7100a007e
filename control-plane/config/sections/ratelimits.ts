// `ratelimits`: each limits one configured model or alias, for the requests that its selector picks.
import type { z } from "zod";
import { rateLimitId } from "../../../model/filter-document/rate-limits.ts";
import { clientNames, isWildcard } from "../../../model/model-names.ts";
import type { RateLimit, Target } from "../../../model/model.ts";
import { listed } from "../configured-model.ts";
import type { Path } from "../../report/problem.ts";
import { suggest, suggestion } from "../../report/suggest.ts";
import type { Reading } from "../reading.ts";
import { checkAmount, limitsOfAmount, rateAmount, rejectDuplicate } from "../rate-amount.ts";
import { list, mapping, text } from "../schema-words.ts";
import { readSelector, selectorOf } from "../selector.ts";
import { modelAliases } from "./model-aliases.ts";
import { promptTargets } from "./prompt-targets.ts";
import { type Draft, section } from "../section.ts";

const ratelimit = mapping(
  {
    model: text(
      "What is limited: a configured model (under all of its names), all models of a wildcard together (`openai/*`), or an alias.",
      "the name of a configured model or an alias",
    ).optional(),
    prompt_target: text(
      "What is limited instead of a model: the calls of a prompt target's API, by prompts and as an MCP tool. Only `requests`.",
      "the name of a prompt target",
    ).optional(),
    selector: selectorOf(
      ["session", "user"],
      "Which requests share a budget: each value of a request header, one of its values, each session (`session`) or each user (`user`). If not set, all requests for the model share one.",
    ).optional(),
    limit: rateAmount("The budget: `tokens`, `requests` or both."),
  },
  "One limit.",
);

const EXAMPLE = { what: "limit", example: "limit: {tokens: 100000, unit: minute}" };

const schema = list(
  ratelimit,
  "Budgets of requests and tokens per model and unit of time: see docs/rate-limits.md.",
);

type Entry = Draft<z.output<typeof ratelimit>>;

export const ratelimits = section({
  key: "ratelimits",
  schema,
  read({ reading, model, part }, entries = []) {
    const { targets = [], defaultTarget = 0 } = model;
    const aliases = new Set(Object.keys(part(modelAliases) ?? {}));
    const promptTargetNames = (part(promptTargets) ?? []).flatMap((target) => target?.name ?? []);
    const limitable = { targets, defaultTarget, aliases, promptTargets: promptTargetNames };
    const all = readRateLimits(reading, entries, limitable);
    const ofCalls = all.filter(({ subject }) => "promptTarget" in subject);
    const ofModels = all.filter(({ subject }) => !("promptTarget" in subject));
    // Those of client keys are read with the listeners.
    const rateLimits = [...ofModels, ...(model.rateLimits ?? [])];
    return {
      ...(rateLimits.length === 0 ? {} : { rateLimits }),
      ...(ofCalls.length === 0 ? {} : { prompt: { rateLimits: ofCalls } }),
    };
  },
});

/** What a limit can be for. */
interface Limitable {
  targets: Target[];
  defaultTarget: number;
  /** As the file names them, also those with problems. */
  aliases: ReadonlySet<string>;
  promptTargets: readonly string[];
}

function readRateLimits(
  reading: Reading,
  entries: readonly (Entry | undefined)[],
  limitable: Limitable,
): RateLimit[] {
  const first = new Map<string, Path>();
  return entries.flatMap((entry, index) => {
    if (entry === undefined) return [];
    const path = ["ratelimits", index];
    const subject = readSubject(reading, path, entry, limitable);
    const selector = readSelector(reading, [...path, "selector"], entry.selector);
    checkAmount(reading, [...path, "limit"], entry.limit, EXAMPLE);
    if (subject === undefined || selector === "wrong") return [];
    if ("promptTarget" in subject && typeof selector === "string") {
      reading.problem([...path, "selector"], `calls of a prompt target have no ${selector}`, {
        hint: "use a request header, such as {key: x-user-id}",
      });
      return [];
    }
    const common = { subject, ...(selector === undefined ? {} : { selector }) };
    const limits = limitsOfAmount(entry.limit, common);
    for (const limit of limits)
      rejectDuplicate(reading, path, limit, rateLimitId(limit, limitable.targets), first);
    return limits;
  });
}

function readSubject(
  reading: Reading,
  path: Path,
  entry: Entry,
  limitable: Limitable,
): RateLimit["subject"] | undefined {
  const { model, prompt_target: promptTarget } = entry;
  if (Object.hasOwn(entry, "prompt_target")) {
    if (Object.hasOwn(entry, "model")) {
      reading.problem(path, "a limit is for a model or for a prompt target, not for both", {
        hint: "write two limits",
      });
      return undefined;
    }
    checkCounts(reading, [...path, "limit"], entry.limit);
    return readPromptTarget(reading, [...path, "prompt_target"], promptTarget, limitable);
  }
  if (!Object.hasOwn(entry, "model")) {
    reading.problem(path, "model is missing; expected the name of a configured model or an alias", {
      hint: "or set prompt_target to limit the calls of an API",
    });
  }
  return readModel(reading, [...path, "model"], model, limitable);
}

function readPromptTarget(
  reading: Reading,
  path: Path,
  name: string | undefined,
  { promptTargets: known }: Limitable,
): RateLimit["subject"] | undefined {
  if (name === undefined) return undefined;
  if (known.includes(name)) return { promptTarget: name };
  reading.problem(path, `no prompt target is called ${reading.show(path, name)}`, {
    hint: suggestion(suggest(name, known)) ?? "add it to prompt_targets",
  });
  return undefined;
}

/** The calls of an API have no tokens. */
function checkCounts(reading: Reading, path: Path, limit: Entry["limit"]): void {
  if (limit?.tokens === undefined) return;
  reading.problem([...path, "tokens"], "a prompt target uses no tokens", {
    part: "key",
    hint: "set requests",
  });
}

function readModel(
  reading: Reading,
  path: Path,
  name: string | undefined,
  { targets, defaultTarget, aliases }: Limitable,
): RateLimit["subject"] | undefined {
  if (name === undefined) return undefined;
  if (aliases.has(name)) return { alias: name };
  const wildcard = targets.findIndex((target) => target.name === name && isWildcard(name));
  if (wildcard >= 0) return { target: wildcard };
  const known = clientNames({ targets, aliases: [], defaultTarget });
  const target = known.find((one) => one.name === name)?.target;
  if (target !== undefined) return { target };
  if (reading.invalidNames.has(name)) return undefined;
  const names = [...known.map((one) => one.name), ...aliases];
  reading.problem(path, `no configured model or alias is called ${reading.show(path, name)}`, {
    hint:
      suggestion(suggest(name, names)) ??
      (names.length === 0 ? undefined : `the configured names are ${listed(names)}`),
  });
  return undefined;
}
