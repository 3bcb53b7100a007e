// What identifies a session of a client: the requests of one conversation. One row for each header or part of a member, the most
// certain first. Never an id of a request, which would make each request a session. Compiled by tsc and asc.
//
// Measured with the agents themselves, or read in their packages, in November 2026.

/** Headers whose value is the session. */
export const SESSION_HEADERS: string[] = [
  // Claude Code 2.1.197 and 2.1.330, on every request; the same as in `metadata.user_id`.
  "x-claude-code-session-id",
  // Codex 0.169; opencode 1.18 with its openai package.
  "session-id",
  // Codex of 2025, pi 0.73.
  "session_id",
  // opencode 1.18, Crush, OpenRouter's clients.
  "x-session-id",
  // Goose, on every request to a provider.
  "goose-session-id",
  // Clients of xAI (https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits).
  "x-grok-conv-id",
];

/**
 * What stands before the session in `metadata.user_id` of a messages request: Claude Code 2.1.197 and newer, whose value is a JSON
 * text, and its older form `user_<hash>_account_<uuid>_session_<uuid>`.
 */
export const USER_SESSION_MARKS: string[] = ['session_id\\":\\"', "_session_"];
