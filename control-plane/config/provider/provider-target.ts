// One entry of `llm_providers` → one target: its model, connection, key and headers.
import { BEARER, CREDENTIAL_KINDS, NO_CREDENTIAL } from "../../../contract/credentials.ts";
import { credentialName } from "../../../model/cloud-credentials.ts";
import type { ProviderHeader, Target } from "../../../model/model.ts";
import { isWildcard } from "../../../model/model-names.ts";
import { vendorOf } from "../../providers/model-vendors.ts";
import { builtInName, findProvider, PROVIDER_NAMES } from "../../providers/registry.ts";
import { readAccessKeys } from "./access-key.ts";
import { readBedrockPolicies } from "./bedrock-policies.ts";
import type { Connection } from "./provider-connection.ts";
import { readCredential } from "./credential/read-credential.ts";
import { cloudOf, readConnection } from "./read-connection.ts";
import { readHeaders } from "./provider-headers.ts";
import { readModelLimits } from "./read-model-limits.ts";
import { checkName } from "../name-rules.ts";
import { namesCredential } from "../../report/secrets.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";
import type { ProviderDraft } from "./entry.ts";
import { readSystemPrompt } from "./system-prompt.ts";

/** Returns undefined if the entry is incomplete; then a problem was reported. */
export function readTarget(
  reading: Reading,
  path: Path,
  entry: ProviderDraft,
  globalPrompt: string | undefined,
): Target | undefined {
  const split = readModel(reading, path, entry.model);
  const known = split === undefined ? undefined : { ...split, provider: builtInOf(entry, split) };
  const provider = known === undefined ? undefined : findProvider(known.provider);
  const configuredName = checkName(reading, [...path, "name"], entry.name);
  const ownPrompt = readSystemPrompt(reading, [...path, "system_prompt"], entry.system_prompt);
  const headers = readHeaders(reading, [...path, "headers"], entry.headers ?? {}, split?.provider);
  const connection = readConnection(reading, path, entry, known, provider);
  const cloud = cloudOf(entry, known?.provider);
  const keys = readAccessKeys(reading, path, entry, {
    provider: split?.provider,
    variable: cloud?.keyVariable ?? provider?.variables?.[0],
    needsKey:
      (cloud ?? provider)?.needsKey === true &&
      cloud?.login === undefined &&
      entry.base_url === undefined &&
      entry.credential === undefined &&
      entry.passthrough_auth !== true,
    auth: connection?.auth ?? BEARER,
    headers,
  });
  const passesClientKey = entry.passthrough_auth === true;
  if (split !== undefined && isWildcard(split.model)) refuseNameOfWildcard(reading, path, entry);
  if (split === undefined || known === undefined || connection === undefined) return undefined;
  const other = otherCredential(entry, headers);
  const credential = readCredential(reading, path, entry.credential, {
    cloud: cloud?.login === undefined ? undefined : { ...cloud.login, region: connection.region },
    other,
    isDefault:
      other === undefined &&
      entry.base_url === undefined &&
      !headers.some(({ name }) => namesCredential(name)),
  });
  const { dialect, address, authority, path: requestPath } = connection;
  if (passesClientKey) checkPassthrough(reading, path, { keys, headers, connection });
  const target: Target = {
    name: `${split.provider}/${split.model}`,
    ...(configuredName === undefined ? {} : { configuredName }),
    ...split,
    ...(known.provider === split.provider ? {} : { builtIn: known.provider }),
    dialect: dialect.name,
    address,
    authority,
    path: requestPath,
    ...(connection.envelope === undefined ? {} : { envelope: connection.envelope }),
    ...(connection.query === undefined ? {} : { query: connection.query }),
    auth: passesClientKey
      ? { kind: connection.auth.name, passesClientKey }
      : credential === undefined
        ? authOf(connection, keys)
        : { kind: NO_CREDENTIAL.name, ...credential },
    ...readBedrockPolicies(reading, path, entry, connection, headers),
    ...(entry.decompress_responses === true ? { decompresses: true } : {}),
    ...(entry.prompt_caching === "client" ? { promptCaching: entry.prompt_caching } : {}),
    ...joinedPrompt(globalPrompt, ownPrompt),
    ...(globalPrompt === undefined ? {} : { ownSystemPrompt: ownPrompt ?? "" }),
    ...readModelLimits(reading, path, entry, known, connection),
  };
  warnOfPlainHttp(reading, path, target);
  return target;
}

/**
 * Returns the name of the built-in provider that an entry means, which may be written as other gateways have it (`dashscope`). A
 * provider with an address and a format of its own is what they say, whatever it is called.
 */
