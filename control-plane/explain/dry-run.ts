// Runs a client's request through the release filter under one configuration; no attempt gets a response, so that every
// attempt which the configuration allows is made.
import { recordedSessions } from "../../model/filter-document/document-sessions.ts";
import { clusters } from "../../envoy/clusters.ts";
import type { RuntimeEnvironment } from "../../envoy/runtime-environment.ts";
import { hasUsageRecords } from "../../model/filter-document/document-budgets.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { keyVariables } from "../../model/client-keys.ts";
import type { GatewayModel, Listener, RateLimit } from "../../model/model.ts";
import type { Prompt } from "../../model/prompts.ts";
import type { ExchangeResult } from "../wasm-host/wasm-exchange.ts";
import { compileFilter, FilterHost } from "../wasm-host/filter-host.ts";
import { type RemovedHeaders, removedHeaders } from "../wasm-host/removed-headers.ts";
import { FAILURES } from "../wasm-host/upstream.ts";
import type { ClientRequest } from "./client-request.ts";
import type { PromptCalls } from "./prompt-calls.ts";

export interface DryRunOptions {
  model: GatewayModel;
  /** The values of the keys of clients are read from it, and no others. */
  environment: Readonly<Record<string, string | undefined>>;
  filterFile: string;
}

export interface RunOptions {
  listener: Listener["name"];
  maxAttempts: number;
  /** Responds to the callouts of a prompt. */
  calls: PromptCalls | undefined;
}

/** Nothing of it is read: the clusters are rendered for the headers that they remove. */
const NOWHERE: RuntimeEnvironment = {
  filterPath: "/filter.wasm",
  logDirectory: "/logs",
  adminSocketPath: "/admin",
  caFile: "/ca.pem",
};

export class DryRun {
  readonly #model: GatewayModel;
  /** Returns the host of one run. */
  readonly #host: () => Promise<FilterHost>;
  readonly #removed: RemovedHeaders;

  private constructor(model: GatewayModel, host: () => Promise<FilterHost>) {
    this.#model = model;
    this.#host = host;
    this.#removed = removedHeaders(clusters(model, NOWHERE));
  }

  static async open(options: DryRunOptions): Promise<DryRun> {
    const model = unlimited(options.model);
    const module = await compileFilter(options.filterFile);
    const load = () =>
      FilterHost.load(module, {
        filterConfig: {
          ...filterConfig(model),
          usage_records: hasUsageRecords(options.model) ? true : "requests",
          sessions: recordedSessions(model),
        },
        environment: filterEnvironment({ ...options, model }),
        logLevel: "error",
        // Weights draw the same target in every run.
        random: (size) => new Uint8Array(size),
      });
    const shared = await load();
    // Keys take turns from one request to the next, so each run begins with the first one.
    return new DryRun(model, hasTurns(model) ? load : () => Promise.resolve(shared));
  }

  async run(
    { method, path, headers, body }: ClientRequest,
    { listener, maxAttempts, calls }: RunOptions,
  ): Promise<ExchangeResult> {
    const length = body.length === 0 ? [] : [["content-length", String(body.length)] as const];
    const host = await this.#host();
    const result = await host.exchangeAsync({
      listener,
      request: { method, path, headers: [...headers, ...length], body },
      upstream: () => FAILURES.connectionRefused,
      removed: this.#removed,
      maxAttempts,
      calls: async (call) => calls?.respond(call),
      requestBodyLimit: this.#model.limits.requestBodyBytes,
    });
    if (result.trap !== undefined) throw new Error(`The filter failed: ${result.trap}`);
    return result;
  }
}

function hasTurns({ targets }: GatewayModel): boolean {
  return targets.some(({ auth }) => auth.otherVariables !== undefined);
}

/** `$NAME` for each secret. The keys of clients are compared, so they have their values. */
function filterEnvironment({ model, environment }: DryRunOptions): Record<string, string> {
  const keys = new Set(keyVariables([model.ingress, model.egress]));
  return Object.fromEntries(
    model.filterEnvironment.map((name) => [
      name,
      keys.has(name) ? (environment[name] ?? `$${name}`) : `$${name}`,
    ]),
  );
}

/**
 * Returns the model without what depends on earlier requests: budgets and limits of requests. A limit of tokens, of which none are
 * used, has a stream asked for its usage.
 */
function unlimited(given: GatewayModel): GatewayModel {
  const { budgets: _budgets, rateLimitService: _service, rateLimits, prompt, ...model } = given;
  return {
    ...model,
    ...(rateLimits === undefined ? {} : { rateLimits: rateLimits.filter(countsTokens) }),
    ...(prompt === undefined ? {} : { prompt: withoutLimits(prompt) }),
  };
}

const countsTokens = ({ counts }: RateLimit): boolean => counts === "tokens";

function withoutLimits({ rateLimits: _limits, ...prompt }: Prompt): Prompt {
  return prompt;
}
