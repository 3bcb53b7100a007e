// A name server that does not answer: the gateway starts all the same, and serves what it can reach.
import { createSocket } from "node:dgram";
import type { Socket } from "node:dgram";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Gateway } from "../../gateway/gateway.ts";
import { startProvider } from "../../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../../providers/scripted-provider.ts";
import { host, targetAt } from "../models.ts";
import { chat, startTwoDialects } from "../../gateway/two-dialects.ts";

let nameServer: Socket;
let questions = 0;
let provider: ScriptedProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startProvider((response) => {
    response.end("{}");
  });
  nameServer = createSocket("udp4", () => questions++).bind(0, "127.0.0.1");
  await once(nameServer, "listening");
  const socket_address = {
    address: "127.0.0.1",
    port_value: nameServer.address().port,
    protocol: "UDP",
  };
  // Were the start to wait, it would take the resolver's 20 seconds, and the gateway of a test gives up before.
  gateway = await startTwoDialects(provider.port, {
    adapt(model) {
      model.targets.push(targetAt("lost/model", host("provider.example")));
    },
    adaptBootstrap(bootstrap) {
      bootstrap.typed_dns_resolver_config.typed_config["resolvers"] = [{ socket_address }];
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
  nameServer.close();
});

it("a provider whose address needs no DNS is served", async () => {
  expect((await chat(gateway)).status).toBe(200);
  await expect.poll(() => questions).toBeGreaterThan(0);
});

it("a request that needs DNS is rejected with the reason", async () => {
  const response = await chat(gateway, { model: "lost/model" });
  expect(response.status).toBe(503);
  expect(await response.text()).toContain("could not be resolved");
});
