// Grammar of request bodies, in each dialect: what clients send, and what they should not.
import fc from "fast-check";
import type { Text } from "./json-text.ts";
import { among, any, boolean, list, number, object, oneOf, string, words } from "./json-text.ts";

export const MODELS = [
  "gpt-4o",
  "openai/gpt-4o",
  "claude-sonnet-4-5",
  "nova",
  "house-model",
  "openai/gpt-5",
  "gpt-5-codex",
  "claude-on-vertex",
  "claude-on-bedrock",
  "fast",
  "careful",
  "gemini-3-pro",
  "gemini-2.5-flash",
  "none",
];

const model = fc.oneof(
  { weight: 20, arbitrary: words(...MODELS) },
  { weight: 1, arbitrary: words("", "nobody/nothing") },
);

const cacheControl = object({
  always: { type: words("ephemeral") },
  seldom: { ttl: words("5m", "1h") },
});
const schema = object({
  always: { type: words("object") },
  often: { properties: object({ often: { city: object({ always: { type: words("string") } }) } }) },
  seldom: { required: list(words("city")), additionalProperties: boolean },
});
const argumentsText = oneOf(
  words("", "{}", '{"city":"Rome"}', '{"n":1.10}', '{"broken"', "[]", "null"),
  string,
);

const url = words(
  "data:image/png;base64,aGVsbG8=",
  "data:image/png,hello",
  "data:;base64,",
  "https://example.com/a.png",
  "x",
  "data:",
);
const chatPart = oneOf(
  object({ always: { type: words("text"), text: string } }),
  object({
    always: {
      type: words("image_url"),
      image_url: object({ always: { url }, seldom: { detail: words("low") } }),
    },
  }),
  object({
    always: {
      type: words("file"),
      file: object({ often: { file_data: url, filename: string, file_id: string } }),
    },
  }),
  object({
    always: {
      type: words("input_audio"),
      input_audio: object({ always: { data: string, format: words("wav") } }),
    },
  }),
  object({ always: { type: words("refusal"), refusal: string } }),
);
const chatContent = oneOf(string, list(chatPart), among("null"));
const chatCall = object({
  always: {
    id: words("call_1", "call_2", "call_3"),
    type: words("function", "custom"),
    function: object({ always: { name: words("read", "write"), arguments: argumentsText } }),
  },
});
const chatMessage = oneOf(
  object({
    always: { role: words("system", "developer"), content: chatContent },
    seldom: { name: string },
  }),
  object({ always: { role: words("user"), content: chatContent }, seldom: { name: string } }),
  object({
    always: { role: words("assistant"), content: chatContent },
    often: { tool_calls: list(chatCall, 3) },
    seldom: {
      refusal: string,
      reasoning_content: string,
      reasoning_details: list(any),
      function_call: object({ always: { name: string, arguments: string } }),
      audio: any,
    },
  }),
  object({
    always: {
      role: words("tool"),
      tool_call_id: words("call_1", "call_2", "call_3"),
      content: chatContent,
    },
  }),
  object({ always: { role: words("function", "owner"), content: chatContent } }),
);
const chatTool = object({
  always: {
    type: words("function"),
    function: object({
      always: { name: words("read", "write"), parameters: schema },
      often: { description: string },
      seldom: { strict: boolean },
    }),
  },
});
const toolChoice = oneOf(
  words("auto", "none", "required"),
  object({
    always: { type: words("function"), function: object({ always: { name: words("read") } }) },
  }),
);

export const chatRequest: Text = object({
  always: { model, messages: list(chatMessage, 6) },
  often: { stream: boolean, max_tokens: number, tools: list(chatTool, 3) },
  seldom: {
    max_completion_tokens: number,
    temperature: number,
    top_p: number,
    stop: oneOf(string, list(string)),
    stream_options: object({ often: { include_usage: boolean } }),
    tool_choice: toolChoice,
    parallel_tool_calls: boolean,
    response_format: oneOf(
      object({ always: { type: words("json_object", "text") } }),
      object({
        always: {
          type: words("json_schema"),
          json_schema: object({ always: { name: string, schema }, seldom: { strict: boolean } }),
        },
      }),
    ),
    reasoning_effort: words("none", "minimal", "low", "medium", "high", "xhigh"),
    thinking: object({ always: { type: words("enabled"), budget_tokens: number } }),
    n: number,
    seed: number,
    logprobs: boolean,
    top_logprobs: number,
    logit_bias: any,
    user: string,
    metadata: object({ often: { user_id: string } }),
    service_tier: words("auto", "default", "flex", "priority"),
    frequency_penalty: number,
    presence_penalty: number,
    modalities: list(string),
    functions: list(any),
    store: boolean,
  },
});