function builtInOf(
  { base_url: baseUrl, provider_interface: word }: ProviderDraft,
  { provider }: { provider: string },
): string {
  const isComplete = baseUrl !== undefined && word !== undefined;
  if (isComplete && !PROVIDER_NAMES.includes(provider)) return provider;
  return builtInName(provider) ?? provider;
}

/** A name would stand for no model in particular. */
function refuseNameOfWildcard(reading: Reading, path: Path, { name, model }: ProviderDraft): void {
  if (name === undefined) return;
  reading.problem([...path, "name"], `${model ?? ""} stands for many models, so it has no name`, {
    part: "key",
    hint: "remove it, and write model_aliases for single models",
  });
}

/** Of two keys one would be ignored, and the demonstration has no use for any. */
function checkPassthrough(
  reading: Reading,
  path: Path,
  {
    keys,
    headers,
    connection,
  }: { keys: string[]; headers: Target["headers"]; connection: Connection },
): void {
  const at = [...path, "passthrough_auth"];
  const names = CREDENTIAL_KINDS.map(({ header }) => header);
  const header = headers.find(({ name }) => names.includes(name));
  if (connection.address.kind === "embedded") {
    reading.problem(at, "the demonstration model takes no key", { part: "key" });
  } else if (keys.length > 0 || header !== undefined) {
    const other = header === undefined ? "access_key" : `the header ${header.name}`;
    reading.problem(at, `passthrough_auth and ${other} exclude each other`, {
      part: "key",
      hint: `remove ${other} to send each client's key`,
    });
  }
}

/** Returns the key of the entry that is a credential too, besides `credential`; undefined if there is none. */
function otherCredential(
  entry: ProviderDraft,
  headers: readonly ProviderHeader[],
): string | undefined {
  if (entry.access_key !== undefined) return "access_key";
  if (entry.passthrough_auth === true) return "passthrough_auth";
  return headers.some(({ name }) => name === BEARER.header)
    ? `the header ${BEARER.header}`
    : undefined;
}

function authOf({ auth }: Connection, [key, ...others]: string[]): Target["auth"] {
  if (key === undefined) return { kind: NO_CREDENTIAL.name };
  return {
    kind: auth.name,
    environmentVariable: key,
    ...(others.length === 0 ? {} : { otherVariables: others }),
  };
}

function joinedPrompt(...prompts: (string | undefined)[]): { systemPrompt?: string } {
  const said = prompts.filter((prompt) => prompt !== undefined);
  return said.length === 0 ? {} : { systemPrompt: said.join("\n\n") };
}

function readModel(
  reading: Reading,
  path: Path,
  written: string | undefined,
): { provider: string; model: string } | undefined {
  if (written === undefined) return undefined;
  const at = [...path, "model"];
  const slash = written.indexOf("/");
  if (slash < 0) {
    const provider = /^[\w.:-]{1,60}$/.test(written) ? vendorOf(written) : undefined;
    reading.problem(at, `expected <provider>/<model>, not ${reading.show(at, written)}`, {
      hint:
        written === "*"
          ? "a wildcard names its provider: openai/* takes all models of OpenAI"
          : provider === undefined
            ? "for example openai/gpt-4o"
            : `write ${provider}/${written}`,
    });
    return undefined;
  }
  const [provider, model] = [written.slice(0, slash), written.slice(slash + 1)];
  if (provider === "" || model === "") {
    const missing = provider === "" ? "provider before" : "model after";
    reading.problem(at, `the ${missing} the slash is empty; expected <provider>/<model>`);
    return undefined;
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(provider)) {
    reading.problem(at, "the provider before the slash is no plain word: letters, digits, . _ -");
    return undefined;
  }
  if (/\s/.test(model)) {
    reading.problem(at, "the model after the slash has white space; providers have no such model");
    return undefined;
  }
  const plain = isWildcard(written) ? `${written.slice(0, -1)}-` : written;
  return checkName(reading, at, plain) === undefined ? undefined : { provider, model };
}

function warnOfPlainHttp(reading: Reading, path: Path, { address, auth, headers }: Target): void {
  const inHeader = headers
    .flatMap(({ parts }) => parts)
    .flatMap((part) => ("environment" in part ? part.environment : []));
  const own = auth.passesClientKey === true ? "the client's key" : undefined;
  const variable = auth.environmentVariable ?? inHeader[0];
  const cloud = credentialName(auth) === undefined ? undefined : "the credential of the cloud";
  const secret = own ?? (variable === undefined ? cloud : `the value of ${variable}`);
  if (secret === undefined || address.kind !== "host" || address.tls) return;
  if (/^(?:localhost|.*\.localhost|127\.[\d.]+|::1)$/.test(address.host)) return;
  reading.warning([...path, "base_url"], `${secret} is sent unencrypted (http://)`, {
    hint: "use https:// unless you control the network",
  });
}
