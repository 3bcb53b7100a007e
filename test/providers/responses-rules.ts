// What the Responses API refuses that a schema cannot: calls without outputs, reasoning out of place, foreign ids and carriers.
import { familyOf } from "./openai-models.ts";
import { refuse } from "./openai-request.ts";
import type { Refusal } from "./openai-request.ts";
import type { Item, ResponsesRequest, ResponsesTool } from "./responses-request.ts";

/** What the provider remembers of its responses. */
export interface Memory {
  /** Stored items by id. */
  items: Map<string, Item>;
  /** The id of the reasoning item that came directly before an item, by that item's id; stored or not. */
  reasonedBy: Map<string, string>;
  /** The id inside a carrier that this provider wrote for this key; undefined: it did not. */
  open(carrier: string): string | undefined;
}

const ENCRYPTED_REASONING = "reasoning.encrypted_content";

const PREFIXES: Record<string, string> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
  function_call_output: "fco",
  custom_tool_call_output: "ctco",
  web_search_call: "ws",
  image_generation_call: "ig",
  compaction: "cmp",
  tool_search_call: "tsc",
  tool_search_output: "tso",
  additional_tools: "at",
  local_shell_call: "lsh",
};
/** The type of the output by the type of the call, with the API's words for it. */
const OUTPUTS: Record<string, [type: string, words: string]> = {
  function_call: ["function_call_output", "function call output"],
  custom_tool_call: ["custom_tool_call_output", "custom tool call output"],
};

/** Returns the items of a conversation with references resolved, or why they are refused. */
export function readItems(items: Item[], before: Item[], memory: Memory): Item[] | Refusal {
  for (const [index, item] of items.entries()) {
    const refusal = idRefusal(item, index) ?? carrierRefusal(item, memory);
    if (refusal !== undefined) return refusal;
  }
  const all = [...before];
  for (const item of items) {
    const referenced = item.type === "item_reference" ? memory.items.get(item.id ?? "") : item;
    if (referenced === undefined) return notFound(item);
    all.push(referenced);
  }
  return twiceRefusal(all) ?? callRefusal(all) ?? reasoningRefusal(all, memory) ?? all;
}

function idRefusal({ type, id }: Item, index: number): Refusal | undefined {
  const prefix = PREFIXES[type];
  if (id == null || prefix === undefined) return undefined;
  const param = `input[${index}].id`;
  if (!/^[\w-]+$/.test(id))
    return refuse(
      `Invalid '${param}': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
      param,
      "invalid_value",
    );
  if (id.startsWith(prefix)) return undefined;
  return refuse(
    `Invalid '${param}': '${id}'. Expected an ID that begins with '${prefix}'.`,
    param,
    "invalid_value",
  );
}

function carrierRefusal({ type, id, encrypted_content: carrier }: Item, memory: Memory) {
  if (type !== "reasoning" && type !== "compaction") return undefined;
  if (carrier == null) {
    if (id == null) return refuse("Missing required parameter: 'input[].id'.", "input");
    return memory.items.has(id) ? undefined : notFound({ type, id });
  }
  const inside = memory.open(carrier);
  const reason =
    inside === undefined
      ? "Encrypted content could not be decrypted or parsed."
      : "Encrypted content item_id did not match the target item id.";
  if (inside !== undefined && (id == null || id === inside)) return undefined;
  return refuse(
    `The encrypted content ${carrier.slice(0, 4)}...${carrier.slice(-4)} could not be verified. Reason: ${reason}`,
    null,
    "invalid_encrypted_content",
  );
}

function notFound({ id }: Item): Refusal {
  return refuse(
    `Item with id '${id ?? ""}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    "input",
    null,
    404,
  );
}

function twiceRefusal(items: Item[]): Refusal | undefined {
  const seen = new Set<string>();
  for (const { id } of items) {
    if (id == null) continue;
    if (seen.has(id))
      return refuse(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        "input",
      );
    seen.add(id);
  }
  return undefined;
}

/** Each output has its call before it, each call an output of its kind after it. */
function callRefusal(items: Item[]): Refusal | undefined {
  for (const [type, [outputType, words]] of Object.entries(OUTPUTS)) {
    const open = new Set<string>();
    const called = new Set<string>();
    for (const { type: itemType, call_id: callId = "" } of items) {
      if (itemType === type) {
        open.add(callId);
        called.add(callId);
      }
      if (itemType !== outputType) continue;
      if (!called.has(callId))
        return refuse(`No tool call found for ${words} with call_id ${callId}.`, "input");
      open.delete(callId);
    }
    for (const callId of open)
      return refuse(`No tool output found for ${words.replace(" output", "")} ${callId}.`, "input");
  }
  return undefined;
}

function isModelItem({ type, role }: Item): boolean {
  return type === "reasoning" || role === "assistant" || type.endsWith("_call");
}

/** Reasoning directly before what followed it, and whatever came with an id directly after its reasoning. */
function reasoningRefusal(items: Item[], memory: Memory): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    const next = items[index + 1];
    if (item.type === "reasoning" && (next === undefined || !isModelItem(next)))
      return refuse(
        `Item '${item.id ?? ""}' of type 'reasoning' was provided without its required following item.`,
        "input",
      );
    const reasoning = memory.reasonedBy.get(item.id ?? "");
    if (reasoning === undefined || items[index - 1]?.id === reasoning) continue;
    return refuse(
      `Item '${item.id ?? ""}' of type '${item.type}' was provided without its required 'reasoning' item: '${reasoning}'.`,
      "input",
    );
  }
  return undefined;
}

