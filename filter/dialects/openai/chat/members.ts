// The members of a chat completions request: which slot of the hub each one holds, or which feature it asks for; and the
// features that the request writer supports. The notes are for docs/dialects.md. Longer than other files because it is one
// table.
import { Feature } from "../../../hub/request/feature";
import * as feature from "../../../hub/request/features";
import { MemberTable, object, reads, writes } from "../../../hub/request/member-table";
import * as slot from "../../../hub/request/slots";

/** What the request writer supports beyond the common slots: members of the request itself, with the client's value. */
export const SUPPORTED: Feature[] = [
  feature.SEED,
  feature.FREQUENCY_PENALTY,
  feature.PRESENCE_PENALTY,
  feature.LOGIT_BIAS,
  feature.LOGPROBS,
  feature.TOP_LOGPROBS,
  feature.SEVERAL_CHOICES,
  feature.VERBOSITY,
  feature.STORE,
  feature.PREDICTION,
  feature.PROMPT_CACHE_KEY,
  feature.PROMPT_CACHE_OPTIONS,
  feature.MODERATION,
  feature.IMAGE_URLS,
  feature.WEB_SEARCH,
  feature.SPEED,
  // The writer drops them, unless the Responses API of the provider has them.
  feature.CODE_EXECUTION,
  feature.WEB_FETCH,
  feature.MCP_SERVERS,
];

