// `npm run bench -- contention`: how often workers get in each other's way at the data that they share (buckets of rate limits, the
// table of budgets, rows of keys), with the release filter in the host.
//
// A worker that stores what another one has changed since it was read has to read and store again: a retry. Between two calls of the filter
// into Envoy, other workers go on: here each of them sends a whole request, at calls that a seed chooses, as many as it would send
// in the time of one request. A request's own time is counted in calls into Envoy, which are most of the filter's instructions; what
// Envoy does between them is left out, so that workers meet more often here than under full load.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { loadConfiguration } from "../control-plane/config/load.ts";
import { compileFilter, FilterHost } from "../control-plane/wasm-host/filter-host.ts";
import { SharedData } from "../control-plane/wasm-host/wasm-shared-data.ts";
import { table } from "../scripts/docs/markdown.ts";
import { random } from "../test/exchanges/random.ts";
import { budgetFingerprint } from "../model/budgets.ts";
import { filterConfig } from "../model/filter-document/write-document.ts";

const FILTER = join(import.meta.dirname, "../build/filter.wasm");
/** In the configuration, or of run time. */
const CLIENT_KEY = `gwk_${"k".repeat(43)}`;
const ENVIRONMENT = { OPENAI_API_KEY: "sk-openai", CLIENT_KEY };
const NOW = Date.UTC(2026, 10, 28);
const CREATED = "key of run time with a budget and a rate limit";
const KEY_BUDGET = "1111111111111111";
/** Of a request: 20 input and 10 output tokens at 1,000 and 10,000 USD per million. */
const COST = 120_000_000;
const HUGE = 1e15;
const WORKERS = [2, 4, 8];
/** Requests of a cell. */
const MEASURED = 300;
/** Calls into Envoy between which the workers of one count are stopped for others. */
const isCall = (name: string): boolean =>
  name.startsWith("proxy_") && !name.startsWith("proxy_on_");

const MODELS = `llm_providers: [{model: openai/gpt, access_key: $OPENAI_API_KEY}]
pricing: {openai/gpt: {input: 1000, output: 10000}}
`;
const CLIENT = `listeners:
  egress:
    api_keys: [{key: $CLIENT_KEY, name: team, budget: {amount: 1000000 USD, per: month}}]
`;

/** What every request of the simulation uses. */
export const SUBJECTS = {
  "one rate limit": `${MODELS}ratelimits:
  - {model: openai/gpt, limit: {requests: 100000000, unit: minute}}
`,
  "rate limits of requests and tokens": `${MODELS}ratelimits:
  - {model: openai/gpt, limit: {requests: 100000000, unit: minute}}
  - {model: openai/gpt, limit: {tokens: 100000000, unit: minute}}
`,
  "one budget": `${MODELS}budgets: [{amount: 1000000 USD, per: month}]\n`,
  "budgets of all, of the model, and of the key": `${MODELS}${CLIENT}budgets:
  - {amount: 1000000 USD, per: month}
  - {model: openai/gpt, amount: 1000000 USD, per: month}
`,
  [CREATED]: `${MODELS}keys: {}\n`,
} as const;
export type Subject = keyof typeof SUBJECTS;

export interface Contention {
  requests: number;
  /** Calls into Envoy that one request makes. */
  calls: number;
  /** Of all these requests. */
  retries: number;
  /** The most of one request. */
  most: number;
  /** Nano-dollars that the budgets have, and should have; absent without a budget. */
  charged?: { counted: number; right: number };
}

/** Counts what could not be stored. */
class CountedData extends SharedData {
  failures = 0;

  override set(key: string, bytes: Uint8Array, version: number): boolean {
    const isSet = super.set(key, bytes, version);
    if (!isSet) this.failures++;
    return isSet;
  }
}

