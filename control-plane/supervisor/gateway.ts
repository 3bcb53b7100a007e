// The running gateway: one configuration with the Envoy and the services that serve it, and the switch to the next one.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { RuntimeEnvironment } from "../../envoy/runtime-environment.ts";
import { changesBetween } from "../ir/changes.ts";
import { type Configuration, readConfiguration } from "./configuration-file.ts";
import { ENVOY_VERSION, type EnvoyBinary, requireEnvoy } from "./envoy-binary.ts";
import { GatewayError } from "../config/diagnostics/gateway-error.ts";
import type { GatewayModel, Listener } from "../ir/model.ts";
import type { LogLevel } from "../ir/names.ts";
import { dryRun } from "./dry-run.ts";
import { startCertificates } from "./certificates.ts";
import { createEnvoyFiles, type EnvoyFiles } from "./envoy-files.ts";
import { envoyEnvironment } from "./envoy-process.ts";
import {
  FILTER_FILE,
  logDirectory,
  prepareLogDirectory,
  requireCaFile,
  memoryBytes,
} from "./runtime-environment.ts";
import { checkPorts } from "./ports.ts";
import { failure, type ReloadResult, restartReasons, type RestartInputs } from "./reload.ts";
import { createServices, type PreparedServices } from "./services.ts";
import { secretsDirectory, socketPath, writePrivately } from "./state.ts";
import { type EnvoyPlan, supervise, type Supervisor, type SupervisorEvents } from "./supervise.ts";

export interface GatewayOptions {
  /** `--log-dir`, which takes precedence over the configuration. */
  logDir: string | undefined;
  accessLogOnStdout: boolean;
  logLevel: LogLevel;
  /** Envoy's worker threads; one per processor when absent. */
  concurrency: number | undefined;
  /** Drain timeout for open requests after the first signal. Milliseconds. */
  drainMs: number;
  /** Drain timeout for connections of a listener that a reload changes. Milliseconds. */
  reloadDrainMs: number;
}

export interface Gateway {
  /** Returns the active configuration. */
  current: () => Configuration;
  /** Returns why prompts cannot be served now, as reported by /readyz; undefined if nothing is missing. */
  missing: () => string | undefined;
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

export interface GatewayEvents extends SupervisorEvents {
  /** Called when the active configuration changes, or the reason why prompts cannot be served. */
  onChange: () => void;
}

/** Time for a request to arrive completely: its cluster is looked up only then. */
const REQUEST_MS = 120_000;
const MARGIN_MS = 5_000;
const PUBLISH_RETRY_MS = 1_000;

/** The configuration and files of one Envoy. */
interface Running {
  configuration: Configuration;
  runtime: RuntimeEnvironment;
  files: EnvoyFiles;
  plan: EnvoyPlan;
}

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
  const planner = createEnvoyPlanner(requireEnvoy(first.environment), directory, options);
  let publishReadiness: (() => void) | undefined;
  const services = createServices(directory, events.report, () => {
    events.onChange();
    publishReadiness?.();
  });
  let certificates: ReturnType<typeof startCertificates> = { stop: () => undefined };
  const useCertificates = ({ model }: Configuration) => {
    certificates.stop();
    certificates = startCertificates(model, secretsDirectory(directory), events.report);
  };
  const start = async () => {
    await checkPorts(listenersOf(first.model), first.environment);
    prepareLogDirectory(planner.logDirectory(first));
    planner.copyFilter();
    const prepared = await services.prepare(first, true);
    prepared.commit();
    useCertificates(first);
    const running = planner.make(first, prepared);
    const ports = listenersOf(first.model).map(({ port }) => String(port));
    events.report(`Starting Envoy ${ENVOY_VERSION} on ports ${ports.join(" and ")}`);
    return { running, supervisor: await supervise(running.plan, events) };
  };
  const started = await start().catch(async (error: unknown) => {
    certificates.stop();
    await services.close();
    throw error;
  });
  const { supervisor } = started;
  let { running } = started;

  const switchTo = async (fresh: Configuration, mayRestart: boolean): Promise<ReloadResult> => {
    const changes = changesBetween(running.configuration.model, fresh.model);
    const { warnings } = fresh;
    const reasons = restartReasons(
      planner.restartInputs(running),
      planner.restartInputsAfter(fresh, running),
    );
    if (reasons.length > 0 && !mayRestart) {
      return { kind: "needs restart", changes, reasons, warnings };
    }
    await checkPorts(newListeners(running.configuration.model, fresh.model), fresh.environment);
    const prepared = await services.prepare(fresh, false);
    try {
      useCertificates(fresh);
      if (reasons.length > 0) {
        prepareLogDirectory(planner.logDirectory(fresh));
        await restart(planner.make(fresh, prepared));
      } else if (!(await apply(fresh, prepared)) && changes.length === 0) {
        return { kind: "unchanged", warnings };
      }
    } catch (error) {
      useCertificates(running.configuration);
      await prepared.discard();
      throw error;
    }
    prepared.commit();
    return { kind: "applied", changes, hasRestarted: reasons.length > 0, warnings };
  };

  /** Replaces the running Envoy with a new one. */
  const restart = async (next: Running) => {
    try {
      await supervisor.replace(next.plan);
    } catch (error) {
      next.files.remove();
      throw error;
    }
    running.files.remove();
    running = next;
  };

