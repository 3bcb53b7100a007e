// The table of known limits: what it says of single models, and that the strict fakes take what the filter makes of a
// demanding request for each model in it.
import { beforeAll, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import {
  familyName,
  KNOWN_LIMITS,
  LIMITS_BY_HOST,
  limitsIn,
} from "../../../../control-plane/providers/known-limits.ts";
import { limitsOfNewModel } from "../../../../control-plane/providers/fact-limits.ts";
import type { ModelLimits } from "../../../../model/model-limits.ts";
import { DIALECTS } from "../../../../contract/dialects.ts";
import { PROVIDER_NAMES } from "../../../../control-plane/providers/registry.ts";
import { readAnthropicRequest } from "../../../providers/anthropic-request.ts";
import { isRefusal, readOpenaiRequest } from "../../../providers/openai-request.ts";
import { readResponsesRequest } from "../../../providers/responses-request.ts";
import { memberRefusal, toolsOf } from "../../../providers/responses-rules.ts";
import { CHAT, MESSAGES, RequestTranslator, RESPONSES } from "../../filter/request-translator.ts";
import type { Translation } from "../../filter/request-translator.ts";

function limitsOf(provider: string, model: string): ModelLimits {
  return limitsIn(KNOWN_LIMITS[provider], model);
}

describe("the table", () => {
  it("the known limits are about existing providers, each row with its source", () => {
    const names = new Set([...PROVIDER_NAMES, ...DIALECTS.map(({ name }) => name), "claude"]);
    for (const [name, table] of Object.entries({ ...KNOWN_LIMITS, ...LIMITS_BY_HOST })) {
      expect(names.has(name) || name.includes(".")).toBe(true);
      const rows = [...(table.families ?? []), ...(table.everyModel ? [table.everyModel] : [])];
      for (const { source } of rows) expect(source).toMatch(/^(?:https:\/\/|npm )/);
    }
  });

  it.each(Object.entries(KNOWN_LIMITS))(
    "%s: no row stands after one that covers it",
    (_, table) => {
      const families = table.families ?? [];
      for (const { models, limits } of families) {
        for (const model of models) {
          const name = model.replace(/\*$/, "x");
          expect(limitsIn({ families }, name), name).toEqual(limits);
        }
      }
    },
  );

  it("a model of OpenAI that the catalogue alone knows has the API by its facts", () => {
    expect(limitsOfNewModel("openai", "chat-latest")).toEqual({ reasoning_with_tools: false });
    expect(limitsOfNewModel("azure_openai", "chat-latest")).toEqual({
      reasoning_with_tools: false,
    });
    expect(limitsOfNewModel("openai", "gpt-6.2-astra-law")).toEqual({ apis: "responses" });
    for (const model of ["gpt-4o", "text-embedding-3-small", "gpt-7"])
      expect(limitsOfNewModel("openai", model), model).toEqual({});
    expect(limitsOfNewModel("openrouter", "openai/gpt-5.6-sol")).toEqual({});
  });

  it("an unknown model has no known limits but a default for max_tokens and the tools of Anthropic", () => {
    for (const model of ["gpt-5.7", "gpt-7", "o5", "o5-mini", "gpt-50"])
      expect(limitsOf("openai", model), model).toEqual({});
    for (const model of ["claude-opus-6", "claude-opus-5-6", "claude-sonnet-4-7", "claude-next"])
      expect(limitsOf("anthropic", model), model).toEqual({
        default_max_tokens: 32_000,
        server_tools: ["code_execution", "web_fetch", "mcp"],
      });
    expect(limitsOf("demo", "gateway-demo")).toEqual({});
  });

  it.each([
    ["openai", "gpt-4o-2024-08-06", { efforts: [], max_output_tokens: 16_384 }],
    ["openai", "o1-mini-2024-09-12", { system_role: "none", efforts: [] }],
    ["openai", "gpt-5-chat-latest", { max_tokens_member: "max_completion_tokens", efforts: [] }],
    ["openai", "gpt-5.1-2025-11-13", { sampling: "without_reasoning", reasons_by_default: false }],
    ["openai", "gpt-5.1-chat-latest", { efforts: ["medium"], sampling: "none" }],
    ["openai", "gpt-5-codex", { efforts: ["low", "medium", "high"] }],
    ["openai", "gpt-5.1-codex-mini", { efforts: ["low", "medium", "high"] }],
    ["openai", "gpt-5.1-codex-max", { efforts: ["low", "medium", "high", "xhigh"] }],
    ["openai", "gpt-5.3-codex", { efforts: ["none", "low", "medium", "high", "xhigh"] }],
    ["openai", "gpt-5-pro-2025-10-06", { efforts: ["high"] }],
    ["openai", "gpt-5.4-pro", { efforts: ["medium", "high", "xhigh"] }],
    ["openai", "gpt-5.5-pro-2026-04-23", { efforts: ["medium", "high", "xhigh"] }],
    ["openai", "gpt-6-astra", { sampling: "none", stop: false }],
    ["anthropic", "claude-sonnet-4-20250514", { thinking: "budget", output_schema: false }],
    ["openai", "gpt-5.6-luna", { sampling: "without_reasoning", reasoning_with_tools: false }],
    ["openai", "gpt-4o-search-preview-2025-03-11", { sampling: "none", apis: "chat" }],
    ["gemini", "gemma-4-31b-it", { efforts: ["minimal", "high"] }],
    ["gemini", "gemma-3-27b-it", { system_role: "none", efforts: [] }],
    ["anthropic", "claude-haiku-4-5", { thinking: "budget", efforts: [] }],
    ["anthropic", "claude-opus-4-5-20251101", { efforts: ["low", "medium", "high"] }],
    ["anthropic", "claude-opus-5", { sampling: "none", thinking: "adaptive" }],
    ["anthropic", "claude-opus-5-5", { forced_tools: "none", thinking_off: "none" }],
    ["mistral", "mistral-large-latest", { user: false, efforts: [] }],
    ["mistral", "mistral-medium-2604", { user: false, efforts: ["none", "high"] }],
    ["anthropic", "claude-sonnet-4-6", { max_output_tokens: 128_000 }],
    ["vertex", "claude-sonnet-4-6", { max_output_tokens: 64_000 }],
    ["anthropic", "claude-haiku-5-5", { max_output_tokens: 128_000 }],
    ["bedrock", "claude-opus-5-5", { max_output_tokens: 128_000 }],
    ["bedrock_converse", "us.anthropic.claude-opus-4-6-v1", { max_output_tokens: 128_000 }],
    ["azure_openai", "our-deployment", { max_tokens_member: "max_completion_tokens" }],
    ["groq", "openai/gpt-oss-120b", { efforts: ["low", "medium", "high"] }],
    ["deepseek", "deepseek-v4-pro", { efforts: ["high", "max"], reasoning_content: true }],
    ["ollama", "gpt-oss:20b", { efforts: ["low", "medium", "high"], developer_role: false }],
  ])("%s/%s", (provider, model, expected) => {
    expect(limitsOf(provider, model)).toMatchObject(expected);
  });
});

describe("every model of Anthropic", () => {
  it.each(["anthropic", "vertex", "bedrock", "bedrock_mantle"])(
    "a model of Anthropic, %s, has a known number of output tokens",
    (provider) => {
      for (const { models, limits } of KNOWN_LIMITS[provider]?.families ?? [])
        expect(
          limits.max_output_tokens ?? limits.default_max_tokens,
          models.join(),
        ).toBeGreaterThanOrEqual(4096);
    },
  );
});

describe("an unknown model of OpenAI's format", () => {
  const memberAt = (entry: string): string | undefined => {
    const text = `llm_providers: [{ ${entry}, access_key: $KEY }]`;
    const result = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k" });
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    return result.model.targets[0]?.limits?.max_tokens_member;
  };

  it.each([
    "model: openai/gpt-7",
    "model: azure_openai/our-deployment, resource: r",
    'model: corp/gpt-7, provider_interface: openai, base_url: "https://r.openai.azure.com/openai/v1"',
  ])("an unknown model of OpenAI's format gets max_completion_tokens: %s", (entry) => {
    expect(memberAt(entry)).toBe("max_completion_tokens");
  });

  it.each([
    'model: openai/gpt-7, base_url: "http://127.0.0.1:8000/v1"',
    'model: corp/gpt-7, provider_interface: openai, base_url: "https://llm.example.com/v1"',
    "model: azure_openai/our-deployment, resource: r, api_version: 2024-02-01",
  ])("an unknown model of OpenAI's format keeps the client's member: %s", (entry) => {
    expect(memberAt(entry)).toBeUndefined();
  });
});

describe("names of Claude at the clouds", () => {
  it.each([
    ["claude-sonnet-4-5", "claude-sonnet-4-5"],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5-20250929"],
    ["claude-opus-4-6@default", "claude-opus-4-6"],
    ["anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet-20241022"],
    ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929"],
    ["global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"],
    [
      "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0",
      "claude-haiku-4-5-20251001",
    ],
  ])("%s", (name, expected) => {
    expect(familyName(name)).toBe(expected);
  });

  it("Claude has structured output on Bedrock until Claude 4.6, and none on Vertex AI", () => {
    const schema = (cloud: string, model: string) => limitsOf(cloud, model).output_schema;
    expect(schema("bedrock", "claude-sonnet-4-6")).toBeUndefined();
    expect(schema("bedrock", "claude-opus-5")).toBe(false);
    expect(schema("vertex", "claude-sonnet-4-6")).toBe(false);
    expect(schema("vertex", "claude-next")).toBe(false);
  });
});

/** Everything that some model refuses, in one request. */
const CHAT_REQUEST = {
  messages: [
    { role: "developer", content: "Be brief." },
    { role: "user", content: "json?" },
    { role: "assistant", content: "Yes." },
    { role: "user", content: "Go." },
  ],
  max_tokens: 200_000,
  temperature: 0.2,
  top_p: 0.9,
  presence_penalty: 0.5,
  frequency_penalty: 0.5,
  logit_bias: { "50256": -100 },
  stop: ["\n\n"],
  user: "u-1",
  prompt_cache_retention: "24h",
};
const CHAT_TOOLS = {
  tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
  tool_choice: "required",
};
const MESSAGES_REQUEST = {
  max_tokens: 100_000,
  messages: [
    { role: "user", content: "A" },
    { role: "assistant", content: "{" },
  ],
  temperature: 0.2,
  top_p: 0.9,
  top_k: 5,
  output_config: {
    format: { type: "json_schema", schema: { type: "object", additionalProperties: false } },
  },
};
const MESSAGES_TOOLS = {
  tools: [{ name: "look", input_schema: { type: "object" } }],
  tool_choice: { type: "any" },
};
const EFFORTS = [undefined, "none", "minimal", "low", "medium", "high", "xhigh", "max"];
const THINKING = [
  undefined,
  { type: "disabled" },
  { type: "between_tools" },
  { type: "adaptive" },
  { type: "enabled", budget_tokens: 2000 },
];

/** Chat completions, and messages: with tools and without, with every effort and kind of thinking. */
const chatRequests = EFFORTS.flatMap((effort) =>
  [{}, CHAT_TOOLS].map((tools) =>
    JSON.stringify({ model: "m", ...CHAT_REQUEST, ...tools, reasoning_effort: effort }),
  ),
);
const responsesRequests = EFFORTS.map((effort) =>
  JSON.stringify({
    model: "m",
    input: "Go.",
    max_output_tokens: 200_000,
    temperature: 0.2,
    top_p: 0.9,
    include: ["web_search_call.action.sources", "reasoning.encrypted_content"],
    ...(effort === undefined ? {} : { reasoning: { effort, summary: "auto" } }),
  }),
);
const messagesRequests = EFFORTS.filter((effort) => effort !== "none" && effort !== "minimal")
  .flatMap((effort) => THINKING.map((thinking) => ({ effort, thinking })))
  .flatMap(({ effort, thinking }) =>
    [{}, MESSAGES_TOOLS].map((tools) => {
      const format = MESSAGES_REQUEST.output_config;
      // A budget and a forced tool is a mistake of the client's own.
      const isForced = thinking !== undefined && tools === MESSAGES_TOOLS;
      return JSON.stringify({
        model: "m",
        ...MESSAGES_REQUEST,
        ...tools,
        ...(isForced ? { tool_choice: { type: "auto" } } : {}),
        ...(thinking === undefined ? {} : { thinking, temperature: 1, top_p: 1, top_k: undefined }),
        output_config: { ...format, effort },
      });
    }),
  );

const modelsOf = (provider: string): string[] =>
  (KNOWN_LIMITS[provider]?.families ?? []).flatMap(({ models }) =>
    models.map((model) => model.replace(/\*$/, "latest")),
  );

/** The limits as the configuration gives them to the filter. */
function configured(model: string): ModelLimits {
  const text = `llm_providers: [{ model: "${model}", access_key: $KEY }]`;
  const result = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.model.targets[0]?.limits ?? {};
}

describe("what is made of a demanding request", () => {
  let translator: RequestTranslator;
  beforeAll(async () => {
    translator = await RequestTranslator.create();
  });

  function bodyOf({ body, fault }: Translation, model: string): unknown {
    expect(fault).toBeUndefined();
    return { ...(JSON.parse(body) as object), model };
  }

  it.each([
    { sampling: "some" },
    { efforts: ["low", "hi"] },
    { thinking: "much" },
    { max_tokens_member: "tokens" },
    { max_output_tokens: -1 },
    { temperature: "none" },
  ])("the filter refuses a word that it does not know: %j", (limits) => {
    expect(() => {
      translator.setLimits(limits as ModelLimits);
    }).toThrow(/does not understand/);
  });

  it("the filter understands every row of the table", () => {
    for (const table of Object.values({ ...KNOWN_LIMITS, ...LIMITS_BY_HOST })) {
      for (const { limits } of table.families ?? []) translator.setLimits(limits);
      translator.setLimits(table.everyModel?.limits ?? {});
    }
  });

  const openaiModels = (api: "chat" | "responses") =>
    modelsOf("openai").filter((model) => {
      const { apis = "both" } = configured(`openai/${model}`);
      return apis === "both" || apis === api;
    });

  it.each(openaiModels("chat"))("a demanding request is fitted to openai/%s", (model) => {
    const limits = configured(`openai/${model}`);
    // These take no tools in chat completions at all.
    const isToolless = /^gpt-6(?:\.2)?-astra|^gpt-6\.[12]-sol|^gpt-6-cyber/.test(model);
    const check = (result: Translation, request: string): void => {
      const read = readOpenaiRequest(bodyOf(result, model));
      expect(isRefusal(read) ? `${read.message} ${request}` : "").toBe("");
    };
    for (const request of chatRequests) {
      if (isToolless && request.includes('"tools"')) continue;
      check(translator.edit(request, CHAT, { limits }), request);
    }
    for (const request of messagesRequests) {
      if (isToolless && request.includes('"tools"')) continue;
      check(translator.translate(request, MESSAGES, CHAT, { limits }), request);
    }
  });

  it.each(openaiModels("responses"))(
    "a demanding request is fitted to openai/%s at the Responses API",
    (model) => {
      const limits = configured(`openai/${model}`);
      const check = (result: Translation, request: string): void => {
        const read = readResponsesRequest(bodyOf(result, model), "create");
        const refusal = isRefusal(read) ? read : memberRefusal(read, read.input, toolsOf(read, []));
        expect(refusal === undefined ? "" : `${refusal.message} ${request}`).toBe("");
      };
      for (const request of responsesRequests)
        check(translator.edit(request, RESPONSES, { limits }), request);
      for (const request of chatRequests)
        check(translator.translate(request, CHAT, RESPONSES, { limits }), request);
      for (const request of messagesRequests)
        check(translator.translate(request, MESSAGES, RESPONSES, { limits }), request);
    },
  );

  it.each(modelsOf("anthropic"))("a demanding request is fitted to anthropic/%s", (model) => {
    const limits = configured(`anthropic/${model}`);
    const check = (result: Translation, request: string): void => {
      const read = readAnthropicRequest(bodyOf(result, model), () => true);
      expect(typeof read === "string" ? `${read} ${request}` : "").toBe("");
    };
    for (const request of messagesRequests)
      check(translator.edit(request, MESSAGES, { limits }), request);
    for (const request of chatRequests)
      check(translator.translate(request, CHAT, MESSAGES, { limits }), request);
  });
});
