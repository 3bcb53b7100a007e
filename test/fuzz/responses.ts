// Grammar of what providers answer, in each dialect: complete, streamed, failed, and nothing of the kind.
import fc from "fast-check";
import type { Text } from "./json-text.ts";
import { among, any, count, list, number, object, oneOf, string, words } from "./json-text.ts";

const chatUsage = object({
  always: { prompt_tokens: count, completion_tokens: count, total_tokens: count },
  seldom: {
    prompt_tokens_details: object({ often: { cached_tokens: count } }),
    completion_tokens_details: object({ often: { reasoning_tokens: count } }),
  },
});
const finishReason = oneOf(
  words("stop", "length", "tool_calls", "content_filter", "function_call", "eos"),
  among("null"),
);
const chatCall = (isDelta: boolean): Text =>
  object({
    always: {
      ...(isDelta ? { index: among("0", "0", "1", "2", "99999") } : {}),
      function: object({
        [isDelta ? "often" : "always"]: {
          name: words("read", "write"),
          arguments: words("", "{", "}", '{"city":', '"Rome"}', "{}"),
        },
      }),
    },
    [isDelta ? "often" : "always"]: { id: words("call_1", "call_2", ""), type: words("function") },
  });
const head = {
  id: words("chatcmpl-1", ""),
  object: words("chat.completion.chunk"),
  created: number,
  model: words("gpt-4o-2024"),
};
const said = { content: oneOf(string, among("null")) };
const seldomSaid = {
  refusal: string,
  reasoning_content: string,
  reasoning: string,
  reasoning_details: list(any, 2),
  annotations: list(any, 2),
};

const chatChunk = object({
  always: {
    choices: oneOf(
      list(
        object({
          always: {
            index: among("0", "0", "0", "1"),
            delta: object({
              often: said,
              seldom: {
                role: words("assistant"),
                tool_calls: list(chatCall(true), 2),
                ...seldomSaid,
              },
            }),
          },
          often: { finish_reason: finishReason },
        }),
        1,
      ),
      among("[]"),
    ),
  },
  often: head,
  seldom: { usage: oneOf(chatUsage, among("null")), error: any, service_tier: string },
});
const chatResponse = object({
  always: {
    choices: list(
      object({
        always: {
          index: number,
          message: object({
            always: { role: words("assistant"), ...said },
            seldom: { ...seldomSaid, tool_calls: list(chatCall(false), 3) },
          }),
          finish_reason: finishReason,
        },
      }),
      2,
    ),
    usage: chatUsage,
  },
  often: head,
});

const usage = object({
  always: { input_tokens: count, output_tokens: count },
  seldom: { cache_read_input_tokens: count, cache_creation_input_tokens: count },
});
const stopReason = oneOf(
  words(
    "end_turn",
    "max_tokens",
    "tool_use",
    "stop_sequence",
    "refusal",
    "pause_turn",
    "new_reason",
  ),
  among("null"),
);
const block = oneOf(
  object({
    always: { type: words("text"), text: words("", "a") },
    seldom: { citations: list(any) },
  }),
  object({
    always: {
      type: words("tool_use"),
      id: words("toolu_1"),
      name: words("read"),
      input: object({ often: { city: string } }),
    },
  }),
  object({
    always: { type: words("thinking"), thinking: words("", "hm"), signature: words("", "sig") },
  }),
  object({ always: { type: words("redacted_thinking"), data: string } }),
  object({ always: { type: words("server_tool_use", "mystery") } }),
);
const message = object({
  always: {
    id: words("msg_1"),
    type: words("message"),
    role: words("assistant"),
    model: words("claude-x"),
    content: list(block),
    usage,
  },
  often: { stop_reason: stopReason, stop_sequence: oneOf(string, among("null")) },
});
const index = among("0", "0", "1", "2", "7");
const delta = oneOf(
  object({ always: { type: words("text_delta"), text: string } }),
  object({
    always: {
      type: words("input_json_delta"),
      partial_json: words("", "{", "}", '{"city":"Ro', 'me"}'),
    },
  }),
  object({ always: { type: words("thinking_delta"), thinking: string } }),
  object({ always: { type: words("signature_delta"), signature: string } }),
  object({ always: { type: words("citations_delta"), citation: any } }),
);
const error = object({ always: { type: words("overloaded_error", "api_error"), message: string } });
const EVENTS: Record<string, Text> = {
  message_start: object({ always: { type: words("message_start"), message } }),
  content_block_start: object({
    always: { type: words("content_block_start"), index, content_block: block },
  }),
  content_block_delta: object({ always: { type: words("content_block_delta"), index, delta } }),
  content_block_stop: object({ always: { type: words("content_block_stop"), index } }),
  message_delta: object({
    always: {
      type: words("message_delta"),
      delta: object({ always: { stop_reason: stopReason } }),
      usage,
    },
  }),
  message_stop: object({ always: { type: words("message_stop") } }),
  ping: object({ always: { type: words("ping") } }),
  error: object({ always: { type: words("error"), error } }),
};

