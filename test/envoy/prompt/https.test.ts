// APIs over https: the certificate is verified, and the error for the client states what is wrong with it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createAuthority } from "../../gateway/certificates.ts";
import { startWithFakes } from "../../gateway/with-fakes.ts";
import type { WithFakes } from "../../gateway/with-fakes.ts";
import { ask, errorOf } from "../ask.ts";
import { startApi, startModelServer } from "./fakes.ts";
import type { FakeApi, FakeModelServer } from "./fakes.ts";

const NAME = "api.test";

let all: WithFakes;
let modelServer: FakeModelServer;
let apis: Record<string, FakeApi>;
let directory: string;

beforeAll(async () => {
  const authority = createAuthority();
  directory = mkdtempSync(join(tmpdir(), "gateway-api-tls-"));
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  modelServer = await startModelServer();
  apis = {
    good: await startApi(authority.issue(NAME)),
    wrong_name: await startApi(authority.issue("elsewhere.test")),
    stranger: await startApi(createAuthority("A stranger").issue(NAME)),
    expired: await startApi(authority.issueExpired(NAME)),
    plain: await startApi(),
  };
  const target = (name: string) =>
    `  - {name: ${name}, description: ${name}, endpoint: {name: ${name}, path: /now}, auto_llm_dispatch_on_response: false}\n`;
  const endpoint = (name: string, port: number) =>
    `  ${name}: {endpoint: "${NAME}:${port}", protocol: https}\n`;
  const entries = Object.entries(apis).map(([name, { port }]) => endpoint(name, port));
  const byAddress = `{endpoint: "127.0.0.1:${apis["good"]?.port}", protocol: https, http_host: ${NAME}}`;
  all = await startWithFakes({
    caFile,
    modelServerSocketPath: modelServer.socketPath,
    config: `
prompt_targets:
${[...Object.keys(apis), "by_address"].map(target).join("")}
endpoints:
${entries.join("")}  by_address: ${byAddress}
`,
    // Instead of a DNS server.
    adapt(model) {
      for (const { address } of model.prompt?.endpoints ?? [])
        if (address.host === NAME) address.host = "127.0.0.1";
    },
  });
});

afterAll(async () => {
  await all.stop();
  await Promise.all([modelServer, ...Object.values(apis)].map((one) => one.stop()));
  rmSync(directory, { recursive: true, force: true });
});

const say = (target: string): Promise<Response> =>
  ask(all.gateway, "chat", { model: "none", text: `@${target}`, listener: "ingress" });

it.each(["good", "by_address"])("%s: it is called by the name in its certificate", async (name) => {
  const response = await say(name);
  expect(response.status).toBe(200);
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  expect(JSON.parse(choices[0]?.message.content ?? "")).toMatchObject({ path: "/now" });
  const host = name === "good" ? `${NAME}:${apis["good"]?.port}` : NAME;
  expect(apis["good"]?.requests.at(-1)?.headers.host).toBe(host);
});

it.each([
  [
    "wrong_name",
    /certificate of the API of the prompt target 'wrong_name': it is for another name/,
  ],
  [
    "stranger",
    /certificate of the API of the prompt target 'stranger': its authority is not trusted/,
  ],
  ["expired", /certificate of the API of the prompt target 'expired': it has expired/],
  ["plain", /TLS.*'plain'/],
])("%s: 503 that says why, and nothing is sent", async (name, message) => {
  const response = await say(name);
  expect(response.status).toBe(503);
  expect((await errorOf(response, "chat")).message).toMatch(message);
  expect(apis[name]?.requests).toEqual([]);
});
