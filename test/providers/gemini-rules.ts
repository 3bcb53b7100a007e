// What Gemini's schema does not say: turns, signatures, and which model supports what.
import type { GeminiContent, GeminiPart, GeminiRequest } from "./gemini-request.ts";

/** Google's value for calls that another model made. */
export const NO_SIGNATURE = "skip_thought_signature_validator";

interface Call {
  id?: string | undefined;
  name: string;
}

const callsOf = (content: GeminiContent | undefined): Call[] =>
  (content?.parts ?? []).flatMap((one) => ("functionCall" in one ? [one.functionCall] : []));
const resultsOf = (content: GeminiContent | undefined): Call[] =>
  (content?.parts ?? []).flatMap((one) =>
    "functionResponse" in one ? [one.functionResponse] : [],
  );

/** Gemini 3 and newer. */
export function signsCalls(model: string): boolean {
  return !/^gem(?:ini-[12]|ma)/.test(model);
}

/** Returns the rule that a well-formed request breaks, in words like Google's. */
export function ruleBroken(
  request: GeminiRequest,
  model: string,
  isOwn: (signature: string) => boolean,
  isVertex: boolean,
): string | undefined {
  return (
    mixBroken(request, model, isOwn, isVertex) ??
    turnBroken(request.contents) ??
    resultsBroken(request.contents, model) ??
    signatureMissing(request.contents, model, isOwn) ??
    toolsBroken(request) ??
    configBroken(request, model) ??
    outputBroken(request, model) ??
    extrasBroken(request, model)
  );
}

/**
 * Functions beside what Google runs, and what that did in earlier turns. @see https://ai.google.dev/gemini-api/docs/tool-combination,
 * vercel/ai#14655 (Vertex AI), eino-ext#762 (without the member), symfony/ai#803 (before Gemini 3)
 */
function mixBroken(
  { contents, tools = [], toolConfig }: GeminiRequest,
  model: string,
  isOwn: (signature: string) => boolean,
  isVertex: boolean,
): string | undefined {
  const includes = toolConfig?.includeServerSideToolInvocations;
  const parts = contents.flatMap((content) => content.parts);
  const server = parts.filter((one) => "toolCall" in one || "toolResponse" in one);
  if (isVertex && includes !== undefined)
    return `Invalid JSON payload received. Unknown name "includeServerSideToolInvocations" at 'tool_config': Cannot find field.`;
  if (isVertex && server.length > 0)
    return `Invalid JSON payload received. Unknown name "toolCall": Cannot find field.`;
  const hasFunctions = tools.some((one) => one.functionDeclarations !== undefined);
  const hasServerTools = tools.some((one) => (one.googleSearch ?? one.urlContext) !== undefined);
  if (!signsCalls(model) && (includes !== undefined || (hasFunctions && hasServerTools)))
    return "Built-in tools ({google_search}) and Function Calling cannot be combined in the same request.";
  if (hasFunctions && hasServerTools && includes !== true)
    return "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.";
  if (includes === true && toolConfig.functionCallingConfig.mode === "AUTO")
    return "The function calling mode AUTO is not supported with include_server_side_tool_invocations.";
  if (server.length > 0 && includes !== true)
    return "Tool calls and responses need tool_config.include_server_side_tool_invocations.";
  return server.every(({ thoughtSignature }) => isOwn(thoughtSignature ?? ""))
    ? undefined
    : "Corrupted thought signature.";
}

function turnBroken(contents: GeminiContent[]): string | undefined {
  for (const [index, { role, parts }] of contents.entries()) {
    const calls = parts.some((one) => "functionCall" in one);
    const results = parts.some((one) => "functionResponse" in one);
    if (calls && (role !== "model" || contents[index - 1]?.role !== "user"))
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    if (results && (role !== "user" || callsOf(contents[index - 1]).length === 0))
      return "Please ensure that function response turn comes immediately after a function call turn.";
    if (results && parts.some((one) => !("functionResponse" in one)))
      return "Function response parts cannot be mixed with other parts.";
  }
  return contents.at(-1)?.role === "user" ? undefined : "Please end with a user turn.";
}

function resultsBroken(contents: GeminiContent[], model: string): string | undefined {
  for (const [index, content] of contents.entries()) {
    const calls = callsOf(content);
    if (calls.length === 0) continue;
    const results = resultsOf(contents[index + 1]);
    if (results.length !== calls.length)
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    if (calls.some(({ name }, at) => results[at]?.name !== name))
      return "The function responses are not in the order of the function calls.";
    const withIds = [...calls, ...results].filter(({ id }) => id !== undefined);
    if (!signsCalls(model) && withIds.length > 0) return 'Unknown name "id": Cannot find field.';
    if (signsCalls(model) && calls.some(({ id }, at) => id === undefined || results[at]?.id !== id))
      return "The ids of function responses do not match those of the function calls.";
    if (new Set(calls.map(({ id }, at) => id ?? at)).size < calls.length)
      return "The ids of function calls are not unique.";
  }
  return undefined;
}

function isTurnOfUser({ role, parts }: GeminiContent): boolean {
  return role === "user" && parts.some((one) => !("functionResponse" in one));
}

