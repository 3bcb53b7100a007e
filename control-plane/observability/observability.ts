// Metrics, history and live page, from usage records, and the listener that serves them. It is
// beside the path of requests: whatever happens here, no request waits.
import type { Hono } from "hono";
import { join } from "node:path";
import type {
  GatewayModel,
  MetricsExport,
  Observability as ObservabilitySettings,
  SignIn,
} from "../../model/model.ts";
import { urlOf } from "../../model/listener-url.ts";
import { accessLogFile, CONTENT_LOG } from "../../model/names.ts";
import type { AuditWriter } from "../audit/audit-log.ts";
import { startAdminServer } from "./admin-server.ts";
import type { AdminServer } from "./admin-server.ts";
import { countEjected, showBudgets, stateGauges } from "./envoy-stats.ts";
import type { BudgetGauge, StateGauges } from "./envoy-stats.ts";
import { DEFAULT_RETENTION, History } from "./history/history.ts";
import { SessionHistory } from "./history/session-history.ts";
import { observer } from "./history/observed-request.ts";
import type { Observe } from "./history/observed-request.ts";
import { Live } from "./live/live.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { Counters } from "./counters.ts";
import type { Counter, Families } from "./metric-families.ts";
import type { Usage } from "../usage/usage-follower.ts";
import { encodeMetrics } from "./otlp/encode.ts";
import { exportFailures, startMetricsExporter } from "./otlp/exporter.ts";
import type { MetricsExporter } from "./otlp/exporter.ts";
import { Gate } from "./sign-in/gate.ts";
import type { GateOptions } from "./sign-in/gate.ts";
import { EndedSessions } from "./sign-in/page-session.ts";
import { headersOf, resourceOf } from "./otlp/settings.ts";

export interface ObservedGateway {
  model: GatewayModel;
  /** Directory of the access logs. */
  logDirectory: string;
  environment: Readonly<Record<string, string | undefined>>;
}

export interface ObservabilityOptions {
  /** The state directory. */
  directory: string;
  /** Fills the metrics and the history, as soon as it follows a log. */
  usage: Usage;
  versions: { gateway: string; envoy: string };
  /** Returns Envoy's metrics page, of all names or those that contain the filter; rejects if Envoy does not respond. */
  envoyStats: (filter?: string) => Promise<string>;
  /** Returns what was spent on each budget; absent: there are none. */
  budgets?: () => BudgetGauge[];
  /** The same of keys, groups and users at run time. */
  keyBudgets?: () => BudgetGauge[];
  /** Returns the routes of the admin API, which the listener serves if it has a token; absent: there is none. */
  adminApi?: () => Promise<Hono | undefined>;
  report: (line: string, level?: "warning") => void;
  /** Records denials; undefined: nowhere. */
  audit?: AuditWriter;
  /** Returns the process that listens on a port, as far as it can be found out. */
  ownerOfPort?: (port: number) => string | undefined;
  /** Returns the sessions that were ended before their time. */
  ended?: () => EndedSessions | undefined;
  /** Called when `problem` has changed. */
  onProblem?: () => void;
  /** Pause before a port that is in use is tried again. */
  retryMs?: number;
  /** Milliseconds since 1970; the machine's clock if not set. */
  now?: () => number;
}

interface Reading {
  counters: Counters;
  history: History;
  sessions: SessionHistory;
  live: Live;
  observe: Observe;
  model: () => GatewayModel;
  families: Families;
  failures: Counter;
  gauges: StateGauges;
}

const RETRY_MS = 2_000;

