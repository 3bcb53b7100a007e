// The listener's timeout, which limits all steps of a prompt together.
import { describe, expect, it } from "vitest";
import { errorOf } from "../ask.ts";
import { SLOW_MS } from "./fakes.ts";
import { api, inBothModes, isOf, say, send, setUp, short, SHORT_MS } from "./set-up.ts";

setUp({ withShort: true });

describe.concurrent("the listener's timeout is one limit on the whole prompt", () => {
  it.each(["/guard", "/embeddings", "/zeroshot", "/v1/chat/completions", "/hallucination"])(
    "the listener's timeout used up at %s returns 504, and no further server is called",
    async (path) => {
      const step = path.endsWith("completions") ? "extraction" : path.slice(1);
      const prompt = `@weather {"city": "Oslo"} hang: ${path}`;
      await inBothModes(async (stream) => {
        const { id, response } = send(prompt, { through: short, stream });
        expect((await response).status).toBe(504);
        const { message, type } = await errorOf(await response, "chat");
        expect(message).toMatch(/listener's timeout expired/);
        expect(message).toContain(`(last step: ${step})`);
        expect(type).toBe("timeout_error");
        expect([...api.of(id), ...short.openai.requests.filter(isOf(id))]).toEqual([]);
      });
    },
  );

  it("steps that are each in time leave the API and the model what is left", async () => {
    const slow = "slow: /embeddings slow: /zeroshot";
    await inBothModes(async (stream) => {
      for (const prompt of [`@silent ${slow}`, `hello [hang] ${slow}`]) {
        const { id, response } = send(prompt, { through: short, stream });
        expect((await response).status).toBe(504);
        const [line] = await short.gateway.waitForLog(
          "ingress",
          ({ requestId }) => requestId === id,
        );
        // Two slow steps and a whole timeout of its own would be more.
        expect(line?.duration).toBeLessThan(2 * SLOW_MS + SHORT_MS);
      }
    });
  });

  it("a stream that has begun is not cut by it", async () => {
    const pace = 200;
    const pieces = (2 * SHORT_MS) / pace;
    const said = await say(`hello [pieces ${pieces} pace ${pace}]`, {
      through: short,
      stream: true,
    });
    expect(said.text).toContain(String(pieces - 1));
  });
});
