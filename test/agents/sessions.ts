// The sessions of `sessions.test.ts`: which agents on which providers, and what must come of images, searches and members that the
// provider does not have. docs/clients.md shows this table.
import type { Brain } from "../providers/brain.ts";
import { startConverseProvider } from "../providers/converse.ts";
import { startGeminiProvider } from "../providers/gemini.ts";
import { startOpenModels } from "../providers/open-models.ts";
import { startResponsesProvider } from "../providers/responses.ts";
import type { FakeProvider } from "../providers/server.ts";

export const AGENTS = ["Claude Code", "Codex"] as const;
export type AgentName = (typeof AGENTS)[number];

/** The access key of the providers. */
export const SESSION_KEY = "key-of-the-sessions";
/** What a model gets in the place of an image that it cannot read. */
export const TEXT_ONLY = "(An image was left out: this model reads text only.)";

export interface SessionProvider {
  name: string;
  model: string;
  /** Keys of the entry; `$URL` is the fake. */
  keys: string;
  start: (brain: Brain) => Promise<FakeProvider>;
  images: "sent" | typeof TEXT_ONLY;
  /** What Claude Code's search, a request of its own, says to the model. */
  search: RegExp;
  /** What is left out, as in x-gateway-dropped. */
  dropped: Record<AgentName, string[]>;
}

/** Returns the rows of the table in docs/clients.md, without padding. */
export function sessionRows(): string[] {
  return PROVIDERS.map(({ model, images, search }) =>
    [
      "",
      `\`${model}\``,
      images === "sent" ? "sent" : "a text instead",
      search === FOUND ? "yes" : "not offered",
      "",
    ]
      .join(" | ")
      .trim(),
  );
}

const FOUND = /Found a page about warm rooms/;
/** The model is not offered the search. */
const NONE = /There is no search here/;

export const PROVIDERS: SessionProvider[] = [
  {
    name: "openai",
    model: "openai/gpt-5.5",
    keys: "base_url: $URL/v1, access_key: $KEY, provider_interface: openai_responses",
    start: (brain) => startResponsesProvider({ key: SESSION_KEY, brain }),
    images: "sent",
    search: FOUND,
    dropped: {
      "Claude Code": [
        "context_management",
        "messages[].content[].cache_control",
        "tools[].max_uses",
      ],
      Codex: [],
    },
  },
  {
    name: "mistral",
    model: "mistral/magistral-medium-latest",
    keys: "base_url: $URL",
    start: (brain) => startOpenModels("mistral", { brain }),
    images: "sent",
    search: NONE,
    dropped: {
      "Claude Code": [
        "context_management",
        "messages[].content[].cache_control",
        "metadata.user_id",
        "output_config.effort",
        "thinking.display",
        "tools[].type=web_search_20250305",
      ],
      Codex: ["client_metadata", "input[].content[].detail", "tools[].type=web_search"],
    },
  },
  {
    name: "groq",
    model: "groq/openai/gpt-oss-120b",
    keys: "base_url: $URL",
    start: (brain) => startOpenModels("groq", { brain }),
    images: TEXT_ONLY,
    search: FOUND,
    dropped: {
      "Claude Code": [
        "context_management",
        "messages[].content[].cache_control",
        "messages[].content[].source",
        "thinking.display",
        "tools[].max_uses",
      ],
      Codex: [
        "client_metadata",
        "input[].content[].detail",
        "input[].content[].image_url",
        "prompt_cache_key",
      ],
    },
  },
  {
    name: "deepseek",
    model: "deepseek/deepseek-v4-pro",
    keys: "base_url: $URL",
    start: (brain) => startOpenModels("deepseek", { brain }),
    images: TEXT_ONLY,
    search: NONE,
    dropped: {
      "Claude Code": [
        "context_management",
        "messages[].content[].cache_control",
        "messages[].content[].source",
        "thinking.display",
        "tools[].type=web_search_20250305",
      ],
      Codex: [
        "client_metadata",
        "input[].content[].detail",
        "input[].content[].image_url",
        "tools[].type=web_search",
      ],
    },
  },
  {
    name: "gemini",
    model: "gemini/gemini-3.5-flash",
    keys: "base_url: $URL, access_key: $KEY",
    start: (brain) => startGeminiProvider({ key: SESSION_KEY, brain }),
    images: "sent",
    search: FOUND,
    dropped: {
      "Claude Code": [
        "context_management",
        "messages[].content[].cache_control",
        "metadata.user_id",
        "thinking.display",
        "tools[].max_uses",
      ],
      Codex: [
        "client_metadata",
        "input[].content[].detail",
        // The search itself goes back as a part of Gemini.
        "input[].type=web_search_call",
        "prompt_cache_key",
      ],
    },
  },
  {
    name: "bedrock",
    model: "bedrock/eu.anthropic.claude-opus-5-v1:0",
    keys: "base_url: $URL, access_key: $KEY, region: eu-central-1, provider_interface: converse",
    start: (brain) => startConverseProvider({ key: SESSION_KEY, brain }),
    images: "sent",
    search: NONE,
    dropped: {
      "Claude Code": ["context_management", "metadata.user_id", "tools[].type=web_search_20250305"],
      Codex: [
        "client_metadata",
        "input[].content[].detail",
        "prompt_cache_key",
        "tools[].type=web_search",
      ],
    },
  },
];