const lineEnd = fc.oneof(
  { weight: 8, arbitrary: among("\n") },
  { weight: 1, arbitrary: among("\r\n", "\r") },
);
const noise = fc.oneof(
  { weight: 12, arbitrary: among("") },
  {
    weight: 1,
    arbitrary: among(": keep-alive", "id: 7", "retry: 100", "data:", "nonsense", "event:"),
  },
);

function event(name: string | undefined, data: Text): Text {
  return fc.tuple(data, lineEnd, noise, among(" ", " ", "")).map(([text, end, more, space]) => {
    const lines = [
      ...(more === "" ? [] : [more]),
      ...(name === undefined ? [] : [`event:${space}${name}`]),
      `data:${space}${text}`,
    ];
    return lines.join(end) + end + end;
  });
}

const chatEvent = fc.oneof(
  { weight: 20, arbitrary: event(undefined, chatChunk) },
  { weight: 1, arbitrary: event(undefined, oneOf(object({ always: { error } }))) },
);
const messageEvent = fc.oneof(
  ...Object.entries(EVENTS).map(([name, data]) => ({
    weight: name === "content_block_delta" ? 8 : name === "error" ? 1 : 3,
    arbitrary: event(name, data),
  })),
);

/** In the order of a real one half of the time, so that the deeper states are reached. */
const orderedMessages = fc
  .tuple(
    event("message_start", EVENTS["message_start"] ?? any),
    fc.array(
      fc.tuple(
        event("content_block_start", EVENTS["content_block_start"] ?? any),
        fc.array(event("content_block_delta", EVENTS["content_block_delta"] ?? any), {
          maxLength: 4,
        }),
        event("content_block_stop", EVENTS["content_block_stop"] ?? any),
      ),
      { maxLength: 3 },
    ),
    event("message_delta", EVENTS["message_delta"] ?? any),
    event("message_stop", EVENTS["message_stop"] ?? any),
  )
  .map(([start, blocks, last, stop]) => [start, ...blocks.flat(2), last, stop].join(""));

const joined = (item: Text): Text =>
  fc.array(item, { maxLength: 9 }).map((items) => items.join(""));

const chatStream = fc
  .tuple(joined(chatEvent), among("data: [DONE]\n\n", "data: [DONE]\n\n", "", "data: [DONE]"))
  .map(([events, end]) => events + end);
const messagesStream = fc.oneof(orderedMessages, joined(messageEvent));

