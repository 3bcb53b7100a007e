// Reads the model lists of npm @earendil-works/pi-ai: `dist/providers/data/<provider>.json`.
import { addCandidate, defined, type Candidate, type Candidates, trimmed } from "../candidate.ts";
import { CATALOGUE_NAMES } from "../catalogue-names.ts";
import type { PriceRow } from "../../../model/facts/catalogue.ts";

interface PiCost {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

interface PiModel {
  id: string;
  api: string;
  type: string;
  reasoning?: boolean;
  input?: string[];
  cost?: PiCost & { tiers?: (PiCost & { inputTokensAbove: number })[] };
  contextWindow?: number;
  maxTokens?: number;
  thinkingLevelMap?: Record<string, string | null>;
  compat?: Record<string, unknown>;
}

/** @param files the texts of the files by provider, as pi-ai names it */
export function readPiAi(files: ReadonlyMap<string, string>): Candidates {
  const all: Candidates = new Map();
  for (const [ours, { pi = [] }] of Object.entries(CATALOGUE_NAMES)) {
    for (const name of pi) {
      const apis = JSON.parse(files.get(name) ?? "{}") as Record<string, Record<string, PiModel>>;
      for (const model of Object.values(apis).flatMap((models) => Object.values(models))) {
        if (model.type === "chat") addCandidate(all, ours, model.id, candidateOf(model));
      }
    }
  }
  return all;
}

function candidateOf(model: PiModel): Candidate {
  const { compat = {}, api, input = [] } = model;
  return defined<Candidate>({
    c: model.contextWindow,
    o: model.maxTokens,
    a: apiOf(api),
    r: model.reasoning === true ? 1 : 0,
    y: styleOf(model),
    e: effortsOf(model)?.join(","),
    t: compat["supportsTemperature"] === false ? 0 : undefined,
    m: input.includes("image") ? "i" : "",
    k: cachingOf(model),
    x: strictOf(compat),
    p: priceOf(model),
  });
}

/** The source has one API for each model: that it has Responses does not say whether it has chat completions. */
function apiOf(api: string): string | undefined {
  if (api === "openai-completions" || api === "mistral-conversations") return "c";
  return api.endsWith("openai-responses") ? "R" : undefined;
}

function styleOf({ api, compat = {}, reasoning }: PiModel): string | undefined {
  if (reasoning !== true) return undefined;
  if (api === "anthropic-messages") {
    return compat["forceAdaptiveThinking"] === true ? "adaptive" : undefined;
  }
  const format = compat["thinkingFormat"];
  if (typeof format === "string") return format === "openai" ? "effort" : format;
  return api.endsWith("openai-responses") ? "effort" : undefined;
}

const LEVELS = ["minimal", "low", "medium", "high"];

/** Of a model that has levels: those that the source changes are `xhigh` and `max`, and what it excludes. */
function effortsOf({ thinkingLevelMap: levels, reasoning, api }: PiModel): string[] | undefined {
  if (reasoning !== true || levels === undefined) return undefined;
  const words = [
    levels["off"] === "none" ? "none" : undefined,
    ...LEVELS.map((level) => (level in levels ? levels[level] : defaultOf(level, api))),
    levels["xhigh"],
    levels["max"],
  ].filter((word) => word !== undefined && word !== null);
  return [...new Set(words)].filter((word) => EFFORT_WORDS.has(word));
}

/** Claude has no `minimal`. */
function defaultOf(level: string, api: string): string | undefined {
  const isClaude = api === "anthropic-messages" || api === "bedrock-converse-stream";
  return isClaude && level === "minimal" ? undefined : level;
}

const EFFORT_WORDS = new Set(["none", ...LEVELS, "xhigh", "max"]);

function cachingOf({ api, compat = {} }: PiModel): string | undefined {
  if (compat["supportsExplicitPromptCacheMode"] === true) return "breakpoints";
  if (compat["cacheControlFormat"] === "anthropic") return "marks";
  return api === "anthropic-messages" ? "marks" : undefined;
}

function strictOf(compat: Record<string, unknown>): 0 | 1 | undefined {
  const strict = compat["supportsStrictTools"] ?? compat["supportsStrictMode"];
  return typeof strict === "boolean" ? (strict ? 1 : 0) : undefined;
}

/** Models of a subscription have a price of 0, which is none. */
function priceOf({ cost }: PiModel): PriceRow | undefined {
  if (cost === undefined || ((cost.input ?? 0) === 0 && (cost.output ?? 0) === 0)) return undefined;
  const rates = (one: PiCost) =>
    trimmed([one.input, one.output, one.cacheRead || null, one.cacheWrite || null]);
  return {
    s: [
      [0, ...rates(cost)],
      ...(cost.tiers ?? []).map(
        (tier) => [tier.inputTokensAbove, ...rates(tier)] as [number, ...(number | null)[]],
      ),
    ],
  };
}
