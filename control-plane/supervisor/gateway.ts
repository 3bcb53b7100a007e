// The running gateway: one configuration with the Envoy and the services that serve it, and the switch to the next one.
import { join } from "node:path";
import { type TokenReport, Tokens } from "../credentials/tokens.ts";
import { changesBetween } from "../../model/model-changes.ts";
import { type Configuration, readConfiguration } from "./configuration-file.ts";
import { ENVOY_VERSION, requireEnvoy } from "./envoy-binary.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { GatewayModel, Listener } from "../../model/model.ts";
import { dryRun } from "./envoy-validation.ts";
import { startCertificates } from "./certificates.ts";
import {
  type EnvoyOptions,
  EnvoyPlanner,
  listenersOf,
  type RunningEnvoy,
  type UsedServices,
} from "./envoy-planner.ts";
import { prepareContentLog } from "./private-log.ts";
import { adoptSharedLogs, LogDirectories } from "./log-directory.ts";
import type { Report } from "./own-log.ts";
import { AllParts } from "./part.ts";
import { checkPorts } from "./ports.ts";
import { ProcessProxy } from "./process-proxy.ts";
import { Publication } from "./publication.ts";
import { failure, needsRestart, type ReloadResult, restartReasons } from "./reload.ts";
import { createSpending, type Spending } from "./spending.ts";
import { createAlertSender } from "./alerts.ts";
import { createKeyStore, type KeyStore } from "./key-store.ts";
import { createIssuerStore, type IssuerStore } from "./issuer-store.ts";
import {
  AGENT_SESSIONS,
  createSessionEnds,
  PAGE_SESSIONS,
  type SessionEnds,
} from "./ended-sessions.ts";
import { createServices, type PreparedServices, type Services } from "./services.ts";
import { runDirectory, secretsDirectory, tokensDirectory, writePrivately } from "./state.ts";
import type { BudgetGauge } from "../observability/envoy-stats.ts";
import type { Usage } from "../usage/usage-follower.ts";
import { type EnvoyPlan, supervise, type Supervisor, type SupervisorEvents } from "./supervise.ts";

export type GatewayOptions = EnvoyOptions;

export interface Gateway {
  /** Returns the active configuration. */
  current: () => Configuration;
  /** Returns why prompts or requests with a budget cannot be served now, as reported by /readyz; undefined if nothing is missing. */
  missing: () => string | undefined;
  /** Returns what was spent on each budget; empty without budgets. */
  budgets: () => BudgetGauge[];
  /** The same of keys, groups and users at run time. */
  keyBudgets: () => BudgetGauge[];
  /** Returns what follows the usage log; undefined as long as no configuration needed it. */
  usage: () => Usage | undefined;
  /** Counts what was charged while no record could be written. Called when they are written again. */
  addLost: () => void;
  /** The keys that are created while the gateway runs, and their admin API. */
  keys: KeyStore;
  /** The logins that people have ended. */
  sessionEnds: SessionEnds;
  /** The sessions of the page that people have ended. */
  pageEnds: SessionEnds;
  /** Returns what is known of the access tokens; never a token. */
  tokens: () => TokenReport[];
  /** Returns the directory of the access logs. */
  logDirectory: () => string;
  supervisor: Supervisor;
  /**
   * Reloads the configuration file; in-flight requests and streams are not affected. If it is invalid, or requires a
   * restart of Envoy without the option `restart`, the previous configuration stays active.
   */
  reload: (options: { restart: boolean }) => Promise<ReloadResult>;
  /** Stops the services beside Envoy, which has already exited. */
  close: () => Promise<void>;
}

export interface GatewayEvents extends Omit<SupervisorEvents, "onStart" | "onDrained"> {
  /** Called when the active configuration changes, or the reason why prompts cannot be served. */
  onChange: () => void;
}

/** Time for a request to arrive completely: its cluster is looked up only then. */
const REQUEST_MS = 120_000;
const MARGIN_MS = 5_000;
const PUBLISH_RETRY_MS = 1_000;
/** Of key sets, because each attempt starts an Envoy that checks the configuration. */
const MAX_RETRY_MS = 60_000;

/**
 * Starts the gateway. Rejects if it cannot become ready; then no process is left.
 * @param directory the state directory, already locked by `takeState`
 */
