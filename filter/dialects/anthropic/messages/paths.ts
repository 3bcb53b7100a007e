// How the report names the members of a request that a target does not support.
import { ClientPaths } from "../../../hub/request/client-paths";
import { constant } from "../../../bytes/text/bytes";

export const paths: ClientPaths = {
  messages: constant("messages"),
  maxTokens: constant("max_tokens"),
  stop: constant("stop_sequences"),
  effort: constant("output_config.effort"),
  thinking: constant("thinking"),
  format: constant("output_config.format"),
  user: constant("metadata.user_id"),
  image: constant("messages[].content[].source"),
  document: constant("messages[].content[].source"),
  parallel: constant("tool_choice.disable_parallel_tool_use"),
  cache: constant("messages[].content[].cache_control"),
  toolCache: constant("tools[].cache_control"),
  reasoning: constant("messages[].content[].thinking"),
  redacted: constant("messages[].content[].redacted_thinking"),
  arguments: constant("messages[].content[].input"),
  strict: constant("tools[].strict"),
  detail: constant(""),
  speed: constant("speed"),
};
