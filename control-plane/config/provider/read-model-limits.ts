// What one model supports: what is known of it, overridden by the entry's `limits`.
import { OPENAI_CHAT, OPENAI_RESPONSES } from "../../../contract/dialects.ts";
import {
  cloudPatterns,
  familyName,
  hasFamily,
  KNOWN_LIMITS,
  LIMITS_AT_HOME,
  limitsIn,
  limitsOfHost,
} from "../../providers/known-limits.ts";
import { limitsByFacts, limitsOfNewModel } from "../../providers/fact-limits.ts";
import { bareNamesOf } from "../../providers/model-vendors.ts";
import type { ProviderLimits } from "../../providers/limits/model-families.ts";
import { capabilityNamed, effectiveLimits, formatsOf } from "../../../model/model-limits.ts";
import type { ModelLimits } from "../../../model/model-limits.ts";
import { rowsOf } from "../../../model/facts/model-facts.ts";
import { isWildcard } from "../../../model/model-names.ts";
import type { Target, Wildcard } from "../../../model/model.ts";
import { INTERFACES } from "../../providers/registry.ts";
import type { Connection } from "./provider-connection.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";
import type { ProviderDraft } from "./entry.ts";

/** `path`: of the entry. */
export function readModelLimits(
  reading: Reading,
  path: Path,
  entry: ProviderDraft,
  { provider, model }: { provider: string; model: string },
  connection: Connection,
): Pick<Target, "limits" | "asksForUsage" | "also" | "wildcard"> {
  const { limitsOf } = connection;
  const table =
    limitsOf === undefined
      ? tableOf(entry.provider_interface, provider, connection)
      : KNOWN_LIMITS[limitsOf];
  const name = limitsOf === undefined ? model : familyName(model);
  const facts = factsOf(table, name, provider, model, connection);
  const known = withFacts(limitsIn(table, name), facts);
  const own = checkOwn(reading, [...path, "limits"], entry.limits ?? {}, connection);
  const limits = effectiveLimits({ ...known, ...own });
  return {
    asksForUsage: own.stream_usage ?? connection.asksForUsage,
    ...(limits === undefined ? {} : { limits }),
    ...alsoServed(own.responses_api ?? isServed(connection, limits), connection),
    ...(isWildcard(model)
      ? {
          wildcard: {
            bare: bareNamesOf(provider, model.slice(0, -1)),
            families: [
              ...familiesByFacts(provider, model, table, connection, own),
              ...familiesOf(table, limitsOf !== undefined, own),
            ],
          },
        }
      : {}),
  };
}

/** Returns the families of models that a wildcard can mean. `isCloud`: names have more around those of the vendor. */
function familiesOf(
  table: ProviderLimits | undefined,
  isCloud: boolean,
  own: ModelLimits,
): Wildcard["families"] {
  return (table?.families ?? []).map(({ models, limits: ofFamily }) => {
    const limits = effectiveLimits({ ...table?.everyModel?.limits, ...ofFamily, ...own });
    return {
      models: isCloud ? models.flatMap(cloudPatterns) : models,
      ...(limits === undefined ? {} : { limits }),
    };
  });
}

/** Returns limits with those that follow from facts, where they are silent. */
function withFacts(known: ModelLimits, facts: ModelLimits): ModelLimits {
  const added = Object.entries(facts).filter(([name]) => !Object.hasOwn(known, name));
  return { ...known, ...(Object.fromEntries(added) as ModelLimits) };
}

/** Returns the limits that follow from facts; which API a model has, only if no family of the table has its name. */
function factsOf(
  table: ProviderLimits | undefined,
  name: string,
  provider: string,
  model: string,
  { dialect }: Connection,
): ModelLimits {
  return {
    ...limitsByFacts(provider, model, dialect),
    ...(hasFamily(table, name) ? {} : limitsOfNewModel(provider, model)),
  };
}

/** Returns the models of a wildcard whose facts add something to their family's limits, those with the same limits together. */
function familiesByFacts(
  provider: string,
  wildcard: string,
  table: ProviderLimits | undefined,
  connection: Connection,
  own: ModelLimits,
): Wildcard["families"] {
  if (!WITH_FACTS_OF_WILDCARDS.has(provider)) return [];
  const families = new Map<string, Wildcard["families"][number]>();
  for (const model of rowsOf(provider).keys()) {
    if (!model.startsWith(wildcard.slice(0, -1))) continue;
    const name = connection.limitsOf === undefined ? model : familyName(model);
    const known = limitsIn(table, name);
    const usual = effectiveLimits({ ...known, ...own });
    const facts = factsOf(table, name, provider, model, connection);
    const limits = effectiveLimits({ ...withFacts(known, facts), ...own });
    const key = JSON.stringify(limits);
    if (limits === undefined || key === JSON.stringify(usual)) continue;
    const family = families.get(key) ?? { models: [], limits };
    family.models.push(model);
    families.set(key, family);
  }
  return [...families.values()];
}