/** Of the running turn: earlier ones are not checked. */
function signatureMissing(
  contents: GeminiContent[],
  model: string,
  isOwn: (signature: string) => boolean,
): string | undefined {
  if (!signsCalls(model)) return undefined;
  for (const { parts } of contents.slice(contents.findLastIndex(isTurnOfUser) + 1)) {
    const first = parts.find((one): one is GeminiPart => "functionCall" in one);
    if (first === undefined) continue;
    const { thoughtSignature } = first;
    if (thoughtSignature === undefined)
      return "Function call is missing a thought_signature in functionCall parts.";
    if (thoughtSignature !== NO_SIGNATURE && !isOwn(thoughtSignature))
      return "Corrupted thought signature.";
  }
  return undefined;
}

function toolsBroken({ tools = [], toolConfig }: GeminiRequest): string | undefined {
  const declarations = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const names = new Set(declarations.map(({ name }) => name));
  if (names.size < declarations.length) return "Duplicate function declaration found.";
  for (const { parameters, parametersJsonSchema } of declarations) {
    if (parameters !== undefined && parametersJsonSchema !== undefined)
      return "parameters and parameters_json_schema are mutually exclusive.";
    const { type, properties } = (parameters ?? {}) as { type?: string; properties?: object };
    if (type === "object" && Object.keys(properties ?? {}).length === 0)
      return "parameters.properties: should be non-empty for OBJECT type";
  }
  const { mode, allowedFunctionNames = [] } = toolConfig?.functionCallingConfig ?? {};
  if (toolConfig !== undefined && names.size === 0)
    return "Function calling config is set without function_declarations.";
  if (allowedFunctionNames.length > 0 && mode !== "ANY")
    return "Allowed function names should be set only when the mode is ANY.";
  return allowedFunctionNames.every((name) => names.has(name))
    ? undefined
    : "allowed_function_names has a name that is not declared.";
}

function configBroken(
  { generationConfig = {}, tools, systemInstruction }: GeminiRequest,
  model: string,
): string | undefined {
  const { responseMimeType, responseSchema, responseJsonSchema, thinkingConfig } = generationConfig;
  if (responseSchema !== undefined && responseJsonSchema !== undefined)
    return "response_schema and response_json_schema are mutually exclusive.";
  if ((responseSchema ?? responseJsonSchema) !== undefined && responseMimeType === undefined)
    return "response_mime_type must be application/json with a response schema.";
  if (responseMimeType === "application/json" && tools !== undefined && !signsCalls(model))
    return "Function calling with a response mime type: 'application/json' is unsupported";
  const { thinkingBudget, thinkingLevel } = thinkingConfig ?? {};
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    return "You can only set only one of thinking budget and thinking level.";
  const hasLevels = signsCalls(model) || model.startsWith("gemma-4");
  if (thinkingLevel !== undefined && !hasLevels)
    return "Thinking level is not supported for this model.";
  if (model.startsWith("gemma-4") && /^(?:LOW|MEDIUM)$/.test(thinkingLevel ?? ""))
    return `Thinking level ${thinkingLevel ?? ""} is not supported for this model.`;
  if (thinkingConfig !== undefined && /^gem(?:ini-(?:1|2\.0)|ma-[23])/.test(model))
    return "Thinking is not enabled for this model.";
  const { presencePenalty, frequencyPenalty } = generationConfig;
  if ((presencePenalty ?? frequencyPenalty) !== undefined && model.startsWith("gemini-2.5"))
    return "Penalty is not enabled for this model";
  return /^gemma-[23]/.test(model) && systemInstruction !== undefined
    ? "Developer instruction is not enabled for this model"
    : undefined;
}

/** Several candidates (js-genai#1609, python-genai#1723), log probabilities (generative-ai#2947, think-reason-learn#34), images. */
function outputBroken(
  { generationConfig: config = {} }: GeminiRequest,
  model: string,
): string | undefined {
  const isOld = !signsCalls(model);
  if ((config.candidateCount ?? 1) > 1 && !isOld)
    return "Multiple candidates is not enabled for this model";
  if (config.logprobs !== undefined && config.responseLogprobs !== true)
    return "Logprobs is set without response_logprobs.";
  if (config.responseLogprobs === true && model.includes("flash") && !isOld)
    return "Logprobs is not enabled for this model";
  return config.responseModalities?.includes("IMAGE") === true && !model.includes("image")
    ? "Multi-modal output is not supported."
    : undefined;
}

/** Per-part resolutions: langchain4j#4389. What a cached prompt has must not be sent again. */
function extrasBroken(request: GeminiRequest, model: string): string | undefined {
  const parts = request.contents.flatMap((content) => content.parts);
  if (!signsCalls(model) && parts.some((part) => "mediaResolution" in part))
    return "Per part media resolution is not supported for this Model.";
  const { systemInstruction, tools, toolConfig } = request;
  return request.cachedContent !== undefined &&
    (systemInstruction ?? tools ?? toolConfig) !== undefined
    ? "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config."
    : undefined;
}
