// The list of features: what a request may ask for beyond the common slots, once each, with its fate if a dialect does
// not support it (`rejected` or `dropped`), the advice for the client, and the documentation. A dialect's members.ts maps
// members to features and lists those that its request writer supports; docs/dialects.md is generated from both.
import { constant } from "../../bytes/text/bytes";
import { about, dropped, rejected } from "./feature";

const LEAVE_OUT = constant("Remove it, or use a provider that supports it.");
const SEND_BASE64 = constant("Send the file's content in base64 instead.");
const SEND_TRANSCRIPT = constant(
  "Send the transcript as text, or use a model that supports audio.",
);
const SEND_ALL_TOOLS = constant("Send the tools that are available now in tools.");

// Sampling
export const SEED = dropped(
  about("Seeds", "https://platform.openai.com/docs/api-reference/chat/create#chat-create-seed"),
);
export const FREQUENCY_PENALTY = dropped(about("Frequency penalties"));
export const PRESENCE_PENALTY = dropped(about("Presence penalties"));
export const LOGIT_BIAS = dropped(about("Logit biases: token ids differ between tokenizers"));
export const LOGPROBS = dropped(about("Log probabilities"));
export const TOP_LOGPROBS = dropped(about("Log probabilities of alternatives"));
export const SEVERAL_CHOICES = rejected(
  constant("Send one request per choice."),
  about("Several choices per response"),
);
export const VERBOSITY = dropped(about("Verbosity"));
export const TEXT_LOGPROBS = dropped(
  about("Log probabilities of output texts: translated responses have none"),
);

// Input and output
export const FOREIGN_PARTS = rejected(
  constant(
    "It is a part of another API: send input_text, input_image, input_file or output_text instead.",
  ),
  about("Content parts of another API, which OpenAI rejects as well"),
);
export const AUDIO_OUTPUT = rejected(
  LEAVE_OUT,
  about("Audio output", "https://platform.openai.com/docs/guides/audio"),
);
export const AUDIO_INPUT = rejected(
  SEND_TRANSCRIPT,
  about("Audio input", "https://platform.openai.com/docs/guides/audio"),
);
export const AUDIO_HISTORY = rejected(
  constant("Send the transcript as text."),
  about("Audio in earlier responses"),
);
export const VIDEO_INPUT = rejected(
  constant("Send single frames as images."),
  about("Video input"),
);
export const IMAGE_OUTPUT = rejected(
  constant('Leave it out, or send ["text"].'),
  about("Images in responses", "https://ai.google.dev/gemini-api/docs/image-generation"),
);
export const FILE_IDS = rejected(
  SEND_BASE64,
  about("Files by the provider's id", "https://platform.openai.com/docs/guides/pdf-files"),
);
export const STORED_FILES = rejected(
  SEND_BASE64,
  about("Files by the id of OpenAI's account", "https://platform.openai.com/docs/guides/pdf-files"),
);
export const TEXT_FILES = rejected(
  constant("Send its content as text."),
  about("Files of text, Markdown, CSV, HTML and JSON"),
);
export const OFFICE_FILES = rejected(
  constant("Send its content as text, or as a PDF."),
  about("Files of Word, Excel and PowerPoint"),
);
export const TEXT_DOCUMENTS = dropped(about("Documents of plain text: their text is sent"));
export const DOCUMENT_URLS = rejected(
  SEND_BASE64,
  about("Documents by URL", "https://platform.claude.com/docs/en/build-with-claude/pdf-support"),
);
export const IMAGE_URLS = rejected(
  constant("Send the image's content in base64 instead."),
  about("Images by URL"),
);
export const IMAGE_DETAIL = dropped(
  about("Image resolution", "https://platform.openai.com/docs/guides/images-vision"),
);
export const MESSAGE_NAME = dropped(
  about("Names of participants: put the name into the text if it matters"),
);
export const CITATIONS = dropped(
  about("Citations", "https://platform.claude.com/docs/en/build-with-claude/citations"),
);
export const SCHEMA_DESCRIPTION = dropped(about("A description of the output schema"));

