// A gateway with several targets and keys of a model, requests to it, and where they went.
import { join } from "node:path";
import { expect } from "vitest";
import { PROPERTY_USAGE } from "../../contract/usage-record.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import type { FilterHostOptions } from "../../control-plane/wasm-host/filter-host.ts";
import type {
  SentRequest,
  UpstreamFailure,
  UpstreamResponse,
} from "../../control-plane/wasm-host/upstream.ts";
import type { ExchangeInput } from "../../control-plane/wasm-host/wasm-exchange.ts";
import type { UsageRecord } from "../../control-plane/usage/usage-line.ts";
import { openaiDialect } from "../providers/openai.ts";
import { responsesDialect } from "../providers/responses.ts";
import { loadCase } from "./case.ts";
import { respond } from "./respond.ts";
import { egressRequest } from "./egress-request.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const compiled = compileFilter(FILTER);

export interface Setting {
  targets: number;
  keys: number;
  /** Weights of the targets; 1 for each. */
  weights?: number[];
  /** Whether no usage records are written. */
  isUnobserved?: boolean;
  /** More keys of the configuration. */
  more?: string;
}

const names = (keys: number) => Array.from({ length: keys }, (_, key) => `$KEY_${key}`);

function configurationOf(
  { targets, keys, weights = [], more = "", isUnobserved = false }: Setting,
  dialect: string,
): string {
  const indices = Array.from({ length: targets }, (_, index) => index);
  return `version: v0.1.0
${isUnobserved ? "" : "observability: {}\n"}llm_providers:
${indices.map((index) => `  - {model: p${index}/gpt, provider_interface: ${dialect}, base_url: "http://p${index}.test/v1", access_key: [${names(keys).join(", ")}]}`).join("\n")}
model_aliases:
  shared:
    targets: [${indices.map((index) => `{model: p${index}/gpt, weight: ${weights[index] ?? 1}}`).join(", ")}]
${more}`;
}

export async function gatewayOf(
  setting: Setting,
  dialect = "openai",
  more: Pick<FilterHostOptions, "now" | "sharedData"> = {},
): Promise<FilterHost> {
  const configuration = configurationOf(setting, dialect);
  const { filterConfig, environment } = loadCase({ name: "affinity", configuration });
  const random = sequence();
  return FilterHost.load(await compiled, { filterConfig, environment, random, ...more });
}

/** Returns the same random bytes in each run. */
export function sequence(): (size: number) => Uint8Array {
  let state = 1;
  return (size) =>
    Uint8Array.from({ length: size }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 24;
    });
}

export const keyOf = ({ headers }: SentRequest): string =>
  headers.find(([name]) => name === "authorization")?.[1].replace("Bearer ", "") ?? "";

export type Upstream = (request: SentRequest) => UpstreamResponse | UpstreamFailure;

/** Returns a request to the egress listener. */
export function inputOf(
  body: Record<string, unknown>,
  headers: [string, string][],
  path = "/v1/chat/completions",
): ExchangeInput {
  return egressRequest(path, headers, body);
}

/** The places, `<authority> <key>`, to which the attempts of a request went. */
export function send(
  gateway: FilterHost,
  body: Record<string, unknown>,
  headers: [string, string][],
  upstream: Upstream,
  path = "/v1/chat/completions",
): { places: string[]; status: number; record: UsageRecord } {
  const { faults, response, sent, filterState } = gateway.exchange({
    ...inputOf(body, headers, path),
    upstream,
  });
  expect(faults).toEqual([]);
  return {
    places: sent.map((request) => `${request.authority} ${keyOf(request)}`),
    status: response.status,
    record: JSON.parse(filterState.get(PROPERTY_USAGE) ?? "{}") as UsageRecord,
  };
}

export const question = (content: string) => ({
  model: "shared",
  messages: [{ role: "user", content }],
});
export const RESPONSES = "/v1/responses";
export const ok: Upstream = (request) =>
  respond(
    (request.path === RESPONSES ? responsesDialect : openaiDialect)({ key: keyOf(request) }),
    request,
  );
