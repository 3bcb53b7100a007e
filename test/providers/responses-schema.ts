// The shape of what OpenAI's Responses API accepts.
// https://platform.openai.com/docs/api-reference/responses/create, the types of openai-node 7.57, and messages of the real API.
import { z } from "zod";

const NAME = /^[a-zA-Z0-9_-]+$/;
const name = z.string().regex(NAME).max(128);
const id = z.string().max(64).nullish();
const callId = z.string().min(1).max(64);
const status = z.enum(["in_progress", "completed", "incomplete"]).nullish();
const cacheBreakpoint = z
  .strictObject({ mode: z.literal("explicit"), ttl: z.enum(["30m", "12h"]).optional() })
  .nullish();

const inputPart = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("input_text"),
    text: z.string(),
    prompt_cache_breakpoint: cacheBreakpoint,
  }),
  z.strictObject({
    type: z.literal("input_image"),
    image_url: z
      .string()
      .regex(/^(?:https?:\/\/|data:image\/(?:png|jpe?g|gif|webp);base64,)/)
      .nullish(),
    file_id: z.string().nullish(),
    detail: z.enum(["low", "high", "auto", "original"]).nullish(),
    prompt_cache_breakpoint: cacheBreakpoint,
  }),
  z.strictObject({
    type: z.literal("input_file"),
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    file_url: z.string().nullish(),
    filename: z.string().nullish(),
    detail: z.string().nullish(),
    prompt_cache_breakpoint: cacheBreakpoint,
  }),
]);
const outputPart = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("output_text"),
    text: z.string(),
    annotations: z.array(z.looseObject({})).optional(),
    logprobs: z.array(z.looseObject({})).nullish(),
  }),
  z.strictObject({ type: z.literal("refusal"), refusal: z.string() }),
]);

export const USER_MESSAGE = z.strictObject({
  type: z.literal("message").nullish(),
  role: z.enum(["user", "system", "developer"]),
  content: z.union([z.string(), z.array(inputPart)]),
  id,
  status,
});
const assistantMessage = z.strictObject({
  type: z.literal("message").nullish(),
  role: z.literal("assistant"),
  content: z.union([z.string(), z.array(outputPart)]),
  phase: z.enum(["commentary", "final_answer"]).nullish(),
  id,
  status,
});
const toolOutput = z.union([z.string(), z.array(inputPart)]);
/** What only OpenAI's own tools have; the members are theirs. */
const loose = z.looseObject({ id });

const functionTool = z.strictObject({
  type: z.literal("function"),
  name,
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
  output_schema: z.looseObject({}).nullish(),
  allowed_callers: z.array(z.string()).nullish(),
  async: z.boolean().optional(),
});
const customTool = z.strictObject({
  type: z.literal("custom"),
  name,
  description: z.string().optional(),
  defer_loading: z.boolean().optional(),
  format: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("text") }),
      z.strictObject({
        type: z.literal("grammar"),
        syntax: z.enum(["lark", "regex"]),
        definition: z.string(),
      }),
    ])
    .optional(),
});
const hosted = (type: string) => z.looseObject({ type: z.literal(type) });
const tool = z.discriminatedUnion("type", [
  functionTool,
  customTool,
  z.strictObject({
    type: z.literal("namespace"),
    name,
    description: z.string(),
    tools: z.array(z.discriminatedUnion("type", [functionTool, customTool])),
  }),
  ...[
    ["tool_search", "web_search", "web_search_2025_08_26", "web_search_preview"],
    ["file_search", "code_interpreter", "image_generation", "mcp", "computer"],
    ["computer_use_preview", "shell", "local_shell", "apply_patch", "programmatic_tool_calling"],
  ]
    .flat()
    .map(hosted),
]);