const itemId = words("msg_1", "rs_1", "fc_1", "");
const outputPart = oneOf(
  object({
    always: { type: words("output_text", "summary_text", "reasoning_text"), text: string },
    seldom: { annotations: list(any, 2) },
  }),
  object({ always: { type: words("refusal"), refusal: string } }),
);
const outputItem = oneOf(
  object({
    always: { type: words("message"), id: itemId, role: words("assistant") },
    often: { content: list(outputPart, 2), status: words("completed", "incomplete") },
  }),
  object({
    always: { type: words("reasoning"), id: itemId, summary: list(outputPart, 2) },
    often: { encrypted_content: string },
  }),
  object({
    always: { type: words("function_call"), id: itemId, call_id: words("call_1", "call_2") },
    often: {
      name: words("read"),
      arguments: words("", "{}", '{"city":"Rome"}', '{"broken"'),
    },
  }),
  object({
    always: { type: words("custom_tool_call"), id: itemId, call_id: words("call_3") },
    often: { name: words("patch"), input: string },
  }),
  object({ always: { type: words("web_search_call", "mystery") } }),
);
const responsesUsage = object({
  always: { input_tokens: count, output_tokens: count },
  seldom: { input_tokens_details: any, output_tokens_details: any, total_tokens: count },
});
const responseObject = object({
  always: { id: words("resp_1"), object: words("response"), output: list(outputItem, 3) },
  often: {
    status: words("completed", "incomplete", "failed", "in_progress", "queued"),
    usage: responsesUsage,
    model: words("gpt-5"),
  },
  seldom: {
    error: any,
    created_at: number,
    incomplete_details: object({
      always: { reason: words("max_output_tokens", "content_filter") },
    }),
  },
});
const outputIndex = among("0", "0", "1", "2", "9");
const place = { item_id: itemId, output_index: outputIndex };
const MEMBERS: Record<string, Record<string, Text>> = {
  "response.created": { response: responseObject },
  "response.in_progress": { response: responseObject },
  "response.output_item.added": { output_index: outputIndex, item: outputItem },
  "response.output_item.done": { output_index: outputIndex, item: outputItem },
  "response.content_part.added": { ...place, content_index: outputIndex, part: outputPart },
  "response.output_text.delta": { ...place, content_index: outputIndex, delta: string },
  "response.output_text.done": { ...place, content_index: outputIndex, text: string },
  "response.refusal.delta": { ...place, delta: string },
  "response.output_text.annotation.added": { ...place, annotation: any },
  "response.function_call_arguments.delta": { ...place, delta: words("{", "}", "{}") },
  "response.function_call_arguments.done": { ...place, arguments: words("{}", '{"a":1}') },
  "response.custom_tool_call_input.delta": { ...place, delta: string },
  "response.reasoning_summary_part.added": { ...place, summary_index: outputIndex },
  "response.reasoning_summary_text.delta": {
    ...place,
    summary_index: outputIndex,
    delta: string,
  },
  "response.reasoning_text.delta": { ...place, delta: string },
  "response.completed": { response: responseObject },
  "response.incomplete": { response: responseObject },
  "response.failed": { response: responseObject },
  error: { message: string, code: string },
  keepalive: {},
  "response.mystery": {},
};
const RESPONSES_EVENTS: Record<string, Text> = Object.fromEntries(
  Object.entries(MEMBERS).map(([name, members]) => [
    name,
    object({ always: { type: words(name), ...members }, often: { sequence_number: number } }),
  ]),
);
const responsesEvent = fc.oneof(
  ...Object.entries(RESPONSES_EVENTS).map(([name, data]) => ({
    weight: name.endsWith(".delta") ? 4 : 1,
    arbitrary: event(name, data),
  })),
);
const orderedResponses = fc
  .tuple(
    event("response.created", RESPONSES_EVENTS["response.created"] ?? any),
    joined(responsesEvent),
    event("response.completed", RESPONSES_EVENTS["response.completed"] ?? any),
  )
  .map((events) => events.join(""));
const responsesStream = fc.oneof(orderedResponses, joined(responsesEvent));

const geminiPart = oneOf(
  object({
    always: { text: string },
    seldom: { thought: among("true", "false"), thoughtSignature: string },
  }),
  object({
    always: {
      functionCall: object({
        often: { name: words("read", "write", ""), args: any, id: words("fc-1", "fc 2", "") },
      }),
    },
    often: { thoughtSignature: words("Z2Vt+/8=", "Z2Vt", "??", "") },
  }),
  object({
    seldom: { inlineData: any, executableCode: any, functionCall: any, text: any, mystery: any },
  }),
);
const geminiUsage = object({
  seldom: {
    promptTokenCount: count,
    cachedContentTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
    toolUsePromptTokenCount: number,
    totalTokenCount: count,
  },
});
const geminiResponse = object({
  often: {
    candidates: oneOf(
      list(
        object({
          often: {
            content: oneOf(object({ often: { parts: list(geminiPart, 3) } }), any),
            index: among("0", "0", "0", "1"),
          },
          seldom: {
            finishReason: oneOf(
              words("STOP", "MAX_TOKENS", "SAFETY", "MALFORMED_FUNCTION_CALL", "NEW_REASON", ""),
              any,
            ),
            finishMessage: oneOf(string, any),
          },
        }),
        2,
      ),
      any,
    ),
    usageMetadata: oneOf(geminiUsage, any),
  },
  seldom: {
    modelVersion: string,
    responseId: string,
    promptFeedback: object({
      often: { blockReason: words("SAFETY", ""), blockReasonMessage: string },
    }),
    error: any,
  },
});
const geminiStream = joined(
  fc.tuple(geminiResponse, lineEnd).map(([data, end]) => `data: ${data}${end}${end}`),
);

