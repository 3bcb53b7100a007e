// What Gemini's generateContent accepts, as strictly as it does: shape by schema, the rest by rules (gemini-rules.ts).
// https://ai.google.dev/api/generate-content, the types of @google/genai 2.32.0, and error messages in issues of its clients.
import { z } from "zod";
import { ruleBroken } from "./gemini-rules.ts";

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const signed = { thoughtSignature: z.string().min(1).optional(), thought: z.boolean().optional() };
const inlineData = z.strictObject({ mimeType: z.string().regex(/^\w+\/[\w.+-]+$/), data: base64 });
const fileData = z.strictObject({ fileUri: z.string().min(1), mimeType: z.string().optional() });
const functionName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/);
const serverTool = z.enum(["GOOGLE_SEARCH_WEB", "GOOGLE_SEARCH_IMAGE", "URL_CONTEXT"]);

/** Of a part, from Gemini 3 on; there is none inside of a function's response. */
const resolution = {
  mediaResolution: z
    .strictObject({ level: z.string().regex(/^MEDIA_RESOLUTION_(?:LOW|MEDIUM|HIGH|ULTRA_HIGH)$/) })
    .optional(),
};

const part = z.union([
  z.strictObject({ text: z.string(), ...signed }),
  z.strictObject({ inlineData, ...signed, ...resolution }),
  z.strictObject({ fileData, ...signed, ...resolution }),
  z.strictObject({
    functionCall: z.strictObject({
      id: z.string().min(1).optional(),
      name: functionName,
      args: z.record(z.string(), z.unknown()).optional(),
    }),
    ...signed,
  }),
  // The Gemini API only.
  z.strictObject({
    toolCall: z.strictObject({
      id: z.string().min(1),
      toolType: serverTool,
      args: z.record(z.string(), z.unknown()).optional(),
    }),
    ...signed,
  }),
  z.strictObject({
    toolResponse: z.strictObject({
      id: z.string().min(1),
      toolType: serverTool,
      response: z.record(z.string(), z.unknown()).optional(),
    }),
    ...signed,
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().min(1).optional(),
      name: functionName,
      response: z.record(z.string(), z.unknown()),
      parts: z
        .array(z.union([z.strictObject({ inlineData }), z.strictObject({ fileData })]))
        .min(1)
        .optional(),
    }),
    ...signed,
  }),
]);

const content = z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(part).min(1) });

/** OpenAPI's subset: any other name is "Unknown name … Cannot find field". */
const openSchema: z.ZodType = z.lazy(() =>
  z.strictObject({
    type: z.string().optional(),
    format: z.enum(["enum", "date-time", "int32", "int64", "float", "double"]).optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    nullable: z.boolean().optional(),
    enum: z.array(z.string()).optional(),
    items: openSchema.optional(),
    properties: z.record(z.string(), openSchema).optional(),
    required: z.array(z.string()).optional(),
    anyOf: z.array(openSchema).optional(),
    default: z.unknown().optional(),
    example: z.unknown().optional(),
    minItems: z.int().optional(),
    maxItems: z.int().optional(),
    minLength: z.int().optional(),
    maxLength: z.int().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    pattern: z.string().optional(),
    propertyOrdering: z.array(z.string()).optional(),
  }),
);

const declaration = z.strictObject({
  name: functionName,
  description: z.string().min(1).optional(),
  parameters: openSchema.optional(),
  parametersJsonSchema: z.looseObject({}).optional(),
});

const generationConfig = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.number().min(1).optional(),
  candidateCount: z.int().min(1).max(8).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  stopSequences: z.array(z.string().min(1)).min(1).optional(),
  presencePenalty: z.number().min(-2).lt(2).optional(),
  frequencyPenalty: z.number().min(-2).lt(2).optional(),
  seed: z.int().optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.int().min(1).max(20).optional(),
  responseModalities: z
    .array(z.enum(["TEXT", "IMAGE", "AUDIO"]))
    .min(1)
    .optional(),
  responseMimeType: z.enum(["text/plain", "application/json"]).optional(),
  responseSchema: openSchema.optional(),
  responseJsonSchema: z.looseObject({}).optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().min(-1).max(32_768).optional(),
      thinkingLevel: z.enum(["MINIMAL", "LOW", "MEDIUM", "HIGH"]).optional(),
    })
    .optional(),
});

const request = z.strictObject({
  contents: z.array(content).min(1),
  systemInstruction: z
    .strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1) })
    .optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(declaration).min(1).optional(),
        googleSearch: z.strictObject({}).optional(),
        urlContext: z.strictObject({}).optional(),
      }),
    )
    .min(1)
    .max(3)
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]),
        allowedFunctionNames: z.array(functionName).min(1).optional(),
      }),
      includeServerSideToolInvocations: z.boolean().optional(),
    })
    .optional(),
  generationConfig: generationConfig.optional(),
  safetySettings: z
    .array(
      z.strictObject({
        category: z.string().regex(/^HARM_CATEGORY_[A-Z_]+$/),
        threshold: z.enum([
          "BLOCK_LOW_AND_ABOVE",
          "BLOCK_MEDIUM_AND_ABOVE",
          "BLOCK_ONLY_HIGH",
          "BLOCK_NONE",
          "OFF",
        ]),
        method: z.enum(["SEVERITY", "PROBABILITY"]).optional(),
      }),
    )
    .optional(),
  cachedContent: z
    .string()
    .regex(/(?:^|\/)cachedContents\/[\w-]+$/)
    .optional(),
  labels: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/), z.string()).optional(),
  serviceTier: z.enum(["unspecified", "standard", "flex", "priority"]).optional(),
});

export type GeminiPart = z.infer<typeof part>;
export type GeminiContent = z.infer<typeof content>;
export type GeminiRequest = z.infer<typeof request>;

/** Returns the request, or why it is refused with INVALID_ARGUMENT. `isOwn`: whether a signature is one of the model's. */
export function readGeminiRequest(
  json: unknown,
  model: string,
  isOwn: (signature: string) => boolean,
  isVertex = false,
): GeminiRequest | string {
  const read = request.safeParse(json);
  if (!read.success) {
    const [issue] = read.error.issues;
    return `Invalid JSON payload received. ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`;
  }
  return ruleBroken(read.data, model, isOwn, isVertex) ?? read.data;
}
