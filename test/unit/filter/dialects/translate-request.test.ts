// Every line of the tables of request members (filter/dialects/*/members.ts), in both directions: request in, request out.
import { beforeAll, describe, it } from "vitest";
import {
  type AnthropicRequest,
  readAnthropicRequest,
} from "../../../providers/anthropic-request.ts";
import { BEDROCK_CLOUD, readCloudRequest, VERTEX_CLOUD } from "../../../providers/cloud-request.ts";
import { readConverseRequest } from "../../../providers/converse-request.ts";
import { isRefusal, readOpenaiRequest } from "../../../providers/openai-request.ts";
import { readResponsesRequest } from "../../../providers/responses-request.ts";
import {
  type Memory,
  memberRefusal,
  readItems,
  toolsOf,
} from "../../../providers/responses-rules.ts";
import { type Case, readCases, runGolden } from "../request-golden.ts";
import {
  CHAT,
  CONVERSE,
  MESSAGES,
  type Options,
  RequestTranslator,
  RESPONSES,
  type Translation,
} from "../request-translator.ts";

let translator: RequestTranslator;
beforeAll(async () => {
  translator = await RequestTranslator.create();
});

/** The request as Anthropic reads it; fails with the words of its refusal. */
function takenByAnthropic(body: string): AnthropicRequest {
  const read = readAnthropicRequest(JSON.parse(body), () => true);
  if (typeof read === "string") throw new Error(`Anthropic would refuse: ${read}\n${body}`);
  return read;
}

function takenByOpenai(body: string): void {
  const read = readOpenaiRequest(JSON.parse(body));
  if (isRefusal(read)) throw new Error(`OpenAI would refuse: ${read.message}\n${body}`);
}

/** OpenAI has stored nothing, and opens its own encrypted reasoning only. */
const OPENAI_MEMORY: Memory = {
  items: new Map(),
  reasonedBy: new Map(),
  open: (carrier) => (carrier.startsWith("gAAAA") ? `rs_${carrier}` : undefined),
};

/** Translates for a provider of the Responses API, which accepts the result. */
function translateToResponses({ request, options }: Case, from: number): Translation {
  const result = translator.translate(request, from, RESPONSES, options);
  if (result.fault !== undefined) return result;
  const body = { ...(JSON.parse(result.body) as object), model: "gpt-5.2" };
  const read = readResponsesRequest(body, "create");
  if (isRefusal(read)) throw new Error(`OpenAI would refuse: ${read.message}\n${result.body}`);
  const items = readItems(read.input, [], OPENAI_MEMORY);
  const refusal = isRefusal(items) ? items : memberRefusal(read, items, toolsOf(read, items));
  if (refusal !== undefined)
    throw new Error(`OpenAI would refuse: ${refusal.message}\n${result.body}`);
  return result;
}

/** Numbers and members beyond what the fake knows: the real API takes or refuses them by itself. */
const PASSED_TO_ANTHROPIC = new Set([
  "a later system message stays in its place where the model takes it and Anthropic allows it",
  "an image URL with escaped slashes",
]);

describe("chat completions → messages", () => {
  runGolden("chat-to-messages", ({ name, request, options }) => {
    const result = translator.translate(request, CHAT, MESSAGES, options);
    if (result.fault === undefined && !PASSED_TO_ANTHROPIC.has(name)) takenByAnthropic(result.body);
    return result;
  });
});

/** Members that OpenAI itself refuses, written for providers that the limits say take them. */
function isForOthers({ limits = {} }: Options): boolean {
  const own = ["cache_control", "top_k", "reasoning_content", "reasoning_details"];
  return (
    Object.keys(limits).some((name) => own.includes(name)) ||
    limits.efforts?.includes("max") === true ||
    limits.web_search === "browser_search"
  );
}

