// A strict fake of Azure OpenAI: chat completions at the v1 path and by deployment, with what Azure does differently. The
// deployments' models and their answers are those of the fake of OpenAI.
// https://learn.microsoft.com/azure/ai-foundry/openai/reference, and streams recorded in microsoft/autogen#6465
import { openaiDialect, commonHeaders } from "./openai.ts";
import type { Behaviour } from "./behaviour.ts";
import { startServer } from "./server.ts";
import type { Dialect, FakeProvider, ProviderRequest, FakeResponse } from "./server.ts";
import type { ProviderOptions } from "./scripted-provider.ts";

export interface AzureOptions extends ProviderOptions {
  /** The resource's key. */
  key: string;
  /** An access token of Entra ID that is accepted instead. */
  token?: string;
  /** The names of the deployments and of their models. */
  deployments: Readonly<Record<string, string>>;
}

const PATH = /^\/openai\/(?:v1|deployments\/([^/?]+))\/chat\/completions(?:\?(.*))?$/;
/** The first version with `stream_options`. */
const STREAM_OPTIONS_VERSION = "2024-09-01";

const SAFE = {
  hate: { filtered: false, severity: "safe" },
  self_harm: { filtered: false, severity: "safe" },
  sexual: { filtered: false, severity: "safe" },
  violence: { filtered: false, severity: "safe" },
};
const FOUND = { ...SAFE, violence: { filtered: true, severity: "medium" } };
const PROMPT_RESULTS = [{ prompt_index: 0, content_filter_results: SAFE }];

export function startAzureProvider(options: AzureOptions): Promise<FakeProvider> {
  return startServer(azureDialect(options), options);
}

function azureDialect(options: AzureOptions): Dialect {
  const inner = openaiDialect({ key: "inner" });
  return {
    path: /^\/openai\/(?:v1|deployments\/[^/]+)\/chat\/completions$/,
    error: azureError,
    errorEvent: () =>
      `data: ${JSON.stringify({ error: { code: "InternalServerError", message: "The server had an error processing your request." } })}\n\n`,
    handle(request, next) {
      const refusal = headRefusal(request, options) ?? bodyRefusal(request, options);
      if (refusal !== undefined) return { response: refusal, behaviour: { kind: "answer" } };
      const isFiltered = request.body.includes("[filtered]");
      const behaviour: Behaviour | undefined = isFiltered
        ? { kind: "answer", answer: { text: "Take", stop: "refusal" } }
        : next;
      const result = inner.handle(asOpenai(request, options), behaviour);
      return result.response === undefined
        ? result
        : { ...result, response: asAzure(result.response) };
    },
  };
}

function azureError(status: number, message: string, code = String(status)): FakeResponse {
  const headers: Record<string, string> = {
    ...azureHeaders("application/json"),
    ...(status === 429 ? { "retry-after": "1", "retry-after-ms": "750" } : {}),
  };
  return {
    status,
    headers,
    parts: [JSON.stringify({ error: { code, message } })],
    isStream: false,
  };
}

function azureHeaders(type: string): Record<string, string> {
  const { "x-request-id": id = "" } = commonHeaders(type);
  return { "content-type": type, "apim-request-id": id, "x-ms-region": "Sweden Central" };
}

function headRefusal(
  { path, headers }: ProviderRequest,
  { key, token }: AzureOptions,
): FakeResponse | undefined {
  const { "api-key": sent, authorization } = headers;
  const isToken = token !== undefined && authorization === `Bearer ${token}` && sent === undefined;
  if (!isToken && (sent !== key || authorization !== undefined))
    return azureError(
      401,
      "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
    );
  const [, deployment, query = ""] = PATH.exec(path) ?? [];
  const version = new URLSearchParams(query).get("api-version");
  if (deployment === undefined && /^\d/.test(version ?? ""))
    return azureError(400, "API version not supported", "BadRequest");
  if (deployment !== undefined && version === null) return azureError(404, "Resource not found");
  return undefined;
}

