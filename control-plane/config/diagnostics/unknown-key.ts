// The hint for a key that the schema does not know: a slip of the fingers, another gateway's word, or the wrong indentation.
import { NOT_SUPPORTED_YET } from "./not-supported-yet.ts";
import type { Path } from "../../report/problem.ts";
import { homesOf, keysAt } from "../json-schema.ts";
import { LITELLM_LIST } from "../sections/llm-providers.ts";
import { suggest, suggestion } from "../../report/suggest.ts";

/** Words that other gateways and SDKs use for the same thing. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  access_key: ["api_key", "apikey", "key", "token", "secret"],
  base_url: ["api_base", "url", "endpoint", "base", "host", "address"],
  provider_interface: ["provider", "interface", "format", "dialect"],
  llm_providers: ["providers", "models", "llms", "upstreams"],
  model_aliases: ["aliases", "alias", "router"],
  access_log: ["access_logs", "log", "logs", "logging"],
  headers: ["extra_headers", "http_headers"],
  target: ["model", "models"],
  request_body: ["body", "max_body_size", "body_limit"],
  directory: ["dir", "path"],
  address: ["host", "bind"],
  timeout: ["timeout_seconds", "request_timeout"],
};

/** More places than this are no help. */
const MAX_HOMES = 3;

interface Advice {
  /** The mapping; `*` is any key or index. */
  path: readonly string[];
  keys: readonly string[];
  hint: string;
}

/** Keys that are easily expected where they are not, and what does the same. */
const ADVICE: readonly Advice[] = [
  {
    path: [],
    keys: [LITELLM_LIST],
    hint: "this is a configuration of LiteLLM: gateway import litellm FILE -o gateway.yaml writes one of the gateway",
  },
  {
    path: [],
    keys: ["governance", "config_store", "logs_store", "vector_store"],
    hint: "this is a configuration of Bifrost: gateway import bifrost FILE -o gateway.yaml writes one of the gateway",
  },
  {
    path: [],
    keys: ["strategy", "targets"],
    hint: "this is a config of Portkey: gateway import portkey FILE -o gateway.yaml writes one of the gateway",
  },
  {
    path: [],
    keys: ["litellm_settings", "router_settings", "general_settings", "environment_variables"],
    hint: "this is a setting of LiteLLM; remove it",
  },
  ...["input", "output"].map((kind): Advice => ({
    path: ["pricing", "*"],
    keys: [`${kind}_cost_per_token`, `${kind}_price`],
    hint: `write ${kind}: 2.5, in US dollars per million tokens`,
  })),
  ...["llm_providers", "model_providers"].flatMap((list): Advice[] => [
    {
      path: [list, "*"],
      keys: ["input_cost_per_token", "output_cost_per_token"],
      hint: "write pricing: {<provider>/<model>: {input: 2.5, output: 10}} at the top level, in US dollars per million tokens",
    },
    {
      path: [list, "*"],
      keys: ["timeout", "request_timeout"],
      hint: "a provider has no timeout; set listeners.egress.timeout, or retry.per_try_timeout of the provider",
    },
    {
      path: [list, "*"],
      keys: ["retries", "max_retries", "num_retries"],
      hint: "write retry: {attempts: 3}, which counts the first attempt too",
    },
    {
      path: [list, "*"],
      keys: ["temperature", "max_tokens", "top_p", "stream"],
      hint: "remove it: clients set it in their requests",
    },
  ]),
];

/** The key of the mapping at `path` that was probably meant. */
export function meantKey(path: Path, key: string): string | undefined {
  if (ADVICE.some((row) => row.keys.includes(key) && matches(row.path, path))) return undefined;
  const known = keysAt(path);
  const word = key.toLowerCase().replaceAll("-", "_");
  const synonym = known.find((candidate) => SYNONYMS[candidate]?.includes(word) === true);
  return synonym ?? suggest(word, known);
}

/** What to do about a key that is not known, by what was probably meant; undefined without an idea. */
export function unknownKeyHint(path: Path, key: string): string | undefined {
  const row = ADVICE.find((one) => one.keys.includes(key) && matches(one.path, path));
  if (row !== undefined) return row.hint;
  const meant = meantKey(path, key);
  if (meant !== undefined) return suggestion(meant);
  const all = homesOf(key);
  // A list form of the same mappings is no other place.
  const homes = all.filter(
    (home) => !home.includes("[]") || !all.includes(home.replace("[]", ".<name>")),
  );
  if (homes.length === 0 || homes.length > MAX_HOMES) return undefined;
  const places = homes.map((home) => (home === "" ? "at the top level" : `under ${home}`));
  return `${key} belongs ${places.join(" or ")}; check the indentation`;
}

/** The keys that would be right. */
export function knownKeysHint(path: Path): string | undefined {
  const keys = keysAt(path).filter((key) => !isNotSupported([...path, key]));
  if (keys.length === 0) return undefined;
  return keys.length === 1
    ? `the only key here is ${keys.join("")}`
    : `the keys here are ${keys.join(", ")}`;
}

function isNotSupported(path: Path): boolean {
  return NOT_SUPPORTED_YET.some((row) => row.isPartial !== true && matches(row.path, path));
}

/** Whether a pattern, in which `*` is any key or index, is that path. */
function matches(pattern: readonly string[], path: Path): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((part, index) => part === "*" || part === path[index])
  );
}