export const request = new MemberTable(
  "",
  "",
  object("The request", "https://platform.openai.com/docs/api-reference/chat/create"),
);
request.slot("model", slot.MODEL, writes("the provider's name of the chosen model"));
export const MESSAGES = request.slot("messages", slot.MESSAGES);
export const MAX_COMPLETION_TOKENS = request.slot(
  "max_completion_tokens",
  slot.MAX_TOKENS,
  reads("takes precedence over `max_tokens`"),
  writes("for models that require it; lowered to the model's maximum, which is listed"),
);
export const MAX_TOKENS = request.slot(
  "max_tokens",
  slot.MAX_TOKENS,
  writes("for other models; lowered to the model's maximum, which is listed"),
);
export const TEMPERATURE = request.slot(
  "temperature",
  slot.TEMPERATURE,
  writes("dropped, unless it is 1, for models that do not support it, or not while they reason"),
);
export const TOP_P = request.slot(
  "top_p",
  slot.TOP_P,
  writes("dropped for models that do not support sampling parameters"),
);
export const TOP_K = request.slot(
  "top_k",
  slot.TOP_K,
  reads("an extension of vLLM and others"),
  writes("dropped for providers that do not support it"),
);
export const STOP = request.slot(
  "stop",
  slot.STOP,
  writes(
    "at most four sequences, the first ones; dropped for models that do not support stop sequences",
  ),
);
export const STREAM = request.slot("stream", slot.STREAM);
export const STREAM_OPTIONS = request.slot(
  "stream_options",
  slot.STREAM_USAGE,
  reads("`include_usage` decides whether the client receives the usage chunk"),
  writes("`include_usage: true` for streams, if the provider supports it"),
);
export const TOOLS = request.slot("tools", slot.TOOLS);
export const TOOL_CHOICE = request.slot(
  "tool_choice",
  slot.TOOL_CHOICE,
  reads(
    "`allowed_tools` sends only the tools that it names; a custom tool is rejected, unless the provider supports it",
  ),
  writes(
    "`auto`, `none`, `required` or `{function}`; `auto` for models that do not support forced calls, which is listed",
  ),
);
export const PARALLEL_TOOL_CALLS = request.slot("parallel_tool_calls", slot.PARALLEL_TOOL_CALLS);
export const RESPONSE_FORMAT = request.slot(
  "response_format",
  slot.OUTPUT_FORMAT,
  writes(
    "`json_schema`, strict if the schema meets OpenAI's rules; `json_object` and an instruction for models that do not support schemas, which is listed",
  ),
);
export const REASONING_EFFORT = request.slot(
  "reasoning_effort",
  slot.EFFORT,
  writes(
    "an unsupported effort becomes the next lower one, which is listed, or else the next higher one (assumed: low, medium, high); dropped for models that do not reason; `none` with tools for models that do not reason with tools, which is listed",
  ),
);
export const THINKING = request.slot(
  "thinking",
  slot.THINKING,
  reads(
    "an extension of LiteLLM and others; to Claude as it is if it has Anthropic's form, else a switch: on is `reasoning_effort`, or medium without one; off takes precedence over it; an unknown type is dropped",
  ),
);
export const USER = request.slot(
  "user",
  slot.USER,
  writes("the first 64 bytes, OpenAI's limit; dropped for providers that do not support it"),
);
export const SAFETY_IDENTIFIER = request.slot(
  "safety_identifier",
  slot.USER,
  reads("used if there is no `user`"),
);
export const METADATA = request.slot(
  "metadata",
  slot.USER,
  reads(
    "`user_id` is used if there is no `user` and no `safety_identifier`; other keys are dropped, unless the provider supports metadata",
  ),
);
export const SERVICE_TIER = request.slot(
  "service_tier",
  slot.SERVICE_TIER,
  reads(
    "`default` asks for the standard tier, `priority` and `fast` for fast mode, which is dropped for models without; others but `auto` are dropped, unless the provider supports them",
  ),
  writes("`default` for the standard tier, `priority` for fast mode"),
);
export const MODALITIES = request.slot(
  "modalities",
  slot.MODALITIES,
  reads("must be `text`, or `image` beside it if the provider supports it; else rejected"),
);
request.feature("n", feature.SEVERAL_CHOICES, "1");
request.feature("logprobs", feature.LOGPROBS, "false");
request.feature("top_logprobs", feature.TOP_LOGPROBS, "0");
request.feature("audio", feature.AUDIO_OUTPUT);
export const FUNCTIONS = request.slot(
  "functions",
  slot.TOOLS,
  reads("the predecessor of `tools`: the response then has `function_call`, for one call"),
);
export const FUNCTION_CALL = request.slot(
  "function_call",
  slot.TOOL_CHOICE,
  reads("the predecessor of `tool_choice`, used if there is none"),
);
export const WEB_SEARCH = request.feature("web_search_options", feature.WEB_SEARCH);
request.feature("moderation", feature.MODERATION);
request.feature("logit_bias", feature.LOGIT_BIAS, "empty");
request.feature("seed", feature.SEED);
request.feature("frequency_penalty", feature.FREQUENCY_PENALTY, "0");
request.feature("presence_penalty", feature.PRESENCE_PENALTY, "0");
request.feature("store", feature.STORE, "false");
request.feature("prediction", feature.PREDICTION);
request.feature("verbosity", feature.VERBOSITY, "medium");
request.feature("prompt_cache_key", feature.PROMPT_CACHE_KEY);
request.feature("prompt_cache_options", feature.PROMPT_CACHE_OPTIONS, "empty");
request.feature("prompt_cache_retention", feature.PROMPT_CACHE_RETENTION);
request.feature("guardrailConfig", feature.GUARDRAIL);
request.feature("performanceConfig", feature.PERFORMANCE);
request.feature("additionalModelRequestFields", feature.MODEL_FIELDS, "empty");
request.feature("additionalModelResponseFieldPaths", feature.MODEL_RESPONSE_FIELDS, "empty");
request.feature("requestMetadata", feature.REQUEST_METADATA, "empty");
request.feature("serviceTier", feature.BEDROCK_TIER);
request.feature(
  "safety_settings",
  feature.SAFETY_SETTINGS,
  "empty",
  reads("an extension of LiteLLM"),
);
request.feature("cached_content", feature.CACHED_CONTENT, "", reads("an extension of LiteLLM"));
request.feature("labels", feature.LABELS, "empty", reads("an extension of LiteLLM"));
export const EXTRA_BODY = request.slot(
  "extra_body",
  slot.EXTRAS,
  reads(
    "what clients of Google's own endpoint nest in it: `google.safety_settings`, `google.cached_content` and `google.labels` count as those of the request; other members are dropped",
  ),
);

export const streamOptions = new MemberTable("stream_options.", "", object("`stream_options`"));
export const INCLUDE_USAGE = streamOptions.slot("include_usage", slot.STREAM_USAGE);
streamOptions.feature("include_obfuscation", feature.OBFUSCATION, "false");

