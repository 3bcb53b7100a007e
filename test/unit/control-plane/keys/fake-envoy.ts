// An Envoy that keeps the keys it is pushed, as the filter does.
import { createServer, type Server } from "node:http";
import { closeNow, listenAt } from "../../../../control-plane/model-server/unix-socket.ts";
import { isRowText } from "../../../../model/keys.ts";
import type { KeyRow, KeysPush, UseRow } from "../../../../control-plane/keys/push-keys.ts";

export interface FakeEnvoy {
  keys: Map<string, KeyRow>;
  groups: Map<string, UseRow>;
  users: Map<string, UseRow>;
  pushes: KeysPush[];
  /** Loses everything, as a restart does. */
  restart: () => void;
  /** Whether it rejects pushes. */
  isDown: boolean;
  /** Whether a row makes a push malformed. */
  rejects: (row: KeyRow | UseRow) => boolean;
  /** Runs before a push is responded to. */
  onPush: () => void;
  close: () => Promise<void>;
}

export async function startFakeEnvoy(socket: string): Promise<FakeEnvoy> {
  let hasAll = false;
  const none = () => ({
    keys: new Map<string, KeyRow>(),
    groups: new Map<string, UseRow>(),
    users: new Map<string, UseRow>(),
  });
  let next = none();
  const envoy: FakeEnvoy = {
    ...{
      keys: new Map(),
      groups: new Map(),
      users: new Map(),
      pushes: [],
      isDown: false,
      rejects: () => false,
      onPush: () => undefined,
    },
    restart() {
      hasAll = false;
      envoy.keys.clear();
      envoy.groups.clear();
      envoy.users.clear();
    },
    close: () => closeNow(server),
  };
  const server: Server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (text: string) => (body += text));
    incoming.on("end", () => {
      if (envoy.isDown || body.length > 4 * 2 ** 20) {
        outgoing.writeHead(503).end("down");
        return;
      }
      const push = JSON.parse(body) as KeysPush;
      const rows = [push.keys, push.groups, push.users].flatMap((one) => Object.values(one ?? {}));
      const names = Object.keys({ ...push.groups, ...push.users });
      if (!names.every(isRowText) || rows.some((row) => row !== null && envoy.rejects(row))) {
        outgoing.writeHead(400).end();
        return;
      }
      envoy.pushes.push(push);
      envoy.onPush();
      const isFresh = !hasAll;
      if (push.reset === 1) next = none();
      for (const kind of ["keys", "groups", "users"] as const) {
        for (const [name, row] of Object.entries(push[kind] ?? {})) {
          for (const table of [envoy[kind], next[kind]] as Map<string, unknown>[]) {
            if (row === null) table.delete(name);
            else table.set(name, row);
          }
        }
      }
      if (push.complete === 1) {
        hasAll = true;
        envoy.keys = next.keys;
        envoy.groups = next.groups;
        envoy.users = next.users;
      }
      outgoing.writeHead(200, { "content-type": "application/json" });
      outgoing.end(JSON.stringify({ ...(isFresh ? { fresh: 1 } : {}), keys: envoy.keys.size }));
    });
  });
  await listenAt(server, socket);
  return envoy;
}
