// The members of a messages request: which slot of the hub each one holds, or which feature it asks for; and the features
// that the request writer supports. The notes are for docs/dialects.md. Longer than other files because it is one table.
import { Feature } from "../../../hub/request/feature";
import * as feature from "../../../hub/request/features";
import { MemberTable, object, reads, writes } from "../../../hub/request/member-table";
import * as slot from "../../../hub/request/slots";

/** What the request writer supports beyond the common slots. */
export const SUPPORTED: Feature[] = [
  feature.DOCUMENT_URLS,
  feature.IMAGE_URLS,
  feature.TEXT_FILES,
  feature.WEB_SEARCH,
  feature.CODE_EXECUTION,
  feature.MCP_SERVERS,
  feature.COMPUTER,
];

export const request = new MemberTable(
  "",
  "",
  object("The request", "https://platform.claude.com/docs/en/api/messages/create"),
);
request.slot("model", slot.MODEL, writes("the provider's name of the chosen model"));
export const MESSAGES = request.slot(
  "messages",
  slot.MESSAGES,
  writes(
    "neighbours of one role are one message; a short user message is put before a first message of the assistant",
  ),
);
export const SYSTEM = request.slot(
  "system",
  slot.SYSTEM,
  reads("the blocks are one text, joined by an empty line"),
  writes(
    "in order; later system messages stay in place if the model supports that and Anthropic allows it: after a user message, before a message of the assistant or at the end",
  ),
);
export const MAX_TOKENS = request.slot(
  "max_tokens",
  slot.MAX_TOKENS,
  writes(
    "required: without a value the model's maximum, or the configured default plus the thinking budget; lowered to the model's maximum, which is listed",
  ),
);
export const TEMPERATURE = request.slot(
  "temperature",
  slot.TEMPERATURE,
  writes(
    "at most 1, which is listed; dropped, unless it is 1, with thinking and for models that do not support it",
  ),
);
export const TOP_P = request.slot(
  "top_p",
  slot.TOP_P,
  writes(
    "dropped, unless it is 1, beside `temperature` for models that support only one of them; with thinking only 0.95 and above",
  ),
);
export const TOP_K = request.slot(
  "top_k",
  slot.TOP_K,
  writes("dropped with thinking, and for models that do not support sampling parameters"),
);
export const STOP = request.slot(
  "stop_sequences",
  slot.STOP,
  writes("blank sequences, which Anthropic rejects, are dropped"),
);
export const STREAM = request.slot("stream", slot.STREAM);
export const TOOLS = request.slot(
  "tools",
  slot.TOOLS,
  writes(
    "without tools, those that the conversation calls are declared, because Anthropic requires them, with `tool_choice: none`",
  ),
);
export const TOOL_CHOICE = request.slot(
  "tool_choice",
  slot.TOOL_CHOICE,
  writes(
    "`auto`, `any`, `tool` or `none`; `auto` for models that do not support forced calls, which is listed",
  ),
);
export const THINKING = request.slot(
  "thinking",
  slot.THINKING,
  reads(
    "`enabled` is an effort by its budget: below 4096 low, below 16384 medium, else high; `adaptive` is medium unless `output_config.effort` is given; `disabled` is none",
  ),
  writes(
    "as the model requires: `adaptive` with `output_config.effort`, or `budget_tokens` of 1024 (minimal), 2048, 8192, 16384 or 32768 (xhigh, max), at most 80 % of `max_tokens`; effort none is `disabled` or the least that the model supports; a budget is dropped while the running tool loop has no signed thinking, which Anthropic would reject",
  ),
);
export const OUTPUT_CONFIG = request.slot("output_config", slot.OUTPUT_FORMAT);
export const OUTPUT_FORMAT = request.slot(
  "output_format",
  slot.OUTPUT_FORMAT,
  reads("the older name of `output_config.format`"),
);
export const METADATA = request.slot("metadata", slot.USER);
export const SERVICE_TIER = request.slot(
  "service_tier",
  slot.SERVICE_TIER,
  reads("`auto` is the default"),
  writes("`standard_only` for the standard tier"),
);
request.feature("container", feature.CONTAINERS);
export const MCP_SERVERS = request.feature("mcp_servers", feature.MCP_SERVERS, "empty");
request.feature("inference_geo", feature.INFERENCE_REGION);
request.feature("thread", feature.THREADS);
request.feature("compaction", feature.COMPACTION);
request.feature("billing_policy", feature.BILLING_POLICY);
request.feature("cache_control", feature.AUTOMATIC_CACHING);
request.feature("context_management", feature.CONTEXT_MANAGEMENT, "empty");
request.feature("diagnostics", feature.DIAGNOSTICS, "empty");
export const SPEED = request.feature(
  "speed",
  feature.SPEED,
  "standard",
  reads("`fast` is the fast mode of the model, if it has one; any other value is dropped"),
);
request.feature("fallbacks", feature.PROVIDER_FALLBACKS, "empty");
request.feature("fallback_credit_token", feature.PROVIDER_FALLBACKS);

