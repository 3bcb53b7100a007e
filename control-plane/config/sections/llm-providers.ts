// `llm_providers`, or `model_providers` as its newer name: the targets in the file's order, and the default one.
import type { Path } from "../../report/problem.ts";
import { checkEntryNames } from "../provider/entry-names.ts";
import type { PlacedTarget } from "../provider/entry-names.ts";
import { providerEntry, type ProviderDraft } from "../provider/entry.ts";
import { readSystemPrompt } from "../provider/system-prompt.ts";
import { readTarget } from "../provider/provider-target.ts";
import { defaultModelOf, referredModels } from "../provider/wildcard-models.ts";
import { readEntryProxy } from "../read-proxy.ts";
import type { Reading } from "../reading.ts";
import { list } from "../schema-words.ts";
import { isRecord } from "../../../model/is-record.ts";
import { type Load, section } from "../section.ts";
import { systemPrompt } from "./system-prompt.ts";

/** The list of models in a configuration of LiteLLM, whose entries have another shape. */
export const LITELLM_LIST = "model_list";

/** What to write when there is nothing. */
export const MIN_CONFIGURATION =
  "the minimum is: llm_providers: [{model: openai/gpt-4o, access_key: $OPENAI_API_KEY}]";

export const modelProviders = section({
  key: "model_providers",
  schema: list(
    providerEntry,
    "The newer name of `llm_providers`: the same list. Use one of the two.",
  ),
});

export const llmProviders = section({
  key: "llm_providers",
  schema: list(
    providerEntry,
    "The models that clients can call, one entry each. At least one is required. `model_providers` is another name of the same list.",
  ),
  read(load, entries) {
    const lists: ProviderLists = [
      ["llm_providers", entries],
      ["model_providers", load.part(modelProviders)],
    ];
    const defaultTarget = readProviders(load, lists);
    checkEntryNames(load.reading, load.placed, defaultTarget);
    return { targets: load.placed.map(({ target }) => target), defaultTarget };
  },
});

type ProviderLists = [key: string, entries: readonly (ProviderDraft | undefined)[] | undefined][];

/** Adds the entries to `placed`; returns the index of the default one. */
function readProviders(load: Load, lists: ProviderLists): number {
  const { reading, placed, part } = load;
  reportLists(load, lists);
  const globalPrompt = readSystemPrompt(reading, ["system_prompt"], part(systemPrompt));
  const defaults: { path: Path; index: number }[] = [];
  for (const [list, entries] of lists) {
    if (entries?.length === 0) {
      reading.problem([list], "no provider is configured: the list is empty", {
        part: "key",
        hint: MIN_CONFIGURATION,
      });
    }
    entries?.forEach((entry, index) => {
      if (entry === undefined) return;
      const path = [list, index];
      const target = readTarget(reading, path, entry, globalPrompt);
      if (entry.default === true) defaults.push({ path, index: placed.length });
      if (target === undefined) markInvalid(reading, entry);
      else {
        const proxy = readEntryProxy(reading, path, entry.proxy);
        placed.push({ path, target, ...(proxy === undefined ? {} : { proxy }) });
      }
    });
  }
  refuseSecondDefault(
    reading,
    defaults.map(({ path }) => path),
  );
  const addModel = (model: string, wildcard: PlacedTarget): number => {
    const { path } = wildcard;
    const [list, index] = path;
    const entry = lists.find(([key]) => key === list)?.[1]?.[Number(index)];
    const own = { ...entry, model, name: undefined, default: undefined };
    const target = readTarget(reading, path, own, globalPrompt);
    return target === undefined ? 0 : placed.push({ ...wildcard, target }) - 1;
  };
  const chosen = defaults[0]?.index ?? 0;
  const defaultTarget = withModel(load, chosen, addModel);
  for (const { model, wildcard } of referredModels(load)) addModel(model, wildcard);
  return defaultTarget;
}

/** Returns the index of the default model: a wildcard stands for its provider's usual one, which `addModel` adds. */
function withModel(
  load: Load,
  chosen: number,
  addModel: (model: string, wildcard: PlacedTarget) => number,
): number {
  const wildcard = load.placed[chosen];
  if (wildcard?.target.wildcard === undefined) return chosen;
  const model = defaultModelOf(load, wildcard);
  if (model === undefined) return chosen;
  const configured = load.placed.findIndex(({ target }) => target.name === model);
  return configured < 0 ? addModel(model, wildcard) : configured;
}

function reportLists({ reading, has }: Load, lists: ProviderLists): void {
  const given = lists.filter(([key]) => has(key));
  // A configuration of LiteLLM has another list, which is reported as an unknown key.
  if (given.length === 0 && !has(LITELLM_LIST) && isRecord(reading.document.value)) {
    reading.problem([], "no provider is configured: llm_providers is missing", {
      hint: MIN_CONFIGURATION,
    });
  } else if (given.length === 2) {
    reading.problem(
      ["model_providers"],
      "llm_providers and model_providers are both given; they mean the same",
      { part: "key", hint: "move the entries of one into the other" },
    );
  }
}

function markInvalid(reading: Reading, { model, name }: ProviderDraft): void {
  const bare = model?.slice(model.indexOf("/") + 1);
  for (const each of [model, bare, name]) if (each !== undefined) reading.invalidNames.add(each);
}

function refuseSecondDefault(reading: Reading, [first, ...more]: readonly Path[]): void {
  if (first === undefined) return;
  const { line } = reading.document.place([...first, "default"]);
  for (const path of more) {
    reading.problem([...path, "default"], "a second default; one entry at most is the default", {
      part: "key",
      hint: `the first one is in line ${line}`,
    });
  }
}
