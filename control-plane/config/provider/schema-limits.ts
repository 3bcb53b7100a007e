// The shape of `limits` of one model: what the provider does not take, where the gateway's own table is silent or wrong.
import { z } from "zod";
import { EFFORTS } from "../../ir/model-limits.ts";
import { flag, list, mapping, oneOf, whole } from "../schema-words.ts";

const MAX_TOKENS = 10_000_000;
/** Members that every request needs are excluded. */
const MEMBER =
  /^(?!(?:model|messages|stream|messages\[\]\.(?:role|content))$)(?:messages\[\]\.)?[A-Za-z_][A-Za-z0-9_]*$/;
const MEMBER_NAME = "an optional member of a request, such as seed or messages[].name";

/** Where only one wire format has the member, its name stands in brackets. */
export const modelLimits = mapping(
  {
    max_output_tokens: whole(
      1,
      MAX_TOKENS,
      "Maximum number of output tokens. A larger `max_tokens` is lowered to it.",
      "number of tokens",
    ).optional(),
    default_max_tokens: whole(
      1,
      MAX_TOKENS,
      {
        description: "`max_tokens` if a chat client sends none. (messages, which requires it)",
        default: 4096,
      },
      "number of tokens",
    ).optional(),
    max_tokens_member: oneOf(["any", "max_tokens", "max_completion_tokens"], {
      description:
        "Which of the two members the model supports; the other is renamed. (chat completions)",
      default: "any",
    }).optional(),
    sampling: oneOf(["any", "one", "without_reasoning", "none"], {
      description:
        "Support of `temperature`, `top_p` and `top_k`: `one` means `temperature` or `top_p`, not both; `without_reasoning` only if the model does not reason (chat completions); `none` also drops `presence_penalty` and `frequency_penalty`. Default values are removed without being reported.",
      default: "any",
    }).optional(),
    stop: flag({
      description: "Whether `stop` (messages: `stop_sequences`) is supported.",
      default: true,
    }).optional(),
    user: flag({
      description: "Whether `user` is supported. (chat completions)",
      default: true,
    }).optional(),
    top_k: flag({
      description:
        "Whether `top_k` of a messages client is forwarded; OpenAI does not support it. (chat completions)",
      default: false,
    }).optional(),
    system_role: oneOf(["anywhere", "first", "none"], {
      description:
        "Where messages with role `system` are supported: `first` only as the first message, `none` nowhere. The text of the others is added before the next user text. (chat completions)",
      default: "anywhere",
    }).optional(),
    developer_role: flag({
      description:
        "Whether messages with role `developer` are supported; otherwise they become `system`. (chat completions)",
      default: true,
    }).optional(),
    system_messages: flag({
      description:
        "Whether messages with role `system` are supported within the conversation; otherwise those of a chat client move to the top. (messages)",
      default: false,
    }).optional(),
    efforts: list(
      oneOf(EFFORTS, "An effort."),
      "Supported values of `reasoning_effort` (messages: `output_config.effort`). Other values become the next lower supported value, or else the next higher. An empty list means that effort is not supported.",
    ).optional(),
    reasons_by_default: flag({
      description: "Whether the model reasons by default. (chat completions)",
      default: true,
    }).optional(),
    reasoning_with_tools: flag({
      description:
        "Whether the model supports reasoning with tools. If `false`, requests with tools get `reasoning_effort: none`. (chat completions)",
      default: true,
    }).optional(),
    thinking: oneOf(
      ["none", "budget", "adaptive", "both"],
      "Supported forms of `thinking`: none, `budget_tokens`, `adaptive` or both. The other form is translated. (messages)",
    ).optional(),
    thinking_off: oneOf(["disabled", "between_tools", "none"], {
      description:
        "The `thinking` type with the least thinking; `none` if the model always thinks. (messages)",
      default: "disabled",
    }).optional(),
    reasoning_content: flag({
      description:
        "Whether `reasoning_content` is supported in assistant messages. (chat completions)",
      default: false,
    }).optional(),
    reasoning_details: flag({
      description:
        "Whether `reasoning_details` is supported in assistant messages. (chat completions)",
      default: false,
    }).optional(),
    forced_tools: oneOf(["all", "named", "none"], {
      description:
        "Supported kinds of forced `tool_choice`; `named` means only a tool by name. Others become `auto`.",
      default: "all",
    }).optional(),
    output_schema: flag({
      description:
        "Whether output with a JSON schema is supported; otherwise the schema is added to the system prompt.",
      default: true,
    }).optional(),
    prefill: flag({
      description:
        "Whether the last message may be an assistant message to continue; otherwise a short user message is added. (messages)",
      default: true,
    }).optional(),
    cache_control: flag({
      description: "Whether `cache_control` of a messages client is forwarded. (chat completions)",
      default: false,
    }).optional(),
    stream_usage: flag(
      "Whether streams support `stream_options.include_usage`. Default: by the provider or `provider_interface`. (chat completions)",
    ).optional(),
    refuses: list(
      z
        .string({ error: MEMBER_NAME })
        .regex(MEMBER, { error: MEMBER_NAME })
        .meta({ description: "A member of the request." }),
      "Further members to drop from requests, such as `seed` or `messages[].name`. They replace those of the built-in table.",
    ).optional(),
  },
  "Limits of the model. Each key overrides the built-in table: see docs/model-limits.md.",
);
