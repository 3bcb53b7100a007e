// The wire formats that the gateway supports: what the control plane, Envoy's configuration and the filter know of each,
// once. A row here and a folder filter/dialects/<vendor>/<api>/ make a dialect. Compiled by tsc and asc.
import { BEARER, CredentialKind, NO_CREDENTIAL, X_API_KEY, X_GOOG_API_KEY } from "./credentials.ts";

export class Header {
  /** Lower case. */
  name: string = "";
  value: string = "";
}

export class DialectRow {
  /** The name in the filter's configuration, and in the names of clusters. */
  name: string = "";
  /** The display name: "the <title> API". */
  title: string = "";
  /** The name in configuration messages and tables. */
  format: string = "";
  /** Who defines it: dialects of one vendor share what its models support. */
  vendor: string = "";
  /** Whether clients may use it; if not, it is for providers only, and what describes clients stays empty. */
  hasClients: boolean = true;
  /**
   * The path of the endpoint that clients call; everything below it belongs to the dialect too. Of a dialect for providers
   * only: the path of a request, up to the model if that is in it.
   */
  path: string = "";
  /** The beginning of `path` that a provider's base URL usually includes. */
  basePath: string = "";
  /** Whether the ingress listener serves it: prompt targets respond in this dialect. */
  isOnIngress: boolean = false;
  /** How its providers usually expect the key. */
  credential: CredentialKind = NO_CREDENTIAL;
  /** Further request headers that only this dialect has: they are not sent to a provider of another one. */
  ownHeaders: string[] = [];
  /** Request headers that only this dialect has and requires; `value` is sent if the client has sent none. */
  requiredHeaders: Header[] = [];
  /** Members that each request requires besides `model` and `messages`: the inside of a JSON object. */
  requiredMembers: string = "";
  /** Whether a stream reports its usage only if the request asks for it. */
  asksForUsage: boolean = false;
  /** Response header in which SDKs look for the request id. */
  requestIdHeader: string = "";
  /** Response headers that report a rate limit; `{unit}` is tokens or requests, `{field}` limit, remaining or reset. */
  rateLimitHeaders: string = "";
  /**
   * An error body. `$message`, `$type`, `$param`, `$code` and `$request_id` stand for a text or null, `$details` for
   * further members or nothing.
   */
  errorBody: string = "";
  /** Returns the type of an error with this HTTP status. */
  errorType: (status: number) => string = openaiErrorType;
}

/** @see https://platform.openai.com/docs/api-reference/chat/create */
export const OPENAI_CHAT: DialectRow = {
  name: "openai_chat",
  title: "OpenAI Chat Completions",
  format: "chat completions",
  vendor: "openai",
  hasClients: true,
  path: "/v1/chat/completions",
  basePath: "/v1",
  isOnIngress: true,
  credential: BEARER,
  ownHeaders: ["openai-organization", "openai-project", "openai-beta"],
  requiredHeaders: [],
  requiredMembers: "",
  asksForUsage: true,
  requestIdHeader: "x-request-id",
  rateLimitHeaders: "x-ratelimit-{field}-{unit}",
  errorBody: '{"error":{"message":$message,"type":$type,"param":$param,"code":$code}}',
  errorType: openaiErrorType,
};

/** @see https://platform.claude.com/docs/en/api/messages/create */
export const ANTHROPIC_MESSAGES: DialectRow = {
  name: "anthropic_messages",
  title: "Anthropic Messages",
  format: "messages",
  vendor: "anthropic",
  hasClients: true,
  path: "/v1/messages",
  basePath: "",
  isOnIngress: false,
  credential: X_API_KEY,
  ownHeaders: ["anthropic-beta", "anthropic-dangerous-direct-browser-access"],
  requiredHeaders: [{ name: "anthropic-version", value: "2023-06-01" }],
  requiredMembers: '"max_tokens": 100',
  asksForUsage: false,
  requestIdHeader: "request-id",
  rateLimitHeaders: "anthropic-ratelimit-{unit}-{field}",
  errorBody:
    '{"type":"error","error":{"type":$type,"message":$message$details},"request_id":$request_id}',
  errorType: anthropicErrorType,
};

/** @see https://platform.openai.com/docs/api-reference/responses/create */
export const OPENAI_RESPONSES: DialectRow = {
  name: "openai_responses",
  title: "OpenAI Responses",
  format: "responses",
  vendor: "openai",
  hasClients: true,
  path: "/v1/responses",
  basePath: "/v1",
  isOnIngress: true,
  credential: BEARER,
  ownHeaders: OPENAI_CHAT.ownHeaders,
  requiredHeaders: [],
  requiredMembers: "",
  asksForUsage: false,
  requestIdHeader: OPENAI_CHAT.requestIdHeader,
  rateLimitHeaders: OPENAI_CHAT.rateLimitHeaders,
  errorBody: OPENAI_CHAT.errorBody,
  errorType: openaiErrorType,
};

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const BEDROCK_CONVERSE: DialectRow = {
  name: "bedrock_converse",
  title: "Amazon Bedrock Converse",
  format: "converse",
  vendor: "amazon",
  hasClients: false,
  path: "/model/",
  basePath: "",
  isOnIngress: false,
  credential: BEARER,
  ownHeaders: [],
  requiredHeaders: [],
  requiredMembers: "",
  asksForUsage: false,
  requestIdHeader: "x-amzn-requestid",
  rateLimitHeaders: "",
  errorBody: "",
  errorType: openaiErrorType,
};

/**
 * Of the Gemini API and of Vertex AI.
 * @see https://ai.google.dev/api/generate-content
 */
export const GEMINI: DialectRow = {
  name: "gemini",
  title: "Gemini",
  format: "gemini",
  vendor: "google",
  hasClients: false,
  path: "/v1beta/models/",
  basePath: "/v1beta",
  isOnIngress: false,
  credential: X_GOOG_API_KEY,
  ownHeaders: [],
  requiredHeaders: [],
  requiredMembers: "",
  asksForUsage: false,
  requestIdHeader: "",
  rateLimitHeaders: "",
  errorBody: "",
  errorType: openaiErrorType,
};

/** In the order of the filter's registry, those with clients before the others. The first is also the dialect of whatever belongs to none: unknown paths. */
export const DIALECTS: DialectRow[] = [
  OPENAI_CHAT,
  ANTHROPIC_MESSAGES,
  OPENAI_RESPONSES,
  BEDROCK_CONVERSE,
  GEMINI,
];

/** OpenAI documents no closed list; these are the types that its API and SDKs use. */
function openaiErrorType(status: number): string {
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  if (status === 503 || status === 529) return "overloaded_error";
  if (status === 408 || status === 504) return "timeout_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** @see https://docs.anthropic.com/en/api/errors (529 is Anthropic's own status) */
function anthropicErrorType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 402) return "billing_error";
  if (status === 403) return "permission_error";
  if (status === 404) return "not_found_error";
  if (status === 413) return "request_too_large";
  if (status === 429) return "rate_limit_error";
  if (status === 503 || status === 529) return "overloaded_error";
  if (status === 408 || status === 504) return "timeout_error";
  return status < 500 ? "invalid_request_error" : "api_error";
}
