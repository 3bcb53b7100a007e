// Ten thousand mixed requests from a fixed seed: what the metrics add up to is what the providers report, token by token, and so
// are the requests and the money. Of a stream that a client cuts, it is what the provider has reported before the last event
// that the client got: so much Envoy has read.
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GatewayModel } from "../../model/model.ts";
import { costOf, pricesOf } from "../../control-plane/usage/record-cost.ts";
import { RequestMetrics } from "../../control-plane/observability/request-metrics.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { usageLines } from "../gateway/usage-lines.ts";
import { PATHS } from "./ask.ts";
import type { DialectName } from "./ask.ts";
import { API_SECRET, configuration } from "./prompt/configuration.ts";
import { startApi, startModelServer } from "./prompt/fakes.ts";
import type { FakeApi, FakeModelServer } from "./prompt/fakes.ts";
import { CLOSED_PORT } from "../providers/scripts/failures-by-model.ts";
import { MARKER, randomFrom, startLedgerProvider } from "../providers/scripts/ledger.ts";
import type { Booking, LedgerProvider, Word } from "../providers/scripts/ledger.ts";

const REQUESTS = Number(process.env["LEDGER_REQUESTS"] ?? 10_000);
const SEED = 16;
const AT_ONCE = 24;
/** Requests a day of the model with a limit. */
const LIMIT = 100;

/** By name of a client's `model`. */
const TARGETS = {
  chat: "openai/chat-model",
  messages: "anthropic/claude-test",
  responses: "responses-only/gpt-5.1",
  gemini: "gemini/gemini-3-flash",
  converse: "bedrock/amazon.nova-pro-v1:0",
  vertex: "vertex/claude-sonnet-4-6@20260101",
  bedrock: "bedrock/eu.anthropic.claude-sonnet-4-6-v1:0",
};
const MODELS = Object.keys(TARGETS);
const CLIENTS: DialectName[] = ["chat", "messages", "responses"];

let gateway: Gateway;
let provider: LedgerProvider;
let modelServer: FakeModelServer;
let api: FakeApi;
let model: GatewayModel;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  provider = await startLedgerProvider(SEED);
  [modelServer, api] = await Promise.all([startModelServer(), startApi()]);
  const url = `http://127.0.0.1:${String(provider.port)}`;
  const openai = `access_key: $KEY, base_url: "${url}/v1"`;
  const bedrock = `access_key: $KEY, region: eu-central-1, base_url: "${url}"`;
  gateway = await startGateway({
    config: `version: v0.1.0
observability: {}
llm_providers:
  - { name: chat, model: ${TARGETS.chat}, ${openai} }
  - { name: limited, model: openai/limited-model, ${openai} }
  - { model: openai/failing-model, ${openai} }
  - { name: messages, model: ${TARGETS.messages}, access_key: $KEY, base_url: "${url}" }
  - { name: responses, model: ${TARGETS.responses}, provider_interface: openai_responses, ${openai} }
  - { name: gemini, model: ${TARGETS.gemini}, access_key: $KEY, base_url: "${url}" }
  - { name: converse, model: "${TARGETS.converse}", ${bedrock} }
  - { name: vertex, model: "${TARGETS.vertex}", access_key: $KEY, project: my-project, location: eu, base_url: "${url}" }
  - { name: bedrock, model: "${TARGETS.bedrock}", ${bedrock} }
model_aliases:
${MODELS.map((name) => `  safe-${name}: { target: openai/failing-model, fallbacks: ["${TARGETS[name as keyof typeof TARGETS]}"] }`).join("\n")}
ratelimits:
  - { model: limited, limit: { requests: ${String(LIMIT)}, unit: day } }
pricing:
${Object.values(TARGETS)
  .map(
    (target, at) =>
      `  "${target}": { input: ${String(at + 1)}.25, output: ${String(at + 3)}, cache_read: 0.${String(at + 1)} }`,
  )
  .join("\n")}
  openai/limited-model: { input: 1, output: 2 }
${configuration({ api: api.port, mute: CLOSED_PORT })}`,
    environment: { KEY: "a-key-of-a-provider", API_SECRET },
    modelServerSocketPath: modelServer.socketPath,
    adapt(read) {
      model = read;
    },
  });
});
afterAll(async () => {
  agent.destroy();
  await gateway.stop();
  await Promise.all([provider.stop(), modelServer.stop(), api.stop()]);
});

interface Wanted {
  client: DialectName | "embeddings";
  model: string;
  stream: boolean;
  word: Word;
  listener: "egress" | "ingress";
  /** Whether a prompt target's API is called. */
  hasTarget: boolean;
}

/** Returns the request of a number: all pairs of a client and a model; the rest is random. */
function wanted(number: number): Wanted {
  const random = randomFrom(SEED * 1_000_003 + number);
  const client = CLIENTS[number % 3] ?? "chat";
  const name = MODELS[Math.floor(number / 3) % MODELS.length] ?? "chat";
  // The other listener has no Messages API.
  const listener = random(10) === 0 && client !== "messages" ? "ingress" : "egress";
  const hasTarget = listener === "ingress" && random(2) === 0;
  const stream = random(2) === 0;
  const plain: Wanted = { client, model: name, stream, word: "answer", listener, hasTarget };
  const kind = random(20);
  if (kind < 3) return { ...plain, stream: true, word: "cut" };
  if (kind < 5) return { ...plain, model: `safe-${name}`, word: "fail" };
  if (kind === 5) return { ...plain, stream: true, word: "broken" };
  if (kind === 6) return { ...plain, word: "refuse" };
  if (kind === 7) return { ...plain, model: "limited" };
  if (kind === 8) return { ...plain, model: "no-such-model" };
  if (kind === 9)
    return {
      ...plain,
      client: "embeddings",
      model: "chat",
      stream: false,
      listener: "egress",
      hasTarget: false,
    };
  return plain;
}

