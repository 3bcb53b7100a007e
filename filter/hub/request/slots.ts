// The hub's common slots: what every dialect supports. members.ts of each dialect maps its members to slots, and
// docs/dialects.md pairs the members of two dialects by them. Request readers and writers use their members directly, so the
// numbers are for the documentation and cost the filter nothing.

// The request
export const MODEL: i32 = 1;
export const MESSAGES: i32 = 2;
export const SYSTEM: i32 = 3;
export const MAX_TOKENS: i32 = 4;
export const TEMPERATURE: i32 = 5;
export const TOP_P: i32 = 6;
export const TOP_K: i32 = 7;
export const STOP: i32 = 8;
export const STREAM: i32 = 9;
export const STREAM_USAGE: i32 = 10;
export const EFFORT: i32 = 11;
export const THINKING: i32 = 12;
export const THINKING_BUDGET: i32 = 13;
export const OUTPUT_FORMAT: i32 = 14;
export const OUTPUT_SCHEMA: i32 = 15;
export const USER: i32 = 16;
export const SERVICE_TIER: i32 = 17;
export const MODALITIES: i32 = 18;
export const SCHEMA_NAME: i32 = 19;
/** Members of one vendor in an object of their own. */
export const EXTRAS: i32 = 50;

// Tools
export const TOOLS: i32 = 20;
export const TOOL_KIND: i32 = 21;
export const TOOL_NAME: i32 = 22;
export const TOOL_DESCRIPTION: i32 = 23;
export const TOOL_SCHEMA: i32 = 24;
export const TOOL_STRICT: i32 = 25;
export const TOOL_CHOICE: i32 = 26;
export const CHOSEN_TOOL: i32 = 27;
export const PARALLEL_TOOL_CALLS: i32 = 28;

// Messages and their blocks
export const ROLE: i32 = 30;
export const CONTENT: i32 = 31;
export const BLOCK_KIND: i32 = 32;
export const CACHE_CONTROL: i32 = 33;
export const TEXT: i32 = 34;
export const IMAGE: i32 = 35;
export const DOCUMENT: i32 = 36;
export const DOCUMENT_TITLE: i32 = 37;
export const SEARCH_RESULT: i32 = 38;
export const SOURCE: i32 = 39;
export const TOOL_CALL: i32 = 40;
export const CALL_ID: i32 = 41;
export const CALL_NAME: i32 = 42;
export const CALL_ARGUMENTS: i32 = 43;
export const TOOL_RESULT: i32 = 44;
export const RESULT_ID: i32 = 45;
export const RESULT_ERROR: i32 = 46;
export const REASONING: i32 = 47;
export const REASONING_SIGNATURE: i32 = 48;
export const REASONING_DATA: i32 = 49;
