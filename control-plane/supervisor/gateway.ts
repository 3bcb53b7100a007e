// The running gateway: one configuration with the Envoy and the services that serve it, and the way to the next one.
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
  /** `--log-dir`, which wins over the configuration. */
  logDir: string | undefined;
  accessLogOnStdout: boolean;
  logLevel: LogLevel;
  /** Envoy's worker threads; one per processor when absent. */
  concurrency: number | undefined;
  /** How long open requests may take to end after the first signal. Milliseconds. */
  drainMs: number;
  /** How long connections of a listener that a reload changes may go on. Milliseconds. */
  reloadDrainMs: number;
}

export interface Gateway {
  /** The configuration that it runs. */
  current: () => Configuration;
  /** Why prompts cannot be served now, as reported by /readyz; undefined if nothing is missing. */
  missing: () => string | undefined;
  /** Where its access logs are. */
  logDirectory: () => string;
  supervisor: Supervisor;
  /**
   * Reloads the configuration file; in-flight requests and streams are not affected. When
   * it is wrong, or needs another Envoy and `restart` is not given, nothing changes.
   */
  reload: (options: { restart: boolean }) => Promise<ReloadResult>;
  /** Ends what runs beside Envoy, which has ended. */
  close: () => Promise<void>;
}

export interface GatewayEvents extends SupervisorEvents {
  /** Another configuration is the current one, or there is another reason why it cannot be served. */
  onChange: () => void;
}

/** For a request to arrive whole: its cluster is looked for only then. */
const REQUEST_MS = 120_000;
const MARGIN_MS = 5_000;
const PUBLISH_RETRY_MS = 1_000;

/** What one Envoy runs. */
interface Running {
  configuration: Configuration;
  place: RuntimeEnvironment;
  files: EnvoyFiles;
  plan: EnvoyPlan;
}

/** @param directory the state directory, taken. Rejects when the gateway cannot become ready; then nothing is left. */
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

  const become = async (fresh: Configuration, mayRestart: boolean): Promise<ReloadResult> => {
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

  /** Puts another Envoy in the place of the one that runs. */
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

  /** Gives the configuration to the Envoy that runs. False when there is nothing new for it. */
  const apply = async (fresh: Configuration, prepared: PreparedServices): Promise<boolean> => {
    const { files, plan } = running;
    const place = planner.placeOf(fresh, prepared, plan.adminSocket);
    const { whole, files: contents } = files.render(fresh.model, place);
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
    running = { configuration: fresh, place, files, plan };
    return isNew;
  };

  /** One change at a time. */
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  };

  /** Updates /readyz. If Envoy does not accept the update now, because it crashed too, it is sent again later. */
  publishReadiness = () => {
    void inTurn(async () => {
      const { configuration, place, files, plan } = running;
      const next = planner.placeOf(
        configuration,
        { ...place, missing: services.missing() },
        plan.adminSocket,
      );
      const rendered = files.render(configuration.model, next);
      const reason = await files.discovery.apply(rendered.files, 0, supervisor);
      if (reason === undefined) running = { ...running, place: next };
      else setTimeout(() => publishReadiness?.(), PUBLISH_RETRY_MS).unref();
    });
  };
  if (services.missing() !== running.place.notReady) publishReadiness();

  const reload = async (mayRestart: boolean): Promise<ReloadResult> => {
    try {
      const fresh = readConfiguration(running.configuration.file, process.env);
      const result = await become(fresh, mayRestart);
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
    logDirectory: () => running.place.logDirectory,
    reload: ({ restart: mayRestart }) => inTurn(() => reload(mayRestart)),
    async close() {
      publishReadiness = undefined;
      certificates.stop();
      running.files.discovery.close();
      await services.close();
    },
  };
}

/** Makes of a configuration what an Envoy is started with. */
function createEnvoyPlanner(envoy: EnvoyBinary, directory: string, options: GatewayOptions) {
  // A copy: a rebuild in the checkout must not reach an Envoy that is started again.
  const filterPath = join(directory, "filter.wasm");
  let number = 0;
  const logDirectoryOf = ({ model, environment }: Configuration) =>
    logDirectory(model, environment, options.logDir);
  const environmentOf = ({ model, environment }: Configuration) =>
    envoyEnvironment(environment, model.filterEnvironment);
  const placeOf = (
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
    placeOf,
    copyFilter() {
      writePrivately(filterPath, readFilter());
    },
    /** The next Envoy's files are written with it. */
    make(configuration: Configuration, prepared: PreparedServices): Running {
      number += 1;
      const { model } = configuration;
      const adminSocket = socketPath(directory, "admin", number);
      const place = placeOf(configuration, prepared, adminSocket);
      const files = createEnvoyFiles(directory, number, model, place);
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
      return { configuration, place, files, plan };
    },
    restartInputs: ({ files, plan, place }: Running): RestartInputs => ({
      bootstrap: files.bootstrap,
      environment: plan.command.environment,
      logDirectory: place.logDirectory,
    }),
    /** What would be restartInputs if this Envoy were started with the configuration. */
    restartInputsAfter: (
      configuration: Configuration,
      { files, place }: Running,
    ): RestartInputs => ({
      bootstrap: files.render(
        configuration.model,
        placeOf(configuration, place, place.adminSocketPath),
      ).bootstrap,
      environment: environmentOf(configuration),
      logDirectory: logDirectoryOf(configuration),
    }),
  };
}

function listenersOf({ ingress, egress }: GatewayModel): Listener[] {
  return [ingress, egress];
}

/** Those on a port that the gateway does not have yet. */
function newListeners(old: GatewayModel, fresh: GatewayModel): Listener[] {
  const own = new Set(listenersOf(old).map(({ port }) => port));
  return listenersOf(fresh).filter(({ port }) => !own.has(port));
}

/** How long a request that began under a configuration may ask for what it has. */
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