/** Returns all tools of a request: its own, those of the items, and with a namespace those inside it. */
export function toolsOf(request: ResponsesRequest, items: Item[]): NamedTool[] {
  const all = [...(request.tools ?? []), ...items.flatMap(({ tools = [] }) => tools)];
  return all.flatMap((one) =>
    one.type === "namespace"
      ? (one.tools ?? []).map((inner) => ({ ...inner, namespace: one.name ?? "" }))
      : [one],
  );
}

export interface NamedTool extends ResponsesTool {
  namespace?: string;
}

/** What concerns several members, or members and the model. */
export function memberRefusal(
  request: ResponsesRequest,
  items: Item[],
  tools: NamedTool[],
): Refusal | undefined {
  if (request.model == null && request.prompt == null)
    return refuse("Missing required parameter: 'model'.", "model", "missing_required_parameter");
  if (request.conversation != null && request.previous_response_id != null)
    return refuse(
      "Mutually exclusive parameters: 'conversation' and 'previous_response_id'.",
      null,
      "mutually_exclusive_parameters",
    );
  if (request.stream_options != null && request.stream !== true)
    return refuse(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      "stream_options",
    );
  if (request.text?.format?.type === "json_object" && !/json/i.test(JSON.stringify(items)))
    return refuse(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      "input",
    );
  return toolRefusal(request, tools) ?? modelRefusal(request);
}

function toolRefusal(request: ResponsesRequest, tools: NamedTool[]): Refusal | undefined {
  const choice = request.tool_choice;
  if (choice === "required" && tools.length === 0)
    return refuse(
      "Tool choice 'required' must be specified with 'tools' parameter.",
      "tool_choice",
    );
  if (typeof choice === "object" && choice !== null && "name" in choice) {
    const isThere = tools.some(({ type, name }) => type === choice.type && name === choice.name);
    if (!isThere)
      return refuse(`Tool choice '${choice.type}' not found in 'tools' parameter.`, "tool_choice");
  }
  for (const [index, { name = "", strict, parameters }] of tools.entries()) {
    const problem = strict === true ? schemaProblem(parameters ?? {}, "()") : undefined;
    if (problem !== undefined)
      return refuse(
        `Invalid schema for function '${name}': ${problem}`,
        `tools[${index}].parameters`,
        "invalid_function_parameters",
      );
  }
  const { format } = request.text ?? {};
  if (format?.type !== "json_schema" || !("schema" in format) || format.strict !== true)
    return undefined;
  const problem = schemaProblem(format.schema, "()");
  if (problem === undefined) return undefined;
  return refuse(
    `Invalid schema for response_format '${format.name}': ${problem}`,
    "text.format.schema",
    "invalid_json_schema",
  );
}

/** Strict schemas close every object and require all of its members. */
function schemaProblem(schema: object, context: string): string | undefined {
  const { type, properties, items, required, additionalProperties } = schema as {
    type?: unknown;
    properties?: Record<string, object>;
    items?: object;
    required?: string[];
    additionalProperties?: unknown;
  };
  if (type === "object" && additionalProperties !== false)
    return `In context=${context}, 'additionalProperties' is required to be supplied and to be false.`;
  for (const [name, inner] of Object.entries(properties ?? {})) {
    if (required?.includes(name) !== true)
      return `In context=${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${name}'.`;
    const problem = schemaProblem(inner, `('properties', '${name}')`);
    if (problem !== undefined) return problem;
  }
  return items === undefined ? undefined : schemaProblem(items, "('items')");
}

function modelRefusal(request: ResponsesRequest): Refusal | undefined {
  const family = familyOf(request.model ?? "");
  // github.com/pydantic/pydantic-ai/issues/2865
  if (family.efforts === undefined && request.include?.includes(ENCRYPTED_REASONING))
    return refuse("Encrypted content is not supported with this model.", "include");
  const { effort } = request.reasoning ?? {};
  const most = family.mostTokens;
  if (most !== undefined && (request.max_output_tokens ?? 0) > most)
    return refuse(
      `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= ${most}.`,
      "max_output_tokens",
      "integer_above_max_value",
    );
  if (family.efforts === undefined)
    return request.reasoning?.effort == null && request.reasoning?.summary == null
      ? undefined
      : unsupported("reasoning.effort");
  if (effort != null && !family.efforts.includes(effort))
    return refuse(
      `Unsupported value: '${effort}' is not supported with the '${request.model ?? ""}' model. Supported values are: ${family.efforts.map((word) => `'${word}'`).join(", ")}.`,
      "reasoning.effort",
      "unsupported_value",
    );
  const isReasoning = (effort ?? family.byDefault) !== "none" || family.samples !== true;
  for (const member of ["temperature", "top_p"] as const)
    if (isReasoning && request[member] != null && request[member] !== 1) return unsupported(member);
  return undefined;
}

function unsupported(member: string): Refusal {
  return refuse(
    `Unsupported parameter: '${member}' is not supported with this model.`,
    member,
    "unsupported_parameter",
  );
}