export async function startGateway(
  first: Configuration,
  directory: string,
  options: GatewayOptions,
  events: GatewayEvents,
): Promise<Gateway> {
  const planner = new EnvoyPlanner(requireEnvoy(first.environment), directory, options);
  const readiness = new Publication({ firstMs: PUBLISH_RETRY_MS, maxMs: PUBLISH_RETRY_MS });
  const keySets = new Publication({ firstMs: PUBLISH_RETRY_MS, maxMs: MAX_RETRY_MS });
  const onReadiness = () => {
    events.onChange();
    readiness.request();
  };
  const services = createServices(directory, events.report, onReadiness);
  const certificates = new Certificates(directory, events.report);
  const spending = createSpending(directory, events.report, onReadiness);
  const keys = createKeyStore(
    directory,
    events.report,
    onReadiness,
    spending.addImported,
    spending.useRuntime,
    () => agentEnds,
  );
  const sessionEnds = createSessionEnds(directory, events.report, onReadiness);
  const pageEnds = createSessionEnds(directory, events.report, onReadiness, PAGE_SESSIONS);
  const agentEnds = createSessionEnds(directory, events.report, onReadiness, AGENT_SESSIONS);
  const alerts = createAlertSender(
    directory,
    {
      all: () => [...spending.gauges(), ...spending.keyGauges()],
      changed: () => [...spending.gauges(), ...spending.changedKeyGauges()],
      has: spending.hasBudget,
    },
    events.report,
  );
  const issuers = createIssuerStore(directory, events.report, () => {
    events.onChange();
    keySets.request();
  });
  const tokens = new Tokens(tokensDirectory(directory), {
    report: events.report,
    writeFile: writePrivately,
    onChange: events.onChange,
  });
  const logs = new LogDirectories();
  const proxy = new ProcessProxy();
  const parts: Parts = {
    ...{ directory, planner, logs, services, certificates, proxy, tokens, spending, events },
    issuers,
    all: new AllParts([
      ...[logs, services, spending, keys, sessionEnds, pageEnds, agentEnds, alerts, tokens],
      ...[issuers, proxy, certificates],
    ]),
  };
  const started = await startFirst(first, parts).catch(async (error: unknown) => {
    await parts.all.close();
    throw error;
  });
  const gateway = new RunningGateway(parts, started.supervisor, started.envoy);
  readiness.start(() => gateway.publishReadiness());
  keySets.start(() => gateway.publishKeySets());
  return {
    supervisor: started.supervisor,
    current: () => gateway.envoy.configuration,
    missing: () => parts.all.missing(),
    keys,
    sessionEnds,
    pageEnds,
    budgets: spending.gauges,
    keyBudgets: spending.keyGauges,
    usage: spending.usage,
    addLost: spending.addLost,
    tokens: () => tokens.reports(),
    logDirectory: () => gateway.envoy.runtime.logDirectory,
    reload: ({ restart }) => gateway.reload(restart),
    close() {
      readiness.stop();
      keySets.stop();
      return gateway.close();
    },
  };
}

/** What a gateway consists of beside its Envoy. */
interface Parts {
  directory: string;
  planner: EnvoyPlanner;
  logs: LogDirectories;
  services: Services;
  certificates: Certificates;
  proxy: ProcessProxy;
  tokens: Tokens;
  spending: Spending;
  issuers: IssuerStore;
  events: GatewayEvents;
  all: AllParts;
}

/** Starts the services and Envoy with the first configuration. */
async function startFirst(
  configuration: Configuration,
  parts: Parts,
): Promise<{ envoy: RunningEnvoy; supervisor: Supervisor }> {
  const { planner, logs, services, certificates, proxy, tokens, spending, issuers } = parts;
  const { all, events } = parts;
  proxy.set(configuration);
  const first = await issuers.resolve(configuration);
  await checkPorts(listenersOf(first.model), first.environment);
  logs.lock(planner.logDirectory(first), first.environment);
  adoptSharedLogs(first, planner.logDirectory(first), events.report);
  prepareContentLog(first.model, planner.logDirectory(first));
  planner.copyFilter();
  const prepared = await services.prepare(first, true);
  prepared.commit();
  certificates.write(first);
  await tokens.prepare(first);
  await all.use(first, planner.logDirectory(first));
  const envoy = planner.prepare(first, prepared);
  const ports = listenersOf(first.model).map(({ port }) => String(port));
  const supervisorEvents = {
    ...events,
    onStart: ({ budgetsSocket }: EnvoyPlan) => all.attach(budgetsSocket),
    onDrained: spending.settle,
  };
  events.report(`Starting Envoy ${ENVOY_VERSION} on ports ${ports.join(" and ")}`);
  return { envoy, supervisor: await supervise(envoy.plan, supervisorEvents) };
}

