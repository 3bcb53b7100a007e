// Requests of all shapes: other dialects, fallbacks, messages of parts, and conversations without a prompt.
import { describe, expect, it } from "vitest";
import { RETRY } from "../models.ts";
import { all, api, isOf, modelServer, say, send, setUp, startWithPrompts } from "./set-up.ts";

setUp();

describe("requests of all shapes", () => {
  it.each([false, true])(
    "requests of all shapes reach a model of another dialect, stream %s",
    async (stream) => {
      const said = await say("@plain please", {
        stream,
        more: { model: "careful", max_tokens: 50 },
      });
      expect(said.metadata?.prompt_target).toEqual({ name: "plain", arguments: {}, status: 200 });
      expect(said.text).toContain("context: ");
      const asked = all.anthropic.requests.find(isOf(said.id));
      expect(asked?.body).toContain("context: ");
    },
  );

  it.each([false, true])(
    "requests of all shapes reach a model with a fallback, stream %s",
    async (stream) => {
      const gateway = await startWithPrompts({
        adapt: (model) => (model.targetSets = [{ name: "both", targets: [0, 2], retry: RETRY }]),
      });
      try {
        gateway.openai.next({ kind: "error", status: 500 });
        const said = await say("@plain please", {
          stream,
          through: gateway,
          more: { model: "both", max_tokens: 50 },
        });
        expect(said.metadata?.prompt_target.name).toBe("plain");
        expect(said.text).toContain("context: ");
        const attempts = [...gateway.openai.requests, ...gateway.anthropic.requests];
        expect(attempts.filter(isOf(said.id))).toHaveLength(2);
        expect(attempts.every(({ body }) => body.includes("context: "))).toBe(true);
      } finally {
        await gateway.stop();
      }
    },
  );

  it("a message of parts: its texts are the prompt, the API's answer is one part more", async () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    const parts = [{ type: "text", text: "@plain" }, image, { type: "text", text: "please" }];
    const messages = [{ role: "user", content: parts }];
    const said = await say("", { more: { messages } });
    expect(said.metadata?.prompt_target.name).toBe("plain");
    const content = said.model?.messages[0]?.content as unknown as object[];
    expect(content).toEqual(expect.arrayContaining(parts));
    expect(content).toHaveLength(4);
    expect(JSON.stringify(content)).toContain("/plain?a=b");
  });

  it.each([{ messages: [] }, { messages: [{ role: "system", content: "x" }] }, { messages: 7 }])(
    "%j holds no prompt: it goes to its model, which judges it",
    async (more) => {
      const { id, response } = send("", { more });
      await (await response).text();
      expect(modelServer.of(id)).toEqual([]);
      expect(all.openai.requests.filter(isOf(id))).toHaveLength(1);
    },
  );

  it("own words come with usage where a stream is asked for it", async () => {
    const options = { stream: true, more: { stream_options: { include_usage: true } } };
    const text = await (await send("jailbreak", options).response).text();
    expect(text).toMatch(/"choices":\[\],"usage":\{"prompt_tokens":0,.*\n\ndata: \[DONE\]\n\n$/);
    expect(await (await send("jailbreak", { stream: true }).response).text()).not.toContain(
      "usage",
    );
  });

  it("nothing of the client's head reaches an API or the model server", async () => {
    const headers = { authorization: "Bearer client", cookie: "a=client", "x-own": "client" };
    const said = await say("@book", { headers, more: { user: "somebody" } });
    const done = await say('@book {"guests": 1}', { headers });
    const seen = [...api.of(done.id), ...modelServer.of(said.id), ...modelServer.of(done.id)];
    expect(seen.length).toBeGreaterThan(8);
    expect(seen.filter(({ headers: own }) => JSON.stringify(own).includes("client"))).toEqual([]);
  });
});
