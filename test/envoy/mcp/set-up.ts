// A real Envoy with prompt targets as MCP tools: the gateway's own MCP server behind it, and an API that its path makes
// misbehave. No language model and no embedding model is needed.
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { GatewayModel } from "../../../model/model.ts";
import { modelServerApp } from "../../../control-plane/model-server/app.ts";
import { modelServerOptions } from "../../../control-plane/model-server/options.ts";
import { closeNow, listenAt } from "../../../control-plane/model-server/unix-socket.ts";
import { modelServerInput } from "../../../control-plane/supervisor/model-server-input.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { newSocketPath } from "../../gateway/socket-path.ts";
import { startWithFakes } from "../../gateway/with-fakes.ts";
import type { WithFakes, WithFakesOptions } from "../../gateway/with-fakes.ts";
import { API_SECRET, configuration } from "../prompt/configuration.ts";
import { startApi } from "../prompt/fakes.ts";
import type { FakeApi } from "../prompt/fakes.ts";

export interface WithTools extends WithFakes {
  api: FakeApi;
  /** The URL of the MCP server. */
  url: string;
  /** Stops the MCP server alone. */
  stopServer(): Promise<void>;
}

/** Starts a gateway with the prompt targets of the prompt tests, or those of `config`. */
export async function startWithTools(
  options: WithFakesOptions & { targets?: (api: number) => string } = {},
): Promise<WithTools> {
  const api = await startApi();
  const modelServerSocketPath = newSocketPath();
  let model: GatewayModel | undefined;
  const { targets = (port: number) => configuration({ api: port, mute: 1 }), ...others } = options;
  const fakes = await startWithFakes({
    ...others,
    config: `${targets(api.port)}mcp: {enabled: true}\n${others.config ?? ""}`,
    environment: { API_SECRET, ...others.environment },
    modelServerSocketPath,
    adapt(read) {
      others.adapt?.(read);
      model = read;
    },
  });
  const server = await startServer(model, modelServerSocketPath, fakes.gateway);
  return {
    ...fakes,
    api,
    url: `http://127.0.0.1:${fakes.gateway.ports.ingress}/mcp`,
    stopServer: () => closeNow(server),
    async stop() {
      await fakes.stop();
      await Promise.all([closeNow(server), api.stop()]);
    },
  };
}

async function startServer(
  model: GatewayModel | undefined,
  socketPath: string,
  { url, ownEgressSocketPath }: Gateway,
): Promise<Server> {
  if (model?.prompt === undefined) throw new Error("the configuration has no prompt targets");
  const input = modelServerInput(model, model.prompt, { url, socketPath: ownEgressSocketPath });
  const app = modelServerApp({
    options: modelServerOptions.parse(input),
    models: () => undefined,
    now: () => new Date(),
    log: () => undefined,
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await listenAt(server, socketPath);
  return server;
}