/** The certificates of the active configuration. */
class Certificates {
  readonly #directory: string;
  readonly #report: Report;
  #watch: ReturnType<typeof startCertificates> | undefined;

  constructor(directory: string, report: Report) {
    this.#directory = secretsDirectory(directory);
    this.#report = report;
  }

  /** Writes and watches the certificates of a configuration in place of the previous one. */
  write({ model }: Configuration): void {
    this.close();
    this.#watch = startCertificates(model, this.#directory, this.#report);
  }

  close(): void {
    this.#watch?.stop();
  }
}

/** That of the process at its start: later its proxy is that of the configuration (process-proxy.ts). */
const ownEnvironment = { ...process.env };

class RunningGateway {
  /** The Envoy that serves requests. */
  envoy: RunningEnvoy;
  readonly #supervisor: Supervisor;
  readonly #parts: Parts;
  /** Resolves after the changes that were requested until now. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts, supervisor: Supervisor, envoy: RunningEnvoy) {
    this.#parts = parts;
    this.#supervisor = supervisor;
    this.envoy = envoy;
  }

  reload(mayRestart: boolean): Promise<ReloadResult> {
    return this.#enqueue(async () => {
      try {
        const fresh = readConfiguration(this.envoy.configuration.file, ownEnvironment);
        const result = await this.#switchTo(fresh, mayRestart);
        this.#parts.events.onChange();
        return result;
      } catch (error) {
        return failure(error);
      }
    });
  }

  /** Updates /readyz. Rejects if Envoy does not accept the update now, because it crashed too. */
  publishReadiness(): Promise<void> {
    return this.#enqueue(async () => {
      if (!this.#isReadinessStale()) return;
      const { planner } = this.#parts;
      const { configuration, runtime, files, plan } = this.envoy;
      const next = planner.runtimeOf(configuration, { ...runtime, ...this.#readiness() }, plan);
      const rendered = files.render(configuration.model, next);
      const reason = await files.discovery.apply(rendered.files, 0, this.#supervisor);
      if (reason !== undefined) throw new Error(reason);
      this.envoy = { ...this.envoy, runtime: next };
    });
  }

  /** Applies what the discovery documents of issuers have now. Rejects if Envoy does not accept it now. */
  publishKeySets(): Promise<void> {
    return this.#enqueue(async () => {
      const { planner, issuers, events } = this.#parts;
      const fresh = issuers.placed(this.envoy.configuration);
      if (fresh === this.envoy.configuration) return;
      const inputs = planner.restartInputs(this.envoy);
      const reasons = restartReasons(inputs, planner.restartInputsAfter(fresh, this.envoy));
      if (reasons.length > 0) events.report(needsRestart(reasons), "warning");
      else await this.#apply(fresh, { ...this.envoy.runtime, ...this.#readiness() });
    }).catch((error: unknown) => {
      this.#parts.events.report((error as Error).message, "warning");
      throw error;
    });
  }