export const message = new MemberTable(
  "messages[].",
  "",
  object(
    "A message",
    "https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages",
  ),
);
export const ROLE = message.slot(
  "role",
  slot.ROLE,
  reads(
    "system and developer are one role; a message of role tool is a tool result, one of role function that of the `function_call` before it",
  ),
  writes(
    "system text goes before the next user text for models that do not support the role, or only as the first message",
  ),
);
export const CONTENT = message.slot(
  "content",
  slot.CONTENT,
  reads("empty texts are dropped"),
  writes(
    "text alone is one string, because several providers accept nothing else: texts of a user joined by an empty line, those of an assistant without",
  ),
);
export const TOOL_CALLS = message.slot("tool_calls", slot.TOOL_CALL);
export const TOOL_CALL_ID = message.slot(
  "tool_call_id",
  slot.RESULT_ID,
  writes("shortened by a hash above 40 characters, as in the call"),
);
export const REFUSAL = message.slot("refusal", slot.TEXT, reads("a text of the assistant"));
export const REASONING_DETAILS = message.slot(
  "reasoning_details",
  slot.REASONING_SIGNATURE,
  reads("see docs/decisions/2026-11-21-reasoning-carrier.md"),
  writes(
    "signed and encrypted reasoning, if the provider supports it, and what the provider has sent in this member; else dropped",
  ),
);
export const THINKING_BLOCKS = message.slot(
  "thinking_blocks",
  slot.REASONING_SIGNATURE,
  reads("LiteLLM's spelling, used if there are no `reasoning_details`"),
);
export const REASONING_CONTENT = message.slot(
  "reasoning_content",
  slot.REASONING,
  writes(
    "all of it if the provider supports it, else what the provider has sent in this member; the rest is dropped",
  ),
);
export const REASONING = message.slot(
  "reasoning",
  slot.REASONING,
  reads("used if there is no `reasoning_content`"),
  writes("what the provider has sent in this member"),
);
export const MESSAGE_CACHE = message.slot(
  "cache_control",
  slot.CACHE_CONTROL,
  reads("applies to the last block of the message (an extension of LiteLLM and OpenRouter)"),
);
export const IS_ERROR = message.slot(
  "is_error",
  slot.RESULT_ERROR,
  reads("an extension of this gateway"),
  writes("the text of the result begins with `Error: `, unless it mentions an error already"),
);
export const MESSAGE_CALL = message.slot(
  "function_call",
  slot.TOOL_CALL,
  reads("the predecessor of `tool_calls`: the call gets an id, which the next result has too"),
);
message.feature("audio", feature.AUDIO_HISTORY);
message.feature("name", feature.MESSAGE_NAME, "empty");
message.ignored("annotations", reads("part of a response"));
message.ignored("parsed", reads("added by an SDK"));
message.ignored("provider_specific_fields", reads("added by a gateway"));

export const part = new MemberTable(
  "messages[].content[].",
  "",
  object("A content part", "https://platform.openai.com/docs/guides/images-vision"),
);
export const PART_TYPE = part.slot("type", slot.BLOCK_KIND);
export const PART_TEXT = part.slot("text", slot.TEXT);
export const PART_REFUSAL = part.slot("refusal", slot.TEXT);
export const PART_IMAGE = part.slot(
  "image_url",
  slot.IMAGE,
  reads("a `data:` URL is sent as data, any other by its URL"),
);
export const PART_FILE = part.slot("file", slot.DOCUMENT);
export const PART_CACHE = part.slot(
  "cache_control",
  slot.CACHE_CONTROL,
  reads("an extension of LiteLLM and OpenRouter"),
  writes("if the provider supports it; else dropped"),
);
export const PART_BREAKPOINT = part.slot(
  "prompt_cache_breakpoint",
  slot.CACHE_CONTROL,
  reads("`ephemeral`, for an hour if its `ttl` is `12h`; used if there is no `cache_control`"),
);
export const PART_THINKING = part.slot(
  "thinking",
  slot.REASONING,
  reads("in messages of the assistant (an extension of LangChain)"),
  writes("what the provider (Mistral) has sent as such a part"),
);
export const PART_SIGNATURE = part.slot("signature", slot.REASONING_SIGNATURE);
export const PART_AUDIO = part.feature("input_audio", feature.AUDIO_INPUT);
export const PART_VIDEO = part.feature(
  "video_url",
  feature.VIDEO_INPUT,
  "",
  reads("an extension of LiteLLM, OpenRouter and vLLM"),
);
part.ignored("annotations", reads("part of a response"));

