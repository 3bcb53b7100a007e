// What a model of a provider supports, beyond what every model does: each capability once. Its name is the key of `limits`
// in the configuration file and in the filter's document. The schema, the IR's type, the reference page and the filter's
// reader (filter/config/read-limits.ts) are driven by this file. Compiled by tsc and asc.
//
// A capability that is not set is not known, and then nothing is changed.
import {
  ANTHROPIC_MESSAGES,
  BEDROCK_CONVERSE,
  DialectRow,
  GEMINI,
  OPENAI_CHAT,
  OPENAI_RESPONSES,
} from "./dialects.ts";

// `name?: type = default`. The type is boolean, a number of tokens, a list of members, or the values: `a|b` for one of them,
// `(a|b)[]` for a list. Without a default it depends on the provider, or is not known. tsc computes the IR's type from these.
export const MAX_OUTPUT_TOKENS = "max_output_tokens?: number";
export const DEFAULT_MAX_TOKENS = "default_max_tokens?: number";
export const MAX_TOKENS_MEMBER = "max_tokens_member?: any|max_tokens|max_completion_tokens = any";
export const SAMPLING = "sampling?: any|one|without_reasoning|none = any";
export const STOP = "stop?: boolean = true";
export const USER = "user?: boolean = true";
export const TOP_K = "top_k?: boolean = false";
export const SYSTEM_ROLE = "system_role?: anywhere|first|none = anywhere";
export const DEVELOPER_ROLE = "developer_role?: boolean = true";
export const SYSTEM_MESSAGES = "system_messages?: boolean = false";
export const EFFORTS = "efforts?: (none|minimal|low|medium|high|xhigh|max)[]";
export const RESPONSES_EFFORTS = "responses_efforts?: (none|minimal|low|medium|high|xhigh|max)[]";
export const REASONS_BY_DEFAULT = "reasons_by_default?: boolean = true";
export const REASONING_WITH_TOOLS = "reasoning_with_tools?: boolean = true";
export const THINKING = "thinking?: none|budget|adaptive|both";
export const THINKING_OFF = "thinking_off?: disabled|between_tools|none = disabled";
export const THINKING_SWITCH =
  "thinking_switch?: none|thinking|enable_thinking|reasoning|template = none";
export const SEED_MEMBER = "seed_member?: seed|random_seed = seed";
export const DOCUMENT_PART = "document_part?: file|document_url = file";
export const CALL_IDS = "call_ids?: any|short = any";
export const USER_AFTER_TOOL = "user_after_tool?: boolean = true";
export const REASONING_CONTENT = "reasoning_content?: boolean = false";
export const REASONING_DETAILS = "reasoning_details?: boolean = false";
export const OWN_REASONING = "own_reasoning?: boolean = true";
export const NEEDS_REASONING = "needs_reasoning?: none|calls|turns = none";
export const THINK_TAGS = "think_tags?: none|pair|closing = none";
export const FORCED_TOOLS = "forced_tools?: all|named|none = all";
export const IMAGES = "images?: boolean = true";
export const OUTPUT_SCHEMA = "output_schema?: boolean = true";
export const SCHEMA_REFS = "schema_refs?: boolean = true";
export const PREFILL = "prefill?: boolean = true";
export const FAST_MODE = "fast_mode?: boolean = false";
export const CACHE_CONTROL = "cache_control?: boolean = false";
export const CACHES_BY_ITSELF = "caches_by_itself?: boolean = true";
export const CACHE_BREAKPOINTS = "cache_breakpoints?: boolean = false";
export const CACHE_KEY = "cache_key?: none|prompt_cache_key|x_grok_conv_id = none";
const STREAM_USAGE = "stream_usage?: boolean";
const RESPONSES_API = "responses_api?: boolean";
export const APIS = "apis?: both|chat|responses|search = both";
export const MODEL_FAMILY = "model_family?: claude|nova|gpt_oss|gpt|mistral|other";
export const TOOL_CALLS = "tool_calls?: signed|plain|mixed = signed";
export const JSON_SCHEMA = "json_schema?: boolean = true";
export const WEB_SEARCH = "web_search?: none|tool|options|browser_search";
export const SERVER_TOOLS = "server_tools?: (code_execution|web_fetch|mcp)[]";
export const COMPUTER = "computer?: none|computer_20250124|computer_20251124 = none";
export const REFUSES = "refuses?: member[]";

