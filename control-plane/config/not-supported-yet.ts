// Keys that are part of the schema and whose feature is not built: refused by validation, never accepted and ignored.
import { INTERFACES, UNSPOKEN_PROVIDERS } from "../providers.ts";
import { isRecord } from "./document.ts";
import type { Path } from "./problem.ts";

export interface NotSupported {
  /** Keys from the top; `*` is any key or list index. */
  path: readonly string[];
  /** What it is, as the subject of "… not supported yet". */
  what: string;
  /** What works today. */
  hint?: string;
  /** For a key of which only some values are not supported. */
  when?: (value: unknown) => boolean;
}

const CHAT_COMPLETIONS_FORMATS = ["openai", "chat_completions", "openai_chat_completions"];

const PROVIDER_LISTS = ["llm_providers", "model_providers"];

/** Remove a row when its feature works; the schema, the reference page and the JSON Schema follow. */
export const NOT_SUPPORTED_YET: readonly NotSupported[] = [
  { path: ["tracing"], what: "tracing is" },
  { path: ["mode"], what: "a mode is" },
  ...PROVIDER_LISTS.flatMap((list): NotSupported[] => [
    {
      path: [list, "*", "provider_interface"],
      what: "this provider's own format is",
      hint: "most such providers also have an OpenAI-compatible address: give it as base_url, with provider_interface: openai",
      when: (value) =>
        typeof value === "string" && UNSPOKEN_PROVIDERS.has(value) && !INTERFACES.has(value),
    },
  ]),
  {
    path: ["listeners", "*", "message_format"],
    what: "this message format is",
    hint: "write openai, or leave it out: egress answers the messages format by its path anyway",
    when: (value) =>
      typeof value === "string" && !CHAT_COMPLETIONS_FORMATS.includes(value.replaceAll("-", "_")),
  },
];

/** Every place in `value` that a row of the list names. */
export function findNotSupported(value: unknown): { path: Path; row: NotSupported }[] {
  return NOT_SUPPORTED_YET.flatMap((row) =>
    placesOf(value, row.path).flatMap(({ path, found }) =>
      row.when === undefined || row.when(found) ? [{ path, row }] : [],
    ),
  );
}

function placesOf(value: unknown, pattern: readonly string[]): { path: Path; found: unknown }[] {
  let places: { path: Path; found: unknown }[] = [{ path: [], found: value }];
  for (const part of pattern) {
    places = places.flatMap(({ path, found }) =>
      childrenOf(found, part).map(([key, child]) => ({ path: [...path, key], found: child })),
    );
  }
  return places;
}

function childrenOf(value: unknown, part: string): [string | number, unknown][] {
  if (Array.isArray(value)) return part === "*" ? [...value.entries()] : [];
  if (!isRecord(value)) return [];
  if (part === "*") return Object.entries(value);
  return Object.hasOwn(value, part) ? [[part, value[part]]] : [];
}
