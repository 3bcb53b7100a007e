// What the official Node SDKs make of a limit of the gateway's own: their rate limit error, and a retry that waits.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";

const LIMITS = `
ratelimits:
  - {model: openai/gpt-4o, selector: {key: x-client}, limit: {requests: 1, unit: second}}
  - {model: anthropic/claude-test, selector: {key: x-client}, limit: {requests: 1, unit: second}}
`;

let all: WithFakes;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  all = await startWithFakes({ config: LIMITS });
  const { url } = all.gateway;
  openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: "any-key" });
  anthropic = new Anthropic({ baseURL: url, apiKey: "any-key" });
});
afterAll(() => all.stop());

/** One request of a client with a budget of its own. */
type Ask = (client: string, maxRetries: number) => Promise<unknown>;

const KINDS: [string, Ask, typeof OpenAI.RateLimitError | typeof Anthropic.RateLimitError][] = [
  [
    "openai",
    (client, maxRetries) =>
      openai.chat.completions.create(
        { model: "fast", messages: [{ role: "user", content: "hi" }] },
        { maxRetries, headers: { "x-client": client } },
      ),
    OpenAI.RateLimitError,
  ],
  [
    "anthropic",
    (client, maxRetries) =>
      anthropic.messages.create(
        { model: "careful", max_tokens: 10, messages: [{ role: "user", content: "hi" }] },
        { maxRetries, headers: { "x-client": client } },
      ),
    Anthropic.RateLimitError,
  ],
];

describe.each(KINDS)("Node %s", (name, ask, kind) => {
  it("an SDK raises its RateLimitError with the time of retry-after", async () => {
    // Two requests within a second: on a busy machine not always the first two.
    const refused = async (): Promise<unknown> => {
      await ask(`${name} without retries`, 0).catch(() => undefined);
      return ask(`${name} without retries`, 0).catch((thrown: unknown) => thrown);
    };
    let error: unknown;
    await expect.poll(async () => (error = await refused())).toBeInstanceOf(kind);
    const { headers, status, message } = error as InstanceType<typeof OpenAI.RateLimitError>;
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe("1");
    expect(message).toContain("1 requests a second");
  });

  it("an SDK waits for retry-after, and then succeeds", async () => {
    const client = `${name} with retries`;
    const retried = () =>
      [...all.openai.requests, ...all.anthropic.requests].filter(
        ({ headers }) =>
          headers["x-client"] === client && headers["x-stainless-retry-count"] === "1",
      );
    // A retry that came too early would be refused too, and the SDK would raise its error.
    await expect
      .poll(async () => {
        await ask(client, 1);
        return retried().length;
      })
      .toBeGreaterThan(0);
  });
});
