// Endpoints whose requests pass to one provider, through the real Envoy: large and slow bodies, other attempts at the same
// model, limits, and that a token count which a provider does not support has no effect on its other requests.
import { createServer, request } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { ask } from "./ask.ts";
import { listen } from "../providers/listen.ts";
import { startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider, Script } from "../providers/scripted-provider.ts";
import { responseParts } from "../providers/wire.ts";
import { sendRaw } from "../gateway/raw-client.ts";

const MEBIBYTE = 1 << 20;
const FAILURES = 3;
const ESTIMATED = "x-gateway-estimated";

const json = (status: number, body: object): Script => {
  const text = JSON.stringify(body);
  return (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(text);
};
const EMBEDDING = json(200, {
  object: "list",
  data: [{ object: "embedding", index: 0, embedding: "AACAPw==" }],
  usage: { prompt_tokens: 40, total_tokens: 40 },
});

let first: ScriptedProvider;
let second: ScriptedProvider;
let behave: Script;
let gateway: Gateway;

beforeAll(async () => {
  first = await startProvider((response, request) => behave(response, request));
  second = await startProvider((response, request) =>
    request.path === "/v1/messages"
      ? json(200, JSON.parse(responseParts("messages", "complete").parts.join("")) as object)(
          response,
          request,
        )
      : EMBEDDING(response, request),
  );
});
afterAll(() => Promise.all([first.stop(), second.stop()]));

beforeEach(async () => {
  first.requests.length = 0;
  second.requests.length = 0;
  behave = EMBEDDING;
  const config = `
version: v0.1.0
llm_providers:
  - model: house/embed
    provider_interface: openai
    base_url: http://127.0.0.1:${first.port}/v1
    access_key: [$FIRST_KEY, $SECOND_KEY]
    fallbacks: [other/embed]
  - model: other/embed
    provider_interface: openai
    base_url: http://127.0.0.1:${second.port}/v1
  - model: house/limited
    provider_interface: openai
    base_url: http://127.0.0.1:${first.port}/v1
    access_key: $FIRST_KEY
  - model: claude/one
    provider_interface: anthropic
    base_url: http://127.0.0.1:${first.port}
    access_key: $FIRST_KEY
    fallbacks: [claude/two]
  - model: claude/two
    provider_interface: anthropic
    base_url: http://127.0.0.1:${second.port}
    access_key: $SECOND_KEY
limits: { request_body: 1MiB }
upstream: { outlier_detection: { consecutive_failures: ${FAILURES} } }
ratelimits:
  - model: house/limited
    limit: { requests: 2, tokens: 100, unit: hour }
`;
  gateway = await startGateway({
    config,
    environment: { FIRST_KEY: "key-1", SECOND_KEY: "key-2" },
  });
});
afterEach(() => gateway.stop());

const HINT = "x-gateway-llm-provider-hint";

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

function form(megabytes: number): FormData {
  const body = new FormData();
  body.append("file", new Blob(["x".repeat(megabytes * MEBIBYTE)]), "speech.wav");
  body.append("model", "house/embed");
  return body;
}

describe("a token count that the provider does not support", () => {
  const count = (): Promise<Response> =>
    post("/v1/messages/count_tokens", {
      model: "claude/one",
      messages: [{ role: "user", content: "Hello" }],
    });

  it.each([404, 405])(
    "an unsupported token count is estimated after %i, and ejects nothing",
    async (status) => {
      behave = json(status, { type: "error", error: { type: "not_found_error", message: "No" } });
      for (let at = 0; at < 5 * FAILURES; at++) {
        const response = await count();
        expect(response.status).toBe(200);
        expect(response.headers.get(ESTIMATED)).toBe("input_tokens");
        expect(await response.json()).toEqual({ input_tokens: 6 });
      }
      expect(first.requests).toHaveLength(5 * FAILURES);
      expect(second.requests).toHaveLength(0);
      const messages = responseParts("messages", "complete").parts.join("");
      behave = json(200, JSON.parse(messages) as object);
      const response = await ask(gateway, "messages", { model: "claude/one" });
      expect(response.status).toBe(200);
      expect(first.requests.at(-1)?.path).toBe("/v1/messages");
      expect(second.requests).toHaveLength(0);
      const ejections = await gateway.admin("/stats?filter=ejections_active");
      expect(ejections).not.toMatch(/ejections_active: [1-9]/);
    },
  );

  it("a token count is the provider's if it supports the count", async () => {
    behave = json(200, { input_tokens: 12 });
    const response = await count();
    expect(response.headers.get(ESTIMATED)).toBeNull();
    expect(await response.json()).toEqual({ input_tokens: 12 });
  });
});

describe("embeddings", () => {
  it("embeddings are requested again with another key, and never from another model", async () => {
    behave = json(429, { error: { message: "Slow down.", type: "rate_limit_error" } });
    const response = await post("/v1/embeddings", { model: "house/embed", input: "a" });
    expect(response.status).toBe(429);
    const keys = first.requests.map(({ headers }) => headers.authorization).sort();
    expect(keys).toEqual(["Bearer key-1", "Bearer key-2"]);
    expect(second.requests).toHaveLength(0);
  });

  it("embeddings are not requested from another model when the provider breaks off", async () => {
    behave = (response) => void response.destroy();
    const response = await post("/v1/embeddings", { model: "house/embed", input: "a" });
    expect(response.status).toBe(503);
    expect(second.requests).toHaveLength(0);
  });

  it("count against limits of tokens and requests", async () => {
    const codes: number[] = [];
    for (let at = 0; at < 3; at++) {
      const response = await post("/v1/embeddings", { model: "house/limited", input: "a" });
      codes.push(response.status);
      const left = response.headers.get("x-ratelimit-remaining-tokens");
      if (at < 2) expect(Number(left)).toBe(at === 0 ? 100 : 60);
      await response.text();
    }
    expect(codes).toEqual([200, 200, 429]);
  });

  it("embeddings with a large body have the model replaced", async () => {
    const input = "x".repeat(MEBIBYTE - 1000);
    const response = await post("/v1/embeddings", { model: "house/embed", input });
    expect(response.status).toBe(200);
    expect(JSON.parse(first.requests[0]?.body ?? "")).toEqual({ model: "embed", input });
  });
});

describe("limits of tokens", () => {
  it("limits of tokens do not apply to speech, whose response has no usage", async () => {
    behave = (response) =>
      void response.writeHead(200, { "content-type": "audio/mpeg" }).end("x".repeat(100_000));
    const speech = { model: "house/limited", input: "a", voice: "alloy" };
    const response = await post("/v1/audio/speech", speech);
    expect((await response.text()).length).toBe(100_000);
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("1");
    expect(response.headers.get("x-ratelimit-remaining-tokens")).toBeNull();
    expect((await post("/v1/audio/speech", speech)).status).toBe(200);
    expect((await post("/v1/audio/speech", speech)).status).toBe(429);
  });
});

describe("a form", () => {
  it("a form has its model replaced after a large file", async () => {
    const body = form(0.9);
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      body,
    });
    expect(response.status).toBe(200);
    const request = first.requests[0];
    expect(request?.path).toBe("/v1/audio/transcriptions");
    expect(request?.body).toMatch(/name="model"\r\n\r\nembed\r\n--.*--\r\n$/);
    expect(Number(request?.headers["content-length"])).toBe(request?.body.length);
  });

  it("larger than limits.request_body returns 413", async () => {
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      body: form(1.5),
    });
    expect(response.status).toBe(413);
    expect(first.requests).toHaveLength(0);
  });
});

