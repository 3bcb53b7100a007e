// Streams in time: no event waits for the next, a healthy stream is never cut, a silent one is, and nobody works for a client that has left.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, errorOf, parts } from "./ask.ts";
import type { DialectName } from "./ask.ts";

/** A test waits for it, and an answer has to be there before it on a busy machine too. */
const TIMEOUT_MS = 2_000;
let all: WithFakes;

beforeAll(async () => {
  all = await startWithFakes({ timeoutMs: TIMEOUT_MS });
});
afterAll(() => all.stop());

const DIALECTS: { dialect: DialectName; provider: "openai" | "anthropic"; last: string }[] = [
  { dialect: "chat", provider: "openai", last: "data: [DONE]" },
  { dialect: "messages", provider: "anthropic", last: "event: message_stop" },
];

describe.concurrent.each(DIALECTS)("$dialect", ({ dialect, provider, last }) => {
  it("a stream that lasts longer than the timeout, and is never silent, comes whole", async ({
    expect,
  }) => {
    const started = Date.now();
    const response = await ask(all.gateway, dialect, {
      stream: true,
      text: "[pieces 50 pace 100]",
    });
    const text = await response.text();
    expect(Date.now() - started).toBeGreaterThan(TIMEOUT_MS * 2);
    expect(text).toContain("49 ");
    expect(text.trimEnd().split("\n").join("\n")).toContain(last);
  });

  it("a complete answer has the timeout as a whole", async () => {
    const response = await ask(all.gateway, dialect, { text: `[delay ${TIMEOUT_MS * 3}]` });
    expect(response.status).toBe(504);
    expect((await errorOf(response, dialect)).type).toBe("timeout_error");
  });

  it("a stream whose first byte comes too late is 504", async () => {
    const response = await ask(all.gateway, dialect, { stream: true, text: "[hang]" });
    expect(response.status).toBe(504);
    expect((await errorOf(response, dialect)).type).toBe("timeout_error");
  });

  it("a stream that falls silent is cut", async () => {
    const response = await ask(all.gateway, dialect, { stream: true, text: "[stall 3]" });
    expect(response.status).toBe(200);
    const seen: string[] = [];
    await expect(async () => {
      for await (const part of parts(response)) seen.push(part);
    }).rejects.toThrow();
    expect(seen.join("")).not.toContain(last);
    expect(seen.join("")).not.toBe("");
  });

  it("a stream that the provider breaks is broken for the client, never ended", async ({
    expect,
  }) => {
    const response = await ask(all.gateway, dialect, { stream: true, text: "[reset 3]" });
    await expect(response.text()).rejects.toThrow();
  });

  it("each event is there before the next one exists", async () => {
    // Three events, then silence: what has been sent must have arrived although nothing follows.
    const response = await ask(all.gateway, dialect, { stream: true, text: "[stall 3]" });
    let text = "";
    await expect(async () => {
      for await (const part of parts(response)) text += part;
    }).rejects.toThrow();
    expect(text.split("\n\n").filter((event) => event !== "")).toHaveLength(3);
  });

  it("a client that leaves takes the provider's work with it", async () => {
    const leaving = new AbortController();
    const response = await ask(all.gateway, dialect, {
      stream: true,
      text: "[pieces 5000 pace 20] left in the middle",
      signal: leaving.signal,
    });
    const stream = parts(response);
    await stream.next();
    const upstream = await all[provider].requestWith("left in the middle");
    leaving.abort();
    expect(await upstream.wasCut).toBe(true);
  });

  it("a client that leaves before the first byte, too", async () => {
    const leaving = new AbortController();
    const text = "[hang] left at the beginning";
    const response = ask(all.gateway, dialect, { text, signal: leaving.signal });
    const upstream = await all[provider].requestWith(text);
    leaving.abort();
    await expect(response).rejects.toThrow();
    expect(await upstream.wasCut).toBe(true);
  });
});
