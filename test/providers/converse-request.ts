// What Bedrock's Converse accepts, as strictly as it does: shape by the schema of botocore 1.44.5 (bedrock-runtime,
// service-2.json), the order of messages and blocks by rules.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
import { z } from "zod";

const text = z.string().regex(/\S/, "The text field in the ContentBlock object is blank.");
const bytes = z.base64().min(1);
const toolUseId = z.string().regex(/^[a-zA-Z0-9_.:-]{1,64}$/);
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const json = z.looseObject({});
const nothing = z.strictObject({});

const image = z.strictObject({
  format: z.enum(["png", "jpeg", "gif", "webp"]),
  source: z.strictObject({ bytes }),
});
const citations = z.strictObject({ enabled: z.boolean() });
const document = z.strictObject({
  format: z.enum(["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]),
  name: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[a-zA-Z0-9()[\]-]+( [a-zA-Z0-9()[\]-]+)*$/, "The document file name is invalid."),
  source: z.union([z.strictObject({ bytes }), z.strictObject({ text })]),
  context: z.string().min(1).optional(),
  citations: citations.optional(),
});
const video = z.strictObject({
  format: z.enum(["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"]),
  source: z.union([
    z.strictObject({ bytes }),
    z.strictObject({
      s3Location: z.strictObject({
        uri: z.string().regex(/^s3:\/\/[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](\/.*)?$/),
        bucketOwner: z.string().optional(),
      }),
    }),
  ]),
});
const searchResult = z.strictObject({
  source: z.string(),
  title: z.string(),
  content: z.array(z.strictObject({ text })).min(1),
  citations: citations.optional(),
});
const toolUse = z.strictObject({ toolUseId, name: toolName, input: json });
const toolResult = z.strictObject({
  toolUseId,
  content: z
    .array(
      z.union([
        z.strictObject({ text }),
        z.strictObject({ image }),
        z.strictObject({ document }),
        z.strictObject({ searchResult }),
        z.strictObject({ video }),
        z.strictObject({ json }),
      ]),
    )
    .min(1),
  status: z.enum(["success", "error"]).optional(),
});
const reasoningContent = z.union([
  z.strictObject({
    reasoningText: z.strictObject({ text: z.string(), signature: z.string().min(1).optional() }),
  }),
  z.strictObject({ redactedContent: z.string().min(1) }),
]);
const cachePoint = z.strictObject({
  type: z.literal("default"),
  ttl: z.enum(["5m", "1h"]).optional(),
});

const message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: z
      .array(
        z.union([
          z.strictObject({ text }),
          z.strictObject({ image }),
          z.strictObject({ document }),
          z.strictObject({ searchResult }),
          z.strictObject({ video }),
          z.strictObject({ toolResult }),
          z.strictObject({ cachePoint }),
        ]),
      )
      .min(1),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z
      .array(
        z.union([
          z.strictObject({ text }),
          z.strictObject({ toolUse }),
          z.strictObject({ reasoningContent }),
          z.strictObject({ cachePoint }),
        ]),
      )
      .min(1),
  }),
]);

const tool = z.union([
  z.strictObject({
    toolSpec: z.strictObject({
      name: toolName,
      description: z.string().min(1).optional(),
      inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal("object") }) }),
      strict: z.boolean().optional(),
    }),
  }),
  z.strictObject({ cachePoint }),
  z.strictObject({ systemTool: z.strictObject({ name: z.literal("nova_grounding") }) }),
]);

const guardrail = z.strictObject({
  guardrailIdentifier: z
    .string()
    .max(2048)
    .regex(/^(|[a-z0-9]+|arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:[0-9]{12}:guardrail\/[a-z0-9]+)$/)
    .optional(),
  guardrailVersion: z
    .string()
    .regex(/^(|[1-9][0-9]{0,7}|DRAFT)$/)
    .optional(),
  trace: z.enum(["enabled", "disabled", "enabled_full"]).optional(),
  /** Only of a stream. */
  streamProcessingMode: z.enum(["sync", "async"]).optional(),
});

const metadataText = /^[a-zA-Z0-9\s:_@$#=/+,\-.]{0,256}$/;
const body = z.strictObject({
  messages: z.array(message).min(1),
  system: z.array(z.union([z.strictObject({ text }), z.strictObject({ cachePoint })])).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).min(1).max(2500).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z.array(tool).min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: nothing }),
          z.strictObject({ any: nothing }),
          z.strictObject({ tool: z.strictObject({ name: toolName }) }),
        ])
        .optional(),
    })
    .optional(),
  additionalModelRequestFields: z.looseObject({}).optional(),
  additionalModelResponseFieldPaths: z.array(z.string().regex(/^\//)).max(10).optional(),
  outputConfig: z
    .strictObject({
      textFormat: z.strictObject({
        type: z.literal("json_schema"),
        structure: z.strictObject({
          jsonSchema: z.strictObject({
            schema: z.string().refine((value) => typeof JSON.parse(value) === "object"),
            name: z.string().optional(),
            description: z.string().optional(),
          }),
        }),
      }),
    })
    .optional(),
  guardrailConfig: guardrail.optional(),
  performanceConfig: z
    .strictObject({ latency: z.enum(["standard", "optimized"]).optional() })
    .optional(),
  serviceTier: z
    .strictObject({ type: z.enum(["priority", "default", "flex", "reserved"]) })
    .optional(),
  requestMetadata: z
    .record(z.string().min(1).regex(metadataText), z.string().regex(metadataText))
    .refine((entries) => Object.keys(entries).length <= 16)
    .optional(),
});

