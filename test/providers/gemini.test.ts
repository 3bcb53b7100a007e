// The fake Gemini refuses what the real one refuses.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGeminiProvider } from "./gemini.ts";
import type { FakeProvider } from "./server.ts";

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startGeminiProvider({ key: "AIza-test" });
});
afterAll(() => provider.stop());

interface Answer {
  status: number;
  message: string;
  signature: string;
  id: string;
}

async function post(
  body: object,
  { model = "gemini-3-pro", key = "AIza-test", method = "generateContent" } = {},
): Promise<Answer> {
  const response = await fetch(`${provider.url}/v1beta/models/${model}:${method}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-goog-api-key": key },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const { error } = JSON.parse(text.startsWith("data") ? "{}" : text) as {
    error?: { message: string };
  };
  return {
    status: response.status,
    message: error?.message ?? "",
    signature: /"thoughtSignature": "([^"]+)"/.exec(text)?.[1]?.replaceAll("\\u003d", "=") ?? "",
    id: /"id": "([^"]+)"/.exec(text)?.[1] ?? "",
  };
}

const user = (...parts: object[]) => ({ role: "user", parts });
const model = (...parts: object[]) => ({ role: "model", parts });
const hi = user({ text: "hi" });
const call = (name: string, id: string, more: object = {}) => ({
  functionCall: { id, name, args: {} },
  ...more,
});
const result = (name: string, id: string) => ({
  functionResponse: { id, name, response: { output: "x" } },
});
const escape = { thoughtSignature: "skip_thought_signature_validator" };
const config = (generationConfig: object) => ({ contents: [hi], generationConfig });
const declare = (...functionDeclarations: object[]) => ({
  contents: [hi],
  tools: [{ functionDeclarations }],
});

const INCLUDED = { includeServerSideToolInvocations: true };
const mode = (word: string) => ({ functionCallingConfig: { mode: word } });
const searchCall = { toolCall: { id: "1", toolType: "GOOGLE_SEARCH_WEB", args: {} } };
const searches = (toolConfig: object) => ({
  contents: [hi],
  tools: [{ functionDeclarations: [{ name: "f" }] }, { googleSearch: {} }],
  ...(Object.keys(toolConfig).length === 0 ? {} : { toolConfig }),
});

describe("refused", () => {
  it.each<[string, object, RegExp, string?]>([
    ["an unknown member", { contents: [hi], model: "m" }, /Unrecognized key/],
    ["no contents", { contents: [] }, /contents/],
    ["an empty content", { contents: [user()] }, /contents/],
    ["a model's turn at the end", { contents: [hi, model({ text: "x" })] }, /end with a user turn/],
    ["a call at the beginning", { contents: [model(call("f", "1")), hi] }, /function call turn/],
    [
      "a call without its signature",
      { contents: [hi, model(call("f", "1")), user(result("f", "1"))] },
      /missing a thought_signature/,
    ],
    [
      "a signature of somebody else",
      {
        contents: [hi, model(call("f", "1", { thoughtSignature: "c2ln" })), user(result("f", "1"))],
      },
      /Corrupted/,
    ],
    [
      "fewer results than calls",
      { contents: [hi, model(call("f", "1", escape), call("g", "2")), user(result("f", "1"))] },
      /number of function response parts/,
    ],
    [
      "results in another order",
      {
        contents: [
          hi,
          model(call("f", "1", escape), call("g", "2")),
          user(result("g", "2"), result("f", "1")),
        ],
      },
      /order/,
    ],
    [
      "text beside results",
      { contents: [hi, model(call("f", "1", escape)), user(result("f", "1"), { text: "and?" })] },
      /mixed/,
    ],
    [
      "another id",
      { contents: [hi, model(call("f", "1", escape)), user(result("f", "2"))] },
      /ids of function responses/,
    ],
    [
      "an id before Gemini 3",
      { contents: [hi, model(call("f", "1")), user(result("f", "1"))] },
      /Unknown name "id"/,
      "gemini-2.5-flash",
    ],
    [
      "a keyword that OpenAPI lacks",
      declare({ name: "f", parameters: { type: "object", additionalProperties: false } }),
      /Unrecognized key|parameters/,
    ],
    [
      "both schemas",
      declare({
        name: "f",
        parameters: { type: "object", properties: { a: {} } },
        parametersJsonSchema: {},
      }),
      /mutually exclusive/,
    ],
    ["a schema without its type", config({ responseJsonSchema: {} }), /response_mime_type/],
    [
      "JSON beside tools before Gemini 3",
      { ...declare({ name: "f" }), generationConfig: { responseMimeType: "application/json" } },
      /unsupported/,
      "gemini-2.5-flash",
    ],
    [
      "a level before Gemini 3",
      config({ thinkingConfig: { thinkingLevel: "LOW" } }),
      /Thinking level/,
      "gemini-2.5-flash",
    ],
    ["several candidates of Gemini 3", config({ candidateCount: 2 }), /Multiple candidates/],
    ["nine candidates", config({ candidateCount: 9 }), /candidateCount/, "gemini-2.5-flash"],
    [
      "log probabilities of Gemini 3 Flash",
      config({ responseLogprobs: true }),
      /Logprobs is not enabled/,
      "gemini-3-flash",
    ],
    ["a number of log probabilities alone", config({ logprobs: 2 }), /response_logprobs/],
    ["images of a model of text", config({ responseModalities: ["IMAGE"] }), /Multi-modal/],
    [
      "the resolution of a part before Gemini 3",
      {
        contents: [
          user({
            inlineData: { mimeType: "image/png", data: "iVBORw==" },
            mediaResolution: { level: "MEDIA_RESOLUTION_LOW" },
          }),
        ],
      },
      /Per part media resolution/,
      "gemini-2.5-flash",
    ],
    [
      "a system instruction beside a cached prompt",
      {
        contents: [hi],
        cachedContent: "cachedContents/a",
        systemInstruction: { parts: [{ text: "A" }] },
      },
      /CachedContent can not be used/,
    ],
    ["an unknown tier", { contents: [hi], serviceTier: "default" }, /serviceTier/],
    [
      "an unknown threshold",
      { contents: [hi], safetySettings: [{ category: "HARM_CATEGORY_X", threshold: "NONE" }] },
      /safetySettings/,
    ],
    ["a name of a tool with a digit first", declare({ name: "3d" }), /name/],
    ["a penalty of 2.5", config({ presencePenalty: 1 }), /Penalty/, "gemini-2.5-flash"],
    ["a search beside functions without the member", searches({}), /Please enable tool_config/],
    [
      "a search beside functions in the mode AUTO",
      searches({ ...mode("AUTO"), ...INCLUDED }),
      /AUTO/,
    ],
    [
      "a search beside functions before Gemini 3",
      searches({ ...mode("VALIDATED"), ...INCLUDED }),
      /cannot be combined/,
      "gemini-2.5-flash",
    ],
    [
      "what a search did, without the member",
      { contents: [hi, model(searchCall, { text: "a" }), hi] },
      /need tool_config/,
    ],
    [
      "a search without its signature",
      {
        ...searches({ ...mode("VALIDATED"), ...INCLUDED }),
        contents: [hi, model(searchCall, { text: "a" }), hi],
      },
      /Corrupted thought signature/,
    ],
  ])("%s", async (_, body, message, name = "gemini-3-pro") => {
    const answer = await post(body, { model: name });
    expect(answer.status).toBe(400);
    expect(answer.message).toMatch(message);
  });

  it("the fake of Gemini refuses a wrong key as a bad request", async () => {
    expect((await post({ contents: [hi] }, { key: "wrong" })).status).toBe(400);
  });

  it("the fake of Gemini refuses a stream without alt=sse", async () => {
    const method = "streamGenerateContent";
    expect((await post({ contents: [hi] }, { method })).status).toBe(400);
    expect((await post({ contents: [hi] }, { method: `${method}?alt=sse` })).status).toBe(200);
  });
});

it("the fake of Gemini accepts its signature, and calls of earlier turns without one", async () => {
  const ask = user({ text: "call f({})" });
  const tools = declare({ name: "f" }).tools;
  const { signature, id } = await post({ contents: [ask], tools });
  const step = [model(call("f", id, { thoughtSignature: signature })), user(result("f", id))];
  expect((await post({ contents: [ask, ...step], tools })).status).toBe(200);
  const earlier = [hi, model(call("f", "1")), user(result("f", "1"))];
  expect((await post({ contents: [...earlier, ask, ...step], tools })).status).toBe(200);
});

it("the fake of Gemini refuses a call without the search before it, and accepts it with", async () => {
  const body = searches({ ...mode("VALIDATED"), ...INCLUDED });
  const ask = user({ text: "call f({})" });
  const response = await fetch(`${provider.url}/v1beta/models/gemini-3-pro:generateContent`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-goog-api-key": "AIza-test" },
    body: JSON.stringify({ ...body, contents: [ask] }),
  });
  const { candidates } = (await response.json()) as {
    candidates: { content: { parts: { functionCall?: { id: string } }[] } }[];
  };
  const parts = candidates[0]?.content.parts ?? [];
  expect(parts.flatMap(Object.keys)).toEqual([
    ...["toolCall", "thoughtSignature", "toolResponse", "thoughtSignature"],
    ...["functionCall", "thoughtSignature"],
  ]);
  const id = parts[2]?.functionCall?.id ?? "";
  const next = (said: object[]): object => ({
    ...body,
    contents: [ask, model(...said), user(result("f", id))],
  });
  expect((await post(next(parts))).status).toBe(200);
  expect((await post(next(parts.slice(1)))).message).toMatch(/are missing/);
});

it("the fake of Vertex AI refuses the member that a search beside functions requires", async () => {
  const vertex = await startGeminiProvider({ token: "ya29" });
  const path = "/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:generateContent";
  const response = await fetch(`${vertex.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer ya29" },
    body: JSON.stringify(searches({ ...mode("VALIDATED"), ...INCLUDED })),
  });
  expect(await response.text()).toContain("includeServerSideToolInvocations");
  await vertex.stop();
});