const source = oneOf(
  object({
    always: {
      type: words("base64"),
      media_type: words("image/png", "application/pdf"),
      data: words("aGVsbG8="),
    },
  }),
  object({ always: { type: words("url"), url } }),
  object({ always: { type: words("text"), media_type: words("text/plain"), data: string } }),
  object({ always: { type: words("file"), file_id: string } }),
);
const textBlock = object({
  always: { type: words("text"), text: string },
  seldom: { cache_control: cacheControl, citations: list(any) },
});
const imageBlock = object({ always: { type: words("image"), source } });
const documentBlock = object({
  always: { type: words("document"), source },
  seldom: { title: string, context: string, citations: any },
});
const toolUse = object({
  always: {
    type: words("tool_use"),
    id: words("toolu_1", "toolu_2"),
    name: words("read", "write"),
    input: object({ often: { city: string, n: number } }),
  },
});
const toolResult = object({
  always: { type: words("tool_result"), tool_use_id: words("toolu_1", "toolu_2") },
  often: { content: oneOf(string, list(oneOf(textBlock, imageBlock, documentBlock), 3)) },
  seldom: { is_error: boolean, cache_control: cacheControl },
});
const thinkingBlock = object({
  always: { type: words("thinking"), thinking: string, signature: string },
});
const redacted = object({ always: { type: words("redacted_thinking"), data: string } });
const otherBlock = object({
  always: { type: words("server_tool_use", "web_search_tool_result", "search_result", "mystery") },
  often: { id: string, content: any },
});
const block = oneOf(
  textBlock,
  textBlock,
  imageBlock,
  documentBlock,
  toolUse,
  toolResult,
  thinkingBlock,
  redacted,
  otherBlock,
);
const message = object({
  always: {
    role: words("user", "assistant", "user", "assistant", "system"),
    content: oneOf(string, list(block, 4)),
  },
});
const tool = oneOf(
  object({
    always: { name: words("read", "write"), input_schema: schema },
    often: { description: string },
    seldom: { type: words("custom"), cache_control: cacheControl, strict: boolean },
  }),
  object({ always: { type: words("web_search_20250305", "bash_20250124"), name: string } }),
);

export const messagesRequest: Text = object({
  always: { model, max_tokens: number, messages: list(message, 6) },
  often: { stream: boolean, system: oneOf(string, list(textBlock, 3)), tools: list(tool, 3) },
  seldom: {
    temperature: number,
    top_p: number,
    top_k: number,
    stop_sequences: list(string),
    tool_choice: object({
      always: { type: words("auto", "any", "none", "tool") },
      often: { name: words("read") },
      seldom: { disable_parallel_tool_use: boolean },
    }),
    thinking: oneOf(
      object({ always: { type: words("enabled"), budget_tokens: number } }),
      object({ always: { type: words("disabled", "adaptive") } }),
    ),
    output_config: object({ often: { effort: words("low", "medium", "high", "max") } }),
    output_format: object({ always: { type: words("json_schema"), schema } }),
    metadata: object({ often: { user_id: string } }),
    service_tier: words("auto", "standard_only"),
    container: any,
    mcp_servers: list(any),
    context_management: any,
  },
});