const converseIndex = among("0", "0", "1", "2", "7", "-1", "99999");
const toolUse = object({
  always: { toolUseId: words("tooluse_1", "tooluse_2", ""), name: words("read", "write") },
  seldom: { type: words("server_tool_use"), input: any },
});
const reasoningText = object({
  often: { text: string, signature: words("c2ln", "") },
});
const converseReason = oneOf(
  words(
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "guardrail_intervened",
    "content_filtered",
    "malformed_tool_use",
    "model_context_window_exceeded",
    "new_reason",
  ),
  among("null"),
);
const converseUsage = object({
  always: { inputTokens: count, outputTokens: count },
  seldom: { cacheReadInputTokens: count, cacheWriteInputTokens: count, totalTokens: count },
});
const padding = { p: words("a", "abc", "abcdefgh") };
const moreFields = {
  additionalModelResponseFields: object({ often: { stop_sequence: string, delta: any } }),
};
const CONVERSE_PAYLOADS: Record<string, Text> = {
  messageStart: object({ always: { role: words("assistant") }, often: padding }),
  contentBlockStart: object({
    always: {
      contentBlockIndex: converseIndex,
      start: oneOf(object({ always: { toolUse } }), object({ often: { toolResult: any } })),
    },
    often: padding,
  }),
  contentBlockDelta: object({
    always: {
      contentBlockIndex: converseIndex,
      delta: oneOf(
        object({ always: { text: string } }),
        object({ always: { text: string } }),
        object({
          always: { toolUse: object({ always: { input: words("", "{", "}", '{"a":', "1}") } }) },
        }),
        object({ always: { reasoningContent: reasoningText } }),
        object({
          always: { reasoningContent: object({ always: { redactedContent: words("ZW5j") } }) },
        }),
        object({ always: { citation: any } }),
        any,
      ),
    },
    often: padding,
  }),
  contentBlockStop: object({ always: { contentBlockIndex: converseIndex }, often: padding }),
  messageStop: object({
    always: { stopReason: converseReason },
    often: padding,
    seldom: moreFields,
  }),
  metadata: object({ always: { usage: converseUsage }, often: { metrics: any, ...padding } }),
  mystery: any,
};
const converseFrame = (name: string): Text =>
  (CONVERSE_PAYLOADS[name] ?? any).map((payload) => `event ${name} ${payload}`);
const exceptionLine = fc
  .tuple(
    among("throttlingException", "validationException", "modelStreamErrorException", "other"),
    oneOf(object({ often: { message: string } }), any, among("")),
  )
  .map(([type, payload]) => `exception ${type} ${payload}`);
const converseLine = fc.oneof(
  ...Object.keys(CONVERSE_PAYLOADS).map((name) => ({
    weight: name === "contentBlockDelta" ? 12 : 3,
    arbitrary: converseFrame(name),
  })),
  { weight: 1, arbitrary: exceptionLine },
  { weight: 1, arbitrary: string.map((text) => `error InternalError ${text}`) },
  { weight: 1, arbitrary: among("", "no frame", '{"message":"no"}') },
);
const lines = fc.array(converseLine, { maxLength: 9 });
/** In the order of a real one half of the time. */
const converseStream = fc.oneof(
  lines.map((all) => all.join("\n")),
  fc
    .tuple(
      converseFrame("messageStart"),
      lines,
      converseFrame("messageStop"),
      converseFrame("metadata"),
    )
    .map(([start, all, stop, last]) => [start, ...all, stop, last].join("\n")),
);
const converseBlock = oneOf(
  object({ always: { text: words("", "a") } }),
  object({ always: { toolUse } }),
  object({
    always: { reasoningContent: object({ often: { reasoningText, redactedContent: string } }) },
  }),
  object({
    always: { citationsContent: object({ often: { content: list(any), citations: any } }) },
  }),
  object({ often: { toolResult: any, image: any } }),
);
const converseResponse = object({
  always: {
    output: object({ always: { message: object({ always: { content: list(converseBlock) } }) } }),
  },
  often: { stopReason: converseReason, usage: converseUsage },
  seldom: { metrics: any, message: string, ...moreFields },
});

const errorBody = oneOf(
  object({
    always: {
      error: object({
        often: { message: string, type: string, code: oneOf(string, number), param: string },
      }),
    },
  }),
  object({ always: { type: words("error"), error }, often: { request_id: string } }),
);
const nothing = among(
  "",
  "<html><body>502 Bad Gateway</body></html>",
  "null",
  "[]",
  "upstream connect error",
  "{",
);

export const chatResponses = { complete: chatResponse, stream: chatStream };
export const messagesResponses = { complete: message, stream: messagesStream };
export const converseResponses = { complete: converseResponse, stream: converseStream };
export const responsesResponses = { complete: responseObject, stream: responsesStream };
export const geminiResponses = { complete: geminiResponse, stream: geminiStream };
export const failedResponses: Text = fc.oneof(errorBody, errorBody, any, nothing);
