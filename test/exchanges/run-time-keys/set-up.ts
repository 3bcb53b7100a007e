// The set-up of the tests of keys that are created at run time: workers of one Envoy, which share data and a clock, and the listener on
// which the control plane sends rows and limits.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { PAYLOAD_HEADER_BEGIN, PAYLOAD_HEADER_END } from "../../../contract/token-metadata.ts";
import { loadConfiguration } from "../../../control-plane/config/load.ts";
import type { KeyRow, KeysPush, KeysResponse } from "../../../control-plane/keys/push-keys.ts";
import { compileFilter, FilterHost } from "../../../control-plane/wasm-host/filter-host.ts";
import type {
  ExchangeInput,
  ExchangeResult,
} from "../../../control-plane/wasm-host/wasm-exchange.ts";
import { SharedData } from "../../../control-plane/wasm-host/wasm-shared-data.ts";
import { filterConfig } from "../../../model/filter-document/write-document.ts";
import type { GatewayModel } from "../../../model/model.ts";
import { ENVIRONMENT, FILTER, messageOf, responseTo, START } from "../budgets/set-up.ts";

export { COST, DECEMBER, messageOf, recordOf } from "../budgets/set-up.ts";

export const CONFIGURATION = `
keys: {}
groups:
  research: {}
listeners:
  egress:
    api_keys:
      - $TEAM_A
      - {key: $TEAM_B, name: grouped, groups: [research]}
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
  - {model: openai/*, access_key: $OPENAI_API_KEY}
  - {model: anthropic/claude, access_key: $ANTHROPIC_API_KEY}
model_aliases: {fast: {target: openai/gpt}}
pricing:
  openai/gpt: {input: 1000, output: 10000}
  anthropic/claude: {input: 1000, output: 10000}
`;

export const KEY = `gwk_${"k".repeat(43)}`;

export function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** A push of rows by the keys themselves. */
export function keysPush(rows: Record<string, Partial<KeyRow> | null>): KeysPush {
  return {
    keys: Object.fromEntries(
      Object.entries(rows).map(([key, row]) => [
        hashOf(key),
        row === null ? null : { id: `key_${key.slice(0, 8)}`, name: "anna-laptop", ...row },
      ]),
    ),
  };
}

/** Returns the header in which Envoy writes the payload of a token that it has verified. */
export function payloadHeader(claims: object): [string, string] {
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return [`${PAYLOAD_HEADER_BEGIN}0${PAYLOAD_HEADER_END}`, payload];
}

export interface Worker {
  host: FilterHost;
  clock: { now: number };
  shared: SharedData;
  /** Sends rows. Expects that they are accepted. */
  push(push: KeysPush): KeysResponse;
  /** Sends anything to a path. Returns the status of the response. */
  send(path: string, body: unknown): { status: number; text: string };
  /** Sends a request. */
  ask(key: string, options?: Ask): ExchangeResult;
  /** Sends a request. Returns its status, and the message of an error. */
  try(key: string, options?: Ask): string;
}

export interface Ask {
  model?: string;
  /** In place of `x-api-key`. */
  headers?: [string, string][];
  input?: Partial<ExchangeInput>;
}

/** Starts workers of one Envoy. */
export async function startWorkers(
  count: number,
  {
    text = CONFIGURATION,
    shared = new SharedData(),
    adapt = (model: GatewayModel): GatewayModel => model,
  } = {},
): Promise<Worker[]> {
  const result = loadConfiguration({ file: "gateway.yaml", text }, ENVIRONMENT);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const clock = { now: START };
  const module = await compileFilter(FILTER);
  const hosts = Array.from({ length: count }, () =>
    FilterHost.load(module, {
      filterConfig: filterConfig(adapt(result.model)),
      environment: ENVIRONMENT,
      sharedData: shared,
      now: () => clock.now,
    }),
  );
  return (await Promise.all(hosts)).map((host) => workerOf(host, clock, shared));
}

function workerOf(host: FilterHost, clock: { now: number }, shared: SharedData): Worker {
  const worker: Worker = {
    host,
    clock,
    shared,
    push(push) {
      const { status, text } = worker.send("/keys", push);
      expect({ status, text }).toMatchObject({ status: 200 });
      return JSON.parse(text) as KeysResponse;
    },
    send(path, body) {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      const { response, faults } = host.exchange({
        listener: "budgets",
        request: { method: "POST", path, headers: [], body: bytes },
      });
      expect(faults).toEqual([]);
      return { status: response.status, text: Buffer.from(response.body).toString() };
    },
    ask: (key, options) => ask(host, key, options),
    try(key, options) {
      const asked = ask(host, key, options);
      const { status } = asked.response;
      return status === 200 ? "200" : `${String(status)} ${messageOf(asked)}`;
    },
  };
  return worker;
}

function ask(host: FilterHost, key: string, options: Ask = {}): ExchangeResult {
  const { model = "openai/gpt", headers = [["x-api-key", key]], input } = options;
  const result = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["content-type", "application/json"], ...headers],
      body: Buffer.from(
        JSON.stringify({ model, max_tokens: 10, messages: [{ role: "user", content: "Hi" }] }),
      ),
    },
    upstream: (request) => responseTo(request.path, false),
    ...input,
  });
  expect(result.faults).toEqual([]);
  return result;
}
