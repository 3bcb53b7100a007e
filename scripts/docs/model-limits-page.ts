// docs/model-limits.md: the limits that the gateway knows of models, in words.
import { KNOWN_LIMITS, LIMITS_BY_HOST } from "../../control-plane/providers/known-limits.ts";
import { OTHER_LIMITS } from "../../control-plane/providers/limits/others.ts";
import type { ProviderLimits } from "../../control-plane/providers/limits/model-families.ts";
import type { ModelLimits } from "../../model/model-limits.ts";
import { catalogueSources } from "../../model/facts/model-facts.ts";
import { code } from "./markdown.ts";

const codes = (names: readonly string[]): string => names.map(code).join(", ");

const INTRODUCTION = `# Model limits

<!-- Written by scripts/generate.ts from control-plane/providers/known-limits.ts: change it there. -->

What the gateway knows of models, by the provider of the entry or else by its \`provider_interface\`. Of each provider the first line that matches the model applies, together with the line for every model. A \`*\` at the end matches any rest. Models without a line have no limits, and their requests pass unchanged. What is known of every model of a further provider is in [providers.md](providers.md#particulars).

\`limits\` of an entry ([configuration](configuration.md#limits-of-a-model)) replaces single limits. Where the lines below are silent, the [catalogue](#the-catalogue) decides.`;

/** Returns Markdown; the caller formats it. */
export function modelLimitsPage(): string {
  const providers = Object.entries(KNOWN_LIMITS).filter(([name]) => !REPEATED.has(name));
  return [
    INTRODUCTION,
    ...providers.map(([name, limits]) => `## ${name}\n\n${linesOf(limits).join("\n")}`),
    `## Clouds and other addresses\n\n${others().map(line).join("\n")}`,
    catalogueSection(),
  ].join("\n\n");
}

const SEARCHES = {
  none: "no web search",
  tool: "web search",
  options: "web search by `web_search_options`",
  browser_search: "web search by `browser_search`",
} as const;

const SERVER_TOOLS = {
  code_execution: "code execution",
  web_fetch: "web fetch",
  mcp: "remote MCP servers",
} as const;

function serverTools(names: NonNullable<ModelLimits["server_tools"]>): string {
  const list = names.map((name) => SERVER_TOOLS[name]).join(", ");
  return list === "" ? "no other tools that the provider runs" : list;
}

/** Where the facts of models are from, and how old they are. */
function catalogueSection(): string {
  const rows = catalogueSources().map(({ name, version, date, sha256 }) =>
    [
      name.replace(/^(npm|PyPI) (.*)$/, "$1 `$2`"),
      sha256 === "" ? `${version} rows` : version,
      date,
      sha256 === "" ? "" : code(sha256.slice(0, 16)),
    ].join(" | "),
  );
  return `## The catalogue

Facts of models that are no lines of ours come from public catalogues: context window, maximum output tokens, APIs, efforts, sampling, input, caching, prices. They are merged field by field: our corrections first; then for sizes, APIs and efforts pi-ai before LiteLLM; for prices what two of the three agree on, else genai-prices before LiteLLM. \`scripts/model-facts.ts\` writes the result to \`model/facts/catalogue.json\`, and where they differ to \`model/facts/conflicts.tsv\`.

A maximum of output tokens, missing support of \`temperature\` and efforts become limits of the model. Of a wildcard they do so for providers of their own models, not for those that serve hundreds of others.

\`gateway models --refresh\` fetches the newest versions from npm's registry and PyPI (\`NPM_CONFIG_REGISTRY\`, \`PIP_INDEX_URL\`) into the state directory, checked by the hashes that the registries publish; \`gateway reload\` applies them. Fewer than 70 % of the models are refused, a price that changes by more than a factor of 3 stays unless \`--accept-prices\` is given, and on any error everything stays as it is. \`gateway doctor\` shows versions, dates and checksums. \`model_facts\` in the configuration replaces the catalogue by a file, or by a URL that \`--refresh\` fetches.

| Source | Version | Date | SHA-256 |
| --- | --- | --- | --- |
${rows.map((row) => `| ${row} |`).join("\n")}`;
}