  /** Applies the configuration to the running Envoy. Returns false if nothing changed. */
  const apply = async (fresh: Configuration, prepared: PreparedServices): Promise<boolean> => {
    const { files, plan } = running;
    const runtime = planner.runtimeOf(fresh, prepared, plan.adminSocket);
    const { whole, files: contents } = files.render(fresh.model, runtime);
    const isNew = files.discovery.wouldChange(contents);
    if (isNew) {
      const reason =
        (await dryRun(whole, plan.command, join(directory, "dry-run.json"))) ??
        (await files.discovery.apply(contents, keepMs(running.configuration.model), supervisor));
      if (reason !== undefined) {
        const hint = `Envoy's reason:\n${reason}`;
        throw new GatewayError("Envoy rejected the configuration; the previous one stays active.", {
          hint,
        });
      }
    }
    plan.listeners = listenersOf(fresh.model);
    running = { configuration: fresh, runtime, files, plan };
    return isNew;
  };

  /** Applies one change at a time. */
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  };

  /** Updates /readyz. If Envoy does not accept the update now, because it crashed too, it is sent again later. */
  publishReadiness = () => {
    void inTurn(async () => {
      const { configuration, runtime, files, plan } = running;
      const next = planner.runtimeOf(
        configuration,
        { ...runtime, missing: services.missing() },
        plan.adminSocket,
      );
      const rendered = files.render(configuration.model, next);
      const reason = await files.discovery.apply(rendered.files, 0, supervisor);
      if (reason === undefined) running = { ...running, runtime: next };
      else setTimeout(() => publishReadiness?.(), PUBLISH_RETRY_MS).unref();
    });
  };
  if (services.missing() !== running.runtime.notReady) publishReadiness();

  const reload = async (mayRestart: boolean): Promise<ReloadResult> => {
    try {
      const fresh = readConfiguration(running.configuration.file, process.env);
      const result = await switchTo(fresh, mayRestart);
      events.onChange();
      return result;
    } catch (error) {
      return failure(error);
    }
  };
  return {
    supervisor,
    current: () => running.configuration,
    missing: services.missing,
    logDirectory: () => running.runtime.logDirectory,
    reload: ({ restart: mayRestart }) => inTurn(() => reload(mayRestart)),
    async close() {
      publishReadiness = undefined;
      certificates.stop();
      running.files.discovery.close();
      await services.close();
    },
  };
}

/** Returns the functions that prepare the start of an Envoy from a configuration. */
function createEnvoyPlanner(envoy: EnvoyBinary, directory: string, options: GatewayOptions) {
  // A copy: a rebuild in the checkout must not affect an Envoy that is restarted.
  const filterPath = join(directory, "filter.wasm");
  let number = 0;
  const logDirectoryOf = ({ model, environment }: Configuration) =>
    logDirectory(model, environment, options.logDir);
  const environmentOf = ({ model, environment }: Configuration) =>
    envoyEnvironment(environment, model.filterEnvironment);
  const runtimeOf = (
    configuration: Configuration,
    services: {
      demonstrationSocketPath?: string | undefined;
      modelServerSocketPath?: string | undefined;
      missing?: string | undefined;
    },
    adminSocketPath: string,
  ): RuntimeEnvironment => ({
    filterPath,
    logDirectory: logDirectoryOf(configuration),
    accessLogOnStdout: options.accessLogOnStdout,
    adminSocketPath,
    ownEgressSocketPath: socketPath(directory, "egress"),
    secretsDirectory: secretsDirectory(directory),
    memoryBytes: memoryBytes(),
    caFile: requireCaFile(configuration.model, configuration.environment),
    demonstrationSocketPath: services.demonstrationSocketPath ?? "",
    modelServerSocketPath: services.modelServerSocketPath ?? "",
    ...(services.missing === undefined ? {} : { notReady: services.missing }),
  });
  return {
    logDirectory: logDirectoryOf,
    runtimeOf,
    copyFilter() {
      writePrivately(filterPath, readFilter());
    },
    /** Writes the files of the next Envoy, and returns its configuration and start plan. */
    make(configuration: Configuration, prepared: PreparedServices): Running {
      number += 1;
      const { model } = configuration;
      const adminSocket = socketPath(directory, "admin", number);
      const runtime = runtimeOf(configuration, prepared, adminSocket);
      const files = createEnvoyFiles(directory, number, model, runtime);
      const plan = {
        command: {
          file: envoy.file,
          configurationFile: files.bootstrapFile,
          logLevel: options.logLevel,
          concurrency: options.concurrency ?? availableParallelism(),
          passesStdout: options.accessLogOnStdout,
          listenerDrainMs: options.reloadDrainMs,
          environment: environmentOf(configuration),
        },
        adminSocket,
        listeners: listenersOf(model),
        drainMs: options.drainMs,
      };
      return { configuration, runtime, files, plan };
    },
    restartInputs: ({ files, plan, runtime }: Running): RestartInputs => ({
      bootstrap: files.bootstrap,
      environment: plan.command.environment,
      logDirectory: runtime.logDirectory,
    }),
    /** Returns the restartInputs that this Envoy would have if it were started with the configuration. */
    restartInputsAfter: (
      configuration: Configuration,
      { files, runtime }: Running,
    ): RestartInputs => ({
      bootstrap: files.render(
        configuration.model,
        runtimeOf(configuration, runtime, runtime.adminSocketPath),
      ).bootstrap,
      environment: environmentOf(configuration),
      logDirectory: logDirectoryOf(configuration),
    }),
  };
}

function listenersOf({ ingress, egress }: GatewayModel): Listener[] {
  return [ingress, egress];
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

function readFilter(): Uint8Array {
  try {
    return readFileSync(FILTER_FILE);
  } catch {
    throw new GatewayError(`The compiled filter is missing (${FILTER_FILE}).`, {
      hint: "Run `npm run build:filter` in the checkout.",
    });
  }
}