const carrier = oneOf(string, words("gw1.a.c2ln", "gw1.r.ZGF0YQ", "gw1.", "gAAAAA"));
const responsesPart = oneOf(
  object({ always: { type: words("input_text", "output_text", "summary_text"), text: string } }),
  object({ always: { type: words("refusal"), refusal: string } }),
  object({
    always: { type: words("input_image") },
    often: { image_url: url },
    seldom: { detail: words("auto", "original"), file_id: string },
  }),
  object({
    always: { type: words("input_file") },
    often: { file_data: url, filename: string },
    seldom: { file_url: url, file_id: string, prompt_cache_breakpoint: any },
  }),
  object({ always: { type: words("input_audio", "mystery") } }),
);
const responsesContent = oneOf(string, list(responsesPart, 3), among("null"));
const callId = words("call_1", "call_2", "call_3", "", `call_${"x".repeat(90)}`);
const space = words("functions", "mcp__a", "mcp__b", "a b");
const responsesItem = oneOf(
  object({
    always: { role: words("user", "assistant", "system", "developer", "owner") },
    often: { content: responsesContent, type: words("message") },
    seldom: { id: string, status: words("completed"), phase: words("commentary") },
  }),
  object({
    always: { type: words("reasoning"), summary: list(responsesPart, 2) },
    often: { encrypted_content: carrier },
    seldom: { id: words("rs_1"), content: list(responsesPart, 2) },
  }),
  object({
    always: { type: words("function_call"), call_id: callId, name: words("read", "write") },
    often: { arguments: argumentsText },
    seldom: { namespace: space, id: words("fc_1") },
  }),
  object({
    always: { type: words("function_call_output", "custom_tool_call_output"), call_id: callId },
    often: { output: responsesContent },
  }),
  object({
    always: {
      type: words("custom_tool_call"),
      call_id: callId,
      name: words("patch"),
      input: string,
    },
    seldom: { namespace: space },
  }),
  object({ always: { id: words("msg_1", "rs_1") }, seldom: { type: words("item_reference") } }),
  object({
    always: {
      type: words(
        "additional_tools",
        "tool_search_call",
        "tool_search_output",
        "configuration_update",
        "agent_message",
        "web_search_call",
        "compaction",
        "local_shell_call",
        "mystery",
      ),
    },
    often: { tools: list(any, 2), content: responsesContent, reasoning: any, text: any },
  }),
);
const responsesFunction = object({
  always: { type: words("function"), name: words("read", "write") },
  often: { description: string, parameters: schema },
  seldom: { strict: boolean, defer_loading: boolean },
});
const responsesCustom = object({
  always: { type: words("custom"), name: words("patch") },
  often: { description: string },
  seldom: {
    format: oneOf(
      object({ always: { type: words("grammar"), syntax: words("lark"), definition: string } }),
      any,
    ),
  },
});
const responsesTool = oneOf(
  responsesFunction,
  responsesFunction,
  responsesCustom,
  object({
    always: {
      type: words("namespace"),
      name: space,
      tools: list(oneOf(responsesFunction, responsesCustom), 3),
    },
  }),
  object({ always: { type: words("web_search", "mcp", "tool_search", "local_shell", "mystery") } }),
);

export const responsesRequest: Text = object({
  always: { model, input: oneOf(string, list(responsesItem, 7)) },
  often: { stream: boolean, instructions: string, tools: list(responsesTool, 3), store: boolean },
  seldom: {
    max_output_tokens: number,
    temperature: number,
    top_p: number,
    top_logprobs: number,
    tool_choice: oneOf(
      words("auto", "none", "required"),
      object({
        always: { type: words("function", "custom", "allowed_tools", "mcp", "shell") },
        often: { name: words("read", "patch"), mode: words("auto"), tools: list(any, 2) },
        seldom: { namespace: space },
      }),
    ),
    parallel_tool_calls: boolean,
    reasoning: object({
      often: { effort: words("none", "low", "high", "ultra"), summary: words("auto") },
      seldom: { context: string, mode: words("pro") },
    }),
    text: object({
      often: {
        format: oneOf(
          object({ always: { type: words("text", "json_object") } }),
          object({ always: { type: words("json_schema"), name: string, schema } }),
        ),
      },
      seldom: { verbosity: words("low") },
    }),
    include: list(string),
    previous_response_id: string,
    conversation: any,
    prompt: any,
    background: boolean,
    metadata: any,
    user: string,
    safety_identifier: string,
    truncation: words("auto"),
    service_tier: words("auto", "flex"),
    client_metadata: any,
    stream_options: any,
  },
});