describe("a file", () => {
  it("larger than limits.request_body passes to the provider that the header names", async () => {
    const headers = { [HINT]: "house" };
    const response = await fetch(`${gateway.url}/v1/files`, {
      method: "POST",
      body: form(5),
      headers,
    });
    expect(response.status).toBe(200);
    expect(first.requests[0]?.headers.authorization).toBe("Bearer key-1");
    expect(first.requests[0]?.headers[HINT]).toBeUndefined();
    expect(first.requests[0]?.body.length).toBeGreaterThan(5 * MEBIBYTE);
  });

  it("a file passes while it arrives, and so does the response", async () => {
    // Responds with each part of the request, as it comes.
    const server = createServer((incoming, outgoing) => {
      outgoing.writeHead(200, { "content-type": "application/octet-stream" });
      incoming.pipe(outgoing);
    });
    const echo = await listen(server, () => {
      server.closeAllConnections();
    });
    await gateway.stop();
    gateway = await startGateway({
      config: `
version: v0.1.0
llm_providers:
  - model: echo/one
    provider_interface: openai
    base_url: http://127.0.0.1:${echo.port}/v1
`,
    });
    const received = await new Promise<string>((resolve, reject) => {
      const outgoing = request(
        `${gateway.url}/v1/files`,
        { method: "POST", headers: { [HINT]: "echo" } },
        (incoming) => {
          let text = "";
          incoming.setEncoding("utf8").on("data", (part: string) => {
            text += part;
            // The end of the request depends on the beginning of the response.
            if (text === "first") outgoing.end("second");
          });
          incoming.on("end", () => {
            resolve(text);
          });
        },
      );
      outgoing.on("error", reject);
      outgoing.write("first");
    });
    expect(received).toBe("firstsecond");
    await echo.stop();
  });
});

describe("a websocket", () => {
  it.each(["/v1/responses", "/v1/realtime"])("a websocket to %s returns 426", async (path) => {
    const response = await sendRaw(
      gateway.ports.egress,
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    expect(response.status).toBe(426);
    expect(response.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(response.body)).toMatchObject({ error: { type: "invalid_request_error" } });
  });
});