/** By the item's type. */
export const ITEMS: Record<string, z.ZodType> = {
  message: assistantMessage,
  reasoning: z.strictObject({
    type: z.literal("reasoning"),
    id,
    summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
    content: z
      .array(z.strictObject({ type: z.literal("reasoning_text"), text: z.string() }))
      .nullish(),
    encrypted_content: z.string().nullish(),
    status,
  }),
  function_call: z.strictObject({
    type: z.literal("function_call"),
    call_id: callId,
    name,
    arguments: z.string(),
    namespace: z.string().nullish(),
    async: z.boolean().nullish(),
    caller: z.looseObject({}).nullish(),
    id,
    status,
  }),
  function_call_output: z.strictObject({
    type: z.literal("function_call_output"),
    call_id: callId,
    output: toolOutput,
    name: z.string().nullish(),
    namespace: z.string().nullish(),
    id,
    status,
  }),
  custom_tool_call: z.strictObject({
    type: z.literal("custom_tool_call"),
    call_id: callId,
    name,
    input: z.string(),
    namespace: z.string().nullish(),
    id,
    status,
  }),
  custom_tool_call_output: z.strictObject({
    type: z.literal("custom_tool_call_output"),
    call_id: callId,
    output: toolOutput,
    id,
    status,
  }),
  item_reference: z.strictObject({ type: z.literal("item_reference").nullish(), id: z.string() }),
  additional_tools: z.strictObject({
    type: z.literal("additional_tools"),
    role: z.literal("developer"),
    tools: z.array(tool),
    id,
  }),
  configuration_update: loose,
  compaction: z.strictObject({
    type: z.literal("compaction"),
    id,
    encrypted_content: z.string(),
  }),
  compaction_trigger: loose,
  tool_search_call: loose,
  tool_search_output: loose,
  web_search_call: loose,
  file_search_call: loose,
  code_interpreter_call: loose,
  image_generation_call: loose,
  mcp_list_tools: loose,
  mcp_call: loose,
  mcp_approval_request: loose,
  mcp_approval_response: loose,
  program: loose,
  program_output: loose,
  shell_call: loose,
  shell_call_output: loose,
  local_shell_call: loose,
  local_shell_call_output: loose,
  apply_patch_call: loose,
  apply_patch_call_output: loose,
  computer_call: loose,
  computer_call_output: loose,
};

const include = z.enum([
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
]);
const named = (type: string) => z.strictObject({ type: z.literal(type), name: z.string() });
const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.discriminatedUnion("type", [
    named("function"),
    named("custom"),
    z.strictObject({
      type: z.literal("allowed_tools"),
      mode: z.enum(["auto", "required"]),
      tools: z.array(z.looseObject({ type: z.string() })),
    }),
    ...["mcp", "file_search", "web_search_preview", "code_interpreter", "image_generation"].map(
      hosted,
    ),
    ...["shell", "apply_patch", "programmatic_tool_calling"].map(hosted),
  ]),
]);
const format = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    name: z.string().regex(NAME).max(64),
    schema: z.looseObject({}),
    strict: z.boolean().nullish(),
    description: z.string().optional(),
  }),
]);

const body = z.strictObject({
  model: z.string().min(1).nullish(),
  input: z.union([z.string(), z.array(z.looseObject({ type: z.string().nullish() }))]).nullish(),
  access_programs: z.looseObject({}).nullish(),
  background: z.boolean().nullish(),
  client_metadata: z.record(z.string(), z.string()).nullish(),
  context_management: z.array(z.looseObject({ type: z.string() })).nullish(),
  conversation: z.union([z.string(), z.strictObject({ id: z.string() })]).nullish(),
  image: z.looseObject({}).nullish(),
  include: z.array(include).nullish(),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  moderation: z.looseObject({}).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  prompt: z
    .strictObject({
      id: z.string(),
      version: z.string().nullish(),
      variables: z.looseObject({}).nullish(),
    })
    .nullish(),
  prompt_cache_key: z.string().max(64).nullish(),
  prompt_cache_options: z.looseObject({}).nullish(),
  prompt_cache_retention: z.enum(["in_memory", "24h"]).nullish(),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).nullish(),
      summary: z.enum(["auto", "concise", "detailed"]).nullish(),
      generate_summary: z.enum(["auto", "concise", "detailed"]).nullish(),
      mode: z.enum(["standard", "pro"]).nullish(),
      context: z.enum(["auto", "current_turn", "all_turns"]).nullish(),
    })
    .nullish(),
  safety_identifier: z.string().max(64).nullish(),
  service_tier: z
    .enum(["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"])
    .nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  text: z
    .strictObject({
      format: format.optional(),
      verbosity: z.enum(["low", "medium", "high"]).nullish(),
    })
    .nullish(),
  tool_choice: toolChoice.nullish(),
  tools: z.array(tool).max(128).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  user: z.string().max(64).nullish(),
});
const counted = body.pick({
  conversation: true,
  input: true,
  instructions: true,
  model: true,
  parallel_tool_calls: true,
  previous_response_id: true,
  reasoning: true,
  text: true,
  tool_choice: true,
  tools: true,
  truncation: true,
});
const compacted = body.pick({
  input: true,
  instructions: true,
  model: true,
  previous_response_id: true,
  prompt_cache_key: true,
  prompt_cache_options: true,
  prompt_cache_retention: true,
  service_tier: true,
  image: true,
});
export const BODIES = { create: body, input_tokens: counted, compact: compacted };
