// The model server in its own process, started by model-server.ts: its options arrive by IPC, and it ends with its
// parent process.
import type { ModelServerInput } from "../model-server/options.ts";
import { StartError } from "../model-server/start-error.ts";
import { startModelServer } from "../model-server/start.ts";

/** The message that starts the server. */
export interface ModelServerOrder {
  socketPath: string;
  input: ModelServerInput;
}

/** The messages that the process sends. */
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
 * Ends the process at once after the gateway has ended, for whatever reason: no caller waits for a response. It does
 * not call exit(), which would remove the socket's file: the next gateway may already listen there.
 */
function endAtOnce(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Disconnects from the gateway; the process exits as soon as nothing else is running. */
function leave(): void {
  process.off("disconnect", endAtOnce);
  if (process.connected) process.disconnect();
}

function send(message: ModelServerMessage): void {
  process.send?.(message);
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
