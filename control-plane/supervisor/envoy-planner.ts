// Prepares the start of an Envoy from a configuration: its files, its command, and what its configuration depends on.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { RuntimeEnvironment } from "../../envoy/runtime-environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { Environment } from "../report/environment.ts";
import { awsVariables } from "../../model/cloud-credentials.ts";
import { proxyVariables } from "../../model/proxy.ts";
import { variablesOf } from "../../model/tracing.ts";
import type { GatewayModel, Listener } from "../../model/model.ts";
import type { LogLevel } from "../../model/names.ts";
import type { Configuration } from "./configuration-file.ts";
import type { EnvoyBinary } from "./envoy-binary.ts";
import { createEnvoyFiles, type EnvoyFiles } from "./envoy-files.ts";
import { envoyEnvironment } from "./envoy-process.ts";
import { logDirectory } from "./log-directory.ts";
import type { RestartInputs } from "./reload.ts";
import { FILTER_FILE, memoryBytes, requireCaFile } from "./machine-settings.ts";
import { secretsDirectory, socketPath, tokensDirectory, writePrivately } from "./state.ts";
import type { EnvoyPlan } from "./supervise.ts";

export interface EnvoyOptions {
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

/** The configuration and files of one Envoy. */
export interface RunningEnvoy {
  configuration: Configuration;
  runtime: RuntimeEnvironment;
  files: EnvoyFiles;
  plan: EnvoyPlan;
}

/** The services on which Envoy's configuration depends. */
export interface UsedServices {
  demonstrationSocketPath?: string | undefined;
  modelServerSocketPath?: string | undefined;
  /** Why prompts cannot be served, or requests with a budget. */
  missing?: string | undefined;
  /** What the readiness report has to add while nothing is missing. */
  note?: string | undefined;
}

export class EnvoyPlanner {
  readonly #envoy: EnvoyBinary;
  readonly #directory: string;
  readonly #options: EnvoyOptions;
  /** A copy: a rebuild in the checkout must not affect an Envoy that is restarted. */
  readonly #filterPath: string;
  #number = 0;

  /** @param directory the state directory */
  constructor(envoy: EnvoyBinary, directory: string, options: EnvoyOptions) {
    this.#envoy = envoy;
    this.#directory = directory;
    this.#options = options;
    this.#filterPath = join(directory, "filter.wasm");
  }

  copyFilter(): void {
    writePrivately(this.#filterPath, readFilter());
  }

  logDirectory(configuration: Configuration): string {
    return logDirectory(configuration, this.#options.logDir);
  }

  runtimeOf(
    configuration: Configuration,
    services: UsedServices,
    sockets: Pick<EnvoyPlan, "adminSocket" | "budgetsSocket">,
  ): RuntimeEnvironment {
    const directory = this.#directory;
    return {
      filterPath: this.#filterPath,
      logDirectory: this.logDirectory(configuration),
      accessLogOnStdout: this.#options.accessLogOnStdout,
      adminSocketPath: sockets.adminSocket,
      budgetsSocketPath: sockets.budgetsSocket,
      ownEgressSocketPath: socketPath(directory, "egress"),
      secretsDirectory: secretsDirectory(directory),
      tokensDirectory: tokensDirectory(directory),
      filterValues: configuration.fileValues,
      memoryBytes: memoryBytes(),
      caFile: requireCaFile(configuration.model, configuration.environment),
      loginSocketPath: socketPath(directory, "login"),
      demonstrationSocketPath: services.demonstrationSocketPath ?? "",
      modelServerSocketPath: services.modelServerSocketPath ?? "",
      ...(services.missing === undefined ? {} : { notReady: services.missing }),
      ...(services.note === undefined ? {} : { note: services.note }),
    };
  }

  /** Writes the files of the next Envoy, and returns its configuration and start plan. */
  prepare(configuration: Configuration, services: UsedServices): RunningEnvoy {
    this.#number += 1;
    const sockets = {
      adminSocket: socketPath(this.#directory, "admin", this.#number),
      budgetsSocket: socketPath(this.#directory, "budgets", this.#number),
    };
    const { model } = configuration;
    const runtime = this.runtimeOf(configuration, services, sockets);
    const files = createEnvoyFiles(this.#directory, this.#number, model, runtime);
    const plan = this.#planOf(configuration, files.bootstrapFile, sockets);
    return { configuration, runtime, files, plan };
  }

  restartInputs({ files, plan, runtime }: RunningEnvoy): RestartInputs {
    return {
      bootstrap: files.bootstrap,
      environment: plan.command.environment,
      logDirectory: runtime.logDirectory,
    };
  }

  /** Returns the restartInputs that this Envoy would have if it were started with the configuration. */
  restartInputsAfter(configuration: Configuration, running: RunningEnvoy): RestartInputs {
    const { files, runtime, plan } = running;
    const next = this.runtimeOf(configuration, runtime, plan);
    return {
      bootstrap: files.render(configuration.model, next).bootstrap,
      environment: environmentOf(configuration),
      logDirectory: this.logDirectory(configuration),
    };
  }

  #planOf(
    configuration: Configuration,
    configurationFile: string,
    sockets: Pick<EnvoyPlan, "adminSocket" | "budgetsSocket">,
  ): EnvoyPlan {
    const options = this.#options;
    return {
      command: {
        file: this.#envoy.file,
        configurationFile,
        logLevel: options.logLevel,
        concurrency: options.concurrency ?? availableParallelism(),
        passesStdout: options.accessLogOnStdout,
        listenerDrainMs: options.reloadDrainMs,
        environment: environmentOf(configuration),
      },
      ...sockets,
      listeners: listenersOf(configuration.model),
      drainMs: options.drainMs,
    };
  }
}

export function listenersOf({ ingress, egress }: GatewayModel): Listener[] {
  return [ingress, egress];
}

function environmentOf({ model, environment, fileValues }: Configuration): Environment {
  const needed = envoyEnvironment(environment, [
    ...model.filterEnvironment.filter((name) => fileValues[name] === undefined),
    ...awsVariables(model.targets),
    ...variablesOf(model.tracing?.headers),
  ]);
  return { ...needed, ...proxyVariables(model, environment) };
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
