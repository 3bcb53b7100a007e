// Reads LiteLLM's model map: `litellm/model_prices_and_context_window_backup.json` of its wheel on PyPI.
import {
  addCandidate,
  defined,
  perMillion,
  rounded,
  trimmed,
  type Candidate,
  type Candidates,
} from "../candidate.ts";
import { CATALOGUE_NAMES } from "../catalogue-names.ts";
import type { PriceRow, Rates } from "../../../model/facts/catalogue.ts";

type Entry = Record<string, unknown>;

export function readLiteLlm(text: string): Candidates {
  const all: Candidates = new Map();
  for (const [key, entry] of Object.entries(JSON.parse(text) as Record<string, Entry>)) {
    const named = entry["litellm_provider"];
    if (typeof named !== "string") continue;
    const provider = OURS.get(named) ?? (named.startsWith("vertex_ai") ? "vertex" : undefined);
    if (provider === undefined) continue;
    const model = modelName(key, named);
    // Fine-tuned models, regions in the name, and groups by size, which are no names.
    if (model === undefined) continue;
    addCandidate(all, provider, model, candidateOf(entry));
  }
  return all;
}

const OURS: ReadonlyMap<string, string> = new Map(
  Object.entries(CATALOGUE_NAMES).flatMap(([ours, { litellm = [] }]) =>
    litellm.flatMap((name) => (typeof name === "string" ? [[name, ours] as const] : [])),
  ),
);

