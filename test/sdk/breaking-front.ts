// A TCP front of the gateway whose first connections end as those do that meet an Envoy which another one replaces.
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface BreakingFront {
  url: string;
  /** What became of each connection so far, in order. */
  connections: ("reset" | "closed" | "served")[];
  stop(): void;
}

/**
 * Its first connection is reset before a byte of it is read: it stood in the queue of a socket that was closed. The second is
 * closed after the request's first bytes: it was idle for too long. All others lead to `port`.
 */
export async function startBreakingFront(port: number): Promise<BreakingFront> {
  const connections: BreakingFront["connections"] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    client.on("error", () => undefined);
    if (connections.length === 0) {
      connections.push("reset");
      client.resetAndDestroy();
    } else if (connections.length === 1) {
      connections.push("closed");
      client.once("data", () => client.end());
    } else {
      connections.push("served");
      const gateway = connect(port, "127.0.0.1");
      gateway.on("error", () => client.destroy());
      sockets.add(client).add(gateway);
      client.pipe(gateway).pipe(client);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    connections,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