export const metadata = new MemberTable("metadata.", "", object("`metadata`"));
export const USER_ID = metadata.slot(
  "user_id",
  slot.USER,
  writes("the first 256 bytes, Anthropic's limit"),
);

export const output = new MemberTable(
  "output_config.",
  "",
  object("`output_config`", "https://platform.claude.com/docs/en/build-with-claude/effort"),
);
export const EFFORT = output.slot(
  "effort",
  slot.EFFORT,
  writes(
    "with `thinking: adaptive`; an unsupported effort becomes the next lower one, which is listed, or else the next higher one",
  ),
);
export const FORMAT = output.slot(
  "format",
  slot.OUTPUT_FORMAT,
  writes(
    "a JSON schema; for plain JSON, and for models that do not support schemas, an instruction in `system`, which is listed because nothing enforces it",
  ),
);
output.feature("task_budget", feature.TASK_BUDGET);

export const format = new MemberTable(
  "output_config.format.",
  "",
  object(
    "The output format",
    "https://platform.claude.com/docs/en/build-with-claude/structured-outputs",
  ),
);
export const FORMAT_TYPE = format.slot("type", slot.OUTPUT_FORMAT, reads("must be `json_schema`"));
export const FORMAT_SCHEMA = format.slot(
  "schema",
  slot.OUTPUT_SCHEMA,
  writes("with the `additionalProperties: false` that Anthropic requires"),
);

export const thinking = new MemberTable(
  "thinking.",
  "",
  object("`thinking`", "https://platform.claude.com/docs/en/build-with-claude/thinking"),
);
thinking.slot("type", slot.THINKING);
export const BUDGET = thinking.slot("budget_tokens", slot.THINKING_BUDGET);
thinking.feature("display", feature.THINKING_DISPLAY);

export const toolChoice = new MemberTable("tool_choice.", "", object("`tool_choice`"));
export const CHOICE_TYPE = toolChoice.slot("type", slot.TOOL_CHOICE);
export const CHOICE_NAME = toolChoice.slot("name", slot.CHOSEN_TOOL);
export const CHOICE_SINGLE = toolChoice.slot("disable_parallel_tool_use", slot.PARALLEL_TOOL_CALLS);

export const tool = new MemberTable(
  "tools[].",
  "",
  object("A tool", "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview"),
);
tool.slot(
  "type",
  slot.TOOL_KIND,
  reads(
    "`custom` or missing; `bash_…`, `text_editor_…` and `memory_…`, which the client runs, are functions with the schema that Anthropic documents; `web_search_…`, `web_fetch_…`, `code_execution_…` and `mcp_toolset` are tools that the provider runs; others are dropped",
  ),
);
export const TOOL_NAME = tool.slot("name", slot.TOOL_NAME);
export const TOOL_DESCRIPTION = tool.slot("description", slot.TOOL_DESCRIPTION);
export const TOOL_SCHEMA = tool.slot(
  "input_schema",
  slot.TOOL_SCHEMA,
  writes("without one, an object without properties; `type: object` is added if it is missing"),
);
export const TOOL_STRICT = tool.slot("strict", slot.TOOL_STRICT);
export const TOOL_CACHE = tool.slot("cache_control", slot.CACHE_CONTROL);
tool.feature("input_examples", feature.TOOL_EXAMPLES, "empty");
tool.feature("defer_loading", feature.TOOL_SEARCH, "false");
tool.feature("eager_input_streaming", feature.TOOL_STREAMING, "false");
tool.feature("allowed_callers", feature.TOOL_CALLERS, "empty");

export const message = new MemberTable("messages[].", "", object("A message"));
export const ROLE = message.slot("role", slot.ROLE, reads("user, assistant or system"));
export const CONTENT = message.slot(
  "content",
  slot.CONTENT,
  reads("a string or a list of blocks"),
  writes(
    "blank texts, which Anthropic rejects, are dropped, and so is white space at the end of a last assistant message; if the model does not continue such a message, it is listed as `prefill` and a short user message follows",
  ),
);
message.feature("output_config", feature.MESSAGE_OUTPUT, "empty");

