// `access_log.format: json`: the same 15 fields, a JSON object for each line.
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseAccessLogLine } from "../../control-plane/cli/log/access-log-line.ts";
import type { AccessLogEntry } from "../../model/access-log-fields.ts";
import type { LogName } from "../gateway/gateway.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask } from "./ask.ts";

let all: WithFakes;
beforeAll(async () => {
  all = await startWithFakes({
    config: "access_log: {format: json}\n",
    timeoutMs: 2_000,
  });
});
afterAll(() => all.stop());

const EVIL = 'a" , "responseCode": 1, "x": "\\ é';

async function lineOf(name: LogName, id: string): Promise<AccessLogEntry> {
  const file = all.gateway.logFile(name);
  const found = () =>
    (existsSync(file) ? readFileSync(file, "utf8") : "")
      .split("\n")
      .slice(0, -1)
      .map((line) => {
        expect(() => JSON.parse(line) as unknown).not.toThrow();
        return parseAccessLogLine(line);
      })
      .find((entry) => entry?.requestId === id);
  await expect.poll(found).toBeDefined();
  const entry = found();
  if (entry === undefined) throw new Error("no line");
  return entry;
}

it("the client's line and the provider's have the fields of the text, escaped", async () => {
  const response = await ask(all.gateway, "chat", {
    headers: { "x-request-id": "json-1", "user-agent": Buffer.from(EVIL).toString("latin1") },
  });
  const { length } = Buffer.from(await response.arrayBuffer());
  const client = await lineOf("ingress", "json-1");
  expect(client).toMatchObject({
    method: "POST",
    path: "/v1/chat/completions",
    protocol: "HTTP/1.1",
    responseCode: 200,
    responseFlags: null,
    bytesSent: length,
    forwardedFor: null,
    userAgent: EVIL,
    upstreamHost: `127.0.0.1:${all.openai.port}`,
  });
  expect(client.duration).toBeTypeOf("number");
  expect(Math.abs(Date.parse(client.startTime) - Date.now())).toBeLessThan(60_000);
  const provider = await lineOf("llm", "json-1");
  expect(provider).toMatchObject({ responseCode: 200, authority: `127.0.0.1:${all.openai.port}` });
  expect(provider.upstreamServiceTime).toBeTypeOf("number");
});

it("an attempt without a response has its flags", async () => {
  all.openai.next({ kind: "hang" });
  await ask(all.gateway, "chat", { headers: { "x-request-id": "json-2" } });
  expect(await lineOf("ingress", "json-2")).toMatchObject({
    responseCode: 504,
    responseFlags: "UT",
  });
  expect(await lineOf("llm", "json-2")).toMatchObject({ responseCode: 0, responseFlags: "LR" });
});
