// The parts of a request's prompt as short hashes, in the order in which providers cache them: tools, system prompt, messages. By
// them two turns of a session are compared, without their texts: docs/sessions.md. Member USAGE_PROMPT of the usage record; what
// a request does not have is left out. Compiled by tsc and asc.
//
// A hash is of the part's bytes, without cache marks; a text is the same as a string and as the only block of a list. It is
// written as characters of base64url, six bits each.

/** Text: PROMPT_SETTINGS in their order, each SETTING_CHARACTERS, or a dot if the request does not have it; dots at the end are left out. */
export const PROMPT_SET = "settings";
/** Text: each tool as three hashes of TOOL_CHARACTERS: of its description, of its schema, of everything else. */
export const PROMPT_TOOL_HASHES = "tools";
/** Text: each block of `system` or `instructions`, PART_CHARACTERS. That of the attribution block of Claude Code is always the same. */
export const PROMPT_SYSTEM = "system";
/** Number: how many messages of the roles `system` and `developer` come first. */
export const PROMPT_LEAD = "lead";
/** Number: how many messages there are; left out if the provider has those before: `previous_response_id`, `conversation`. */
export const PROMPT_COUNT = "count";
/**
 * Text: the messages, PART_CHARACTERS each. Of more than MAX_LISTED, the first ones are in blocks of BLOCK_MESSAGES, as many blocks as
 * leave at most MAX_LISTED messages; one hash for each of the first MAX_BLOCKS, then one for each message after all blocks.
 */
export const PROMPT_MESSAGES = "messages";
/** Number: the blocks of content that all messages have; left out if each has one. */
export const PROMPT_BLOCKS = "blocks";

/** Members of a request's top level that are, or may be, part of what a provider caches by, in the order of PROMPT_SET. */
export const PROMPT_SETTINGS: string[] = [
  "tool_choice",
  "thinking",
  "output_config",
  "speed",
  "reasoning",
  "reasoning_effort",
  "text",
  "response_format",
  "verbosity",
  "service_tier",
  "prompt_cache_key",
];

export const SETTING_CHARACTERS = 3;
export const TOOL_CHARACTERS = 3;
export const PART_CHARACTERS = 4;

/** More tools, or blocks of a system prompt, are one part together. */
export const MAX_TOOLS = 128;
export const MAX_SYSTEM_BLOCKS = 8;
export const MAX_LISTED = 64;
export const BLOCK_MESSAGES = 16;
export const MAX_BLOCKS = 64;

/** How the first text of a request of Claude Code begins: its version and entry point, on which no prompt depends. */
export const ATTRIBUTION_BEGINNING = "x-anthropic-billing-header:";