/** Their sections would repeat those of Anthropic or OpenAI, or what docs/providers.md has. */
const REPEATED = new Set([
  "claude",
  "vertex",
  "bedrock",
  "bedrock_mantle",
  "azure_openai",
  ...Object.entries(OTHER_LIMITS)
    .filter(([, { families = [] }]) => families.length === 0)
    .map(([name]) => name),
]);

/** One line for each family, one for all models of a provider: its models, what is different of them. */
function linesOf({ everyModel, families = [] }: ProviderLimits): string[] {
  return [
    ...(everyModel === undefined ? [] : [line(["every model", wordsOf(everyModel.limits)])]),
    ...families.map(({ models, limits }) => line([codes(models), wordsOf(limits)])),
  ];
}

function line([models, limits]: readonly [string, string]): string {
  return `- ${models}: ${limits}`;
}

function others(): (readonly [string, string])[] {
  return [
    [
      "OpenAI's models on `azure_openai`, `azure_foundry`, `bedrock_mantle`; Claude on every cloud",
      "as openai, anthropic",
    ],
    [
      "Every model at the address of OpenAI, at openai.azure.com and on `azure_openai` (without a date in `api_version`)",
      wordsOf(LIMITS_BY_HOST["api.openai.com"]?.everyModel?.limits),
    ],
    ["Gemini 3 and newer on `gemini`", wordsOf({ tool_calls: "mixed" })],
    ["`claude-sonnet-4-6` on `vertex`", "at most 64000 tokens"],
    ["Claude on `vertex` and `bedrock_mantle`", "no output schemas"],
    ["Claude 4.7 and newer on `bedrock`", "no output schemas"],
    [
      "`base_url` at openai.azure.com, openrouter.ai, cerebras.ai, api.z.ai, aliyuncs.com",
      "as openai, openrouter, cerebras, zhipu, qwen",
    ],
  ];
}

/** Returns limits in words. */
export function wordsOf(limits: ModelLimits = {}): string {
  return [...tokenWords(limits), ...memberWords(limits), ...reasoningWords(limits)].join("; ");
}

function tokenWords(limits: ModelLimits): string[] {
  const words: string[] = [];
  if (limits.max_tokens_member === "max_tokens") words.push("`max_tokens` only");
  else if (limits.max_tokens_member !== undefined)
    words.push(`${code(limits.max_tokens_member)} only`);
  if (limits.max_output_tokens !== undefined)
    words.push(`at most ${String(limits.max_output_tokens)} tokens`);
  return words;
}

const SAMPLING: Record<NonNullable<ModelLimits["sampling"]>, string> = {
  any: "",
  one: "`temperature` or `top_p`, not both",
  without_reasoning: "`temperature` and `top_p` only without reasoning",
  none: "no `temperature`, `top_p`, `top_k`",
};