function bodyRefusal(request: ProviderRequest, options: AzureOptions): FakeResponse | undefined {
  if (modelOf(request, options) === undefined)
    return azureError(
      404,
      "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
      "DeploymentNotFound",
    );
  const version = new URLSearchParams(PATH.exec(request.path)?.[2]).get("api-version") ?? "";
  const isOld = /^\d/.test(version) && version < STREAM_OPTIONS_VERSION;
  if (isOld && request.body.includes('"stream_options"'))
    return azureError(400, "Unrecognized request argument supplied: stream_options", "BadRequest");
  return request.body.includes("[blocked]") ? blockedPrompt() : undefined;
}

function blockedPrompt(): FakeResponse {
  const error = {
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    type: null,
    param: "prompt",
    code: "content_filter",
    status: 400,
    innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: FOUND },
  };
  return {
    status: 400,
    headers: azureHeaders("application/json"),
    parts: [JSON.stringify({ error })],
    isStream: false,
  };
}

/** The model of the deployment, which is in the path or else in the body. */
function modelOf({ path, json }: ProviderRequest, { deployments }: AzureOptions) {
  const deployment = PATH.exec(path)?.[1];
  const { model } = (json ?? {}) as { model?: string };
  return deployments[deployment === undefined ? (model ?? "") : decodeURIComponent(deployment)];
}

/** The same request as OpenAI gets it. */
function asOpenai(request: ProviderRequest, options: AzureOptions): ProviderRequest {
  const { "api-key": _key, ...headers } = request.headers;
  const json = { ...(request.json as object), model: modelOf(request, options) };
  return { ...request, headers: { ...headers, authorization: "Bearer inner" }, json };
}

interface Choice {
  finish_reason: string | null;
  delta?: { content?: string };
  message?: object;
}

function asAzure(response: FakeResponse): FakeResponse {
  const { status, headers } = response;
  const common = { ...response, headers: azureHeaders(headers["content-type"] ?? "") };
  if (status !== 200) return common;
  if (response.isStream)
    return {
      ...common,
      parts: [promptChunk(), filterChunk(), ...response.parts.map(String).flatMap(asChunks)],
    };
  const body = JSON.parse(response.parts.join("")) as { choices: Choice[] };
  const choices = body.choices.map((choice) => withResults(choice));
  return {
    ...common,
    parts: [JSON.stringify({ ...body, choices, prompt_filter_results: PROMPT_RESULTS })],
  };
}

function withResults(choice: Choice): object {
  const isFound = choice.finish_reason === "content_filter";
  const { message: _message, ...rest } = choice;
  return isFound && choice.message !== undefined
    ? { ...rest, message: { role: "assistant" }, content_filter_results: FOUND }
    : { ...choice, content_filter_results: isFound ? FOUND : SAFE };
}

function eventOf(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** The first chunk: the results for the prompt, without anything else. */
function promptChunk(): string {
  const empty = { id: "", object: "", created: 0, model: "" };
  return eventOf({ choices: [], ...empty, prompt_filter_results: PROMPT_RESULTS });
}

/** A chunk of the asynchronous filter, which has no delta. */
function filterChunk(): string {
  const offsets = { check_offset: 44, start_offset: 44, end_offset: 198 };
  const results = { content_filter_results: SAFE, content_filter_offsets: offsets };
  const choice = { index: 0, finish_reason: null, ...results };
  return eventOf({ id: "", object: "", created: 0, model: "", choices: [choice], usage: null });
}

/** The chunk with filter results, and after the end another one of the asynchronous filter. */
function asChunks(part: string): string[] {
  if (!part.startsWith("data: {")) return [part];
  const chunk = JSON.parse(part.slice("data: ".length)) as { choices: Choice[] };
  const [choice] = chunk.choices;
  if (choice === undefined) return [part];
  if (choice.finish_reason === null) return [eventOf({ ...chunk, choices: [withResults(choice)] })];
  const { delta, ...end } = choice;
  const isFound = choice.finish_reason === "content_filter";
  const last = isFound ? end : { delta, ...end };
  return [eventOf({ ...chunk, choices: [withResults(last)] }), filterChunk()];
}