export class CapabilityRow<Declaration extends string = string> {
  declaration: Declaration;
  /** The dialects that have it; empty for all. */
  only: DialectRow[];
  /** The one value that only these dialects have; empty if only they have the whole capability. */
  onlyValue: string;
  /** For the reference page; Markdown. */
  description: string;

  constructor(
    declaration: Declaration,
    only: DialectRow[],
    onlyValue: string,
    description: string,
  ) {
    this.declaration = declaration;
    this.only = only;
    this.onlyValue = onlyValue;
    this.description = description;
  }
}

/** Its type parameter keeps the text of the declaration for tsc. */
function row<Declaration extends string>(
  declaration: Declaration,
  only: DialectRow[],
  onlyValue: string,
  description: string,
): CapabilityRow<Declaration> {
  return new CapabilityRow<Declaration>(declaration, only, onlyValue, description);
}

const ALL: DialectRow[] = [];
const CHAT: DialectRow[] = [OPENAI_CHAT];
const MESSAGES: DialectRow[] = [ANTHROPIC_MESSAGES];
/** The dialects of Claude's models. */
const CLAUDE: DialectRow[] = [ANTHROPIC_MESSAGES, BEDROCK_CONVERSE];
const CONVERSE: DialectRow[] = [BEDROCK_CONVERSE];
const CACHING: DialectRow[] = [OPENAI_CHAT, BEDROCK_CONVERSE];
const OPENAI_APIS: DialectRow[] = [OPENAI_CHAT, OPENAI_RESPONSES];
const OF_GEMINI: DialectRow[] = [GEMINI];
const CHAT_AND_GEMINI: DialectRow[] = [OPENAI_CHAT, GEMINI];
const THINKERS: DialectRow[] = [ANTHROPIC_MESSAGES, BEDROCK_CONVERSE, GEMINI];

