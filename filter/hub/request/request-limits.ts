// What a target supports: the capabilities of its model (contract/model-capabilities.ts) as the request path reads them.
import { sameSpan, Span } from "../../bytes/text/bytes";

/** How an Anthropic model is asked to think: the values of `thinking` (https://platform.claude.com/docs/en/build-with-claude/thinking). */
export const REASONING_NONE: i32 = 0;
/** `thinking.budget_tokens`: Claude 3.7 to 4.5. */
export const REASONING_BUDGET: i32 = 1;
/** `thinking: adaptive` and `output_config.effort`: Claude 4.7 and newer. */
export const REASONING_ADAPTIVE: i32 = 2;
/** Either way: Claude 4.6. */
export const REASONING_BOTH: i32 = 3;

/** Which of Anthropic's types of thinking asks for the least: the values of `thinking_off`. */
export const OFF_DISABLED: i32 = 0;
export const OFF_BETWEEN_TOOLS: i32 = 1;
/** The model always thinks. */
export const OFF_NONE: i32 = 2;

/** Which kinds of `tool_choice` that force a call the model supports: the values of `forced_tools`. */
export const FORCED_ALL: i32 = 0;
/** A tool by its name, but not "any tool". */
export const FORCED_NAMED: i32 = 1;
export const FORCED_NONE: i32 = 2;

/** Which member turns thinking on and off: the values of `thinking_switch`. */
export const SWITCH_NONE: i32 = 0;
export const SWITCH_THINKING: i32 = 1;
export const SWITCH_ENABLE_THINKING: i32 = 2;
export const SWITCH_REASONING: i32 = 3;
/** `chat_template_kwargs` */
export const SWITCH_TEMPLATE: i32 = 4;

/** Which assistant messages must have reasoning: the values of `needs_reasoning`. */
export const NEEDS_NONE: i32 = 0;
/** Those with tool calls. */
export const NEEDS_CALLS: i32 = 1;
/** All, if the request declares tools. */
export const NEEDS_TURNS: i32 = 2;

/** The families of models at Amazon Bedrock whose requests differ: the values of `model_family`. */
export const FAMILY_UNKNOWN: i32 = -1;
export const FAMILY_CLAUDE: i32 = 0;
export const FAMILY_NOVA: i32 = 1;
export const FAMILY_GPT_OSS: i32 = 2;
export const FAMILY_GPT: i32 = 3;
export const FAMILY_MISTRAL: i32 = 4;
export const FAMILY_OTHER: i32 = 5;

/** Where a session's key for the prompt cache is sent: the values of `cache_key`. */
export const CACHE_KEY_NONE: i32 = 0;
export const CACHE_KEY_MEMBER: i32 = 1;
/** A header in chat completions, the member in the Responses API (xAI). */
export const CACHE_KEY_HEADER: i32 = 2;

/** The second value of `computer`. */
export const COMPUTER_2025_11: i32 = 2;

