// What identifies a session of a client: the requests of one conversation. One row for each header or part of a member, the most
// certain first. Never an id of a request, which would make each request a session. Compiled by tsc and asc.
//
// Measured with the agents themselves, or read in their packages and those of other gateways, in November 2026.

/** The filter keeps the values of headers with names up to this length (filter/host/message-head.ts). */
export const MAX_HEADER_NAME = 63;

/** Headers whose value is the session. */
export const SESSION_HEADERS: string[] = [
  // opencode 1.18, Crush, OpenRouter's clients; and whoever names a session on purpose.
  "x-session-id",
  // Claude Code 2.1.197 and 2.1.330, on every request; the same as in `metadata.user_id`.
  "x-claude-code-session-id",
  // Codex 0.169; opencode 1.18 with its openai package.
  "session-id",
  // Codex of 2025, pi 0.73.
  "session_id",
  "conversation_id",
  // opencode 1.18, Crush, clients of Fireworks (https://docs.fireworks.ai/guides/prompt-caching).
  "x-session-affinity",
  // opencode with its own provider.
  "x-opencode-session",
  // Goose, on every request to a provider.
  "goose-session-id",
  // GitHub's Copilot CLI.
  "x-client-session-id",
  // Roo Code and Kilo Code, with a gateway of theirs.
  "x-roo-task-id",
  "x-kilocode-taskid",
  // Clients of xAI (https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits).
  "x-grok-conv-id",
  // Open WebUI, Coder, NVIDIA Dynamo.
  "x-openwebui-chat-id",
  "x-coder-chat-id",
  "x-dynamo-session-id",
  // What clients of LiteLLM and Bifrost send.
  "x-litellm-session-id",
  "x-bf-session-id",
];

/** Headers that mark a request of a sub-agent: its id, or its kind. */
export const SUBAGENT_HEADERS: string[] = [
  // Claude Code 2.1.330.
  "x-claude-code-agent-id",
  // Codex: `review`, `compact`.
  "x-openai-subagent",
];

/** Headers with the session, or the agent, that has started this one. */
export const PARENT_HEADERS: string[] = [
  // opencode 1.18, whose sub-agents have a session each.
  "x-parent-session-id",
  // Claude Code, for a sub-agent of a sub-agent.
  "x-claude-code-parent-agent-id",
  // Codex.
  "x-codex-parent-thread-id",
];

/** Headers with the purpose of a request: `main`, `subagent`, `compaction`, `auxiliary`. */
export const PURPOSE_HEADERS: string[] = [
  // Claude Code 2.1.330 with CLAUDE_CODE_GATEWAY_HINT_HEADERS=1.
  "x-claude-code-request-class",
  // Codex 0.169: a JSON text, with `thread_title` for the title of a session.
  "x-codex-turn-metadata",
];
/** Header whose first word names the agent. */
export const AGENT_HEADER = "user-agent";
/** What stands before the purpose in that text. */
export const TURN_METADATA_MARK = '"thread_source":"';

/** Members of a request's top level whose text is the session; OpenRouter's clients send the second. */
export const SESSION_MEMBERS: string[] = ["prompt_cache_key", "session_id"];

/**
 * What stands before the session in `metadata.user_id` of a messages request: Claude Code 2.1.197 and newer, whose value is a JSON
 * text, and its older form `user_<hash>_account_<uuid>_session_<uuid>`.
 */
export const USER_SESSION_MARKS: string[] = ['session_id\\":\\"', "_session_"];

/** Member of a Responses request with the conversation that the provider stores: its id, or an object with its id. */
export const CONVERSATION_MEMBER = "conversation";

/** How the id of a session begins that no client names, and that is a hash of how the conversation begins. */
export const DERIVED_PREFIX = "conv-";
