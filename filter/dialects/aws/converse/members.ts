// What becomes of the hub's slots in a request for Converse: for docs/dialects.md alone. The filter imports supported.ts, and
// the writers have the names.
import { MemberTable, object, writes } from "../../../hub/request/member-table";
import * as slot from "../../../hub/request/slots";

export { SUPPORTED } from "./supported";

export const request = new MemberTable(
  "",
  "",
  object(
    "The request",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
  ),
);
request.slot("path", slot.MODEL, writes("the provider's name of the chosen model, in the path"));
request.slot("path", slot.STREAM, writes("`/converse-stream` instead of `/converse`"));
request.slot(
  "messages",
  slot.MESSAGES,
  writes(
    "neighbours of one role are one message; a short user message is put before a first message of the assistant, and behind a last one that the model does not continue, which is listed as `prefill`",
  ),
);
request.slot("system", slot.SYSTEM, writes("the texts in order"));
request.slot(
  "toolConfig.tools",
  slot.TOOLS,
  writes(
    "without tools, those that the conversation calls are declared, because the API requires them",
  ),
);
request.slot(
  "toolConfig.toolChoice",
  slot.TOOL_CHOICE,
  writes(
    "`auto`, `any` or `tool`; `none` leaves the tools out, unless the conversation calls them: then it is dropped, except for Claude, which has it in `additionalModelRequestFields.tool_choice`",
  ),
);
request.slot("toolConfig.toolChoice.tool.name", slot.CHOSEN_TOOL);
request.slot(
  "additionalModelRequestFields.tool_choice",
  slot.PARALLEL_TOOL_CALLS,
  writes(
    "Claude's `disable_parallel_tool_use`, instead of `toolChoice`; dropped for other families",
  ),
);
request.slot(
  "additionalModelRequestFields",
  slot.EFFORT,
  writes(
    "Claude: as in messages; gpt-oss: `reasoning_effort`; GPT: `reasoning.effort`; Nova: `reasoningConfig`, from effort high without sampling parameters and `maxTokens`; dropped for other families",
  ),
);
request.slot(
  "additionalModelRequestFields.thinking",
  slot.THINKING,
  writes("Claude: as in messages; an effort for other families"),
);
request.slot("additionalModelRequestFields.thinking.budget_tokens", slot.THINKING_BUDGET);
request.slot(
  "additionalModelRequestFields.top_k",
  slot.TOP_K,
  writes("Claude; Nova: `inferenceConfig.topK` there; dropped for other families"),
);
request.slot(
  "outputConfig.textFormat",
  slot.OUTPUT_FORMAT,
  writes(
    "a JSON schema; for plain JSON, and for models that do not support schemas, an instruction in `system`, which is listed because nothing enforces it",
  ),
);
request.slot(
  "outputConfig.textFormat.structure.jsonSchema.schema",
  slot.OUTPUT_SCHEMA,
  writes("a string; with `additionalProperties: false` in every object"),
);
request.slot(
  "serviceTier.type",
  slot.SERVICE_TIER,
  writes("`default`, `priority` or `flex`; other tiers are dropped"),
);

export const inference = new MemberTable(
  "inferenceConfig.",
  "",
  object(
    "The configuration",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html",
  ),
);
inference.slot(
  "maxTokens",
  slot.MAX_TOKENS,
  writes("lowered to the model's maximum, which is listed"),
);
inference.slot("temperature", slot.TEMPERATURE, writes("at most 1, which is listed"));
inference.slot("topP", slot.TOP_P);
inference.slot("stopSequences", slot.STOP, writes("blank sequences are dropped"));

export const tool = new MemberTable(
  "toolConfig.tools[].toolSpec.",
  "",
  object(
    "A tool",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html",
  ),
);
tool.slot(
  "name",
  slot.TOOL_NAME,
  writes(
    "a name longer than 64, or with other characters than letters, digits, `_` and `-`, ends in a hash; the response has the client's name",
  ),
);
tool.slot("description", slot.TOOL_DESCRIPTION);
tool.slot("inputSchema.json", slot.TOOL_SCHEMA);
tool.slot("strict", slot.TOOL_STRICT, writes("for models with structured output; else dropped"));

export const block = new MemberTable(
  "messages[].content[].",
  "",
  object(
    "A block",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html",
  ),
);
block.slot("text", slot.TEXT, writes("blank texts are dropped"));
block.slot(
  "image",
  slot.IMAGE,
  writes("PNG, JPEG, GIF and WebP in base64; URLs and other formats are rejected"),
);
block.slot(
  "document",
  slot.DOCUMENT,
  writes("in base64, with a short text if its message has none; URLs are rejected"),
);
block.slot(
  "document.name",
  slot.DOCUMENT_TITLE,
  writes("with the characters that the API accepts; a number makes it unique"),
);
block.slot(
  "cachePoint",
  slot.CACHE_CONTROL,
  writes(
    "a block behind the marked one, at most four in a request; further ones are dropped, and all of them for models without a prompt cache",
  ),
);
block.slot("toolUse", slot.TOOL_CALL);
block.slot(
  "toolUse.toolUseId",
  slot.CALL_ID,
  writes(
    "one that the API rejects becomes a hash, in the result as well; for Mistral always nine characters",
  ),
);
block.slot("toolUse.name", slot.CALL_NAME);
block.slot(
  "toolUse.input",
  slot.CALL_ARGUMENTS,
  writes('empty becomes {}, and what is not a JSON object becomes {"INVALID_JSON": the text}'),
);
block.slot(
  "toolResult",
  slot.TOOL_RESULT,
  writes(
    "all results of a step first in one user message; for families that reject other content beside them, a short message of the assistant separates both",
  ),
);
block.slot("toolResult.toolUseId", slot.RESULT_ID);
block.slot("toolResult.status", slot.RESULT_ERROR, writes("`error`, or missing"));
block.slot(
  "reasoningContent.reasoningText",
  slot.REASONING,
  writes("signed reasoning, for Claude only; else dropped"),
);
block.slot("reasoningContent.reasoningText.signature", slot.REASONING_SIGNATURE);
block.slot("reasoningContent.redactedContent", slot.REASONING_DATA);
