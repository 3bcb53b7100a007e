// The model server in its own process, started by model-server.ts: its options come by IPC, and it ends with whoever started it.
import type { ModelServerInput } from "../model-server/options.ts";
import { StartError } from "../model-server/start-error.ts";
import { startModelServer } from "../model-server/start.ts";

/** What the process is sent. */
export interface ModelServerOrder {
  socketPath: string;
  input: ModelServerInput;
}

/** What the process reports. */
export type ModelServerMessage =
  { kind: "ready" } | { kind: "failed"; message: string; hint?: string | undefined };

async function serve({ socketPath, input }: ModelServerOrder): Promise<void> {
  const server = await startModelServer(socketPath, input, {
    environment: process.env,
    log: (line) => {
      console.error(line);
    },
  });
  process.once("SIGTERM", () => {
    leave();
    void server.close();
  });
  try {
    await server.ready;
  } catch (error) {
    await server.close();
    throw error;
  }
  send({ kind: "ready" });
}

/**
 * The gateway has gone, whatever happened to it: nobody waits for an answer. Not by exit(), which would remove the file of
 * its socket: the next gateway may listen there already.
 */
function endAtOnce(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Disconnects from the gateway; the process exits as soon as nothing else is running. */
function leave(): void {
  process.off("disconnect", endAtOnce);
  if (process.connected) process.disconnect();
}

function send(news: ModelServerMessage): void {
  process.send?.(news);
}

process.once("disconnect", endAtOnce);
process.once("message", (order: ModelServerOrder) => {
  serve(order).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof StartError ? error.hint : undefined;
    send({ kind: "failed", message, hint });
    process.exitCode = 1;
    leave();
  });
});
