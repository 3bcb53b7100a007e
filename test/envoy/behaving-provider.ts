// A provider that behaves as the test says, in time: it waits, drips, compresses, or breaks off.
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";

export interface ProviderRequest {
  path: string;
  /** As received: name, value, name, value … */
  rawHeaders: string[];
  headers: IncomingMessage["headers"];
  body: string;
}

export interface BehavingProvider {
  port: number;
  requests: ProviderRequest[];
  /** How many requests lost their connection before they were answered to the end. */
  brokenOff: number;
  stop(): Promise<void>;
}

export type Behaviour = (
  response: ServerResponse,
  request: ProviderRequest,
) => void | Promise<void>;

/** Responds with a chat completion. */
export const complete: Behaviour = (response) => {
  const message = { role: "assistant", content: "Hello." };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  response
    .setHeader("content-type", "application/json")
    .end(JSON.stringify({ id: "1", object: "chat.completion", model: "m", choices, usage }));
};

export interface Listening {
  port: number;
  stop(): Promise<void>;
}

export async function startProvider(behave: Behaviour): Promise<BehavingProvider> {
  const requests: ProviderRequest[] = [];
  const server = createServer((incoming, response) => {
    response.on("close", () => {
      if (!response.writableFinished) provider.brokenOff++;
    });
    void readRequest(incoming).then((request) => {
      requests.push(request);
      return behave(response, request);
    });
  });
  const listening = await listen(server, () => {
    server.closeAllConnections();
  });
  const provider: BehavingProvider = { ...listening, requests, brokenOff: 0 };
  return provider;
}

/** Answers every request with what came with it, as JSON. For servers of other kinds (TLS, HTTP/2). */
export const echo: RequestListener = (incoming, response) => {
  void readRequest(incoming).then((request) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...request, version: incoming.httpVersion }));
  });
};

export async function listen(
  server: Server,
  disconnect: () => void = () => undefined,
  address = "127.0.0.1",
): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, address, resolve);
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

async function readRequest(incoming: IncomingMessage): Promise<ProviderRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    path: incoming.url ?? "",
    rawHeaders: incoming.rawHeaders,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString(),
  };
}
