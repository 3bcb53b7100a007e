// A gateway with prompt targets under test: a real Envoy, the real model server, fake providers, and the API of the targets.
import type { GatewayModel } from "../../../model/model.ts";
import { startModelServer } from "../../../control-plane/model-server/start.ts";
import { modelServerInput } from "../../../control-plane/supervisor/model-server-input.ts";
import { newSocketPath } from "../../gateway/socket-path.ts";
import { startWithFakes, type WithFakes } from "../../gateway/with-fakes.ts";
import { type FakeApi, startApi } from "./fakes.ts";

export interface WithModelServer {
  all: WithFakes;
  api: FakeApi;
  stop: () => Promise<void>;
}

/** Starts all of it. @param configuration the further configuration, for the port of the API */
export async function startWithModelServer(
  configuration: (apiPort: number) => string,
): Promise<WithModelServer> {
  const api = await startApi();
  const modelServerSocketPath = newSocketPath();
  let model: GatewayModel | undefined;
  const all = await startWithFakes({
    config: configuration(api.port),
    modelServerSocketPath,
    adapt: (read) => (model = read),
  });
  if (model?.prompt === undefined) throw new Error("the configuration has no prompt targets");
  const input = modelServerInput(model, model.prompt, {
    url: all.gateway.url,
    socketPath: all.gateway.ownEgressSocketPath,
  });
  const modelServer = await startModelServer(modelServerSocketPath, input, {
    environment: process.env,
  });
  await modelServer.ready;
  const stop = async () => {
    await all.stop();
    await Promise.all([modelServer.close(), api.stop()]);
  };
  return { all, api, stop };
}
