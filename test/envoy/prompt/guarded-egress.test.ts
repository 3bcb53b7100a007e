// The jailbreak guard on egress: for each dialect of clients, complete and as a stream, read by the vendors' own SDKs.
import { randomUUID } from "node:crypto";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WithFakes } from "../../gateway/with-fakes.ts";
import { ask, askAsModelServer, type DialectName, PATHS } from "../ask.ts";
import { GUARD_MESSAGE } from "./configuration.ts";
import { modelServer, pathsOf, setUp, startWithPrompts } from "./set-up.ts";

setUp();

const GUARD = "prompt_guards: {input_guards: {jailbreak: {";
const appliesTo = (which: string) => (config: string) =>
  config.replace(GUARD, `${GUARD}applies_to: ${which}, `);

let both: WithFakes;
let egress: WithFakes;
/** With `on_failure: allow`. */
let open: WithFakes;
beforeAll(async () => {
  [both, egress, open] = await Promise.all([
    startWithPrompts({ edit: appliesTo("both") }),
    startWithPrompts({ edit: appliesTo("egress") }),
    startWithPrompts({ edit: appliesTo("both, on_failure: allow") }),
  ]);
});
afterAll(() => Promise.all([both.stop(), egress.stop(), open.stop()]));

const DIALECTS = ["chat", "messages", "responses"] as const;
const MODELS = { chat: "none", messages: "none", responses: "none" };

/** Returns the text that the vendor's SDK reads. */
const READ: Record<DialectName, (url: string, text: string, stream: boolean) => Promise<string>> = {
  async chat(url, text, stream) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
    const request = { model: MODELS.chat, messages: [{ role: "user" as const, content: text }] };
    const completion = stream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request);
    expect(completion.choices[0]?.finish_reason).toBe("stop");
    return completion.choices[0]?.message.content ?? "";
  },
  async messages(url, text, stream) {
    const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
    const content = [{ type: "text" as const, text }];
    const request = {
      model: MODELS.messages,
      max_tokens: 100,
      messages: [{ role: "user" as const, content }],
    };
    const message = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    expect(message.stop_reason).toBe("end_turn");
    return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
  async responses(url, text, stream) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
    const request = { model: MODELS.responses, input: text };
    const response = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    expect(response.status).toBe("completed");
    return response.output_text;
  },
};

const egressOf = ({ gateway }: WithFakes) => `http://127.0.0.1:${gateway.ports.egress}`;
const asked = ({ openai, anthropic }: WithFakes) =>
  openai.requests.length + anthropic.requests.length;

describe.each(DIALECTS)("%s", (dialect) => {
  it.each([false, true])(
    "a jailbreak gets the message, and no provider (stream %s)",
    async (stream) => {
      const before = asked(both);
      expect(await READ[dialect](egressOf(both), "a jailbreak", stream)).toBe(GUARD_MESSAGE);
      expect(asked(both)).toBe(before);
    },
  );

  it.each([false, true])(
    "any other prompt gets its model's response (stream %s)",
    async (stream) => {
      const before = asked(both);
      const text = await READ[dialect](egressOf(both), "hello @plain", stream);
      expect(text).not.toBe(GUARD_MESSAGE);
      expect(asked(both)).toBe(before + 1);
    },
  );

  it("an unavailable guard is an error of the dialect", async () => {
    const id = randomUUID();
    const response = await ask(both.gateway, dialect, {
      model: MODELS[dialect],
      text: "fail: /guard",
      headers: { "x-request-id": id },
    });
    expect(response.status).toBe(503);
    const body = (await response.json()) as { type?: string; error: { message: string } };
    expect(body.error.message).toMatch(/The jailbreak guard is unavailable/);
    expect(body.type).toBe(dialect === "messages" ? "error" : undefined);
  });
});

describe.each(DIALECTS)("%s, a text that the guard cannot read", (dialect) => {
  it("a text that the guard cannot read returns 413 in the dialect, and no provider gets it, whatever on_failure is", async () => {
    const before = asked(both) + asked(open);
    for (const { gateway } of [both, open]) {
      const response = await ask(gateway, dialect, {
        model: MODELS[dialect],
        text: "large: /guard",
      });
      expect(response.status).toBe(413);
      const body = (await response.json()) as { error: { message: string; type: string } };
      expect(body.error.message).toMatch(/longer than the jailbreak guard can read/);
      expect(body.error.type).toBe(
        dialect === "messages" ? "request_too_large" : "invalid_request_error",
      );
    }
    expect(asked(both) + asked(open)).toBe(before);
  });
});

it("only the guard is asked on egress, once", async () => {
  const id = randomUUID();
  const headers = { "x-request-id": id };
  await ask(both.gateway, "chat", { model: "none", text: "hello @plain", headers });
  expect(modelServer.of(id).map(({ path }) => path)).toEqual(["/guard"]);
  const lines = await both.gateway.waitForLog("internal", ({ requestId }) => requestId === id, 1);
  expect(pathsOf(lines)).toEqual(["/guard"]);
});

it("results of tools alone are no prompt", async () => {
  const response = await fetch(`${egressOf(both)}${PATHS.messages}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "none",
      max_tokens: 10,
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t", content: "jailbreak" }],
        },
      ],
      tools: [{ name: "look", input_schema: { type: "object" } }],
    }),
  });
  expect(response.status).toBe(200);
});

it("the model server's own requests are not guarded", async () => {
  const before = modelServer.requests.length;
  const messages = [{ role: "user", content: "a jailbreak" }];
  const { status, body } = await askAsModelServer(both.gateway, "none", messages);
  expect(status).toBe(200);
  expect(body).not.toContain("I cannot");
  expect(modelServer.requests).toHaveLength(before);
});

it("applies_to: egress leaves ingress unguarded", async () => {
  const response = await ask(egress.gateway, "chat", {
    model: "none",
    text: "jailbreak",
    listener: "ingress",
  });
  expect(await response.text()).not.toContain("I cannot");
  expect(await READ.chat(egressOf(egress), "a jailbreak", false)).toBe(GUARD_MESSAGE);
});