// Tools
export const CUSTOM_GRAMMARS = dropped(
  about(
    "Grammars of custom tools: only described to the model",
    "https://platform.openai.com/docs/guides/function-calling#custom-tools",
  ),
);
export const WEB_SEARCH = dropped(
  about(
    "Web search by the provider: as the model searches, or else dropped",
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool",
  ),
);
export const CODE_EXECUTION = dropped(
  about(
    "Code that the provider runs in a container",
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool",
  ),
);
export const WEB_FETCH = dropped(
  about(
    "Web pages that the provider reads by their address",
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool",
  ),
);
export const MCP_SERVERS = dropped(
  about(
    "Remote MCP servers whose tools the provider calls",
    "https://platform.claude.com/docs/en/agents-and-tools/mcp-connector",
  ),
);
export const HOSTED_TOOLS = dropped(
  about(
    "Tools that the provider runs: the model is not offered them",
    "https://platform.openai.com/docs/guides/tools",
  ),
);
export const BUILT_IN_TOOLS = dropped(
  about(
    "Built-in tools that the client runs, and their calls: only OpenAI's models know them",
    "https://platform.openai.com/docs/guides/tools",
  ),
);
export const COMPUTER = dropped(
  about(
    "A computer that the client runs, and its calls",
    "https://platform.openai.com/docs/guides/tools-computer-use",
  ),
);
export const TOOL_CALL_LIMIT = dropped(about("A limit of built-in tool calls"));
export const TOOL_OUTPUT_SCHEMA = dropped(about("The schema of a tool's output"));
export const ASYNC_TOOLS = dropped(about("Tools that respond later"));
export const SERVER_TOOL_HISTORY = dropped(
  about("Results of tools that the provider ran in an earlier turn"),
);
export const TOOL_EXAMPLES = dropped(about("Example inputs of a tool"));
export const TOOL_SEARCH = dropped(about("Tools loaded on demand: every tool is always loaded"));
export const TOOL_STREAMING = dropped(about("Fine-grained streaming of a tool's arguments"));
export const TOOL_CALLERS = dropped(about("Allowed callers of a tool: only the model calls it"));
export const TOOLSETS = dropped(about("Toolsets"));
export const TOOL_CHANGES = rejected(
  SEND_ALL_TOOLS,
  about("Changes of the tools within a conversation"),
);
export const PROVIDER_EXTRAS = dropped(about("Signatures of another provider on tool calls"));

// Caching, storage, speed
export const PROMPT_CACHE_KEY = dropped(
  about(
    "Prompt cache keys: use `cache_control`",
    "https://platform.openai.com/docs/guides/prompt-caching",
  ),
);
export const AUTOMATIC_CACHING = dropped(
  about("Automatic cache breakpoints: OpenAI-compatible providers cache by themselves"),
);
export const PROMPT_CACHE_OPTIONS = dropped(about("Options of the prompt cache"));
export const PROMPT_CACHE_RETENTION = dropped(about("How long the prompt cache is kept"));
export const METADATA = dropped(about("Metadata of a stored response"));
export const SERVICE_TIERS = dropped(
  about(
    "Service tiers beyond the standard one",
    "https://platform.openai.com/docs/guides/priority-processing",
  ),
);
export const STORE = dropped(about("Stored responses"));
export const PREDICTION = dropped(
  about(
    "Predicted output: it changes the speed, not the response",
    "https://platform.openai.com/docs/guides/predicted-outputs",
  ),
);
export const SPEED = dropped(about("Fast mode"));
export const SAFETY_SETTINGS = dropped(
  about("Safety settings of Gemini", "https://ai.google.dev/gemini-api/docs/safety-settings"),
);
export const CACHED_CONTENT = dropped(
  about("A cached prompt of Gemini", "https://ai.google.dev/gemini-api/docs/caching"),
);
export const LABELS = dropped(
  about(
    "Labels of Vertex AI",
    "https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/add-labels-to-api-calls",
  ),
);
export const OBFUSCATION = dropped(about("Padding against traffic analysis"));

