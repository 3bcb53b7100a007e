// The members of a Responses request: which slot of the hub each one holds, or which feature it asks for; and the features
// that the request writer supports. The notes are for docs/dialects.md. Longer than other files because it is one table.
import { Feature } from "../../../hub/request/feature";
import * as feature from "../../../hub/request/features";
import { MemberTable, object, reads, writes } from "../../../hub/request/member-table";
import * as slot from "../../../hub/request/slots";

/** What the request writer supports beyond the common slots. */
export const SUPPORTED: Feature[] = [
  feature.STORE,
  feature.LOGPROBS,
  feature.TOP_LOGPROBS,
  feature.VERBOSITY,
  feature.MODERATION,
  feature.PROMPT_CACHE_KEY,
  feature.PROMPT_CACHE_OPTIONS,
  feature.PROMPT_CACHE_RETENTION,
  feature.METADATA,
  feature.SERVICE_TIERS,
  feature.WEB_SEARCH,
  feature.CODE_EXECUTION,
  feature.WEB_FETCH,
  feature.MCP_SERVERS,
  feature.CUSTOM_GRAMMARS,
  feature.DOCUMENT_URLS,
  feature.STORED_FILES,
  feature.TEXT_FILES,
  feature.OFFICE_FILES,
  feature.TEXT_DOCUMENTS,
  feature.IMAGE_DETAIL,
  feature.IMAGE_URLS,
  feature.THINKING_DISPLAY,
  feature.SPEED,
];