/** In the order of the reference page. The filter does not use it, so scripts/constant-bytes.ts leaves it out. */
export const CAPABILITIES = [
  row(
    MAX_OUTPUT_TOKENS,
    ALL,
    "",
    "Maximum number of output tokens. A larger `max_tokens` is lowered to it.",
  ),
  row(
    DEFAULT_MAX_TOKENS,
    CLAUDE,
    "",
    "`max_tokens` if the client sends none; the format requires it. Default: the maximum of the model, or 4096 if that is not known (32,000 of an unknown Claude).",
  ),
  row(
    MAX_TOKENS_MEMBER,
    CHAT,
    "",
    "Which of the two members the model supports; the other is renamed.",
  ),
  row(
    SAMPLING,
    CHAT,
    "without_reasoning",
    "Support of `temperature`, `top_p` and `top_k`: `one` means `temperature` or `top_p`, not both; `without_reasoning` only if the model does not reason (chat completions); `none` also drops `presence_penalty` and `frequency_penalty`. Default values are removed without being reported.",
  ),
  row(STOP, ALL, "", "Whether `stop` (messages: `stop_sequences`) is supported."),
  row(USER, CHAT, "", "Whether `user` is supported."),
  row(
    TOP_K,
    CHAT,
    "",
    "Whether `top_k` of a messages client is forwarded; OpenAI does not support it.",
  ),
  row(
    SYSTEM_ROLE,
    CHAT_AND_GEMINI,
    "",
    "Where messages with role `system` are supported: `first` only as the first message, `none` nowhere. The text of the others is added before the next user text. Gemini: `none` sends it as the first user text.",
  ),
  row(
    DEVELOPER_ROLE,
    CHAT,
    "",
    "Whether messages with role `developer` are supported; otherwise they become `system`.",
  ),
  row(
    SYSTEM_MESSAGES,
    MESSAGES,
    "",
    "Whether messages with role `system` are supported within the conversation; otherwise those of a chat client move to the top.",
  ),
  row(
    EFFORTS,
    ALL,
    "",
    "Supported values of `reasoning_effort` (messages: `output_config.effort`). Other values become the next lower supported value, or else the next higher. An empty list means that effort is not supported.",
  ),
  row(
    RESPONSES_EFFORTS,
    CHAT,
    "",
    "The same for `reasoning.effort` of the Responses API, if it differs: chat completions may reject what that API supports. If not set, as `efforts`.",
  ),
  row(
    REASONS_BY_DEFAULT,
    CHAT,
    "",
    "Whether the model reasons by default. With an empty list of `efforts`: whether it reasons at all.",
  ),
  row(
    REASONING_WITH_TOOLS,
    CHAT,
    "",
    "Whether the model supports reasoning with tools in chat completions. If `false`, requests with tools use the Responses API if the provider serves it; otherwise they get `reasoning_effort: none`, and the effort is listed as dropped.",
  ),
  row(
    THINKING,
    THINKERS,
    "",
    "Supported forms of `thinking`: none, `budget_tokens`, `adaptive` or both. The other form is translated. Gemini: `budget` is `thinkingBudget`, `adaptive` is `thinkingLevel`.",
  ),
  row(
    THINKING_OFF,
    THINKERS,
    "",
    "The `thinking` type with the least thinking; `none` if the model always thinks.",
  ),
  row(
    THINKING_SWITCH,
    CHAT,
    "",
    "The member that turns thinking on and off beside or without an effort: `thinking: {type: disabled}` (DeepSeek, Moonshot AI, Z.ai), `enable_thinking: false` (Qwen), `reasoning: {enabled: false}` (Together AI), or `template` for `chat_template_kwargs: {enable_thinking: false}` (vLLM, SGLang, llama.cpp). It is sent if the client asks for an effort, none, or thinking.",
  ),
  row(SEED_MEMBER, CHAT, "", "The name of `seed` at the provider (Mistral: `random_seed`)."),
  row(
    DOCUMENT_PART,
    CHAT,
    "",
    "The content part that a PDF is sent as: OpenAI's `file`, or Mistral's `document_url`.",
  ),
  row(
    CALL_IDS,
    CHAT,
    "short",
    "Which ids of tool calls are supported: `short` means nine letters and digits (Mistral). Others become a hash, the same in call and result.",
  ),
  row(
    USER_AFTER_TOOL,
    CHAT,
    "",
    "Whether a message of the user may follow tool results; otherwise a short assistant message is put between them.",
  ),
  row(
    REASONING_CONTENT,
    CHAT,
    "",
    "Whether `reasoning_content` is supported in assistant messages, whichever model wrote it.",
  ),
  row(
    REASONING_DETAILS,
    CHAT,
    "",
    "Whether `reasoning_details` is supported in assistant messages.",
  ),
  row(
    OWN_REASONING,
    CHAT,
    "",
    "Whether reasoning that this provider has sent, signed or not, goes back to it in the next turns of messages and Responses clients, in the member that it came in: `reasoning_content`, `reasoning`, `reasoning_details`, or thinking parts.",
  ),
  row(
    NEEDS_REASONING,
    CHAT,
    "",
    "Which assistant messages are rejected without `reasoning_content`: those with tool `calls`, or all `turns` of a request with tools. If the client has not kept it, a short text that is different in each message stands for it.",
  ),
  row(
    THINK_TAGS,
    CHAT,
    "",
    "Whether the server leaves reasoning in the content, between `<think>` and `</think>` at its beginning (Ollama, llama.cpp, LM Studio, vLLM without a reasoning parser): then it becomes reasoning, for every client. `closing`: the chat template writes `<think>` itself, so that the content begins with reasoning. Responses to `n` above 1 stay as they are.",
  ),
  row(
    FORCED_TOOLS,
    ALL,
    "",
    "Supported kinds of forced `tool_choice`; `named` means only a tool by name. Others become `auto`.",
  ),
  row(
    IMAGES,
    ALL,
    "",
    "Whether the model reads images and documents; otherwise a short text stands for each of them in translated requests, also in tool results, and it is listed as dropped.",
  ),
  row(
    OUTPUT_SCHEMA,
    ALL,
    "",
    "Whether output with a JSON schema is supported; otherwise the schema is added to the system prompt.",
  ),
  row(
    SCHEMA_REFS,
    CHAT,
    "",
    "Whether schemas may refer to definitions (`$ref`); otherwise each definition is written where it is referred to, in translated requests.",
  ),
  row(
    PREFILL,
    CLAUDE,
    "",
    "Whether the last message may be an assistant message to continue; otherwise a short user message is added.",
  ),
  row(
    FAST_MODE,
    ALL,
    "",
    'Whether the model has a fast mode, which costs more: `speed: "fast"` of Claude, the tier `priority`, which OpenAI also calls `fast`, of others. Translated requests ask for it in the provider\'s word; otherwise it is dropped. Default: by the list of prices.',
  ),
  row(CACHE_CONTROL, CACHING, "", "Whether `cache_control` of a messages client is forwarded."),
  row(
    CACHES_BY_ITSELF,
    CHAT,
    "",
    "Whether prompts are cached without `cache_control`. If `false`, and `cache_control` is supported, [`prompt_caching: auto`](caching.md) marks conversations.",
  ),
  row(
    CACHE_BREAKPOINTS,
    OPENAI_APIS,
    "",
    "Whether `prompt_cache_breakpoint` and `prompt_cache_options` are supported; cache marks of other formats become breakpoints.",
  ),
  row(
    CACHE_KEY,
    OPENAI_APIS,
    "",
    "Where the session of a translated request is sent, so that its requests reach the same prompt cache: as `prompt_cache_key`, or as the header `x-grok-conv-id` (in the Responses API also xAI has the member).",
  ),
  row(
    STREAM_USAGE,
    CHAT,
    "",
    "Whether streams support `stream_options.include_usage`. Default: by the provider or `provider_interface`.",
  ),
  row(
    RESPONSES_API,
    CHAT,
    "",
    "Whether the provider also serves the Responses API at its base URL. Then requests of Responses clients pass unchanged; otherwise they are translated. Default: true for `openai` without a `base_url`. The filter then chooses the API of each request; `provider_interface` fixes it.",
  ),
  row(
    APIS,
    CHAT,
    "",
    "Which of the two APIs the model has, if its provider serves both: a model with one of them gets the requests of all clients there. `search`: the Responses API for requests that search the web, chat completions for all others.",
  ),
  row(
    MODEL_FAMILY,
    CONVERSE,
    "",
    "The family of the model: it decides in which form reasoning, `top_k` and some choices of tools are sent, and what is left out. Set it if the id does not name the model, as that of an application inference profile.",
  ),
  row(
    TOOL_CALLS,
    OF_GEMINI,
    "",
    "How tools are called: `signed` with ids, thought signatures, media in results and an output schema beside tools (Gemini 3 and newer), `plain` without; `mixed` as `signed`, and beside tools that Google runs (the Gemini API): a search, and pages by their address.",
  ),
  row(
    JSON_SCHEMA,
    OF_GEMINI,
    "",
    "Whether schemas are sent as JSON schema (Gemini 2.5 and newer); otherwise in a subset of OpenAPI, without what that does not have.",
  ),
  row(
    WEB_SEARCH,
    ALL,
    "",
    "How the model searches the web: with the `tool` of its API (messages, Responses, Gemini; `nova_grounding` of Converse), with `web_search_options` or the tool `browser_search` of chat completions, or not (`none`): then a request goes to the Responses API if the provider serves it, and else the search is dropped. Default: `tool`; `none` in chat completions and Converse.",
  ),
  row(
    SERVER_TOOLS,
    ALL,
    "",
    "Which further tools the provider runs for the model: code in a container, pages by their address, tools of remote MCP servers. They are written in the words of its API; a request for others goes to the Responses API if the provider serves it, and else they are dropped, which is listed.",
  ),
  row(
    COMPUTER,
    MESSAGES,
    "",
    "Which version of Anthropic's computer tool stands for the tools `computer` and `computer_use_preview` of a Responses client; `none` drops them and their calls, which is listed.",
  ),
  row(
    REFUSES,
    ALL,
    "",
    "Further members to drop from requests, such as `seed` or `messages[].name`. They replace those of the built-in table.",
  ),
];