export const block = new MemberTable("messages[].content[].", "", object("A block"));
export const BLOCK_TYPE = block.slot("type", slot.BLOCK_KIND);
export const TEXT = block.slot("text", slot.TEXT);
export const SOURCE = block.slot(
  "source",
  slot.SOURCE,
  reads("of an image, document or search result"),
);
export const TITLE = block.slot(
  "title",
  slot.DOCUMENT_TITLE,
  reads("of a PDF; for other documents a line before the text"),
);
export const CONTEXT = block.slot(
  "context",
  slot.TEXT,
  reads("of a document: a text before it, unless the provider supports citations"),
);
export const BLOCK_ID = block.slot(
  "id",
  slot.CALL_ID,
  writes(
    "bytes that Anthropic rejects become `_` and two hexadecimal digits, in the result as well",
  ),
);
export const BLOCK_NAME = block.slot("name", slot.CALL_NAME);
export const INPUT = block.slot(
  "input",
  slot.CALL_ARGUMENTS,
  writes(
    'the JSON of the string; empty becomes {}, and what is not a JSON object becomes {"INVALID_JSON": the string}, as Anthropic advises',
  ),
);
export const TOOL_USE_ID = block.slot("tool_use_id", slot.RESULT_ID);
export const REFERENCED_TOOL = block.slot(
  "tool_name",
  slot.TEXT,
  reads("of a tool reference: a text of the result"),
);
export const BLOCK_CONTENT = block.slot(
  "content",
  slot.TOOL_RESULT,
  reads("for a chat provider, images and documents of all results follow in a user message"),
);
export const IS_ERROR = block.slot("is_error", slot.RESULT_ERROR);
export const BLOCK_THINKING = block.slot(
  "thinking",
  slot.REASONING,
  writes("signed reasoning only; else dropped"),
);
export const SIGNATURE = block.slot("signature", slot.REASONING_SIGNATURE);
export const DATA = block.slot("data", slot.REASONING_DATA);
export const BLOCK_CACHE = block.slot("cache_control", slot.CACHE_CONTROL);
export const BLOCK_CITATIONS = block.feature(
  "citations",
  feature.CITATIONS,
  "empty",
  reads("of a document or search result; those of an earlier response are dropped"),
);
block.feature("transformations", feature.TRANSFORMATIONS, "empty");
block.feature("toolset_name", feature.TOOLSETS);
block.ignored("caller", reads("does not change the result"));
block.ignored("server_name", reads("a call of the client has none"));

export const blockType = new MemberTable(
  "messages[].content[].type=",
  "",
  object("The type of a block"),
);
export const TYPE_TEXT = blockType.slot("text", slot.TEXT);
export const TYPE_IMAGE = blockType.slot("image", slot.IMAGE);
export const TYPE_DOCUMENT = blockType.slot(
  "document",
  slot.DOCUMENT,
  reads("a PDF in base64 is a document; plain text and content are texts and images"),
);
export const TYPE_SEARCH_RESULT = blockType.slot(
  "search_result",
  slot.SEARCH_RESULT,
  reads("a text: title, source, then the content; unless the provider supports citations"),
);
export const TYPE_TOOL_USE = blockType.slot("tool_use", slot.TOOL_CALL);
export const TYPE_TOOL_RESULT = blockType.slot(
  "tool_result",
  slot.TOOL_RESULT,
  reads(
    "for a chat provider a message of role tool, directly after the assistant's and before other blocks of the user's message",
  ),
  writes("in a user message"),
);
export const TYPE_THINKING = blockType.slot("thinking", slot.REASONING);
export const TYPE_REDACTED = blockType.slot("redacted_thinking", slot.REASONING_DATA);
export const TYPE_TOOL_REFERENCE = blockType.slot("tool_reference", slot.TEXT);
/** What a provider ran: two types of calls, then those of results. */
export const TYPE_HOSTED_USE = blockType.slot(
  "server_tool_use",
  slot.TOOL_CALL,
  reads("a call of the client, with its result"),
);
export const TYPE_MCP_USE = blockType.slot(
  "mcp_tool_use",
  slot.TOOL_CALL,
  reads("a call of the client, with its result"),
);
blockType.slot(
  "code_execution_tool_result",
  slot.TOOL_RESULT,
  reads("a call of the client, with its result"),
);
blockType.slot(
  "bash_code_execution_tool_result",
  slot.TOOL_RESULT,
  reads("a call of the client, with its result"),
);
export const TYPE_HOSTED_RESULT = blockType.slot(
  "mcp_tool_result",
  slot.TOOL_RESULT,
  reads("a call of the client, with its result"),
);
blockType.features(
  "web_search_tool_result,web_fetch_tool_result,text_editor_code_execution_tool_result,tool_search_tool_result,advisor_tool_result,mcp_tool_listing",
  feature.SERVER_TOOL_HISTORY,
);
blockType.feature("fallback", feature.PROVIDER_FALLBACKS);
blockType.feature("container_upload", feature.FILE_IDS);
blockType.feature("compaction", feature.COMPACTION);
blockType.feature("browser_state", feature.BROWSER_STATE);
blockType.features("tool_addition,tool_removal", feature.TOOL_CHANGES);

export const source = new MemberTable(
  "messages[].content[].source.",
  "source.",
  object(
    "The source of an image or document",
    "https://platform.claude.com/docs/en/build-with-claude/vision",
  ),
);
export const SOURCE_TYPE = source.slot(
  "type",
  slot.SOURCE,
  reads(
    "`base64` is data; `url` the URL of an image or document; `text` and `content` the text and images",
  ),
  writes("`base64` or `url`"),
);
export const SOURCE_MEDIA = source.slot("media_type", slot.SOURCE);
export const SOURCE_DATA = source.slot("data", slot.SOURCE);
export const SOURCE_URL = source.slot("url", slot.SOURCE);
export const SOURCE_CONTENT = source.slot("content", slot.SOURCE, reads("text and images"));
source.feature("file_id", feature.FILE_IDS);
