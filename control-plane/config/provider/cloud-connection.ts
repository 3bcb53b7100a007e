// Where the requests of one entry go, for a provider with several APIs: which of them, and its address from the entry's keys.
import { OPENAI_CHAT, OPENAI_RESPONSES } from "../../../contract/dialects.ts";
import type { Cloud, CloudApi } from "../../providers/cloud.ts";
import { fill, keysIn } from "../../providers/cloud-address.ts";
import type { AddressValues } from "../../providers/cloud-address.ts";
import { apiOf, wordsOf } from "../../providers/clouds.ts";
import { isWildcard } from "../../../model/model-names.ts";
import { baseOf } from "../../providers/registry.ts";
import type { Path } from "../../report/problem.ts";
import { suggest, suggestion } from "../../report/suggest.ts";
import type { Reading } from "../reading.ts";
import { readAddressKeys, refuseAddressKeys, reportMissing } from "./address-keys.ts";
import type { Connection } from "./provider-connection.ts";
import type { ProviderDraft } from "./entry.ts";

/** Returns undefined if the entry is incomplete; then a problem was reported. `baseUrl`: a valid one, if it has one. */
export function readCloudConnection(
  reading: Reading,
  path: Path,
  entry: ProviderDraft,
  cloud: Cloud,
  { provider, model, baseUrl }: { provider: string; model: string; baseUrl: string | undefined },
): Connection | undefined {
  refuseAddressKeys(reading, path, entry, provider, cloud.keys);
  if (entry.base_path !== undefined) {
    reading.problem([...path, "base_path"], `${cloud.title} has several paths`, {
      part: "key",
      hint: "write the path in base_url",
    });
  }
  const values = readAddressKeys(reading, path, entry, cloud);
  if (values === undefined) return undefined;
  const api = readApi(reading, path, entry.provider_interface, cloud, model, values);
  if (api === undefined || (entry.base_url !== undefined && baseUrl === undefined))
    return undefined;
  const missing = keysIn(requiredTemplate(api, baseUrl)).filter((key) => values[key] === undefined);
  reportMissing(reading, path, cloud, missing, model);
  if (missing.length > 0 || !checkModel(reading, path, api, model)) return undefined;
  const isChosen = chosenWord(cloud, entry.provider_interface) !== undefined;
  return connectionOf(api, baseUrl, { ...values, model }, isChosen);
}

/** The part of the API's address that an entry with this base URL uses. */
function requiredTemplate(
  { baseUrl: own, query = "" }: CloudApi,
  baseUrl: string | undefined,
): string {
  if (baseUrl === undefined) return own + query;
  return hasPath(baseUrl) ? query : pathOf(own) + query;
}

function hasPath(baseUrl: string): boolean {
  return new URL(baseUrl).pathname.replaceAll("/", "") !== "";
}

/** Returns the path of a template; `new URL` would escape its braces. */
function pathOf(template: string): string {
  return template.replace(/^https:\/\/[^/]+/, "");
}

function connectionOf(
  api: CloudApi,
  baseUrl: string | undefined,
  values: AddressValues,
  isChosen: boolean,
): Connection {
  const { dialect, auth, asksForUsage, envelope, query, limitsOf } = api;
  const endpoint = envelope?.path ?? api.endpoint;
  const own = fill(api.baseUrl, values);
  const base = baseUrl ?? own;
  const basePath = pathOf(own);
  return {
    dialect,
    auth,
    asksForUsage,
    ...baseOf(base, dialect, { basePath, endpoint }),
    ...(values.region === undefined ? {} : { region: values.region }),
    ...(envelope === undefined ? {} : { envelope: envelope.name }),
    ...(query === undefined ? {} : { query: fill(query, values) }),
    ...responsesOf(api, baseUrl, values),
    servesResponses:
      !isChosen && (api.responsesUrl === undefined ? api.servesResponses === true : "if needed"),
    ...(limitsOf === undefined ? {} : { limitsOf }),
  };
}

/** Returns where the Responses API is, beside chat completions. */
function responsesOf(
  api: CloudApi,
  baseUrl: string | undefined,
  values: AddressValues,
): Pick<Connection, "responsesPath" | "responsesQuery"> {
  if (api.dialect !== OPENAI_CHAT) return {};
  const template = api.responsesUrl ?? (isModelInPath(api) ? undefined : api.baseUrl);
  if (template === undefined) return {};
  if (api.responsesUrl !== undefined && baseUrl !== undefined && hasPath(baseUrl)) return {};
  const own = fill(template, values);
  const { path } = baseOf(baseUrl ?? own, OPENAI_RESPONSES, { basePath: pathOf(own) });
  return {
    responsesPath: path,
    ...(api.responsesUrl === undefined ? {} : { responsesQuery: "" }),
  };
}

/** Returns the word of an API; undefined if `provider_interface` is not set, or is the cloud itself. */
function chosenWord(cloud: Cloud, word: string | undefined): string | undefined {
  return word === cloud.name && !wordsOf(cloud).includes(word) ? undefined : word;
}

function readApi(
  reading: Reading,
  path: Path,
  word: string | undefined,
  cloud: Cloud,
  model: string,
  values: AddressValues,
): CloudApi | undefined {
  const chosen = chosenWord(cloud, word);
  if (isWildcard(model) && chosen === undefined && dependsOnModel(cloud, values)) {
    const words = wordsOf(cloud).join(", ");
    reading.problem([...path, "model"], `the API of ${cloud.title} depends on the model`, {
      hint: `add provider_interface, one of ${words}: all models of the wildcard use that API`,
    });
    return undefined;
  }
  const api = apiOf(cloud, model, chosen, values);
  if (api !== undefined) return api;
  const at = [...path, word === undefined ? "model" : "provider_interface"];
  if (chosen !== undefined) {
    const words = wordsOf(cloud);
    reading.problem(at, `${cloud.name} has no API ${reading.show(at, chosen)}`, {
      hint: suggestion(suggest(chosen, words)) ?? `expected one of ${words.join(", ")}`,
    });
  } else {
    reading.problem(at, `${cloud.title} has no API for this model`);
  }
  return undefined;
}

/** Returns whether the models of a cloud do not all use the same API. */
function dependsOnModel({ apis }: Cloud, values: AddressValues): boolean {
  const first = apis.find(({ isFor }) => isFor?.({ ...values, model: "" }) !== false);
  return first?.models.includes("*") !== true;
}

/** Returns whether the name of the model is a part of the request's path. */
function isModelInPath({ baseUrl, endpoint = "", envelope, dialect }: CloudApi): boolean {
  const path = envelope?.path ?? dialect.path;
  return baseUrl.includes("{model}") || endpoint !== "" || path.endsWith("/");
}

/** Reports a model that the API cannot have. In a path it is one segment: neither the folder nor the one above. */
function checkModel(reading: Reading, path: Path, api: CloudApi, model: string): boolean {
  const at = [...path, "model"];
  if (isWildcard(model) && api.baseUrl.includes("{model}")) {
    reading.problem(at, "a wildcard needs an address without the deployment", {
      hint: "remove api_version: the v1 API has the deployment in the body of each request",
    });
    return false;
  }
  if (isModelInPath(api) && /^\.{1,2}$/.test(model)) {
    reading.problem(at, `${reading.show(at, model)} cannot be a model in the path of a request`);
    return false;
  }
  if (api.withPublisher === undefined || model.includes("/")) return true;
  reading.problem(at, "the name of this API's models begins with their publisher", {
    hint: `for example vertex/${api.withPublisher}`,
  });
  return false;
}
