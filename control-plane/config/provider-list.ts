// `llm_providers`, or `model_providers` as its newer name: the targets in the file's order, and the default one.
import { isRecord } from "./yaml/document.ts";
import { readTarget } from "./provider/target.ts";
import type { PlacedTarget } from "./entry-names.ts";
import type { Path } from "./diagnostics/problem.ts";
import type { Reading } from "./reading.ts";
import type { Configuration, ProviderEntry } from "./schema.ts";
import type { Draft } from "./shape.ts";
import { LITELLM_LIST } from "./diagnostics/unknown-key.ts";

/** What to write when there is nothing. */
export const MIN_CONFIGURATION =
  "the least is: llm_providers: [{model: openai/gpt-4o, access_key: $OPENAI_API_KEY}]";

const LISTS = ["llm_providers", "model_providers"] as const;

export interface ProviderList {
  placed: PlacedTarget[];
  /** Index into `placed`. */
  defaultTarget: number;
}

export function readProviders(
  reading: Reading,
  draft: Draft<Configuration>,
  globalPrompt: string | undefined,
): ProviderList {
  const lists = listsOf(reading, draft);
  const placed: PlacedTarget[] = [];
  const defaults: { path: Path; index: number }[] = [];
  for (const list of lists) {
    const entries = draft[list] ?? [];
    if (draft[list]?.length === 0) {
      reading.problem([list], "no provider is configured: the list is empty", {
        part: "key",
        hint: MIN_CONFIGURATION,
      });
    }
    entries.forEach((entry, index) => {
      if (entry === undefined) return;
      const path = [list, index];
      const target = readTarget(reading, path, entry, globalPrompt);
      if (entry.default === true) defaults.push({ path, index: placed.length });
      if (target === undefined) noteMisread(reading, entry);
      else placed.push({ path, target });
    });
  }
  refuseSecondDefault(
    reading,
    defaults.map(({ path }) => path),
  );
  return { placed, defaultTarget: defaults[0]?.index ?? 0 };
}

function listsOf(reading: Reading, draft: Draft<Configuration>): (typeof LISTS)[number][] {
  const lists = LISTS.filter((key) => Object.hasOwn(draft, key));
  // Who comes from LiteLLM has a list, and is told what becomes of it.
  const hasForeignList = Object.hasOwn(draft, LITELLM_LIST);
  if (lists.length === 0 && isRecord(reading.document.value) && !hasForeignList) {
    reading.problem([], "no provider is configured: llm_providers is missing", {
      hint: MIN_CONFIGURATION,
    });
  } else if (lists.length === 2) {
    reading.problem(
      ["model_providers"],
      "llm_providers and model_providers are both given; they mean the same",
      { part: "key", hint: "move the entries of one into the other" },
    );
  }
  return lists;
}

function noteMisread(reading: Reading, { model, name }: Draft<ProviderEntry>): void {
  const bare = model?.slice(model.indexOf("/") + 1);
  for (const said of [model, bare, name]) if (said !== undefined) reading.misread.add(said);
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