/** The reader and the listener of the active configuration; neither exists without `observability`. */
export class Observability {
  readonly #options: ObservabilityOptions;
  #gateway: ObservedGateway | undefined;
  /** Of a gateway that keeps none over a restart. Kept over reloads, which may make the gate again. */
  readonly #ended = new EndedSessions();
  #reading: Reading | undefined;
  #serving: { plan: string; server: AdminServer } | undefined;
  #exporting: { plan: string; exporter: MetricsExporter } | undefined;
  #queue: Promise<void> = Promise.resolve();
  #problem: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ObservabilityOptions) {
    this.#options = options;
  }

  /** The port of the metrics; undefined if they are not served. */
  get port(): number | undefined {
    return this.#serving?.server.port;
  }

  /** Why the live page and the metrics are not served, as a sentence; undefined if they are, or are not configured. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Activates a configuration: the counts go on, and the listener is replaced only if its settings have changed. */
  use(gateway: ObservedGateway): Promise<void> {
    return this.#enqueue(() => this.#use(gateway));
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#enqueue(() => this.#end());
  }

  /** One change at a time. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #use(gateway: ObservedGateway): Promise<void> {
    this.#gateway = gateway;
    const settings = gateway.model.observability;
    if (settings === undefined) {
      await this.#end();
      return;
    }
    this.#reading ??= this.#read(gateway);
    await this.#serve(settings.metrics, gateway);
    await this.#export(settings.otlp, gateway, this.#reading);
  }

  async #end(): Promise<void> {
    const serving = this.#serving;
    this.#serving = undefined;
    clearTimeout(this.#retry);
    this.#setProblem(undefined);
    await this.#stopExports();
    await Promise.all([this.#stopReading(), serving?.server.close()]);
  }

  async #stopReading(): Promise<void> {
    const reading = this.#reading;
    this.#reading = undefined;
    reading?.live.close();
    if (reading === undefined) return;
    for (const view of [reading.counters, reading.history, reading.sessions])
      await this.#options.usage.detach(view);
  }

  #read(first: ObservedGateway): Reading {
    const { usage, versions, envoyStats, budgets, now = Date.now } = this.#options;
    const model = () => (this.#gateway ?? first).model;
    const metrics = new RequestMetrics(model);
    const observe = observer(model);
    const retention = () => model().observability?.retention ?? DEFAULT_RETENTION;
    const history = new History({ usage, observe, now, retention });
    const sessions = new SessionHistory({ usage, observe, now, retention });
    const live = new Live({ model, observe, history, envoyStats, budgets, now });
    const gauges = stateGauges(metrics.families);
    const failures = exportFailures(metrics.families);
    gauges.build.set([versions.gateway, versions.envoy], 1);
    const counters = new Counters(metrics.families, (line) => void metrics.observe(line));
    for (const view of [counters, history, sessions]) usage.attach(view);
    return {
      model,
      counters,
      history,
      sessions,
      live,
      observe,
      families: metrics.families,
      failures,
      gauges,
    };
  }

  async #serve(
    { address, port, tokenVariable, signIn }: ObservabilitySettings["metrics"],
    { environment }: ObservedGateway,
  ): Promise<void> {
    const token = tokenVariable === undefined ? undefined : environment[tokenVariable];
    const secrets = [signIn?.secretVariable, signIn?.sessionVariable].map(
      (variable) => (variable === undefined ? undefined : environment[variable]) ?? "",
    );
    const plan = JSON.stringify([address, port, token, signIn, secrets]);
    if (this.#serving?.plan === plan) return;
    clearTimeout(this.#retry);
    await this.#serving?.server.close();
    this.#serving = undefined;
    const { report, audit } = this.#options;
    try {
      const server = await startAdminServer({
        address,
        port,
        token,
        gate:
          signIn &&
          newGate(signIn, secrets, {
            ...{ audit, ended: this.#options.ended?.() ?? this.#ended },
            knownGroups: () => this.#gateway?.model.groups?.map(({ name }) => name) ?? [],
          }),
        audit,
        metrics: () => this.#metrics(),
        api: await this.#options.adminApi?.(),
        page: {
          model: () => this.#gateway?.model,
          budgets: this.#options.budgets ?? (() => []),
          keyBudgets: this.#options.keyBudgets,
          parts: () => this.#reading,
          contentLog: () => this.#contentLog(),
          now: this.#options.now ?? Date.now,
        },
      });
      this.#serving = { plan, server };
      this.#setProblem(undefined);
      report(`Serving the live page and metrics on ${urlOf({ address, port: server.port })}`);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      this.#setProblem(this.#describe(urlOf({ address, port }), port, code));
      const { retryMs = RETRY_MS } = this.#options;
      this.#retry = setTimeout(() => {
        if (!this.#isClosed && this.#gateway !== undefined) void this.use(this.#gateway);
      }, retryMs).unref();
    }
  }

  #describe(where: string, port: number, code: string): string {
    const { ownerOfPort } = this.#options;
    if (code !== "EADDRINUSE")
      return `The live page and metrics cannot be served on ${where} (${code}).`;
    const owner = ownerOfPort?.(port) ?? "another process";
    return `The live page and metrics are not served: ${where} is used by ${owner}.`;
  }

  /** A problem is reported once. */
  #setProblem(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    if (problem !== undefined) {
      const { report } = this.#options;
      report(
        `${problem} The gateway tries again until it can; requests are not affected.`,
        "warning",
      );
    }
    this.#options.onProblem?.();
  }

  #contentLog(): string | undefined {
    if (this.#gateway?.model.observability?.content === undefined) return undefined;
    return join(this.#gateway.logDirectory, accessLogFile(CONTENT_LOG));
  }

  /** Starts the exports of metrics; they are replaced only if their settings have changed. */
  async #export(
    settings: MetricsExport | undefined,
    { environment, model: { tracing } }: ObservedGateway,
    { families, failures, counters: { since } }: Reading,
  ): Promise<void> {
    const { versions, directory, report } = this.#options;
    const resource = resourceOf(tracing, versions.gateway, directory);
    const headers = settings === undefined ? {} : headersOf(settings.headers, environment);
    const plan = JSON.stringify([settings, headers, resource, since]);
    if (this.#exporting?.plan === plan) return;
    await this.#stopExports();
    if (settings === undefined) return;
    const { url, intervalMs } = settings;
    const context = { resource, version: versions.gateway, since };
    const request = async () => {
      await this.#refresh();
      return encodeMetrics(families, { ...context, now: Date.now() });
    };
    const exporter = startMetricsExporter({ url, headers, intervalMs, request, failures, report });
    this.#exporting = { plan, exporter };
  }

  async #stopExports(): Promise<void> {
    const exporting = this.#exporting;
    this.#exporting = undefined;
    await exporting?.exporter.stop();
  }

  async #metrics(): Promise<string> {
    const stats = await this.#refresh();
    return (this.#reading?.families.render() ?? "") + (stats ?? "");
  }

  /** Sets the gauges. Returns Envoy's page; undefined if Envoy does not respond. */
  async #refresh(): Promise<string | undefined> {
    const [reading, gateway] = [this.#reading, this.#gateway];
    if (reading === undefined || gateway === undefined) return undefined;
    const stats = await this.#options.envoyStats().catch(() => undefined);
    showBudgets(this.#options.budgets?.() ?? [], reading.gauges);
    const { up, ejected } = reading.gauges;
    up.set([], stats === undefined ? 0 : 1);
    if (stats !== undefined) countEjected(stats, gateway.model, ejected);
    return stats;
  }
}

/** @param secrets the client's, and those of sessions with a comma between them */
function newGate(
  settings: SignIn,
  [clientSecret = "", sessionSecrets = ""]: readonly string[],
  more: Pick<GateOptions, "audit" | "ended" | "knownGroups">,
): Gate {
  const secrets = sessionSecrets.split(",").map((secret) => secret.trim());
  return new Gate({ settings, clientSecret, secrets, ...more });
}
