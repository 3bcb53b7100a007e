// The services that run beside Envoy if a configuration needs them: the demonstration model and the model server.
import type { Configuration } from "./configuration-file.ts";
import { startDemonstrationModel } from "./demonstration/demonstration-model.ts";
import { GatewayError } from "../report/gateway-error.ts";
import { urlOf } from "../../model/listener-url.ts";
import type { GatewayModel } from "../../model/model.ts";
import { modelServerInput } from "./model-server-input.ts";
import {
  modelServerEnvironment,
  type RunningModelServer,
  superviseModelServer,
} from "./model-server.ts";
import type { Report } from "./own-log.ts";
import type { Part } from "./part.ts";
import { proxyEnvironment } from "./process-proxy.ts";
import { socketPath } from "./state.ts";

/** The services of a configuration, started before it becomes active. */
export interface PreparedServices {
  /** Unix sockets of the services that the configuration needs. */
  demonstrationSocketPath: string;
  modelServerSocketPath: string | undefined;
  /** Whether the model server is a new process. */
  hasNewModelServer: boolean;
  /** Why prompts cannot be served. */
  missing: string | undefined;
  /** Activates these services; replaced services keep running for the maximum duration of a prompt. */
  commit: () => void;
  /** Stops the services that were started only for this configuration. */
  discard: () => Promise<void>;
}

export interface Services extends Part {
  /**
   * Starts the services that the configuration needs and that are not running yet. Rejects with a GatewayError if the
   * model server does not start, except at the gateway's own start without a guard: then prompts go to their model as
   * if no targets were configured.
   */
  prepare: (configuration: Configuration, isFirst: boolean) => Promise<PreparedServices>;
}

interface ModelServer {
  socketPath: string;
  /** The options it was started with: equal options need no new server. */
  plan: string;
  /** Undefined if it could not be started; prompts then skip it. */
  running: RunningModelServer | undefined;
  /** Why it is unavailable. */
  missing?: string | undefined;
  timeoutMs: number;
}

/** Time for a response that is in flight when a prompt's timeout expires. */
const MARGIN_MS = 2_000;

/**
 * Returns the services.
 * @param directory the state directory
 * @param onReadiness called when `missing` may have changed
 */
export function createServices(
  directory: string,
  report: Report,
  onReadiness: () => void,
): Services {
  let demonstration: Awaited<ReturnType<typeof startDemonstrationModel>> | undefined;
  let current: ModelServer | undefined;
  const all = new Set<RunningModelServer>();
  const demonstrationSocketPath = socketPath(directory, "demonstration");
  let number = 0;

  const end = async (server: ModelServer | undefined) => {
    if (server?.running === undefined) return;
    all.delete(server.running);
    await server.running.stop();
  };

  const startModelServer = async (
    { model, environment }: Configuration,
    isFirst: boolean,
  ): Promise<ModelServer | undefined> => {
    const { prompt } = model;
    if (prompt === undefined) return undefined;
    const own = {
      ...modelServerEnvironment(environment, prompt.modelServer.environment),
      ...(model.proxy === undefined
        ? {}
        : { ...proxyEnvironment(model, environment), NODE_USE_ENV_PROXY: "1" }),
    };
    const egress = { url: urlOf(model.egress), socketPath: socketPath(directory, "egress") };
    const input = modelServerInput(model, prompt, egress);
    const plan = JSON.stringify([input, own]);
    const { timeoutMs } = model.ingress;
    if (current?.plan === plan && current.running !== undefined) {
      current.timeoutMs = timeoutMs;
      return current;
    }
    number += 1;
    const path = socketPath(directory, "modelServer", number);
    const server: ModelServer = { socketPath: path, plan, running: undefined, timeoutMs };
    try {
      server.running = await superviseModelServer({
        socketPath: path,
        input,
        environment: own,
        report,
        onMissing(why) {
          server.missing = why;
          if (server === current) onReadiness();
        },
      });
      all.add(server.running);
    } catch (error) {
      if (!(error instanceof GatewayError) || !isFirst || prompt.guard !== undefined) {
        throw error;
      }
      report(`${error.message} Prompt targets are disabled; prompts go to their model.`, "warning");
      if (error.hint !== undefined) report(error.hint, "warning");
      server.missing = error.message;
    }
    return server;
  };

  return {
    async prepare(configuration, isFirst) {
      if (needsDemonstration(configuration.model)) {
        demonstration ??= await startDemonstrationModel(demonstrationSocketPath);
      }
      const server = await startModelServer(configuration, isFirst);
      return {
        demonstrationSocketPath,
        modelServerSocketPath: server?.socketPath,
        hasNewModelServer: server?.running !== current?.running,
        missing: server?.missing,
        commit() {
          const old = current;
          current = server;
          if (old?.running === undefined || old.running === server?.running) return;
          setTimeout(() => void end(old), old.timeoutMs + MARGIN_MS).unref();
        },
        async discard() {
          if (server?.running !== current?.running) await end(server);
        },
      };
    },
    missing: () => current?.missing,
    async close() {
      await Promise.all([...all].map((server) => server.stop()));
      await demonstration?.close();
    },
  };
}

function needsDemonstration({ targets }: GatewayModel): boolean {
  return targets.some(({ address }) => address.kind === "embedded");
}