/** Filled by filter/config/read-limits.ts, which has the defaults. */
export class RequestLimits {
  /** Whether a body in the target's dialect may have to be changed. */
  isLimiting: bool = false;
  /** Anthropic: `max_tokens`, which is required, if the client sends none; 0 for the model's maximum. */
  defaultMaxTokens: u32 = 0;
  /** A larger `max_tokens` is lowered to it; 0 if unknown. */
  highestMaxTokens: u32 = 0;
  /** OpenAI's reasoning models reject `max_tokens` and require `max_completion_tokens`. */
  usesMaxCompletionTokens: bool = false;
  /** False if only the older `max_tokens` is supported. */
  supportsMaxCompletionTokens: bool = false;
  /** False if temperature, top_p, top_k and the penalties are rejected (reasoning models, Claude 4.7 and newer). */
  supportsTemperature: bool = false;
  /** Chat: temperature and top_p are supported only while the model does not reason (GPT-5.1 to 5.6). */
  samplesWithoutReasoning: bool = false;
  /** False if temperature and top_p together are rejected (Claude 4.5 and 4.6). */
  supportsBothSampling: bool = false;
  /** False if the chat template does not support the system role: its text goes before the first user text. */
  supportsSystemRole: bool = false;
  /** Chat: false if only the first message may be a system message; later ones go before the next user text. */
  supportsLaterSystem: bool = false;
  /** Chat: messages of role developer; else they become system. */
  supportsDeveloperRole: bool = false;
  /** Anthropic: messages of role system inside the conversation (Claude 4.8 and newer); else all go to the top. */
  supportsSystemMessages: bool = false;
  supportsStop: bool = false;
  /** Chat: `stream_options.include_usage`. */
  supportsStreamUsage: bool = true;
  /** Chat: `top_k`, which OpenAI itself does not have. */
  supportsTopK: bool = false;
  /** Chat: `user`. */
  supportsUser: bool = false;
  /** Chat: `cache_control` on content parts and tools (OpenRouter, LiteLLM, Qwen). */
  supportsCacheControl: bool = false;
  /** Chat: false if the model caches only what is marked by `cache_control`. */
  cachesByItself: bool = true;
  /** OpenAI: `prompt_cache_breakpoint` on content parts (GPT-5.6 and newer). */
  supportsBreakpoints: bool = false;
  /** OpenAI: where the key of a session is sent, CACHE_KEY_. */
  cacheKey: i32 = CACHE_KEY_NONE;
  /** `prompt_caching: auto`: cache marks and a cache key are added to translated requests. */
  addsCaching: bool = false;
  /** The efforts that the model supports, a bit `1 << EFFORT_` for each. */
  efforts: u32 = 0;
  /** Those of the Responses API, if they differ; else 0. */
  responsesEfforts: u32 = 0;
  /** Whether `efforts` is known, not the default of nearly every model. */
  knowsEfforts: bool = false;
  /** Chat: whether the model reasons without an effort in the request. */
  reasonsByDefault: bool = false;
  /** Chat: false if a request with tools must have effort `none` (GPT-5.4 to 6). */
  supportsReasoningWithTools: bool = false;
  /** Bits (`ProviderDialect.supporter`) of the APIs that the model does not have, although its provider serves them. */
  lackedApis: u32 = 0;
  /** Whether the Responses API is lacked but for requests that search the web. */
  servesSearches: bool = false;
  /** Chat: which member turns thinking on and off, SWITCH_. */
  thinkingSwitch: i32 = SWITCH_NONE;
  /** Chat: whether `seed` is called `random_seed` (Mistral). */
  usesRandomSeed: bool = false;
  /** Chat: whether a PDF is a part of type `document_url` (Mistral). */
  usesDocumentUrl: bool = false;
  /** Chat: false if the id of a tool call must have nine letters and digits (Mistral). */
  supportsLongCallIds: bool = true;
  /** Chat: false if no message of the user may follow a tool message (Mistral). */
  supportsUserAfterTool: bool = true;
  /** Chat: `reasoning_content` in assistant messages, whoever wrote it (DeepSeek, Moonshot); others reject it. */
  supportsReasoningContent: bool = false;
  /** Chat: the provider's own unsigned reasoning in the member that it came in. */
  supportsOwnReasoning: bool = true;
  /** Chat: which assistant messages must have `reasoning_content`, NEEDS_. */
  needsReasoning: i32 = NEEDS_NONE;
  /** Chat: how the server marks reasoning in the content (0 none, 1 a pair of tags, 2 the closing one). */
  thinkTags: i32 = 0;
  /** Chat: the provider, by which its unsigned reasoning finds back to it. */
  origin: Span = new Span(0, 0);
  /** Chat: `reasoning_details` in assistant messages (OpenRouter). */
  supportsReasoningDetails: bool = false;
  /** Which forced choices of a tool are supported, FORCED_. */
  forcedTools: i32 = FORCED_ALL;
  /** False if a text stands for each image and document of a translated request. */
  supportsImages: bool = true;
  /** Whether the model has a fast mode, which costs more. */
  hasFastMode: bool = false;
  /** Structured output by a JSON schema. */
  supportsOutputSchema: bool = false;
  /** Whether the model resolves `$ref` in schemas. */
  supportsSchemaRefs: bool = true;
  /** Anthropic: a last message of the assistant, which the model continues. */
  supportsPrefill: bool = false;
  /** Anthropic: how to ask for reasoning, REASONING_. */
  reasoning: i32 = REASONING_ADAPTIVE;
  /** Whether `reasoning` is known, so that the client's request for it may be changed. */
  knowsReasoning: bool = false;
  /** Anthropic: how to ask for the least thinking, OFF_. */
  thinkingOff: i32 = OFF_DISABLED;
  /** Converse: the family of the model, FAMILY_. */
  family: i32 = FAMILY_UNKNOWN;
  /**
   * Converse: the configured guardrail and latency, as members with a comma before each; may be empty. The same for a stream.
   */
  policies: Span = new Span(0, 0);
  streamPolicies: Span = new Span(0, 0);
  /** Gemini: whether calls have ids and signatures, and results media (Gemini 3 and newer). */
  signsCalls: bool = false;
  /** Gemini: whether functions may stand beside a search that Google runs. */
  mixesTools: bool = false;
  /** How the model searches the web, SEARCH_ of web-search.ts. */
  webSearch: i32 = -1;
  /** Which other tools the provider runs, a bit `1 << HOSTED_` for each. */
  serverTools: u32 = 0;
  /** Anthropic: the version of its tool for a computer: 0 for none, 1, or COMPUTER_2025_11. */
  computer: i32 = 0;
  /** Gemini: JSON schemas, not only a subset of OpenAPI (2.5 and newer). */
  supportsJsonSchema: bool = false;
  /** Further members that are dropped from a body in the target's dialect. */
  refuses: Span[] = [];
  /** The same for members of messages, and the path of each: `messages[].name`. */
  refusesInMessages: Span[] = [];
  refusedPaths: Span[] = [];
  /** `overrides.strict_translation`: a request is rejected if anything would be dropped. */
  strict: bool = false;

  /** Returns whether the model supports adaptive thinking. */
  thinksAdaptively(): bool {
    return this.reasoning == REASONING_ADAPTIVE || this.reasoning == REASONING_BOTH;
  }

  /** Returns whether a member of the request is in `refuses`. */
  isRefused(name: Span): bool {
    for (let i = 0; i < this.refuses.length; i++) {
      if (sameSpan(unchecked(this.refuses[i]), name)) return true;
    }
    return false;
  }

  supportsEffort(effort: i32): bool {
    return (this.efforts & (1 << effort)) != 0;
  }
}