export type ConverseRequest = z.infer<typeof body>;
type Message = ConverseRequest["messages"][number];
type Block = Message["content"][number];

/** Returns the request, or the words of its refusal. */
export function readConverseRequest(value: unknown, isStream = false): ConverseRequest | string {
  const parsed = body.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`;
  }
  if (!isStream && parsed.data.guardrailConfig?.streamProcessingMode !== undefined)
    return "guardrailConfig.streamProcessingMode: only ConverseStream has it.";
  return orderRefusal(parsed.data) ?? parsed.data;
}

function blocksOf(message: Message | undefined, kind: string): unknown[] {
  return (message?.content ?? []).flatMap((block: Block) =>
    Object.entries(block).flatMap(([name, value]: [string, unknown]) =>
      name === kind ? [value] : [],
    ),
  );
}

function idsOf(message: Message | undefined, kind: "toolUse" | "toolResult"): string[] {
  return blocksOf(message, kind).map((block) => (block as { toolUseId: string }).toolUseId);
}

function orderRefusal(request: ConverseRequest): string | undefined {
  return (
    turnsRefusal(request.messages) ?? toolRefusal(request) ?? documentRefusal(request.messages)
  );
}

function turnsRefusal(messages: Message[]): string | undefined {
  if (messages[0]?.role !== "user")
    return "A conversation must start with a user message. Try again with a conversation that starts with a user message.";
  for (const [index, { role }] of messages.entries()) {
    if (role === messages[index - 1]?.role)
      return "A conversation must alternate between user and assistant roles.";
  }
  for (const [index, one] of messages.entries()) {
    const wanted = one.role === "assistant" ? idsOf(one, "toolUse") : [];
    if (new Set(wanted).size < wanted.length) return "`toolUse` ids must be unique";
    const given = idsOf(messages[index + 1], "toolResult");
    const isLast = index === messages.length - 1;
    const missing = wanted.filter((id) => !given.includes(id));
    if (missing.length > 0 && !isLast)
      return `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${missing.join(", ")}`;
    const before = idsOf(messages[index - 1], "toolUse");
    if (idsOf(one, "toolResult").some((id) => !before.includes(id)))
      return "The number of toolResult blocks exceeds the number of toolUse blocks of previous turn.";
  }
  return undefined;
}

function toolRefusal({ messages, toolConfig, ...request }: ConverseRequest): string | undefined {
  const usesTools = messages.some(
    (one) => blocksOf(one, "toolUse").length > 0 || blocksOf(one, "toolResult").length > 0,
  );
  if (usesTools && toolConfig === undefined)
    return "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
  const tools = toolConfig?.tools ?? [];
  const names = tools.flatMap((one) => ("toolSpec" in one ? [one.toolSpec.name] : []));
  if (new Set(names).size < names.length) return "The tool names must be unique.";
  const choice = toolConfig?.toolChoice;
  if (choice !== undefined && "tool" in choice && !names.includes(choice.tool.name))
    return `The tool ${choice.tool.name} is not defined.`;
  const extra = request.additionalModelRequestFields ?? {};
  if ("tool_choice" in extra && choice !== undefined)
    return "tool_choice is in toolConfig and in additionalModelRequestFields.";
  const points = JSON.stringify([messages, tools, request.system]).split('"cachePoint"').length - 1;
  if (points > 4)
    return `A maximum of 4 blocks with cache_control may be provided. Found ${points}.`;
  return undefined;
}

function documentRefusal(messages: Message[]): string | undefined {
  const names: string[] = [];
  for (const one of messages) {
    const own = blocksOf(one, "document");
    const inResults = blocksOf(one, "toolResult").flatMap((result) =>
      (result as { content: object[] }).content.flatMap((block) =>
        "document" in block ? [block.document as object] : [],
      ),
    );
    if (own.length > 0 && blocksOf(one, "text").length === 0)
      return "A text block is required beside a document.";
    for (const document of [...own, ...inResults]) names.push((document as { name: string }).name);
  }
  if (new Set(names).size < names.length) return "The document names must be unique.";
  return citationRefusal(messages);
}

/** Claude cites from all sources of its kind, or from none. */
function citationRefusal(messages: Message[]): string | undefined {
  for (const kind of ["document", "searchResult"]) {
    const sources = messages.flatMap((one) => blocksOf(one, kind));
    const cited = sources.filter(
      (source) => (source as { citations?: { enabled: boolean } }).citations?.enabled === true,
    );
    if (cited.length > 0 && cited.length < sources.length)
      return `Citations must be enabled for all ${kind} blocks or for none.`;
  }
  return undefined;
}