/** Sends requests, each with one worker after the other, while the others send theirs. */
export async function contend(
  subject: Subject,
  workers: number,
  requests: number,
  seed = 1,
): Promise<Contention> {
  const loaded = loadConfiguration({ file: "bench.yaml", text: SUBJECTS[subject] }, ENVIRONMENT);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const shared = new CountedData();
  const chance = random(seed);
  const module = await compileFilter(FILTER);
  const all: FilterHost[] = [];
  let onCall: (name: string) => void = () => undefined;
  for (let at = 0; at < workers; at++) {
    const host = await FilterHost.load(module, {
      filterConfig: filterConfig(loaded.model),
      environment: ENVIRONMENT,
      sharedData: shared,
      now: () => NOW,
      onCall: (name) => {
        onCall(name);
      },
    });
    all.push(host);
  }
  const [first] = all;
  if (first === undefined) throw new Error("there is no worker");
  const budgets = setLimits(first, loaded.model.budgets?.map(budgetFingerprint) ?? [], subject);
  const calls = callsOf(first, (count) => (onCall = count));

  let sent = 0;
  let most = 0;
  let running: FilterHost | undefined;
  onCall = (name) => {
    const own = running;
    if (own === undefined || !isCall(name)) return;
    // What the others send here is over before this worker goes on: their retries are not seen, only this worker's.
    running = undefined;
    const before = shared.failures;
    for (const other of all)
      if (other !== own && chance.below(calls) === 0) {
        ask(other);
        sent++;
      }
    shared.failures = before;
    running = own;
  };
  const before = budgets();
  shared.failures = 0;
  for (let at = 0; at < requests; at++) {
    const failures = shared.failures;
    running = all[at % workers];
    if (running !== undefined) ask(running);
    running = undefined;
    sent++;
    most = Math.max(most, shared.failures - failures);
  }
  const contention: Contention = { requests, calls, retries: shared.failures, most };
  if (before === undefined) return contention;
  return { ...contention, charged: { counted: (budgets() ?? 0) - before, right: sent * COST } };
}

/** Returns a table in Markdown: retries of a request on average, and at most. */
export async function contentionTable(): Promise<string> {
  const rows: string[][] = [];
  for (const subject of Object.keys(SUBJECTS) as Subject[]) {
    const cells: string[] = [];
    let calls = 0;
    for (const workers of WORKERS) {
      const found = await contend(subject, workers, MEASURED);
      calls = found.calls;
      cells.push(`${(found.retries / found.requests).toFixed(2)} (${String(found.most)})`);
    }
    rows.push([subject, String(calls), ...cells]);
  }
  return table(["Used by all", "Calls", ...WORKERS.map((one) => `${String(one)} workers`)], rows);
}

/** Returns how many calls into Envoy a request makes. */
function callsOf(host: FilterHost, listen: (count: (name: string) => void) => void): number {
  let calls = 0;
  listen((name) => {
    if (isCall(name)) calls++;
  });
  ask(host);
  return calls;
}

/** Gives every budget a limit that is never reached. Returns a function for what all of them have charged. */
function setLimits(host: FilterHost, ids: string[], subject: Subject): () => number | undefined {
  const push = (path: string, body: object): Charged => {
    const { response } = host.exchange({
      listener: "budgets",
      request: { method: "POST", path, headers: [], body: Buffer.from(JSON.stringify(body)) },
    });
    const text = Buffer.from(response.body).toString();
    if (response.status !== 200) throw new Error(`${path}: ${text}`);
    return JSON.parse(text) as Charged;
  };
  const limited = (id: string) => ({ id, limit: HUGE, resets: 0 });
  if (subject === CREATED) {
    const hash = createHash("sha256").update(CLIENT_KEY).digest("hex");
    const row = {
      ...{ id: "key_1", name: "laptop", budgets: [{ id: KEY_BUDGET, label: "1 USD" }] },
      limits: [{ requests: 100_000_000, per: "minute" }],
    };
    push("/keys", { reset: 1, complete: 1, keys: { [hash]: row } });
    const ofKey = () => push("/budgets", { budgets: [], key_budgets: [limited(KEY_BUDGET)] });
    ofKey();
    return () => ofKey().key_budgets?.[0]?.charged;
  }
  if (ids.length === 0) return () => undefined;
  push("/budgets", { budgets: ids.map(limited) });
  return () => push("/budgets", { budgets: [] }).budgets[0]?.charged;
}

interface Charged {
  budgets: { charged: number }[];
  key_budgets?: { charged: number }[];
}

function ask(host: FilterHost): void {
  const body = { model: "openai/gpt", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };
  const { response, faults } = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [
        ["content-type", "application/json"],
        ["authorization", `Bearer ${CLIENT_KEY}`],
      ],
      body: Buffer.from(JSON.stringify(body)),
    },
    upstream: () => ({
      status: 200,
      headers: [["content-type", "application/json"]],
      chunks: [Buffer.from(RESPONSE)],
    }),
  });
  if (response.status !== 200 || faults.length > 0)
    throw new Error(
      `${String(response.status)}: ${Buffer.from(response.body).toString()} ${faults.join("; ")}`,
    );
}

const RESPONSE = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_764_000_000,
  model: "gpt",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
});
