// A link of the response that waits for a callout, through a real Envoy, in a build that has one (test/exchanges/waiting-filter.ts):
// what arrives meanwhile is held, and leaves with what follows, or at the end.
import { createServer } from "node:http";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newSocketPath } from "../gateway/socket-path.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { exchange } from "../gateway/raw-client.ts";
import { sendExactly, startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";
import { encodeBody, environmentOf, readCase } from "../exchanges/case.ts";
import type { ExchangeCase } from "../exchanges/case.ts";
import { cutBody, endsIn, formatResponse, responseHeaders } from "../exchanges/host-ring.ts";
import { readable } from "../exchanges/http-file.ts";
import { compileWaitingFilter, WAIT_HEADER } from "../exchanges/waiting-filter.ts";

const STREAM = "failover/stream-not-needed";
const TRANSLATED = "failover/stream-not-needed-translated";
const FAILOVER = "failover/stream-role-then-error";
const MODES = ["first each", "last each", "first whole"];
/** The callouts that pass end in the middle of a response, before the next bytes and after them. */
const PAUSES = [0, 15];

let current: ExchangeCase;
let mode = "";
let pause = 0;
let judge: () => number | undefined = () => 200;
let provider: ScriptedProvider;
let server: Server;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startProvider((outgoing) => {
    const response = current.providerResponses[provider.requests.length - 1];
    if (response === undefined)
      return sendExactly(outgoing, { status: 599, headers: [], chunks: [] });
    return sendExactly(outgoing, {
      ...response,
      headers: [...responseHeaders(response), [WAIT_HEADER, mode]],
      chunks: cutBody(encodeBody(response), "every event", endsIn(response)),
      pause: () => sleep(pause),
    });
  });
  const socketPath = newSocketPath();
  server = createServer((request, response) => {
    request.resume();
    const status = judge();
    if (status === undefined) request.socket.destroy();
    else setTimeout(() => response.writeHead(status).end("{}"), 10);
  }).listen(socketPath);
  const { configuration } = readCase(STREAM);
  gateway = await startGateway({
    config: `${configuration}
prompt_guards: {input_guards: {jailbreak: {on_exception: {message: No.}}}}
`,
    environment: environmentOf(configuration),
    filterPath: compileWaitingFilter(),
    modelServerSocketPath: socketPath,
    adapt(model) {
      model.upstream = { ...model.upstream, consecutiveFailures: 0 };
      for (const target of model.targets)
        if (target.address.kind === "host")
          target.address = {
            kind: "host",
            host: "127.0.0.1",
            port: provider.port,
            tls: false,
            serverName: "",
          };
    },
  });
});

afterAll(async () => {
  await gateway.stop();
  await provider.stop();
  server.close();
  server.closeAllConnections();
});

async function send(name: string) {
  current = readCase(name);
  provider.requests.length = 0;
  const { method, path, headers, chunks } = current.clientRequest;
  return exchange({ port: gateway.ports.egress, method, path, headers, chunks });
}

it.each(
  [STREAM, TRANSLATED, FAILOVER].flatMap((name) =>
    MODES.flatMap((which) => PAUSES.map((ms) => ({ name, which, ms }))),
  ),
)("$name is the same with a link that waits, $which, $ms ms between events", async (one) => {
  [mode, pause, judge] = [one.which, one.ms, () => 200];
  const { status, headers, body, isReset } = await send(one.name);
  expect(readable(formatResponse(status, headers, body, isReset))).toBe(current.clientResponse);
  expect(gateway.envoyLog()).not.toContain("gateway filter:");
});

it.each([
  ["rejected", 403],
  ["reset", undefined],
])("a response is replaced by an error if the callout is %s", async (_, status) => {
  [mode, pause, judge] = ["first whole", 0, () => status];
  const response = await send(STREAM);
  expect(response.status).toBe(403);
  expect(response.body.toString()).toContain("The response was blocked.");
});

it("a stream is ended by a link after its head has left", async () => {
  let count = 0;
  [mode, pause, judge] = ["last each", 15, () => (count++ === 0 ? 200 : 403)];
  const response = await send(STREAM);
  expect(response.status).toBe(200);
  expect(response.isReset).toBe(false);
  expect(response.body.toString().trimEnd()).toMatch(/event: blocked$/);
});