export const partType = new MemberTable(
  "messages[].content[].type=",
  "",
  object("The type of a content part"),
);
export const TYPE_TEXT = partType.slot("text", slot.TEXT);
export const TYPE_IMAGE = partType.slot("image_url", slot.IMAGE);
export const TYPE_FILE = partType.slot("file", slot.DOCUMENT);
export const TYPE_THINKING = partType.slot("thinking", slot.REASONING);
export const TYPE_REFUSAL = partType.slot("refusal", slot.TEXT);
export const TYPE_AUDIO = partType.feature("input_audio", feature.AUDIO_INPUT);
export const TYPE_VIDEO = partType.feature("video_url", feature.VIDEO_INPUT);

export const image = new MemberTable(
  "messages[].content[].image_url.",
  "image_url.",
  object("An image"),
);
export const IMAGE_URL = image.slot("url", slot.IMAGE);
export const IMAGE_DETAIL = image.feature("detail", feature.IMAGE_DETAIL, "auto");

export const file = new MemberTable(
  "messages[].content[].file.",
  "file.",
  object("A file", "https://platform.openai.com/docs/guides/pdf-files"),
);
export const FILE_DATA = file.slot(
  "file_data",
  slot.DOCUMENT,
  reads(
    "a `data:` URL of a PDF is a document, of an image an image; text, Markdown, CSV, HTML, JSON and Office files, audio and video if the provider supports them, by their media type or `filename`; an `https:` URL is a document by URL; other kinds of files are rejected",
  ),
  writes("a `data:` URL of the PDF"),
);
export const FILE_NAME = file.slot("filename", slot.DOCUMENT_TITLE);
export const FILE_ID = file.feature("file_id", feature.STORED_FILES);
file.ignored("format", reads("the media type, repeated by some clients"));

export const toolCall = new MemberTable("messages[].tool_calls[].", "", object("A tool call"));
export const CALL_ID = toolCall.slot(
  "id",
  slot.CALL_ID,
  writes("shortened by a hash above 40 characters, as in the result"),
);
export const CALL_TYPE = toolCall.slot("type", slot.TOOL_KIND, reads("`function` or `custom`"));
export const CALL_FUNCTION = toolCall.slot("function", slot.TOOL_CALL);
export const CALL_CUSTOM = toolCall.slot(
  "custom",
  slot.TOOL_CALL,
  reads("the call of a custom tool"),
);
toolCall.feature("extra_content", feature.PROVIDER_EXTRAS);
toolCall.ignored("index", reads("part of a stream"));

export const calledFunction = new MemberTable(
  "messages[].tool_calls[].function.",
  "function.",
  object("The function of a tool call"),
);
export const CALLED_NAME = calledFunction.slot("name", slot.CALL_NAME);
export const ARGUMENTS = calledFunction.slot(
  "arguments",
  slot.CALL_ARGUMENTS,
  writes("the JSON as a string"),
);
calledFunction.ignored("parsed_arguments", reads("added by an SDK"));

export const calledCustom = new MemberTable(
  "messages[].tool_calls[].custom.",
  "custom.",
  object("The custom tool of a tool call"),
);
export const CALLED_CUSTOM_NAME = calledCustom.slot(
  "name",
  slot.CALL_NAME,
  reads("as of a function"),
);
export const CUSTOM_INPUT = calledCustom.slot(
  "input",
  slot.CALL_ARGUMENTS,
  reads("the `input` of a function's arguments, unless the provider supports custom tools"),
);

export const thinking = new MemberTable(
  "thinking.",
  "",
  object("`thinking`", "https://docs.litellm.ai/docs/reasoning_content"),
);
thinking.slot("type", slot.THINKING);
thinking.slot("budget_tokens", slot.THINKING_BUDGET);
thinking.slot("display", slot.THINKING);

