// How the report names the members of a request that a target does not support.
import { ClientPaths } from "../../../hub/request/client-paths";
import { constant } from "../../../bytes/text/bytes";

export const paths: ClientPaths = {
  messages: constant("input"),
  maxTokens: constant("max_output_tokens"),
  stop: constant("stop"),
  effort: constant("reasoning.effort"),
  thinking: constant("reasoning.effort"),
  format: constant("text.format"),
  user: constant("user"),
  image: constant("input[].content[].image_url"),
  document: constant("input[].content[].type=input_file"),
  parallel: constant("parallel_tool_calls"),
  cache: constant("input[].content[].prompt_cache_breakpoint"),
  toolCache: constant("tools[].cache_control"),
  reasoning: constant("input[].summary"),
  redacted: constant("input[].encrypted_content"),
  arguments: constant("input[].arguments"),
  strict: constant("tools[].strict"),
  detail: constant("input[].content[].detail"),
  speed: constant("service_tier"),
};