// Members of Amazon Bedrock that clients send beside those of their own format
export const GUARDRAIL = dropped(
  about(
    "A guardrail of Amazon Bedrock: configure `guardrail`, which clients cannot leave out",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-use-converse-api.html",
  ),
);
export const PERFORMANCE = dropped(
  about(
    "Latency-optimized inference of Amazon Bedrock",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/latency-optimized-inference.html",
  ),
);
export const MODEL_FIELDS = dropped(
  about("Members of a model of Amazon Bedrock that Converse passes to it"),
);
export const MODEL_RESPONSE_FIELDS = dropped(
  about("Members of a model's response that Converse adds to its own"),
);
export const REQUEST_METADATA = dropped(about("Metadata of Amazon Bedrock's invocation logs"));
export const BEDROCK_TIER = dropped(about("A service tier in Amazon Bedrock's words"));

// Conversation state and policies of a provider
export const CONTEXT_MANAGEMENT = dropped(about("Context editing: the conversation is sent whole"));
export const COMPACTION = rejected(
  constant("Send its summary as text, or use a model of Anthropic."),
  about("Compaction by the provider"),
);
export const THREADS = rejected(
  constant("Send the whole conversation, or use a model of Anthropic."),
  about("Threads"),
);
export const PREVIOUS_RESPONSES = rejected(
  constant(
    "keeps no responses: send the whole conversation in 'input' instead of 'previous_response_id'.",
  ),
  about(
    "Stored responses as the conversation",
    "https://platform.openai.com/docs/guides/conversation-state",
  ),
);
export const CONVERSATIONS = rejected(
  constant("keeps no conversations: send the earlier items in 'input'."),
  about("Stored conversations", "https://platform.openai.com/docs/guides/conversation-state"),
);
export const STORED_PROMPTS = rejected(
  constant("has no stored prompts: send 'instructions' and 'input'."),
  about("Stored prompts", "https://platform.openai.com/docs/guides/prompting"),
);
export const BACKGROUND = rejected(
  constant("cannot run in the background: use 'stream'."),
  about("Background mode", "https://platform.openai.com/docs/guides/background"),
);
export const ITEM_REFERENCES = rejected(
  constant(
    "This model keeps no items: send the items themselves. In the Vercel AI SDK set providerOptions.openai.store to false, or use @ai-sdk/open-responses.",
  ),
  about("References to stored items"),
);
export const COMPACTED_HISTORY = rejected(
  constant("Send the items, or their summary as text, or use a provider with the Responses API."),
  about(
    "Compaction by OpenAI: only OpenAI can read it",
    "https://platform.openai.com/docs/guides/conversation-state",
  ),
);
export const BACKEND_ITEMS = dropped(about("Items of Codex's backend: only OpenAI can read them"));
export const PHASES = dropped(about("The phase of a message of the assistant"));
export const TRUNCATION = dropped(
  about("Truncation by the provider: the conversation is sent whole"),
);
export const REASONING_MODE = dropped(about("The reasoning mode"));
export const REASONING_CONTEXT = dropped(about("Which turns' reasoning the model sees"));
export const CLIENT_METADATA = dropped(about("Metadata of Codex"));
export const ACCESS_PROGRAMS = dropped(about("Access programs"));
export const IMAGE_CONTEXT = dropped(about("Compression of images in the context"));
export const CONTAINERS = rejected(LEAVE_OUT, about("Containers"));
export const BROWSER_STATE = rejected(LEAVE_OUT, about("Browser state"));
export const MODERATION = rejected(LEAVE_OUT, about("Moderation by the provider"));
export const INFERENCE_REGION = rejected(
  constant("Choose a provider in the right region, or use a model of Anthropic."),
  about("Inference region"),
);
export const BILLING_POLICY = rejected(LEAVE_OUT, about("Billing policy"));
export const PROVIDER_FALLBACKS = dropped(
  about("Fallbacks of the provider: configure `fallbacks` in the gateway"),
);
export const DIAGNOSTICS = dropped(about("Diagnostics"));
export const TASK_BUDGET = dropped(about("Task budgets"));
export const THINKING_DISPLAY = dropped(about("Display of thinking: the provider decides"));
export const MESSAGE_OUTPUT = dropped(
  about("Output settings per message: one effort applies to the whole request"),
);
export const TRANSFORMATIONS = dropped(about("Transformations"));
