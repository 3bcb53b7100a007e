// The shape of `limits` of one model: what the provider does not take, where the gateway's own table is silent or wrong.
import { z } from "zod";
import { EFFORTS } from "../../ir/model-limits.ts";
import { flag, list, mapping, oneOf, whole } from "../schema-words.ts";

const MAX_TOKENS = 10_000_000;
/** Not what makes it a request. */
const MEMBER =
  /^(?!(?:model|messages|stream|messages\[\]\.(?:role|content))$)(?:messages\[\]\.)?[A-Za-z_][A-Za-z0-9_]*$/;
const MEMBER_NAME = "a member that can be left out of a request, such as seed or messages[].name";

/** Where only one wire format has the member, its name stands in brackets. */
export const modelLimits = mapping(
  {
    max_output_tokens: whole(
      1,
      MAX_TOKENS,
      "Most tokens that the model can answer with. A larger `max_tokens` is lowered to it.",
      "number of tokens",
    ).optional(),
    default_max_tokens: whole(
      1,
      MAX_TOKENS,
      {
        description:
          "`max_tokens` for a chat client that says none. (messages: the format requires one)",
        default: 4096,
      },
      "number of tokens",
    ).optional(),
    max_tokens_member: oneOf(["any", "max_tokens", "max_completion_tokens"], {
      description:
        "Which of the two members the model takes; the other one is renamed. (chat completions)",
      default: "any",
    }).optional(),
    sampling: oneOf(["any", "one", "without_reasoning", "none"], {
      description:
        "Whether `temperature`, `top_p` and `top_k` are taken: `one` is `temperature` or `top_p`, not both; `without_reasoning` is only while the model does not reason (chat completions); `none` leaves `presence_penalty` and `frequency_penalty` out too. A value that asks for the default is left out without a word.",
      default: "any",
    }).optional(),
    stop: flag({
      description: "Whether `stop` (messages: `stop_sequences`) is taken.",
      default: true,
    }).optional(),
    user: flag({
      description: "Whether `user` is taken. (chat completions)",
      default: true,
    }).optional(),
    top_k: flag({
      description:
        "Whether a messages client's `top_k` is sent on, which OpenAI itself does not know. (chat completions)",
      default: false,
    }).optional(),
    system_role: oneOf(["anywhere", "first", "none"], {
      description:
        "Where messages of role `system` may stand: `first` is only as the first message, `none` is nowhere. The text of others goes before the next user text. (chat completions)",
      default: "anywhere",
    }).optional(),
    developer_role: flag({
      description:
        "Whether messages of role `developer` are taken; else they become `system`. (chat completions)",
      default: true,
    }).optional(),
    system_messages: flag({
      description:
        "Whether messages of role `system` may stand inside the conversation; else a chat client's go to the top. (messages)",
      default: false,
    }).optional(),
    efforts: list(
      oneOf(EFFORTS, "A word."),
      "The words that `reasoning_effort` (messages: `output_config.effort`) may have. Another one becomes the next lower that the model takes, else the next higher. An empty list: no effort is taken.",
    ).optional(),
    reasons_by_default: flag({
      description:
        "Whether the model reasons when a request says nothing of it. (chat completions)",
      default: true,
    }).optional(),
    reasoning_with_tools: flag({
      description:
        "Whether the model reasons when it has tools. Where it does not, `reasoning_effort` is `none` for requests with tools. (chat completions)",
      default: true,
    }).optional(),
    thinking: oneOf(
      ["none", "budget", "adaptive", "both"],
      "How thinking is asked for: not at all, with `budget_tokens`, as `adaptive`, or both ways. The other way is translated. (messages)",
    ).optional(),
    thinking_off: oneOf(["disabled", "between_tools", "none"], {
      description:
        "The type of `thinking` that asks for the least: `none` where the model always thinks. (messages)",
      default: "disabled",
    }).optional(),
    reasoning_content: flag({
      description: "Whether assistant messages take `reasoning_content` back. (chat completions)",
      default: false,
    }).optional(),
    reasoning_details: flag({
      description: "Whether assistant messages take `reasoning_details` back. (chat completions)",
      default: false,
    }).optional(),
    forced_tools: oneOf(["all", "named", "none"], {
      description:
        "Which kinds of `tool_choice` that force a call are taken: `named` is only a tool by its name. Others become `auto`.",
      default: "all",
    }).optional(),
    output_schema: flag({
      description:
        "Whether answers by a JSON schema are taken; else the schema goes into the system text.",
      default: true,
    }).optional(),
    prefill: flag({
      description:
        "Whether the last message may be the assistant's, to be continued; else a short user message follows it. (messages)",
      default: true,
    }).optional(),
    cache_control: flag({
      description: "Whether a messages client's `cache_control` is sent on. (chat completions)",
      default: false,
    }).optional(),
    stream_usage: flag(
      "Whether a stream may be asked for its usage (`stream_options.include_usage`). Default: as the provider or `provider_interface` does it. (chat completions)",
    ).optional(),
    refuses: list(
      z
        .string({ error: MEMBER_NAME })
        .regex(MEMBER, { error: MEMBER_NAME })
        .meta({ description: "A member of the request." }),
      "Further members that are to be left out of requests in the model's own format: `seed`, or `messages[].name`. They replace those of the gateway's table.",
    ).optional(),
  },
  "What the model does not take. The gateway's own table (see “What some models refuse”) is the start; a key here wins over it.",
);