/** Providers of their own models. Others have hundreds, of which each set of limits would be a route. */
const WITH_FACTS_OF_WILDCARDS: ReadonlySet<string> = new Set([
  "openai",
  "anthropic",
  "gemini",
  "mistral",
  "groq",
  "deepseek",
  "xai",
  "moonshotai",
  "zhipu",
  "cerebras",
]);

/** Returns whether the Responses API is used beside chat completions. */
function isServed({ servesResponses }: Connection, limits: ModelLimits = {}): boolean {
  if (servesResponses !== "if needed") return servesResponses;
  return limits.apis === "responses" || limits.reasoning_with_tools === false;
}

function alsoServed(
  serves: boolean,
  { responsesPath, responsesQuery }: Connection,
): Pick<Target, "also"> {
  if (!serves || responsesPath === undefined) return {};
  const query = responsesQuery === undefined ? {} : { query: responsesQuery };
  return { also: [{ dialect: OPENAI_RESPONSES.name, path: responsesPath, ...query }] };
}

/** The address decides before the provider's name, and that before the interface, which may only be the format. */
function tableOf(
  chosen: string | undefined,
  provider: string,
  { address, dialect }: Connection,
): ProviderLimits | undefined {
  if (!dialect.hasClients) return LIMITS_AT_HOME[provider] ?? KNOWN_LIMITS[dialect.name];
  const ofHost = address.kind === "host" ? limitsOfHost(address.host, dialect) : undefined;
  if (ofHost !== undefined) return ofHost;
  const isOfVendor = (word = "") => INTERFACES.get(word)?.dialect.vendor === dialect.vendor;
  const name = [provider, chosen].find((word) => isOfVendor(word));
  return KNOWN_LIMITS[name === OPENAI_RESPONSES.name ? dialect.vendor : (name ?? "")];
}

/** Returns the capabilities that are set, and reports those that the dialect does not have. */
function checkOwn(
  reading: Reading,
  path: Path,
  draft: NonNullable<ProviderDraft["limits"]>,
  { dialect, responsesPath }: Connection,
): ModelLimits {
  // Configured efforts are those of both APIs.
  const ofBoth = dialect.vendor === OPENAI_CHAT.vendor ? draft.efforts : undefined;
  const ofResponses = draft.responses_efforts ?? ofBoth;
  const own: ModelLimits = {
    ...(draft as Omit<typeof draft, "efforts" | "responses_efforts" | "refuses"> as ModelLimits),
    ...(draft.efforts === undefined ? {} : { efforts: unique(draft.efforts) }),
    ...(ofResponses === undefined ? {} : { responses_efforts: unique(ofResponses) }),
    ...(draft.refuses === undefined ? {} : { refuses: unique(draft.refuses) }),
  };
  if (own.responses_api === true && dialect === OPENAI_CHAT && responsesPath === undefined) {
    reading.problem([...path, "responses_api"], "the Responses API is not at a deployment's path", {
      part: "key",
      hint: "remove api_version of the entry: the v1 API has it",
    });
  }
  for (const [name, value] of Object.entries(own)) {
    const { only = [], onlyValue = "", values = [] } = capabilityNamed(name) ?? {};
    if (only.length === 0 || only.some(({ vendor }) => vendor === dialect.vendor)) continue;
    if (onlyValue === "") {
      reading.problem([...path, name], `${name} is a limit of ${formatsOf(only)}`, {
        part: "key",
        hint: `remove it: this model uses the ${dialect.format} format`,
      });
    } else if (value === onlyValue) {
      reading.problem([...path, name], `${onlyValue} is for ${formatsOf(only)}`, {
        hint: `write one of ${values.filter((one) => one !== onlyValue).join(", ")}`,
      });
    }
  }
  return own;
}

function unique<Word>(words: readonly (Word | undefined)[]): Word[] {
  return [...new Set(words.filter((word) => word !== undefined))];
}
