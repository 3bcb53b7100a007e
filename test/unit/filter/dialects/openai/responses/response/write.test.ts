// Responses of chat and messages providers as a client of the Responses API gets them: by event, by SDK, by agent.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { compactJson } from "../../../../../../golden/compact-json.ts";
import { ANTHROPIC_STREAMS } from "../../../../anthropic-streams.ts";
import { OPENAI_STREAMS } from "../../../../openai-streams.ts";
import {
  ANTHROPIC,
  OPENAI,
  RESPONSES,
  Responses,
  type Direction,
} from "../../../../response-translator.ts";
import { checkResponsesStream, codexTurn } from "../../../../responses-lifecycle.ts";
import { openaiCompleteResponse, openaiResponse } from "../../../../sdk-streams.ts";

const FROM_CHAT: Direction = { from: OPENAI, to: RESPONSES };
const FROM_MESSAGES: Direction = { from: ANTHROPIC, to: RESPONSES };

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

type Json = Record<string, unknown>;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const CASES = [
  ...OPENAI_STREAMS.map((stream) => ({ ...stream, provider: "chat", direction: FROM_CHAT })),
  ...ANTHROPIC_STREAMS.map((stream) => ({
    ...stream,
    provider: "messages",
    direction: FROM_MESSAGES,
  })),
];

const GOLDEN = join(import.meta.dirname, "../../../translate-response/to-responses");
const isUpdating = process.env["UPDATE_GOLDEN"] === "1";
const updated: Record<string, Json> = {};

/** Returns the file for a response: by its provider's dialect, and the richest kind of item in it. */
function goldenFile(provider: string, output: Json[]): string {
  const types = new Set(output.map(({ type }) => type));
  const kind = ["function_call", "reasoning"].find((type) => types.has(type)) ?? "message";
  return join(GOLDEN, `${provider}-${kind.replace("_", "-")}.golden`);
}

describe.each(CASES)("$provider: $name", ({ provider, name, sse, direction }) => {
  test("the items, and how the response ended", () => {
    const { text, dropped } = responses.stream(direction, [encode(sse)]);
    const { ending, response } = checkResponsesStream(text);
    expect(ending).toBe("clean");
    const { output, status, incomplete_details: incomplete, usage } = response;
    const found = { status, incomplete, output, usage, dropped };
    const file = goldenFile(provider, output as Json[]);
    if (isUpdating) {
      updated[file] = { ...updated[file], [name]: found };
      writeFileSync(file, `${compactJson(updated[file])}\n`);
    }
    const golden = JSON.parse(readFileSync(file, "utf8")) as Json;
    expect(found).toEqual(golden[name]);
  });

  test("Node's SDK and Codex read the same response", async () => {
    const { text } = responses.stream(direction, [encode(sse)]);
    const { response, types } = checkResponsesStream(text);
    const seen: string[] = [];
    const final = await openaiResponse(text, seen);
    expect(seen).toEqual(types);
    expect(final.id).toBe(response["id"]);
    const { items, usage, failure } = codexTurn(text);
    expect(items).toEqual(response["output"]);
    if (response["status"] === "completed") expect(failure).toBeUndefined();
    else expect(failure).toMatch(/^incomplete: /);
    if (failure === undefined) expect(usage ?? null).toEqual(response["usage"]);
  });

  test("the complete translation is the same response", async () => {
    const { text } = responses.stream(direction, [encode(sse)]);
    const { response } = checkResponsesStream(text);
    const { status, text: body } = responses.complete(direction, sse);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(response);
    const final = await openaiResponse(text);
    expect((await openaiCompleteResponse(body)).output_text).toBe(final.output_text);
  });

  test("the same bytes however the stream is cut", () => {
    const bytes = encode(sse);
    const whole = responses.stream(direction, [bytes]).text;
    for (let cut = 1; cut < bytes.length; cut++) {
      const text = responses.streamText(direction, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      if (text !== whole) expect(text, `cut at ${cut}`).toBe(whole);
    }
  });
});