function modelName(key: string, provider: string): string | undefined {
  const slash = key.indexOf("/");
  const first = key.slice(0, Math.max(slash, 0));
  const isPrefixed = first === provider || provider.startsWith(`${first}-`) || PREFIXES.has(first);
  const name = isPrefixed ? key.slice(slash + 1) : key;
  if (/^ft:|\*|^\d+-x-|-up-to-|-to-\d|^(?:together|fireworks)-ai-/.test(name)) return undefined;
  if (provider.startsWith("bedrock") && name.includes("/")) return undefined;
  if (provider === "azure" && /^(?:eu|us|global|global-standard)\//.test(name)) return undefined;
  return /^(?:low|medium|high|standard|hd|auto|\d+-?x)/.test(name) && name.includes("/")
    ? undefined
    : name;
}

const PREFIXES = new Set([
  "vertex_ai",
  "bedrock",
  "bedrock_converse",
  "text-completion-openai",
  "gemini",
  "cohere",
]);

function candidateOf(entry: Entry): Candidate {
  const is = (name: string) => entry[name] === true;
  const mode = typeof entry["mode"] === "string" ? entry["mode"] : "chat";
  const isLanguage = mode === "chat" || mode === "responses" || mode === "completion";
  return defined<Candidate>({
    i: tokens(entry["max_input_tokens"]),
    o: tokens(entry["max_output_tokens"]),
    a: isLanguage ? apiOf(entry, mode) : undefined,
    r: is("supports_reasoning") ? 1 : undefined,
    y: styleOf(entry),
    e: effortsOf(entry),
    t: entry["supports_sampling_params"] === false ? 0 : undefined,
    m: INPUTS.flatMap(([letter, name]) => (is(name) ? [letter] : [])).join(""),
    k: is("supports_prompt_cache_breakpoint") ? "breakpoints" : undefined,
    n: tokens(entry["prompt_cache_min_tokens"]),
    d: dateOf(entry["deprecation_date"]),
    q: isLanguage ? undefined : mode,
    p: priceOf(entry),
  });
}

const INPUTS = [
  ["i", "supports_vision"],
  ["p", "supports_pdf_input"],
  ["a", "supports_audio_input"],
  ["v", "supports_video_input"],
] as const;

function tokens(value: unknown): number | undefined {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && number > 0 && Number.isFinite(number)
    ? Math.floor(number)
    : undefined;
}

function dateOf(value: unknown): string | undefined {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;
}

function apiOf(entry: Entry, mode: string): string | undefined {
  const endpoints = entry["supported_endpoints"];
  if (!Array.isArray(endpoints)) return mode === "responses" ? "r" : "c";
  const has = (path: string) => endpoints.includes(path);
  return `${has("/v1/chat/completions") ? "c" : ""}${has("/v1/responses") ? "r" : ""}`;
}

function styleOf(entry: Entry): string | undefined {
  if (entry["supports_adaptive_thinking"] !== true) return undefined;
  return entry["supports_legacy_thinking"] === true ? "both" : "adaptive";
}

/** Only if the source lists them: its flags for single efforts do not say which others there are. */
function effortsOf(entry: Entry): string | undefined {
  const list = entry["reasoning_efforts"] ?? entry["supported_reasoning_efforts"];
  return Array.isArray(list) ? list.join(",") : undefined;
}

const MEMBERS = [
  "input_cost_per_token",
  "output_cost_per_token",
  "cache_read_input_token_cost",
  "cache_creation_input_token_cost",
  "cache_creation_input_token_cost_above_1hr",
];
const VARIANTS = [
  ["priority", "_priority"],
  ["flex", "_flex"],
  ["batch", "_batches"],
] as const;

function priceOf(entry: Entry): PriceRow | undefined {
  const standard = ratesWith(entry, "") ?? ratesOfRanges(entry["tiered_pricing"]);
  if (standard === undefined) return undefined;
  const variants: Record<string, Rates[]> = {};
  for (const [name, suffix] of VARIANTS) {
    const rates = ratesWith(entry, suffix);
    if (rates !== undefined) variants[name] = rates;
  }
  const fast = (entry["provider_specific_entry"] as { fast?: number } | undefined)?.fast;
  if (typeof fast === "number" && fast > 0) {
    variants["fast"] = standard.map(([start, ...rates]): Rates => [
      start,
      ...rates.map((rate) => (rate === null ? null : rounded(rate * fast))),
    ]);
  }
  const audio = trimmed(
    [
      "input_cost_per_audio_token",
      "output_cost_per_audio_token",
      "cache_read_input_audio_token_cost",
    ].map((name) => rateOf(entry[name])),
  );
  const search = (entry["search_context_cost_per_query"] as Record<string, number> | undefined)?.[
    "search_context_size_medium"
  ];
  return defined<PriceRow>({
    s: standard,
    v: Object.keys(variants).length === 0 ? undefined : variants,
    a: audio.length === 0 ? undefined : audio,
    w: typeof search === "number" && search > 0 ? search : undefined,
  });
}

function ratesWith(entry: Entry, suffix: string): Rates[] | undefined {
  const rates = (above: string) =>
    trimmed(MEMBERS.map((member) => rateOf(entry[`${member}${above}${suffix}`])));
  const base = rates("");
  if (base.length === 0) return undefined;
  if (base[0] === undefined && base[1] === undefined) return undefined;
  const starts = Object.keys(entry).flatMap((name) => {
    const found = new RegExp(`^input_cost_per_token_above_(\\d+)k_tokens${suffix}$`).exec(name);
    return found === null ? [] : [Number(found[1])];
  });
  const tiers = starts
    .sort((one, other) => one - other)
    .map((start): Rates => [start * 1000, ...rates(`_above_${String(start)}k_tokens`)]);
  return [[0, ...base], ...tiers];
}

/** Alibaba's and Volcengine's models have a list of ranges of input tokens in place of the members. */
function ratesOfRanges(ranges: unknown): Rates[] | undefined {
  if (!Array.isArray(ranges)) return undefined;
  const rates = ranges.flatMap((one: Entry): Rates[] => {
    const [start] = Array.isArray(one["range"]) ? (one["range"] as unknown[]) : [];
    const found = trimmed(MEMBERS.map((member) => rateOf(one[member])));
    return typeof start !== "number" || found.length === 0 ? [] : [[Math.floor(start), ...found]];
  });
  rates.sort(([one], [other]) => one - other);
  return rates[0]?.[0] === 0 ? rates : undefined;
}

function rateOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 ? perMillion(value) : null;
}
