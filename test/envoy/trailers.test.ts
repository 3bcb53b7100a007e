// A provider over HTTP/2 that sends trailers: the body's last callback does not say that it is the last.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createSecureServer } from "node:http2";
import type { ServerHttp2Stream } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuthority } from "../gateway/certificates.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { ask, errorOf } from "./ask.ts";
import type { DialectName } from "./ask.ts";
import { listen } from "../providers/listen.ts";
import type { Listening } from "../providers/listen.ts";
import { dialectOfPath, ERROR_TEXT, responseParts, RESPONSE_TEXT } from "../providers/wire.ts";
import { readComplete, readStream } from "./read-response.ts";
import type { ResponseKind } from "../providers/wire.ts";
import { ANTHROPIC, host, targetAt } from "./models.ts";
import { startTwoDialects } from "../gateway/two-dialects.ts";

const NAME = "api.provider.test";
const DIALECTS: DialectName[] = ["chat", "messages"];

let directory: string;
let provider: Listening;
let gateway: Gateway;

async function respond(stream: ServerHttp2Stream, path: string): Promise<void> {
  let body = "";
  for await (const part of stream as AsyncIterable<Buffer>) body += part.toString();
  const [, kind, size] = /"(complete|stream|error) (\w+)"/.exec(body) ?? [];
  const { status, type, parts } = responseParts(dialectOfPath(path), kind as ResponseKind);
  stream.respond({ ":status": status, "content-type": type }, { waitForTrailers: true });
  stream.on("wantTrailers", () => {
    stream.sendTrailers({ "x-checksum": "42" });
  });
  if (size === "nothing") stream.end();
  else stream.end((size === "half" ? parts.slice(0, -2) : parts).join(""));
}

beforeAll(async () => {
  const authority = createAuthority();
  directory = mkdtempSync(join(tmpdir(), "gateway-ca-"));
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const server = createSecureServer(authority.issue(NAME));
  server.on("stream", (stream, headers) => {
    respond(stream, headers[":path"] ?? "").catch(() => undefined);
  });
  provider = await listen(server);
  const place = host("127.0.0.1", provider.port, { tls: true, serverName: NAME });
  gateway = await startTwoDialects(1, {
    caFile,
    adapt(model) {
      model.targets = [targetAt("test/chat", place), targetAt("test/messages", place, ANTHROPIC)];
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The trailers that a client over HTTP/2 gets; undefined when there are none. */
function trailersOf(model: string): Promise<object | undefined> {
  return new Promise((resolve, reject) => {
    const session = connect(gateway.url);
    session.on("error", reject);
    const request = session.request({ ":method": "POST", ":path": "/v1/chat/completions" });
    let trailers: object | undefined;
    request.on("trailers", (headers: object) => (trailers = headers));
    request.on("end", () => {
      session.close();
      resolve(trailers);
    });
    request.resume();
    const content = "complete all";
    request.end(JSON.stringify({ model, messages: [{ role: "user", content }] }));
  });
}

it.each(DIALECTS)("the trailers of a provider of %s reach no client", async (at) => {
  expect(Object.keys((await trailersOf(`test/${at}`)) ?? {})).toEqual([]);
});

const PLACES = DIALECTS.flatMap((client) => DIALECTS.map((at) => ({ client, at })));

describe.each(PLACES)("$client client, provider of $at", ({ client, at }) => {
  const get = (kind: ResponseKind, size: "all" | "half" | "nothing"): Promise<Response> =>
    ask(gateway, client, {
      model: `test/${at}`,
      text: `${kind} ${size}`,
      stream: kind === "stream",
      signal: AbortSignal.timeout(5000),
    });

  it("a complete response with trailers is read", async () => {
    expect(readComplete(client, await (await get("complete", "all")).text())).toBe(RESPONSE_TEXT);
  });

  it("a stream with trailers is read", async () => {
    const seen = readStream(client, await (await get("stream", "all")).text());
    expect(seen).toEqual({ text: RESPONSE_TEXT, isFinished: true });
  });

  it("an error with trailers is read", async () => {
    const response = await get("error", "all");
    expect(response.status).toBe(500);
    expect((await errorOf(response, client)).message).toBe(ERROR_TEXT);
  });

  it.runIf(client !== at)("an answer without a body is an error", async () => {
    const response = await get("complete", "nothing");
    expect(response.status).toBe(502);
    expect((await errorOf(response, client)).message).toMatch(/is empty/);
  });

  it("an error without a body stays one", async () => {
    const response = await get("error", "nothing");
    expect(response.status).toBe(500);
    expect((await errorOf(response, client)).message).toMatch(/without an error message/);
  });

  it.runIf(client !== at)("a stream that ends early does not end well", async () => {
    await expect(get("stream", "half").then((response) => response.text())).rejects.toThrow();
  });
});