/** Translates for a chat completions provider, which accepts the result. */
function translateToChat({ request, options }: Case, from: number): Translation {
  const result = translator.translate(request, from, CHAT, options);
  if (result.fault !== undefined || isForOthers(options)) return result;
  const body = JSON.parse(result.body) as Record<string, unknown>;
  // The fake knows which efforts and max_tokens each model takes.
  if ("reasoning_effort" in body)
    body["model"] = body["reasoning_effort"] === "minimal" ? "gpt-5" : "gpt-5.2";
  if ("max_tokens" in body && "reasoning_effort" in body) {
    body["max_completion_tokens"] = body["max_tokens"];
    delete body["max_tokens"];
  }
  takenByOpenai(JSON.stringify(body));
  return result;
}

describe("messages → chat completions", () => {
  runGolden("messages-to-chat", (one) => translateToChat(one, MESSAGES));
});

describe("responses → chat completions", () => {
  runGolden("responses-to-chat", (one) => translateToChat(one, RESPONSES));
});

describe("responses → messages", () => {
  runGolden("responses-to-messages", ({ request, options }) => {
    const result = translator.translate(request, RESPONSES, MESSAGES, options);
    if (result.fault === undefined) takenByAnthropic(result.body);
    return result;
  });
});

describe("chat completions → responses", () => {
  runGolden("chat-to-responses", (one) => translateToResponses(one, CHAT));
});

describe("messages → responses", () => {
  runGolden("messages-to-responses", (one) => translateToResponses(one, MESSAGES));
});

/** Translates for Bedrock, which accepts the result. */
function translateToConverse({ request, options }: Case, from: number): Translation {
  const result = translator.translate(request, from, CONVERSE, options);
  if (result.fault !== undefined) return result;
  const { stream: isStream } = JSON.parse(request) as { stream?: boolean };
  const read = readConverseRequest(JSON.parse(result.body), isStream === true);
  if (typeof read === "string") throw new Error(`Bedrock would refuse: ${read}\n${result.body}`);
  return result;
}

describe("chat completions → converse", () => {
  runGolden("chat-to-converse", (one) => translateToConverse(one, CHAT));
});

describe("messages → converse", () => {
  runGolden("messages-to-converse", (one) => translateToConverse(one, MESSAGES));
});

describe("responses → converse", () => {
  runGolden("responses-to-converse", (one) => translateToConverse(one, RESPONSES));
});

const FAMILIES = ["claude", "nova", "gpt_oss", "gpt", "mistral", "other", undefined] as const;

/** What other providers accept of these requests is translated for Bedrock, too. */
describe.each([
  { file: "chat-to-messages", from: CHAT },
  { file: "messages-to-chat", from: MESSAGES },
  { file: "responses-to-messages", from: RESPONSES },
])("the requests of $file → converse", ({ file, from }) => {
  it.each(readCases(file))("$name", (one) => {
    for (const family of FAMILIES) {
      const limits = { cache_control: true, ...(family && { model_family: family }) };
      translateToConverse({ ...one, options: { limits } }, from);
    }
  });
});

describe("limits of a target of the same dialect", () => {
  runGolden("limits", ({ name, request, options }) => {
    const result = translator.edit(
      request,
      name.startsWith("messages:") ? MESSAGES : name.startsWith("responses:") ? RESPONSES : CHAT,
      options,
    );
    if (result.fault === undefined) JSON.parse(result.body);
    return result;
  });
});

/** Fails with the words of the cloud's refusal. The model is one of those that the limits are for. */
function takenByCloud(body: string, { envelope, limits = {} }: Options): void {
  const isVertex = envelope === "vertex_raw_predict";
  const json = JSON.parse(body) as { stream?: boolean };
  const read = readCloudRequest(isVertex ? VERTEX_CLOUD : BEDROCK_CLOUD, json, {
    model: limits.sampling === "none" ? "claude-opus-5" : "claude-sonnet-4-5",
    isStreaming: json.stream === true,
    betas: isVertex ? translator.betaHeader() : undefined,
    verify: () => true,
  });
  if (typeof read === "string") throw new Error(`the cloud would refuse: ${read}\n${body}`);
}

describe("Claude at a cloud", () => {
  runGolden("envelopes", ({ name, request, options }) => {
    const result = name.startsWith("messages:")
      ? translator.edit(request, MESSAGES, options)
      : translator.translate(request, CHAT, MESSAGES, options);
    if (result.fault === undefined) takenByCloud(result.body, options);
    return result;
  });
});
