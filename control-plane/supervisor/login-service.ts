// Serves the login of coding agents to Envoy, if the configuration has one.
import type { Server } from "node:http";
import type { AuditWriter } from "../audit/audit-log.ts";
import { closeNow, listenAt } from "../model-server/unix-socket.ts";
import type { Configuration } from "./configuration-file.ts";
import type { SessionEnds } from "./ended-sessions.ts";
import type { Report } from "./own-log.ts";
import { socketPath } from "./state.ts";

export interface LoginService {
  /** Follows the active configuration. */
  use: (configuration: Configuration) => Promise<void>;
  close: () => Promise<void>;
}

type Handler = (request: Request) => Response | Promise<Response>;

/**
 * @param directory the state directory
 * @param isCreatedGroup whether the admin API has created a group
 * @param sessionEnds undefined while the gateway starts, when nobody can log in
 */
export function createLogin(
  directory: string,
  report: Report,
  audit: AuditWriter,
  isCreatedGroup: (group: string) => boolean,
  sessionEnds: () => Pick<SessionEnds, "ended" | "delivered"> | undefined,
): LoginService {
  const path = socketPath(directory, "login");
  let server: Server | undefined;
  let handle: Handler = notConfigured;
  let plan = "";
  /** Of the active configuration: a change of groups makes no new server. */
  let isKnown: (group: string) => boolean = () => false;
  const isKnownGroup = (group: string) => isKnown(group);

  const start = async () => {
    const { createAdaptorServer } = await import("@hono/node-server");
    const started = createAdaptorServer({ fetch: (request) => handle(request) }) as Server;
    await listenAt(started, path);
    return started;
  };

  const apply = async ({ model, environment }: Configuration) => {
    const signIn = model.observability?.metrics.signIn;
    const { login } = model;
    const ends = sessionEnds();
    if (login === undefined || signIn === undefined || ends === undefined) {
      [handle, plan] = [notConfigured, ""];
      return;
    }
    const clientSecret = environment[signIn.secretVariable] ?? "";
    const secrets = (environment[signIn.sessionVariable] ?? "").split(",").map((one) => one.trim());
    const { groupsKnownTo } = await import("../login/known-groups.ts");
    isKnown = groupsKnownTo(model, isCreatedGroup);
    const next = JSON.stringify([login, signIn, clientSecret, secrets]);
    // A new server forgets the logins that wait for a browser.
    if (plan === next) return;
    const { loginApp } = await import("../login/login-server.ts");
    const { ended, delivered } = ends;
    const app = loginApp({
      ...{ login, signIn, clientSecret, secrets, isKnownGroup, audit, ended },
      delivered,
    });
    handle = (request) => app.fetch(request);
    server ??= await start();
    plan = next;
  };

  let queue = Promise.resolve();
  return {
    use(configuration) {
      // One at a time: two servers at once would take the socket from each other.
      queue = queue
        .then(() => apply(configuration))
        .catch((error: unknown) => {
          report(`Nobody can log in: ${path} cannot be used (${String(error)}).`, "error");
        });
      return queue;
    },
    async close() {
      await queue;
      if (server !== undefined) await closeNow(server);
    },
  };
}

function notConfigured(): Response {
  return new Response(null, { status: 404 });
}