function memberWords(limits: ModelLimits): string[] {
  const words = [limits.sampling === undefined ? "" : SAMPLING[limits.sampling]];
  if (limits.stop === false) words.push("no `stop`");
  if (limits.user === false) words.push("no `user`");
  if (limits.top_k === true) words.push("supports `top_k`");
  if (limits.refuses !== undefined) words.push(`no ${codes(limits.refuses)}`);
  if (limits.system_role === "none") words.push("no system role");
  if (limits.developer_role === false) words.push("`system` for `developer`");
  if (limits.system_messages === true)
    words.push("supports system messages inside the conversation");
  if (limits.forced_tools === "none") words.push("no forced tools");
  if (limits.forced_tools === "named") words.push("`tool_choice` not `required`");
  if (limits.images === false) words.push("text only");
  if (limits.output_schema === false) words.push("no JSON schema");
  if (limits.output_schema === true) words.push("supports a JSON schema");
  if (limits.schema_refs === false) words.push("no `$ref` in schemas");
  if (limits.json_schema === false) words.push("no JSON schema keywords beyond OpenAPI's");
  if (limits.tool_calls === "plain") words.push("plain tool calls");
  if (limits.tool_calls === "mixed") words.push("a search and pages beside functions");
  if (limits.apis === "responses") words.push("Responses API only");
  if (limits.apis === "chat") words.push("chat completions only");
  if (limits.apis === "search") words.push("Responses API for searches only");
  if (limits.web_search !== undefined) words.push(SEARCHES[limits.web_search]);
  if (limits.server_tools !== undefined) words.push(serverTools(limits.server_tools));
  if (limits.computer !== undefined) words.push(`\`${limits.computer}\``);
  if (limits.call_ids === "short") words.push("tool call ids of nine letters and digits");
  if (limits.seed_member === "random_seed") words.push("`random_seed` for `seed`");
  if (limits.document_part === "document_url") words.push("PDF as `document_url`");
  if (limits.user_after_tool === false) words.push("no user message directly after tool results");
  if (limits.prefill === false) words.push("no prefill");
  if (limits.fast_mode === true) words.push("fast mode");
  if (limits.cache_control === true) words.push("supports `cache_control`");
  if (limits.caches_by_itself === false) words.push("caches only what is marked");
  if (limits.cache_breakpoints === true) words.push("supports `prompt_cache_breakpoint`");
  if (limits.cache_key === "prompt_cache_key") words.push("gets `prompt_cache_key` of the session");
  if (limits.cache_key === "x_grok_conv_id") words.push("gets `x-grok-conv-id` of the session");
  if (limits.reasoning_content === true) words.push("accepts `reasoning_content` back");
  if (limits.needs_reasoning === "calls") words.push("no tool calls without `reasoning_content`");
  if (limits.needs_reasoning === "turns")
    words.push("no turn of a request with tools without `reasoning_content`");
  if (limits.own_reasoning === false) words.push("no reasoning of earlier turns");
  if (limits.reasoning_details === true) words.push("accepts `reasoning_details` back");
  return words.filter((word) => word !== "");
}

const THINKING: Record<NonNullable<ModelLimits["thinking"]>, string> = {
  none: "no thinking",
  budget: "thinking by `budget_tokens`",
  adaptive: "`adaptive` thinking",
  both: "thinking by `budget_tokens` or `adaptive`",
};

/** How thinking is turned off. */
const SWITCHES: Record<NonNullable<ModelLimits["thinking_switch"]>, string> = {
  none: "no switch of thinking",
  thinking: "`thinking: {type: disabled}` turns thinking off",
  enable_thinking: "`enable_thinking: false` turns thinking off",
  reasoning: "`reasoning: {enabled: false}` turns thinking off",
  template: "`chat_template_kwargs: {enable_thinking: false}` turns thinking off",
};

function reasoningWords(limits: ModelLimits): string[] {
  const words = [limits.thinking === undefined ? "" : THINKING[limits.thinking]];
  if (limits.think_tags !== undefined && limits.think_tags !== "none")
    words.push("reasoning in `<think>` tags");
  if (limits.thinking_switch !== undefined) words.push(SWITCHES[limits.thinking_switch]);
  if (limits.thinking_off === "none") words.push("always thinks");
  if (limits.thinking_off === "between_tools") words.push("thinks at least `between_tools`");
  if (limits.efforts !== undefined)
    words.push(limits.efforts.length === 0 ? "no effort" : `efforts ${limits.efforts.join(", ")}`);
  if (limits.responses_efforts !== undefined)
    words.push(`efforts in the Responses API ${limits.responses_efforts.join(", ")}`);
  if (limits.reasons_by_default === false)
    words.push(limits.efforts?.length === 0 ? "does not reason" : "reasons only when asked");
  if (limits.reasoning_with_tools === false)
    words.push("no reasoning with tools in chat completions");
  return words.filter((word) => word !== "");
}
