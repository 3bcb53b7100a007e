// What OpenAI's chat completions endpoint accepts, as strictly as it does: shape by schema, the rest by rules.
// https://platform.openai.com/docs/api-reference/chat/create and the messages of the real API, read November 2025.
import { z } from "zod";
import { modelRefusal } from "./openai-models.ts";

export interface Refusal {
  status: number;
  message: string;
  param: string | null;
  code: string | null;
}

/** npm openai 7.57.0. */
const breakpoint = z
  .strictObject({ mode: z.literal("explicit"), ttl: z.enum(["30m", "12h"]).optional() })
  .optional();
const textPart = z.strictObject({
  type: z.literal("text"),
  text: z.string(),
  prompt_cache_breakpoint: breakpoint,
});
const userPart = z.discriminatedUnion("type", [
  textPart,
  z.strictObject({
    type: z.literal("image_url"),
    image_url: z.strictObject({
      url: z.string().regex(/^(?:https?:\/\/|data:image\/(?:png|jpe?g|gif|webp);base64,)/),
      detail: z.enum(["auto", "low", "high"]).optional(),
    }),
    prompt_cache_breakpoint: breakpoint,
  }),
  z.strictObject({
    type: z.literal("input_audio"),
    input_audio: z.strictObject({ data: z.string(), format: z.enum(["wav", "mp3"]) }),
  }),
  z.strictObject({
    type: z.literal("file"),
    file: z.strictObject({
      filename: z.string().optional(),
      file_data: z.string().optional(),
      file_id: z.string().optional(),
    }),
    prompt_cache_breakpoint: breakpoint,
  }),
]);
const name = z
  .string()
  .regex(/^[^\s<|\\/>]+$/)
  .max(64)
  .optional();
const texts = z.union([z.string(), z.array(textPart).min(1)]);
const functionName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]+$/)
  .max(64);

const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: texts, name }),
  z.strictObject({ role: z.literal("developer"), content: texts, name }),
  z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(userPart).min(1)]),
    name,
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z
      .union([
        z.string(),
        z.array(
          z.discriminatedUnion("type", [
            textPart,
            z.strictObject({ type: z.literal("refusal"), refusal: z.string() }),
          ]),
        ),
      ])
      .nullish(),
    refusal: z.string().nullish(),
    name,
    audio: z.strictObject({ id: z.string() }).nullish(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string().max(40),
          type: z.literal("function"),
          function: z.strictObject({ name: functionName, arguments: z.string() }),
        }),
      )
      .min(1)
      .optional(),
    // In responses of the API itself, so clients send them back.
    annotations: z.array(z.unknown()).optional(),
    function_call: z.null().optional(),
  }),
  z.strictObject({ role: z.literal("tool"), content: texts, tool_call_id: z.string() }),
]);

const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: functionName,
    description: z.string().optional(),
    parameters: z.looseObject({}).optional(),
    strict: z.boolean().nullish(),
  }),
});

const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string() }) }),
]);

const responseFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name: functionName,
      description: z.string().optional(),
      schema: z.looseObject({}).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

const body = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  audio: z.looseObject({}).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: z.boolean().nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  modalities: z.array(z.enum(["text", "audio"])).nullish(),
  n: z.int().min(1).max(128).nullish(),
  parallel_tool_calls: z.boolean().optional(),
  moderation: z.looseObject({}).nullish(),
  prediction: z.looseObject({}).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  // "string too long. Expected a string with maximum length 64".
  prompt_cache_key: z.string().max(64).optional(),
  prompt_cache_options: z
    .strictObject({
      mode: z.enum(["implicit", "explicit"]).optional(),
      ttl: z.literal("30m").optional(),
    })
    .optional(),
  prompt_cache_retention: z.string().nullish(),
  reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).nullish(),
  response_format: responseFormat.optional(),
  safety_identifier: z.string().optional(),
  seed: z.int().nullish(),
  service_tier: z.enum(["auto", "default", "flex", "scale", "priority"]).nullish(),
  stop: z.union([z.string(), z.array(z.string()).min(1).max(4)]).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().optional(),
      include_obfuscation: z.boolean().optional(),
    })
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  tool_choice: toolChoice.optional(),
  tools: z.array(tool).min(1).max(128).optional(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  user: z.string().optional(),
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
  web_search_options: z.looseObject({}).optional(),
});

