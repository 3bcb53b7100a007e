// A name that stands for several targets: each failure before the first byte moves on to the next, whatever it needs.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAuthority } from "../gateway/certificates.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { listen } from "../providers/listen.ts";
import { echo, startProvider } from "../providers/scripted-provider.ts";
import type { Listening } from "../providers/listen.ts";
import type { ScriptedProvider, Script } from "../providers/scripted-provider.ts";
import { host, RETRY, targetAt } from "./models.ts";
import { chat, OPENAI_KEY, startTwoDialects } from "../gateway/two-dialects.ts";

const respond: Script = (response, request) => {
  response.setHeader("content-type", "application/json").end(JSON.stringify(request));
};

let directory: string;
let first: ScriptedProvider;
let second: ScriptedProvider;
let last: Listening;
let gateway: Gateway;
let behaveFirst: Script;
let behaveSecond: Script;

beforeAll(async () => {
  const authority = createAuthority();
  directory = mkdtempSync(join(tmpdir(), "gateway-ca-"));
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  first = await startProvider((response, request) => behaveFirst(response, request));
  second = await startProvider((response, request) => behaveSecond(response, request));
  last = await listen(createTlsServer(authority.issue("last.test"), echo));
  gateway = await startTwoDialects(1, {
    caFile,
    adapt(model) {
      model.targets = [
        targetAt("test/first", host("localhost", first.port), { authority: "first.test" }),
        targetAt("test/second", host("127.0.0.1", second.port), {
          authority: "second.test",
          path: "/prefix/chat/completions",
          auth: { kind: "none" },
          headers: [{ name: "api-key", parts: [{ text: "own" }] }],
        }),
        targetAt(
          "test/last",
          host("127.0.0.1", last.port, { tls: true, serverName: "last.test" }),
          {
            authority: "last.test",
            systemPrompt: "Be brief.",
          },
        ),
        targetAt("test/nowhere", host("no-such-host.invalid", 80)),
      ];
      model.targetSets = [
        { name: "safe", targets: [0, 1, 2], retry: RETRY },
        { name: "nowhere first", targets: [3, 1], retry: RETRY },
      ];
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([first.stop(), second.stop(), last.stop()]);
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  behaveFirst = respond;
  behaveSecond = respond;
});

interface Seen {
  path: string;
  headers: Record<string, string>;
  body: string;
}

const CLIENT = { authorization: "Bearer client", "x-api-key": "client", cookie: "a=client" };

async function ask(model: string): Promise<Seen> {
  const response = await chat(gateway, { model }, { headers: CLIENT });
  expect(response.status).toBe(200);
  return (await response.json()) as Seen;
}

const fail =
  (status: number): Script =>
  (response) => {
    response.writeHead(status).end();
  };
const disconnect: Script = (response) => {
  response.socket?.destroy();
};

describe("the target that answers gets the request in its own format", () => {
  it("the first target gets the request in its format", async () => {
    const { headers, path, body } = await ask("safe");
    expect(path).toBe("/v1/chat/completions");
    expect(headers).toMatchObject({ host: "first.test", authorization: `Bearer ${OPENAI_KEY}` });
    expect(JSON.parse(body)).toMatchObject({ model: "first" });
  });

  it("the second, with nothing left of the first's credentials or the client's", async () => {
    behaveFirst = fail(500);
    const { headers, path, body } = await ask("safe");
    expect(path).toBe("/prefix/chat/completions");
    expect(headers).toMatchObject({ host: "second.test", "api-key": "own" });
    for (const name of ["authorization", "x-api-key", "cookie"]) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(JSON.parse(body)).toMatchObject({ model: "second" });
  });

  it("the last target over TLS gets the request in its format, with its system prompt", async () => {
    behaveFirst = fail(429);
    behaveSecond = disconnect;
    const { headers, body } = await ask("safe");
    expect(headers).toMatchObject({ host: "last.test", authorization: `Bearer ${OPENAI_KEY}` });
    expect(headers).not.toHaveProperty("api-key");
    expect(JSON.parse(body)).toEqual({
      model: "last",
      messages: [{ role: "system", content: "Be brief." }],
    });
  });

  it("one after a name that does not resolve", async () => {
    expect((await ask("nowhere first")).headers).toMatchObject({ host: "second.test" });
  });
});

it("a refusal of the request itself is not tried elsewhere", async () => {
  behaveFirst = fail(400);
  second.requests.length = 0;
  expect((await chat(gateway, { model: "safe" })).status).toBe(400);
  expect(second.requests).toEqual([]);
});

it("each attempt has a line, all with the client's request id", async () => {
  behaveFirst = fail(503);
  behaveSecond = disconnect;
  await chat(gateway, { model: "safe" }, { headers: { "x-request-id": "three-attempts" } });
  const attempts = await gateway.waitForLog(
    "llm",
    (line) => line.requestId === "three-attempts",
    3,
  );
  expect(attempts.map(({ code, flags, path, authority: to }) => [code, flags, path, to])).toEqual([
    [503, "-", "/v1/chat/completions", "first.test"],
    [0, "UC", "/prefix/chat/completions", "second.test"],
    [200, "-", "/v1/chat/completions", "last.test"],
  ]);
  const [line] = await gateway.waitForLog(
    "ingress",
    ({ requestId }) => requestId === "three-attempts",
  );
  expect(line).toMatchObject({
    code: 200,
    path: "/v1/chat/completions",
    authority: `127.0.0.1:${gateway.ports.egress}`,
  });
});
