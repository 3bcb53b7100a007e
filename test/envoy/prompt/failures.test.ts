// What fails around a prompt: the API of its target, and the steps of the model server, also all of them.
import { describe, expect, it } from "vitest";
import { newSocketPath } from "../../gateway/socket-path.ts";
import { errorOf } from "../ask.ts";
import {
  all,
  api,
  inBothModes,
  isOf,
  say,
  send,
  setUp,
  short,
  SHORT_MS,
  startWithPrompts,
  steps,
} from "./set-up.ts";

setUp({ withShort: true });

describe.concurrent("an API that fails is an error with its status and the target's name", () => {
  it.each([
    ["@s404", 404, /'s404' returned 404/],
    ["@s500", 500, /'s500' returned 500/],
    ["@s302", 502, /'s302' returned 302/],
    ["@gzip_cut", 502, /'gzip_cut' returned a compressed response that is damaged or not JSON/],
    ["@gzip_lie", 502, /'gzip_lie' returned a compressed response/],
    ["@gzip_text", 502, /'gzip_text' returned a compressed response/],
    ["@big", 502, /'big' returned more than 1 MiB/],
    ["@endless", 502, /'endless' closed the connection early or exceeded the 1 MiB limit/],
    ["@broken", 502, /'broken' closed the connection early/],
    ["@hang", 504, /'hang' did not respond within the listener's timeout/],
    ["@silent", 504, /'silent' did not respond within the listener's timeout/],
    ["@close", 503, /'close' closed the connection before it responded/],
    ["@handshake", 503, /^Cannot connect to .*'handshake': no connection within connect_timeout/],
    ["@refused", 503, /^Cannot connect to .*'refused': connection refused/],
    ["@nowhere", 503, /^No address for .*'nowhere': its host name could not be resolved/],
  ])("%s", async (prompt, status, message) => {
    const through = status === 504 ? short : all;
    await inBothModes(async (stream) => {
      const { id, response: sent } = send(prompt, { stream, through });
      const response = await sent;
      expect(response.status).toBe(status);
      const error = await errorOf(response, "chat");
      expect(error.message).toMatch(message);
      expect(JSON.stringify(error)).not.toMatch(/secret|127\.0\.0\.1|no-such-host/);
      expect(through.openai.requests.filter(isOf(id))).toEqual([]);
    });
  });

  it("an API that fails after a POST sends a header that stops SDKs from sending the prompt again", async () => {
    for (const [prompt, status, header] of [
      ["@acted", 503, "false"],
      ["@close", 503, null],
      // The API has answered, the model fails.
      ["@noted [error 500]", 500, "false"],
      ["@plain [error 500]", 500, null],
    ] as const) {
      const response = await send(prompt).response;
      expect(response.status).toBe(status);
      expect(response.headers.get("x-should-retry")).toBe(header);
    }
    const late = await send("@noted [hang]", { through: short }).response;
    expect([late.status, late.headers.get("x-should-retry")]).toEqual([504, "false"]);
  });

  it("a redirect is not followed", () => {
    expect(api.requests.some(({ path }) => path === "/elsewhere")).toBe(false);
  });

  it("compressed JSON that is whole is an answer", async () => {
    const said = await say("@gzip_json");
    expect(said.response.status).toBe(200);
    expect(JSON.stringify(said.model)).toContain("sunny sunny");
  });

  it("an empty response of an API is a response", async () => {
    const said = await say("@s204");
    expect(said.response.status).toBe(200);
    expect(said.metadata?.prompt_target.status).toBe(204);
  });
});

describe.concurrent("a step that fails", () => {
  it.each(["fail", "garbage", "close"])("the guard fails (%s): 503", async (how) => {
    const { response } = send(`hello ${how}: /guard`);
    expect((await response).status).toBe(503);
    expect((await errorOf(await response, "chat")).message).toMatch(/guard is unavailable/);
  });

  it.each(["/embeddings", "/zeroshot", "/v1/chat/completions"])(
    "%s: the model answers without a target",
    async (path) => {
      for (const how of ["fail", "garbage", "close"]) {
        const prompt = `@weather ${how}: ${path}`;
        const said = await say(prompt);
        expect(said.model?.messages).toEqual([{ role: "user", content: prompt }]);
        expect(said.metadata).toBeUndefined();
      }
      const step = path.endsWith("completions") ? "extraction" : path.slice(1);
      expect(all.gateway.envoyLog()).toContain(`prompt step ${step} failed (status 500)`);
    },
  );

  it.each(["fail", "garbage", "close"])(
    "grounding (%s): 503, and the API is not called with values that nobody has checked",
    async (how) => {
      const { id, response } = send(`@weather {"city": "Oslo"} ${how}: /hallucination`);
      expect((await response).status).toBe(503);
      expect((await errorOf(await response, "chat")).message).toMatch(/could not be checked/);
      expect(api.of(id)).toEqual([]);
    },
  );

  it("a step that never answers ends at its limit, and the prompt reaches its model", async () => {
    const said = await say("@plain hang: /zeroshot");
    expect(said.model?.messages).toEqual([{ role: "user", content: "@plain hang: /zeroshot" }]);
    const [line] = (await steps(said.id, 3)).filter(({ path }) => path === "/zeroshot");
    expect(line?.code).toBe(0);
  });
});

describe("without a model server", () => {
  const start = async (edit: (config: string) => string) =>
    startWithPrompts({
      edit,
      modelServerSocketPath: newSocketPath(), // where nobody listens
      timeoutMs: SHORT_MS,
    });

  it("a guard that fails closed refuses, one that fails open lets the prompt pass", async () => {
    const closed = await start((config) => config);
    const open = await start((config) => config.replace("jailbreak: {", "$&on_failure: allow, "));
    try {
      const refused = await say("@plain", { through: closed });
      expect(refused.response.status).toBe(503);
      expect(closed.openai.requests).toEqual([]);
      for (const stream of [false, true]) {
        const said = await say("@plain", { through: open, stream });
        expect(said.model?.messages).toEqual([{ role: "user", content: "@plain" }]);
      }
      expect(open.gateway.envoyLog()).toMatch(/guard is unavailable/);
    } finally {
      await Promise.all([closed.stop(), open.stop()]);
    }
  });

  it("a default target without a guard is not for failures of the model server", async () => {
    const gateway = await start((config) => config.replace(/^prompt_guards.*$/m, ""));
    try {
      expect((await say("@plain", { through: gateway })).model?.messages).toHaveLength(1);
    } finally {
      await gateway.stop();
    }
  });
});