/** Sends a request; one that is cut hangs up at the first token. Returns the status. */
function send(number: number): Promise<number> {
  const { client, model: name, stream, word, listener, hasTarget } = wanted(number);
  const text = `${hasTarget ? "@plain " : ""}plan ${String(number)} ${word}`;
  const isOfInput = client === "responses" || client === "embeddings";
  const body = JSON.stringify({
    model: name,
    ...(isOfInput ? { input: text } : { messages: [{ role: "user", content: text }] }),
    ...(client === "messages" ? { max_tokens: 100 } : {}),
    ...(stream ? { stream } : {}),
  });
  const path = client === "embeddings" ? "/v1/embeddings" : PATHS[client];
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        port: gateway.ports[listener],
        path,
        agent,
        method: "POST",
      },
      (incoming) => {
        let seen = "";
        const status = incoming.statusCode ?? 0;
        incoming.on("data", (bytes: Buffer) => {
          if (word !== "cut") return;
          seen += bytes.toString();
          if (seen.includes(MARKER)) incoming.destroy();
        });
        // Of a stream that is broken off, too.
        incoming.on("error", () => undefined);
        incoming.on("close", () => {
          resolve(status);
        });
      },
    );
    outgoing.setHeader("content-type", "application/json");
    if (client === "messages") outgoing.setHeader("anthropic-version", "2023-06-01");
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Returns how often each status came. */
async function sendAll(): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const numbers = Array.from({ length: REQUESTS }, (_, number) => number).values();
  const worker = async () => {
    for (const number of numbers) {
      const status = await send(number);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return statuses;
}

const COUNTERS = {
  input: "input_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_write_input_tokens",
  output: "output_tokens",
  reasoning: "reasoning_output_tokens",
} as const;
type Kind = keyof typeof COUNTERS;
const KINDS = Object.keys(COUNTERS) as Kind[];

it("the sums of the records are those of the providers", async () => {
  const statuses = await sendAll();
  const limited = statuses.get(429) ?? 0;
  await expect.poll(() => usageLines(gateway).length).toBe(REQUESTS);
  const lines = usageLines(gateway);

  const metrics = new RequestMetrics(() => model);
  const money = lines.reduce((sum, line) => sum + (metrics.observe(line) ?? 0), 0);
  const page = metrics.families.render();
  const count = (name: string, label = "") => total(page, name, label);

  const prices = pricesOf(model);
  let expectedMoney = 0;
  for (const target of [...Object.values(TARGETS), "openai/limited-model"]) {
    const name = target.slice(target.indexOf("/") + 1);
    const own = provider.bookings.filter((one) => one.model === name);
    const label = `gen_ai_request_model="${name}"`;
    const counted = sumOf((kind) =>
      count(`gen_ai_client_inference_usage_${COUNTERS[kind]}_total`, label),
    );
    expect(counted, target).toEqual(sumOf((kind) => own.reduce((sum, one) => sum + one[kind], 0)));
    expect(counted.output, target).toBeGreaterThan(0);
    const price = prices.get(target);
    if (price === undefined) throw new Error(`no price of ${target}`);
    for (const one of own) expectedMoney += costOf(recordOf(one), price);
  }
  expect(money).toBe(expectedMoney);

  expect(count("gateway_requests_total")).toBe(REQUESTS);
  for (const [status, number] of statuses)
    expect(count("gateway_requests_total", `status="${String(status)}"`), String(status)).toBe(
      number,
    );
  expect(count("gateway_rate_limited_total")).toBe(limited);
  const asked = Array.from({ length: REQUESTS }, (_, number) => wanted(number));
  expect(count("gateway_fallbacks_total")).toBe(asked.filter(({ word }) => word === "fail").length);
  const called = asked.filter((one) => one.hasTarget && one.model !== "no-such-model").length;
  expect(count("gateway_prompt_target_total")).toBe(called);
  const failed = lines.flatMap(({ record }) => record?.attempts ?? []);
  expect(failed.length).toBe(asked.filter(({ word }) => word === "fail").length);
  for (const { target, status } of failed)
    expect({ target, status }).toEqual({ target: "openai/failing-model", status: 503 });
  const cut = asked.filter(({ word }) => word === "cut").length;
  expect(lines.filter(({ flags }) => flags.includes("DC")).length).toBe(cut);
});

function sumOf(of: (kind: Kind) => number): Record<Kind, number> {
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Record<Kind, number>;
}

function recordOf({ input, output, cacheRead, cacheWrite }: Booking) {
  return { id: "", listener: "", input, output, cache_read: cacheRead, cache_write: cacheWrite };
}

/** Returns the sum of a metric's series, of those with a label. */
function total(page: string, name: string, label: string): number {
  const series = page
    .split("\n")
    .filter((one) => one.startsWith(`${name}{`) && one.includes(label));
  return series.reduce((sum, one) => sum + Number(one.slice(one.lastIndexOf(" ") + 1)), 0);
}
