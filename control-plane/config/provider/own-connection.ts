// Where the requests of one entry go, for a provider with one API: its row in the table, or `base_url` and `provider_interface`.
import type { DialectRow } from "../../../contract/dialects.ts";
import { OPENAI_CHAT, OPENAI_RESPONSES } from "../../../contract/dialects.ts";
import {
  INTERFACES,
  INTERFACE_WORDS,
  PROVIDER_NAMES,
  baseOf,
  builtInName,
} from "../../providers/registry.ts";
import type { Provider, ProviderInterface } from "../../providers/registry.ts";
import { reasonOfOwnFormat } from "../../providers/own-formats.ts";
import type { OtherApi } from "../../providers/provider.ts";
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
  const api = entry.base_url === undefined ? apiOf(provider, chosen) : undefined;
  if (provider === undefined) reportUnknown(reading, path, entry, name);
  else if (entry.base_url === undefined && api === undefined)
    checkOwnAddress(reading, path, provider, chosen);
  const spoken =
    api === undefined
      ? (chosen ?? (entry.provider_interface === undefined ? provider : undefined))
      : { ...api, asksForUsage: false };
  const base =
    baseUrl ?? api?.baseUrl ?? (entry.base_url === undefined ? provider?.baseUrl : undefined);
  if (spoken === undefined || base === undefined) return undefined;
  const basePath =
    readBasePath(reading, path, entry, base) ?? ownBasePath(provider, spoken.dialect, api);
  const ownPath = basePath === undefined ? {} : { basePath };
  return {
    ...protocolOf(spoken),
    ...baseOf(base, spoken.dialect, ownPath),
    ...(spoken.dialect === OPENAI_CHAT
      ? {
          responsesPath: baseOf(responsesBase(provider, entry) ?? base, OPENAI_RESPONSES, ownPath)
            .path,
        }
      : {}),
    servesResponses:
      entry.base_url === undefined && chosen === undefined && provider?.servesResponses === true,
  };
}

/** Returns the API of a provider at its own address that `provider_interface` selects; undefined for that of its row. */
function apiOf(
  provider: Provider | undefined,
  chosen: ProviderInterface | undefined,
): OtherApi | undefined {
  if (chosen === undefined || chosen.dialect === provider?.dialect) return undefined;
  return provider?.apis?.find(({ dialect }) => dialect === chosen.dialect);
}

/** Returns the `base_path` of an entry without the slash at its end: empty for `/`; undefined if there is none. */
function readBasePath(
  reading: Reading,
  path: Path,
  { base_path: written }: ProviderDraft,
  base: string,
): string | undefined {
  if (written === undefined) return undefined;
  const at = [...path, "base_path"];
  if (!/^\/(?:[\w.~-]+\/?)*$/.test(written)) {
    reading.problem(at, `expected a path such as / or /api/v3, not ${reading.show(at, written)}`);
    return undefined;
  }
  const { pathname } = new URL(base);
  if (pathname !== "/") {
    reading.problem(at, `base_url has the path ${pathname} already`, {
      part: "key",
      hint: "write the whole path in base_url, or base_path beside a base_url without a path",
    });
  }
  return written.replace(/\/$/, "");
}

/** Returns where the Responses API of a provider is at its own host, if it is not at the address of its row. */
function responsesBase(
  provider: Provider | undefined,
  { base_url: baseUrl }: ProviderDraft,
): string | undefined {
  return baseUrl === undefined
    ? provider?.apis?.find(({ dialect }) => dialect === OPENAI_RESPONSES)?.baseUrl
    : undefined;
}

/** Returns what precedes the endpoint at an address without a path, if it is not the dialect's. */
function ownBasePath(
  provider: Provider | undefined,
  dialect: DialectRow,
  api: OtherApi | undefined,
): string | undefined {
  const isOfRow = dialect === provider?.dialect || (api !== undefined && api.baseUrl === undefined);
  return isOfRow ? provider?.basePath : undefined;
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
  } else if (chosen !== undefined && !isServed(provider, chosen)) {
    reading.problem(
      [...path, "provider_interface"],
      `${provider.name} uses another format at its default address`,
      { hint: "remove provider_interface, or set base_url to an address with this format" },
    );
  }
}

/** Returns whether the provider's own address has a format. */
function isServed(provider: Provider, { dialect }: ProviderInterface): boolean {
  if (dialect === provider.dialect) return true;
  return dialect === OPENAI_RESPONSES && provider.servesResponses === true;
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
    const nearest = builtInName(word) ?? suggest(word, INTERFACE_WORDS);
    reading.problem(at, `unknown provider_interface ${reading.show(at, word)}`, {
      hint:
        suggestion(nearest) ??
        "expected openai, anthropic, openai_responses, gemini, converse, or the name of a provider",
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
  const reason = reasonOfOwnFormat(name);
  if (reason !== undefined) {
    reading.problem(at, `${showWord(name)} is not supported: ${reason}`, {
      hint: "docs/providers.md lists the providers; a server with one of their formats needs base_url and provider_interface",
    });
    return;
  }
  const nearest = builtInName(name) ?? suggest(name, PROVIDER_NAMES);
  reading.problem(
    at,
    `${showWord(name)} is not a built-in provider, and ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`,
    {
      hint: suggestion(nearest) ?? `add ${missing.map((key) => MISSING[key]).join(" and ")}`,
    },
  );
}