  /** Whether /readyz does not report what is missing now. */
  #isReadinessStale(): boolean {
    const { notReady, note } = this.envoy.runtime;
    const now = this.#readiness();
    return now.missing !== notReady || now.note !== note;
  }

  #readiness(): { missing: string | undefined; note: string | undefined } {
    const { all } = this.#parts;
    return { missing: all.missing(), note: all.note() };
  }

  async close(): Promise<void> {
    this.envoy.files.discovery.close();
    await this.#parts.all.close();
  }

  /** Applies one change at a time. */
  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #switchTo(read: Configuration, mayRestart: boolean): Promise<ReloadResult> {
    const { issuers } = this.#parts;
    const fresh = await issuers.resolve(read);
    try {
      return await this.#switchToResolved(fresh, mayRestart);
    } finally {
      // After a failure, the previous one: its documents have to be read again, not those of the rejected configuration.
      await issuers.use(this.envoy.configuration);
    }
  }

  async #switchToResolved(fresh: Configuration, mayRestart: boolean): Promise<ReloadResult> {
    const { planner, services, certificates, proxy, tokens, spending, all } = this.#parts;
    const old = this.envoy.configuration;
    const changes = changesBetween(old.model, fresh.model);
    const { warnings } = fresh;
    const reasons = restartReasons(
      planner.restartInputs(this.envoy),
      planner.restartInputsAfter(fresh, this.envoy),
    );
    if (reasons.length > 0 && !mayRestart)
      return { kind: "needs restart", changes, reasons, warnings };
    await checkPorts(newListeners(old.model, fresh.model), fresh.environment);
    const prepared = await services.prepare(fresh, false);
    try {
      // Both: the Envoy that runs has the old budgets until it gets the new ones, or is replaced.
      await spending.prepare(fresh, planner.logDirectory(fresh), old.model);
      certificates.write(fresh);
      proxy.set(fresh);
      await tokens.prepare(fresh);
      if (reasons.length === 0) prepareContentLog(fresh.model, planner.logDirectory(fresh));
      if (reasons.length > 0) await this.#restart(fresh, prepared);
      else if (!(await this.#apply(fresh, prepared)) && changes.length === 0) {
        return { kind: "unchanged", warnings };
      }
    } catch (error) {
      certificates.write(this.envoy.configuration);
      proxy.set(this.envoy.configuration);
      await prepared.discard();
      throw error;
    } finally {
      tokens.retain(this.envoy.configuration);
      const { configuration, runtime } = this.envoy;
      await all.use(configuration, runtime.logDirectory);
    }
    prepared.commit();
    return { kind: "applied", changes, hasRestarted: reasons.length > 0, warnings };
  }

  /** Replaces the running Envoy with one that starts with the configuration. */
  async #restart(fresh: Configuration, prepared: PreparedServices): Promise<void> {
    const { planner, logs, all } = this.#parts;
    logs.lock(planner.logDirectory(fresh), fresh.environment);
    prepareContentLog(fresh.model, planner.logDirectory(fresh));
    const next = planner.prepare(fresh, prepared);
    try {
      await this.#supervisor.replace(next.plan);
    } catch (error) {
      all.detach(next.plan.budgetsSocket);
      next.files.remove();
      throw error;
    }
    all.detach(this.envoy.plan.budgetsSocket);
    this.envoy.files.remove();
    this.envoy = next;
  }

  /** Applies the configuration to the running Envoy. Returns false if nothing changed. */
  async #apply(fresh: Configuration, prepared: UsedServices): Promise<boolean> {
    const { planner, directory } = this.#parts;
    const { configuration, files, plan } = this.envoy;
    const services = { ...prepared, note: this.#readiness().note };
    const runtime = planner.runtimeOf(fresh, services, plan);
    const { whole, files: contents } = files.render(fresh.model, runtime);
    const isNew = files.discovery.wouldChange(contents);
    if (isNew) {
      const reason =
        (await dryRun(whole, plan.command, join(runDirectory(directory), "dry-run.json"))) ??
        (await files.discovery.apply(contents, keepMs(configuration.model), this.#supervisor));
      if (reason !== undefined) {
        const hint = `Envoy's reason:\n${withoutValues(reason, fresh.fileValues)}`;
        throw new GatewayError("Envoy rejected the configuration; the previous one stays active.", {
          hint,
        });
      }
    }
    plan.listeners = listenersOf(fresh.model);
    this.envoy = { configuration: fresh, runtime, files, plan };
    return isNew;
  }
}

/** Returns the text with names in place of values: Envoy may quote what it rejects. */
function withoutValues(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce(
    (masked, [name, value]) => (value === "" ? masked : masked.replaceAll(value, `$${name}`)),
    text,
  );
}

/** Returns the listeners on ports that the gateway does not use yet. */
function newListeners(old: GatewayModel, fresh: GatewayModel): Listener[] {
  const own = new Set(listenersOf(old).map(({ port }) => port));
  return listenersOf(fresh).filter(({ port }) => !own.has(port));
}

/** Returns how long a request that began under a configuration may refer to its resources. */
function keepMs(old: GatewayModel): number {
  const longest = Math.max(...listenersOf(old).map(({ timeoutMs }) => timeoutMs));
  return REQUEST_MS + longest + MARGIN_MS;
}
