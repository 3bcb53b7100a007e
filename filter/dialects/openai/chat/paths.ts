// How the report names the members of a request that a target does not support.
import { ClientPaths } from "../../../hub/request/client-paths";
import { constant } from "../../../bytes/text/bytes";

export const paths: ClientPaths = {
  messages: constant("messages"),
  maxTokens: constant("max_tokens"),
  stop: constant("stop"),
  effort: constant("reasoning_effort"),
  thinking: constant("thinking"),
  format: constant("response_format"),
  user: constant("user"),
  image: constant("messages[].content[].image_url"),
  document: constant("messages[].content[].file"),
  parallel: constant("parallel_tool_calls"),
  cache: constant("messages[].content[].cache_control"),
  toolCache: constant("tools[].cache_control"),
  reasoning: constant("messages[].reasoning_content"),
  redacted: constant("messages[].reasoning_details"),
  arguments: constant("messages[].tool_calls[].function.arguments"),
  strict: constant("tools[].function.strict"),
  detail: constant("messages[].content[].image_url.detail"),
  speed: constant("service_tier"),
};
