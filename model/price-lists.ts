// The prices of all models that a wildcard takes, as patterns of their names: the filter decides by them, because the client names
// the model. The same as `priceOf` (prices.ts), whose list has conditions instead of patterns.
import type { MatchLogic, ModelInfo, Provider } from "@pydantic/genai-prices";
import { knownProvider, type GatewayModel, type Target } from "./model.ts";
import { ownPriceOf, priceByRates, providerInList, ratesOfModel } from "./prices.ts";
import type { Price } from "./prices.ts";

/** Models with one price; undefined: they are in the list, but it does not have their price. */
export interface ListedModels {
  /** In lower case; `*` stands for any text, `#` for a digit. */
  models: string[];
  price: Price | undefined;
}

/** Returns the prices of a wildcard's models, of which the first that matches counts; undefined for a target with one price. */
export function priceListOf(
  target: Target,
  configuration: Pick<GatewayModel, "targets" | "pricing">,
): ListedModels[] | undefined {
  if (target.wildcard === undefined) return undefined;
  const own = ownPriceOf(target, configuration);
  if (own?.input !== undefined || own?.output !== undefined) return undefined;
  const source = own === undefined ? "genai-prices" : "yours";
  const start = target.name.slice(target.provider.length + 1, -1).toLowerCase();
  return listed(knownProvider(target)).flatMap(({ models, of }) => {
    const rates = of === undefined ? {} : ratesOfModel(of.provider, of.model);
    const price = priceByRates(rates, own?.factor ?? 1, source);
    const taken = models.filter((pattern) => mayMatch(pattern, start));
    return taken.length === 0 ? [] : [{ models: taken, price }];
  });
}

/** A name with a slash may be matched without what stands before it. */
function mayMatch(pattern: string, start: string): boolean {
  const [fixed = ""] = pattern.split(/[*#]/);
  return start.includes("/") || fixed.startsWith(start) || start.startsWith(fixed);
}

interface Entry {
  models: string[];
  /** Absent: the price is not known. */
  of?: { provider: Provider; model: ModelInfo };
}

/** Returns all models of a provider, and of those whose models it serves too. */
function listed(name: string, seen = new Set<string>()): Entry[] {
  const provider = providerInList(name);
  if (provider === undefined || seen.has(provider.id)) return [];
  seen.add(provider.id);
  const entry = (model: ModelInfo, models: string[]) =>
    models.length === 0 ? [] : [{ models, of: { provider, model } }];
  const early = provider.models.filter(({ match }) => !hasException(match));
  const late = provider.models.filter(({ match }) => hasException(match));
  const patterns = (model: ModelInfo) => withoutVersion(name, patternsOf(model.match));
  return [
    ...early.flatMap((model) => entry(model, patterns(model))),
    // A date may be written without hyphens.
    ...early.flatMap((model) => entry(model, patterns(model).flatMap(compactDate))),
    ...(provider.fallback_model_providers ?? []).flatMap((other) => listed(other, seen)),
    ...late.flatMap(({ match }) => without(match)),
    ...late.flatMap((model) => entry(model, patterns(model))),
  ];
}

/** A lookahead: names for which the condition does not hold, although the others with it do. */
const EXCEPTION = "^(?!";
const EXCEPTIONS: Readonly<Record<string, string[]>> = {
  "^(?!.*-[tT][tT][sS](?:$|-))": ["*-tts", "*-tts-*"],
};

function hasException(match: MatchLogic): boolean {
  return JSON.stringify(match).includes(EXCEPTION);
}

/** Returns the exceptions as entries that come first. */
function without(match: MatchLogic): Entry[] {
  if ("or" in match) return match.or.flatMap(without);
  if ("and" in match) return match.and.flatMap(without);
  const models = "regex" in match ? EXCEPTIONS[match.regex] : undefined;
  return models === undefined ? [] : [{ models }];
}

function patternsOf(match: MatchLogic): string[] {
  if ("or" in match) return match.or.flatMap(patternsOf);
  if ("and" in match) {
    const [first, ...others] = match.and.filter((one) => !hasException(one));
    return first === undefined || others.length > 0 ? [] : patternsOf(first);
  }
  const pattern = patternOf(match).toLowerCase();
  return pattern === "" ? [] : [pattern];
}

function patternOf(match: MatchLogic): string {
  if ("equals" in match) return match.equals;
  if ("starts_with" in match) return `${match.starts_with}*`;
  if ("ends_with" in match) return `*${match.ends_with}`;
  if ("contains" in match) return `*${match.contains}*`;
  return "regex" in match ? fromExpression(match.regex) : "";
}

/** Returns the pattern of a regular expression of fixed text and digits; empty for any other. */
function fromExpression(expression: string): string {
  const [, text, end] = /^\^((?:[\w/-]|\\\.|\\d(?:\{\d+\})?)*)(\$?)$/.exec(expression) ?? [];
  if (text === undefined) return "";
  const digits = (_: string, count = "1") => "#".repeat(Number(count));
  const fixed = text.replaceAll(/\\d(?:\{(\d+)\})?/g, digits).replaceAll("\\.", ".");
  return end === "" ? `${fixed}*` : fixed;
}

function compactDate(pattern: string): string[] {
  const compact = pattern.replace(/-(20\d\d|####)-(\d\d|##)-(\d\d|##)(?=-|:|$)/, "-$1$2$3");
  return compact === pattern ? [] : [compact];
}

/** Bedrock's OpenAI-compatible endpoint leaves the version out. */
function withoutVersion(name: string, patterns: string[]): string[] {
  if (name !== "bedrock_mantle") return patterns;
  return [...new Set(patterns.flatMap((one) => [one, one.replace(/-(?:v?1):0$/, "")]))];
}
