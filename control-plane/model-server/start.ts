// Starts the model server on a unix socket: it listens at once, and returns 503 until its models are loaded.
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { Environment } from "./options.ts";
import { StartError } from "./start-error.ts";
import { closeNow, listenAt } from "./unix-socket.ts";
import { modelServerApp } from "./app.ts";
import { type Models, openModels } from "./models.ts";
import { modelServerOptions, type ModelServerInput, type ModelServerOptions } from "./options.ts";
import { ServerError } from "./server-error.ts";

export interface ModelServer {
  /** Resolves when the models are loaded; rejects with a StartError if they cannot be. */
  ready: Promise<void>;
  close: () => Promise<void>;
}

export interface ModelServerSurroundings {
  environment: Environment;
  /** If absent, nothing is logged. */
  log?: (line: string) => void;
  now?: () => Date;
}

/** Starts the server. Rejects if the options are invalid or it cannot listen. */
export async function startModelServer(
  socketPath: string,
  input: ModelServerInput,
  surroundings: ModelServerSurroundings,
): Promise<ModelServer> {
  const parsed = modelServerOptions.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new StartError(
      `The model server's options are not valid: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
    );
  }
  const options = parsed.data;
  const log = surroundings.log ?? (() => undefined);
  let models: Models | undefined;
  let isClosed = false;
  const app = modelServerApp({
    options,
    models: () => models,
    now: surroundings.now ?? (() => new Date()),
    log,
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await listenAt(server, socketPath);
  const ready = openModels(options, surroundings.environment).then(async (opened) => {
    if (isClosed) {
      await opened.close();
      return;
    }
    if (options.targets.length > 0 && opened.extractor === undefined) {
      log(
        "The embedded model is not installed, so the extractor is off: most parameters are asked for.",
      );
    }
    await prepareLabels(opened, options.targets, log);
    models = opened;
  });
  // Avoids an unhandled rejection: callers may await `ready`, but need not.
  ready.catch((error: unknown) => {
    log(error instanceof Error ? error.message : String(error));
  });
  return {
    ready,
    close: async () => {
      isClosed = true;
      await closeNow(server);
      await models?.close();
    },
  };
}

/** Texts in one batch: small enough that they do not wait too long for the model. */
const LABELS_AT_ONCE = 8;

/**
 * Computes the labels' vectors before the first prompt arrives. An unreachable address may be reachable later: until then
 * each selection fails, and its prompt goes to its model.
 */
async function prepareLabels(
  models: Models,
  targets: ModelServerOptions["targets"],
  log: (line: string) => void,
): Promise<void> {
  try {
    for (let start = 0; start < targets.length; start += LABELS_AT_ONCE) {
      await models.scoreLabels("ready", targets.slice(start, start + LABELS_AT_ONCE));
    }
  } catch (error) {
    if (!(error instanceof ServerError) || error.status !== 502) throw error;
    log(`${error.message} No prompt target is chosen until it answers.`);
  }
}
