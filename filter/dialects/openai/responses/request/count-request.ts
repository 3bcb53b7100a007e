// The members that a request to count tokens accepts; the others are rejected.
// @see https://platform.openai.com/docs/api-reference/responses/input-tokens
import { constant, Span } from "../../../../bytes/text/bytes";

export const COUNTED_MEMBERS: Span[] = [
  constant("model"),
  constant("input"),
  constant("instructions"),
  constant("tools"),
  constant("tool_choice"),
  constant("parallel_tool_calls"),
  constant("reasoning"),
  constant("text"),
];
