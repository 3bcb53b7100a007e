// Where the requests of one entry go, for a provider with one API: its row in the table, or `base_url` and `provider_interface`.
import { OPENAI_CHAT, OPENAI_RESPONSES } from "../../../contract/dialects.ts";
import {
  INTERFACES,
  INTERFACE_WORDS,
  OTHER_NAMES,
  PROVIDER_NAMES,
  baseOf,
} from "../../providers/registry.ts";
import type { Provider, ProviderInterface } from "../../providers/registry.ts";
import type { Connection } from "./provider-connection.ts";
import type { Path } from "../../report/problem.ts";
import { showWord } from "../reading.ts";
import type { Reading } from "../reading.ts";
import type { ProviderDraft } from "./entry.ts";
import { suggest, suggestion } from "../../report/suggest.ts";

/** Returns undefined if the entry is incomplete; then a problem was reported. `baseUrl`: a valid one, if it has one. */
export function readOwnConnection(
  reading: Reading,
  path: Path,
  entry: ProviderDraft,
  {
    name,
    provider,
    baseUrl,
  }: { name: string | undefined; provider: Provider | undefined; baseUrl: string | undefined },
): Connection | undefined {
  const chosen = readInterface(reading, path, entry.provider_interface);
  if (name === undefined) return undefined;
  if (provider === undefined) reportUnknown(reading, path, entry, name);
  else if (entry.base_url === undefined) checkOwnAddress(reading, path, provider, chosen);
  const spoken = chosen ?? (entry.provider_interface === undefined ? provider : undefined);
  const base = baseUrl ?? (entry.base_url === undefined ? provider?.baseUrl : undefined);
  if (spoken === undefined || base === undefined) return undefined;
  const ownPath =
    provider?.basePath === undefined || spoken.dialect !== provider.dialect
      ? {}
      : { basePath: provider.basePath };
  return {
    ...protocolOf(spoken),
    ...baseOf(base, spoken.dialect, ownPath),
    ...(spoken.dialect === OPENAI_CHAT
      ? { responsesPath: baseOf(base, OPENAI_RESPONSES).path }
      : {}),
    servesResponses: entry.base_url === undefined && provider?.servesResponses === true,
  };
}

export function protocolOf({ dialect, auth, asksForUsage }: ProviderInterface): ProviderInterface {
  return { dialect, auth, asksForUsage: dialect.asksForUsage && asksForUsage };
}

function checkOwnAddress(
  reading: Reading,
  path: Path,
  provider: Provider,
  chosen: ProviderInterface | undefined,
): void {
  if (provider.baseUrl === undefined) {
    reading.problem(path, `base_url is missing; ${provider.title} has no default address`, {
      hint: "for example base_url: http://localhost:8000/v1",
    });
  } else if (chosen !== undefined && chosen.dialect !== provider.dialect) {
    reading.problem(
      [...path, "provider_interface"],
      `${provider.name} uses another format at its default address`,
      { hint: "remove provider_interface, or set base_url to an address with this format" },
    );
  }
}

function readInterface(
  reading: Reading,
  path: Path,
  word: string | undefined,
): ProviderInterface | undefined {
  if (word === undefined) return undefined;
  const spoken = INTERFACES.get(word);
  if (spoken === undefined) {
    const at = [...path, "provider_interface"];
    const nearest = OTHER_NAMES.get(word) ?? suggest(word, INTERFACE_WORDS);
    reading.problem(at, `unknown provider_interface ${reading.show(at, word)}`, {
      hint: suggestion(nearest) ?? `expected one of ${INTERFACE_WORDS.join(", ")}`,
    });
  }
  return spoken;
}

/** What to write for a provider without a row in the table. */
const MISSING = {
  base_url: "base_url: https://…",
  provider_interface: "provider_interface: openai (or anthropic)",
} as const;

function reportUnknown(reading: Reading, path: Path, entry: ProviderDraft, name: string): void {
  const missing = (["base_url", "provider_interface"] as const).filter(
    (key) => entry[key] === undefined,
  );
  if (missing.length === 0) return;
  const at = [...path, "model"];
  const nearest = OTHER_NAMES.get(name.replaceAll("-", "_")) ?? suggest(name, PROVIDER_NAMES);
  reading.problem(
    at,
    `${showWord(name)} is not a built-in provider, and ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`,
    {
      hint: suggestion(nearest) ?? `add ${missing.map((key) => MISSING[key]).join(" and ")}`,
    },
  );
}