export const tool = new MemberTable(
  "tools[].",
  "",
  object("A tool", "https://platform.openai.com/docs/guides/function-calling"),
);
export const TOOL_TYPE = tool.slot("type", slot.TOOL_KIND, reads("`function` or `custom`"));
export const TOOL_FUNCTION = tool.slot("function", slot.TOOLS);
export const TOOL_CACHE = tool.slot(
  "cache_control",
  slot.CACHE_CONTROL,
  reads("an extension of LiteLLM and OpenRouter"),
  writes("if the provider supports it; else dropped"),
);
export const TOOL_CUSTOM = tool.slot(
  "custom",
  slot.TOOLS,
  reads(
    'a function whose input is `{"input": …}`, unless the provider supports custom tools; the response has the text',
  ),
);

export const toolFunction = new MemberTable(
  "tools[].function.",
  "function.",
  object("The function of a tool"),
);
export const FUNCTION_NAME = toolFunction.slot("name", slot.TOOL_NAME);
export const FUNCTION_DESCRIPTION = toolFunction.slot("description", slot.TOOL_DESCRIPTION);
export const FUNCTION_PARAMETERS = toolFunction.slot("parameters", slot.TOOL_SCHEMA);
export const FUNCTION_STRICT = toolFunction.slot("strict", slot.TOOL_STRICT);
export const FUNCTION_CACHE = toolFunction.slot(
  "cache_control",
  slot.CACHE_CONTROL,
  reads("used if there is none beside `function`"),
);

export const customTool = new MemberTable(
  "tools[].custom.",
  "custom.",
  object("The custom tool of a tool"),
);
export const CUSTOM_NAME = customTool.slot("name", slot.TOOL_NAME, reads("as of a function"));
export const CUSTOM_DESCRIPTION = customTool.slot(
  "description",
  slot.TOOL_DESCRIPTION,
  reads("as of a function"),
);
export const CUSTOM_FORMAT = customTool.slot(
  "format",
  slot.TOOL_DESCRIPTION,
  reads(
    "a grammar is appended to the description, which is listed, unless the provider supports custom tools",
  ),
);

export const schema = new MemberTable(
  "response_format.json_schema.",
  "",
  object(
    "`response_format.json_schema`",
    "https://platform.openai.com/docs/guides/structured-outputs",
  ),
);
export const SCHEMA = schema.slot("schema", slot.OUTPUT_SCHEMA);
export const SCHEMA_NAME = schema.slot(
  "name",
  slot.SCHEMA_NAME,
  writes("the client's, else `answer`"),
);
schema.ignored("strict", reads("a schema is always enforced"));
schema.feature("description", feature.SCHEMA_DESCRIPTION, "empty");

export const reasoning = new MemberTable(
  "messages[].reasoning_details[].",
  "",
  object(
    "An item of `reasoning_details`",
    "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens",
  ),
);
export const DETAIL_TYPE = reasoning.slot(
  "type",
  slot.BLOCK_KIND,
  reads("`reasoning.text`, `reasoning.summary` or `reasoning.encrypted`; others are dropped"),
);
export const DETAIL_TEXT = reasoning.slot(
  "text",
  slot.REASONING,
  reads("pieces of one `index` are joined"),
);
export const DETAIL_SIGNATURE = reasoning.slot("signature", slot.REASONING_SIGNATURE);
export const DETAIL_DATA = reasoning.slot("data", slot.REASONING_DATA);
export const DETAIL_INDEX = reasoning.slot("index", slot.REASONING, reads("joins pieces"));
export const DETAIL_FORMAT = reasoning.slot(
  "format",
  slot.REASONING_SIGNATURE,
  reads(
    "reasoning of OpenAI (`openai-responses-v1`) goes to providers of the Responses API only; that of other vendors (`google-…`, `xai-…`) is dropped",
  ),
);
reasoning.ignored("id", reads("assigned by a provider"));
export const DETAIL_SUMMARY = reasoning.slot(
  "summary",
  slot.REASONING,
  reads("of type `reasoning.summary`: the summary of the encrypted item behind it"),
);
