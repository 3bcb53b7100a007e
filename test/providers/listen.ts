// A server of a test on a free port.
import type { AddressInfo, Server } from "node:net";

export interface Listening {
  port: number;
  stop: () => Promise<void>;
}

export interface Place {
  /** Default a free one. */
  port?: number | undefined;
  /** Default 127.0.0.1. */
  host?: string | undefined;
}

export async function listen(
  server: Server,
  disconnect: () => void = () => undefined,
  { port = 0, host = "127.0.0.1" }: Place = {},
): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        disconnect();
      }),
  };
}