export const request = new MemberTable(
  "",
  "",
  object("The request", "https://platform.openai.com/docs/api-reference/responses/create"),
);
request.slot("model", slot.MODEL, writes("the provider's name of the chosen model"));
export const INPUT = request.slot(
  "input",
  slot.MESSAGES,
  reads("a string is one message of the user; items of one turn of the assistant are one message"),
  writes("items without ids; a user's tool outputs before his text"),
);
export const INSTRUCTIONS = request.slot(
  "instructions",
  slot.SYSTEM,
  reads("the first system text"),
  writes(
    "the configured prompt and a system prompt that stands outside of the messages; as an item of role system if it has cache marks that the provider supports",
  ),
);
export const MAX_OUTPUT_TOKENS = request.slot(
  "max_output_tokens",
  slot.MAX_TOKENS,
  writes("at least 16, the API's minimum, which is listed; lowered to the model's maximum"),
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
export const STREAM = request.slot("stream", slot.STREAM);
export const STREAM_OPTIONS = request.slot("stream_options", slot.STREAM_USAGE);
export const TOOLS = request.slot("tools", slot.TOOLS);
export const TOOL_CHOICE = request.slot(
  "tool_choice",
  slot.TOOL_CHOICE,
  reads(
    "`none`, `auto`, `required`, `function` or `custom`; `allowed_tools` sends only the tools that it names; a tool that was dropped becomes `auto`, which is listed",
  ),
  writes("flat; `auto` for models that do not support forced calls, which is listed"),
);
export const PARALLEL_TOOL_CALLS = request.slot("parallel_tool_calls", slot.PARALLEL_TOOL_CALLS);
export const TEXT = request.slot(
  "text",
  slot.OUTPUT_FORMAT,
  writes(
    "`format`, strict if the schema meets OpenAI's rules; `json_object` and an instruction for models that do not support schemas, which is listed; `verbosity`",
  ),
);
export const REASONING = request.slot(
  "reasoning",
  slot.EFFORT,
  writes(
    "the nearest effort that the model supports, beside tools too, with `summary: auto` unless the effort is none or the client omits thinking",
  ),
);
export const USER = request.slot("user", slot.USER);
export const SAFETY_IDENTIFIER = request.slot(
  "safety_identifier",
  slot.USER,
  reads("used if there is no `user`"),
  writes("above 64 bytes a hash; dropped for providers that do not support users"),
);
export const METADATA = request.slot(
  "metadata",
  slot.USER,
  reads(
    "`user_id` is used if there is no `user` and no `safety_identifier`; other keys are dropped, but the response repeats them",
  ),
);
export const SERVICE_TIER = request.slot(
  "service_tier",
  slot.SERVICE_TIER,
  reads(
    "`default` asks for the standard tier, `priority` and `fast` for fast mode, which is dropped for models without; others but `auto` are dropped, unless the provider supports them",
  ),
);
request.ignored(
  "store",
  reads(
    "nothing is stored: the response has `store: false`; to its providers `false` unless a chat client asks for `true`",
  ),
);
request.ignored("include", reads("responses have encrypted reasoning always, the others never"));
request.feature("previous_response_id", feature.PREVIOUS_RESPONSES);
request.feature("conversation", feature.CONVERSATIONS);
request.feature("prompt", feature.STORED_PROMPTS);
request.feature("background", feature.BACKGROUND, "false");
request.feature("moderation", feature.MODERATION);
request.feature("top_logprobs", feature.TEXT_LOGPROBS, "0");
request.feature("frequency_penalty", feature.FREQUENCY_PENALTY, "0");
request.feature("presence_penalty", feature.PRESENCE_PENALTY, "0");
request.feature("max_tool_calls", feature.TOOL_CALL_LIMIT);
request.feature("truncation", feature.TRUNCATION, "disabled");
request.feature("context_management", feature.CONTEXT_MANAGEMENT, "empty");
request.feature("prompt_cache_key", feature.PROMPT_CACHE_KEY);
request.feature("prompt_cache_options", feature.PROMPT_CACHE_OPTIONS, "empty");
request.feature("prompt_cache_retention", feature.PROMPT_CACHE_RETENTION);
request.feature("client_metadata", feature.CLIENT_METADATA, "empty");
request.feature("access_programs", feature.ACCESS_PROGRAMS, "empty");
request.feature("image", feature.IMAGE_CONTEXT, "empty");

export const streamOptions = new MemberTable("stream_options.", "", object("`stream_options`"));
streamOptions.feature("include_obfuscation", feature.OBFUSCATION, "false");

export const text = new MemberTable("text.", "", object("`text`"));
export const FORMAT = text.slot("format", slot.OUTPUT_FORMAT);
text.feature("verbosity", feature.VERBOSITY, "medium");

export const format = new MemberTable(
  "text.format.",
  "text.format.",
  object("`text.format`", "https://platform.openai.com/docs/guides/structured-outputs"),
);
export const FORMAT_TYPE = format.slot(
  "type",
  slot.OUTPUT_FORMAT,
  reads("`text`, `json_object` or `json_schema`"),
);
export const SCHEMA = format.slot("schema", slot.OUTPUT_SCHEMA);
export const FORMAT_NAME = format.slot(
  "name",
  slot.SCHEMA_NAME,
  writes("the client's, else `response`"),
);
format.ignored("strict", reads("a schema is always enforced"));
format.feature("description", feature.SCHEMA_DESCRIPTION, "empty");

export const reasoning = new MemberTable(
  "reasoning.",
  "",
  object("`reasoning`", "https://platform.openai.com/docs/guides/reasoning"),
);
export const EFFORT = reasoning.slot("effort", slot.EFFORT, reads("`ultra` is `max`"));
export const SUMMARY = reasoning.slot(
  "summary",
  slot.THINKING,
  reads("asks for reasoning that can be shown; all kinds are one"),
);
export const GENERATE_SUMMARY = reasoning.slot(
  "generate_summary",
  slot.THINKING,
  reads("the older name of `summary`"),
);
reasoning.feature("mode", feature.REASONING_MODE, "standard");
reasoning.feature("context", feature.REASONING_CONTEXT, "auto");

export const toolChoice = new MemberTable("tool_choice.", "", object("`tool_choice`"));
export const CHOICE_TYPE = toolChoice.slot("type", slot.TOOL_CHOICE);
export const CHOICE_NAME = toolChoice.slot("name", slot.CHOSEN_TOOL);
export const CHOICE_NAMESPACE = toolChoice.slot("namespace", slot.CHOSEN_TOOL);
export const CHOICE_MODE = toolChoice.slot("mode", slot.TOOL_CHOICE, reads("of `allowed_tools`"));
export const CHOICE_TOOLS = toolChoice.slot("tools", slot.TOOLS, reads("of `allowed_tools`"));

export const tool = new MemberTable(
  "tools[].",
  "",
  object("A tool", "https://platform.openai.com/docs/guides/function-calling"),
);
tool.slot("type", slot.TOOL_KIND);
export const TOOL_NAME = tool.slot(
  "name",
  slot.TOOL_NAME,
  reads("in a namespace `<namespace>__<name>`, with a hash above 64 characters"),
);
export const TOOL_DESCRIPTION = tool.slot("description", slot.TOOL_DESCRIPTION);
export const TOOL_PARAMETERS = tool.slot("parameters", slot.TOOL_SCHEMA);
export const TOOL_STRICT = tool.slot(
  "strict",
  slot.TOOL_STRICT,
  reads("if it is missing, it stays missing"),
  writes("always, because missing means true if the schema allows it"),
);
export const TOOL_FORMAT = tool.slot(
  "format",
  slot.TOOL_DESCRIPTION,
  reads("of a custom tool: its grammar is appended to the description, which is listed"),
);
export const TOOL_CHILDREN = tool.slot("tools", slot.TOOLS, reads("of a namespace"));
tool.feature("defer_loading", feature.TOOL_SEARCH, "false");
tool.feature("output_schema", feature.TOOL_OUTPUT_SCHEMA);
tool.feature("allowed_callers", feature.TOOL_CALLERS, "empty");
tool.feature("async", feature.ASYNC_TOOLS, "false");

export const toolType = new MemberTable("tools[].type=", "", object("The type of a tool"));
toolType.slot("function", slot.TOOL_KIND);
export const TYPE_CUSTOM = toolType.slot(
  "custom",
  slot.TOOL_KIND,
  reads('a function whose input is `{"input": …}`; the response has the text'),
);
export const TYPE_NAMESPACE = toolType.slot(
  "namespace",
  slot.TOOL_KIND,
  reads("its tools are functions; the response has their namespace"),
);
toolType.feature("tool_search", feature.TOOL_SEARCH);
toolType.features(
  "web_search,web_search_2025_08_26,web_search_preview,web_search_preview_2025_03_11",
  feature.WEB_SEARCH,
);
toolType.feature("file_search", feature.HOSTED_TOOLS);
toolType.feature("code_interpreter", feature.CODE_EXECUTION);
toolType.features("image_generation,programmatic_tool_calling", feature.HOSTED_TOOLS);
toolType.feature("mcp", feature.MCP_SERVERS);
toolType.feature("computer", feature.COMPUTER);
toolType.feature("computer_use_preview", feature.COMPUTER);
toolType.features("shell,local_shell,apply_patch", feature.BUILT_IN_TOOLS);

export const toolFormat = new MemberTable(
  "tools[].format.",
  "format.",
  object("The format of a custom tool's input"),
);
export const TOOL_FORMAT_TYPE = toolFormat.slot("type", slot.TOOL_KIND);
toolFormat.slot("syntax", slot.TOOL_DESCRIPTION);
toolFormat.slot("definition", slot.TOOL_DESCRIPTION);

export const item = new MemberTable(
  "input[].",
  "",
  object("An item", "https://platform.openai.com/docs/api-reference/responses/create"),
);
item.slot(
  "type",
  slot.BLOCK_KIND,
  reads("without it an item with a `role` is a message, one with an `id` alone a reference"),
);
export const ROLE = item.slot("role", slot.ROLE, reads("system and developer are one role"));
export const CONTENT = item.slot("content", slot.CONTENT, reads("a string or a list of parts"));
export const SUMMARY_PARTS = item.slot("summary", slot.REASONING, reads("of reasoning"));
export const ENCRYPTED_CONTENT = item.slot(
  "encrypted_content",
  slot.REASONING_SIGNATURE,
  reads("goes back to the kind of provider that it came from; else dropped"),
  writes("OpenAI's own, directly before what followed it"),
);
export const CALL_ID = item.slot(
  "call_id",
  slot.CALL_ID,
  reads(
    "outputs follow their calls, in the order of the calls; an output without a call is a text of the user, which is listed; a call without an output is rejected",
  ),
);
export const ITEM_NAME = item.slot("name", slot.CALL_NAME);
export const NAMESPACE = item.slot("namespace", slot.CALL_NAME);
export const ARGUMENTS = item.slot("arguments", slot.CALL_ARGUMENTS);
export const CUSTOM_INPUT = item.slot(
  "input",
  slot.CALL_ARGUMENTS,
  reads("of a custom tool: the `input` of a function's arguments"),
);
export const OUTPUT = item.slot("output", slot.TOOL_RESULT, reads("a string or a list of parts"));
item.slot("tools", slot.TOOLS);
item.slot("reasoning", slot.EFFORT, reads("of a `configuration_update`: the last one counts"));
item.slot("text", slot.OUTPUT_FORMAT, reads("of a `configuration_update`: the last one counts"));
item.feature("phase", feature.PHASES);
item.ignored("id", reads("assigned by a provider"));
item.ignored("status", reads("part of a response"));
item.ignored("execution", reads("part of a tool search"));
item.ignored("caller", reads("does not change the result"));
item.ignored("async", reads("does not change the result"));
item.ignored("author", reads("of a message between agents"));
item.ignored("recipient", reads("of a message between agents"));
item.ignored("parsed_arguments", reads("added by an SDK"));

export const itemType = new MemberTable("input[].type=", "", object("The type of an item"));
export const TYPE_MESSAGE = itemType.slot("message", slot.CONTENT);
export const TYPE_REASONING = itemType.slot("reasoning", slot.REASONING);
export const TYPE_FUNCTION_CALL = itemType.slot("function_call", slot.TOOL_CALL);
export const TYPE_FUNCTION_OUTPUT = itemType.slot("function_call_output", slot.TOOL_RESULT);
export const TYPE_CUSTOM_CALL = itemType.slot(
  "custom_tool_call",
  slot.TOOL_CALL,
  reads('the call of a function with `{"input": …}`'),
);
export const TYPE_CUSTOM_OUTPUT = itemType.slot("custom_tool_call_output", slot.TOOL_RESULT);
export const TYPE_ADDITIONAL_TOOLS = itemType.slot(
  "additional_tools",
  slot.TOOLS,
  reads("join `tools`"),
);
export const TYPE_TOOL_SEARCH_OUTPUT = itemType.slot(
  "tool_search_output",
  slot.TOOLS,
  reads("its tools join `tools`"),
);
export const TYPE_CONFIGURATION = itemType.slot("configuration_update", slot.EFFORT);
export const TYPE_AGENT_MESSAGE = itemType.slot(
  "agent_message",
  slot.TEXT,
  reads("its texts are a message of the user"),
);
export const TYPE_CODE_CALL = itemType.slot(
  "code_interpreter_call",
  slot.TOOL_CALL,
  reads("a call of the client, with its result"),
);
export const TYPE_MCP_CALL = itemType.slot(
  "mcp_call",
  slot.TOOL_CALL,
  reads("a call of the client, with its result"),
);
export const TYPE_REFERENCE = itemType.feature("item_reference", feature.ITEM_REFERENCES);
itemType.features("compaction,compaction_trigger", feature.COMPACTED_HISTORY);
itemType.features("agent_reasoning,context_compaction,compaction_summary", feature.BACKEND_ITEMS);
itemType.feature("tool_search_call", feature.TOOL_SEARCH);
itemType.features(
  "web_search_call,file_search_call,image_generation_call,mcp_list_tools,mcp_approval_request,mcp_approval_response,program,program_output",
  feature.SERVER_TOOL_HISTORY,
);
itemType.features(
  "shell_call,shell_call_output,local_shell_call,local_shell_call_output,apply_patch_call,apply_patch_call_output",
  feature.BUILT_IN_TOOLS,
);
export const TYPE_COMPUTER_CALL = itemType.feature("computer_call", feature.COMPUTER);
export const TYPE_COMPUTER_OUTPUT = itemType.feature("computer_call_output", feature.COMPUTER);

export const part = new MemberTable(
  "input[].content[].",
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
export const FILE_DATA = part.slot(
  "file_data",
  slot.DOCUMENT,
  reads(
    "a `data:` URL of a PDF is a document, of an image an image; other kinds of files are rejected",
  ),
);
export const FILE_URL = part.slot("file_url", slot.DOCUMENT, reads("a document by URL"));
export const FILE_NAME = part.slot("filename", slot.DOCUMENT_TITLE);
export const PART_CACHE = part.slot(
  "prompt_cache_breakpoint",
  slot.CACHE_CONTROL,
  reads("`ephemeral`, for an hour if its `ttl` is `12h`"),
);
part.feature("file_id", feature.FILE_IDS);
export const PART_DETAIL = part.feature("detail", feature.IMAGE_DETAIL, "auto");
export const PART_AUDIO = part.feature("input_audio", feature.AUDIO_INPUT);
part.ignored("annotations", reads("part of a response"));
part.ignored("logprobs", reads("part of a response"));
part.ignored("parsed", reads("added by an SDK"));

export const partType = new MemberTable(
  "input[].content[].type=",
  "",
  object("The type of a content part"),
);
partType.slot("input_text", slot.TEXT);
partType.slot("output_text", slot.TEXT);
export const TYPE_REFUSAL = partType.slot("refusal", slot.TEXT);
export const TYPE_INPUT_IMAGE = partType.slot("input_image", slot.IMAGE);
export const TYPE_SCREENSHOT = partType.slot("computer_screenshot", slot.IMAGE);
export const TYPE_INPUT_FILE = partType.slot("input_file", slot.DOCUMENT);
partType.feature("encrypted_content", feature.BACKEND_ITEMS);
export const TYPE_INPUT_AUDIO = partType.feature("input_audio", feature.AUDIO_INPUT);
partType.features(
  "text,image_url,file,image,document,thinking,tool_use,tool_result",
  feature.FOREIGN_PARTS,
);
