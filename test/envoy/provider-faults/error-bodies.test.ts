// Errors of a provider that are not to be passed on as they are, through a real Envoy: keys in them, and no end of them.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gateway } from "../../gateway/gateway.ts";
import { ask, errorOf } from "../ask.ts";
import type { TwoDialects } from "../ask.ts";
import { startProvider } from "../../providers/scripted-provider.ts";
import type { Script, ScriptedProvider } from "../../providers/scripted-provider.ts";
import { dialectOfPath, responseParts } from "../../providers/wire.ts";
import { RETRY } from "../models.ts";
import { ANTHROPIC_KEY, OPENAI_KEY, startTwoDialects } from "../../gateway/two-dialects.ts";

const KEYS = [OPENAI_KEY, ANTHROPIC_KEY];
const PIECE = Buffer.alloc(64 * 1024, "x");

/** What the prompt can ask for. */
const BEHAVIOURS: Record<string, Script> = {
  "quote the key": async (response, { headers, path }) => {
    const key = headers.authorization ?? String(headers["x-api-key"]);
    response.writeHead(401, { "content-type": "application/json", "x-echo-auth": key });
    const error = { message: `Incorrect key: ${key}`, type: "t" };
    const envelope = dialectOfPath(path) === "messages" ? { type: "error", request_id: "r" } : {};
    const body = JSON.stringify({ ...envelope, error });
    const middle = body.indexOf("provider") + 3;
    response.write(body.slice(0, middle));
    // In another packet, so that Envoy reads the key in two pieces.
    await pause(20);
    response.end(body.slice(middle));
  },
  "quote the key in a header": (response, { headers, path }) => {
    const key = headers.authorization ?? String(headers["x-api-key"]);
    const { type, parts } = responseParts(dialectOfPath(path), "complete");
    response.writeHead(200, { "content-type": type, "x-echo-auth": key }).end(parts.join(""));
  },
  "go on for ever": async (response) => {
    response.writeHead(500, { "content-type": "text/plain", "retry-after": "7" });
    while (!response.destroyed) {
      response.write(PIECE);
      await pause(1);
    }
  },
};

let provider: ScriptedProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startProvider((response, request) => {
    const behave = Object.entries(BEHAVIOURS).find(([name]) => request.body.includes(`"${name}"`));
    return behave?.[1](response, request);
  });
  gateway = await startTwoDialects(provider.port, {
    adapt(model) {
      model.targetSets = [
        { name: "set/chat", targets: [0], retry: RETRY },
        { name: "set/messages", targets: [1], retry: RETRY },
      ];
    },
  });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

const MODELS: Record<string, Record<TwoDialects, string>> = {
  "one target": { chat: "openai/gpt-4o", messages: "anthropic/claude" },
  "several targets": { chat: "set/chat", messages: "set/messages" },
};
const DIALECTS: TwoDialects[] = ["chat", "messages"];
const PLACES = Object.keys(MODELS).flatMap((targets) =>
  DIALECTS.flatMap((client) => DIALECTS.map((at) => ({ targets, client, at }))),
);

describe.each(PLACES)("$targets, $client client, provider of $at", ({ targets, client, at }) => {
  const get = (text: string, stream = false): Promise<Response> =>
    ask(gateway, client, {
      model: MODELS[targets]?.[at] ?? "",
      text,
      stream,
      signal: AbortSignal.timeout(20_000),
    });

  it.each([false, true])(
    "a key in an error and in its headers is masked, stream %s",
    async (stream) => {
      const response = await get("quote the key", stream);
      expect(response.status).toBe(401);
      expect(response.headers.get("x-echo-auth")).toBe(at === "chat" ? "Bearer ***" : "***");
      const said = at === "chat" ? "Incorrect key: Bearer ***" : "Incorrect key: ***";
      expect((await errorOf(response, client)).message).toBe(said);
    },
  );

  it("a key in a header of an answer is masked", async () => {
    const response = await get("quote the key in a header");
    expect(response.status).toBe(200);
    expect(response.headers.get("x-echo-auth")).toContain("***");
    const all = JSON.stringify([...response.headers]) + (await response.text());
    for (const key of KEYS) expect(all).not.toContain(key);
  });

  it.each([false, true])(
    "an error without end is cut off after 1 MiB, stream %s",
    async (stream) => {
      const before = provider.brokenOff;
      const response = await get("go on for ever", stream);
      expect(response.status).toBe(500);
      expect(response.headers.get("retry-after")).toBe("7");
      expect((await errorOf(response, client)).message).toContain("and more than 1 MiB");
      await expect.poll(() => provider.brokenOff, { timeout: 10_000 }).toBe(before + 1);
    },
  );
});