export type OpenaiRequest = z.infer<typeof body>;
export type OpenaiMessage = z.infer<typeof message>;

/** The request, or why the API would refuse it. */
export function readOpenaiRequest(json: unknown): OpenaiRequest | Refusal {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return refuse(
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly.)",
      null,
    );
  const parsed = body.safeParse(json);
  if (!parsed.success) return shapeRefusal(parsed.error);
  return (
    toolRefusal(parsed.data) ??
    memberRefusal(parsed.data) ??
    bothTokensRefusal(parsed.data) ??
    modelRefusal(parsed.data) ??
    parsed.data
  );
}

export function isRefusal(read: object): read is Refusal {
  return "message" in read && "status" in read;
}

export function refuse(
  message: string,
  param: string | null,
  code: string | null = null,
  status = 400,
): Refusal {
  return { status, message, param, code };
}

function shapeRefusal(error: z.ZodError): Refusal {
  const [issue] = error.issues;
  if (issue === undefined) return refuse("Invalid request.", null);
  const path = issue.path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    return path === ""
      ? refuse(`Unrecognized request argument supplied: ${key}`, null)
      : refuse(`Unknown parameter: '${path}.${key}'.`, `${path}.${key}`, "unknown_parameter");
  }
  if (issue.code === "invalid_type" && issue.message.includes("received undefined"))
    return refuse(`Missing required parameter: '${path}'.`, path, "missing_required_parameter");
  return refuse(`Invalid value for '${path}': ${issue.message}`, path, "invalid_value");
}

/** Each tool call is answered directly after it, and nothing else is. */
function toolRefusal({ messages }: OpenaiRequest): Refusal | undefined {
  let open = new Set<string>();
  let mayRespond = new Set<string>();
  for (const [index, turn] of messages.entries()) {
    const param = `messages.[${index}].role`;
    if (turn.role === "tool") {
      if (!mayRespond.has(turn.tool_call_id))
        return refuse(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          param,
        );
      open.delete(turn.tool_call_id);
      continue;
    }
    if (open.size > 0) return unanswered(open, param);
    open = new Set(turn.role === "assistant" ? turn.tool_calls?.map(({ id }) => id) : []);
    mayRespond = new Set(open);
    if (
      turn.role === "assistant" &&
      turn.content == null &&
      turn.tool_calls === undefined &&
      turn.refusal == null
    )
      return refuse(
        `Invalid value for 'content': expected a string, got null.`,
        `messages.[${index}].content`,
      );
  }
  return open.size > 0 ? unanswered(open, `messages.[${messages.length - 1}].role`) : undefined;
}

function unanswered(open: Set<string>, param: string): Refusal {
  return refuse(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
    param,
  );
}

function memberRefusal(request: OpenaiRequest): Refusal | undefined {
  const names = new Set(request.tools?.map((one) => one.function.name));
  if (
    request.tools === undefined &&
    request.tool_choice !== undefined &&
    request.tool_choice !== "none"
  )
    return refuse(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      "tool_choice",
    );
  if (request.tools === undefined && request.parallel_tool_calls !== undefined)
    return refuse(
      "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
      "parallel_tool_calls",
    );
  if (typeof request.tool_choice === "object" && !names.has(request.tool_choice.function.name))
    return refuse(
      `Tool choice '${request.tool_choice.function.name}' not found in 'tools' parameter.`,
      "tool_choice",
    );
  if (request.stream_options != null && request.stream !== true)
    return refuse(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      "stream_options",
    );
  if (request.top_logprobs != null && request.logprobs !== true)
    return refuse(
      "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
      "top_logprobs",
    );
  if (
    request.response_format?.type === "json_object" &&
    !/json/i.test(JSON.stringify(request.messages))
  )
    return refuse(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      "messages",
    );
  return undefined;
}

function bothTokensRefusal(request: OpenaiRequest): Refusal | undefined {
  if (request.max_tokens == null || request.max_completion_tokens == null) return undefined;
  return refuse(
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    null,
    "invalid_parameter_combination",
  );
}
