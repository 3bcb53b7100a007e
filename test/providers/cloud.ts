// Strict fakes of Claude on Vertex AI and on Amazon Bedrock (InvokeModel): what the clouds refuse in front of the model, and the
// fake Anthropic behind it, whose stream Bedrock wraps into binary frames.
import { anthropicDialect } from "./anthropic.ts";
import type { AnthropicOptions } from "./anthropic.ts";
import { BEDROCK_CLOUD, readCloudRequest, VERTEX_CLOUD } from "./cloud-request.ts";
import type { Cloud } from "./cloud-request.ts";
import { chunkFrame, exceptionFrame } from "./event-stream.ts";
import { startServer } from "./server.ts";
import type { Dialect, FakeProvider, ProviderRequest, FakeResponse } from "./server.ts";

/** What differs between the two on the wire. */
interface Front {
  cloud: Cloud;
  path: RegExp;
  /** The model and the method of a path. */
  read(path: string): { model: string; isStreaming: boolean } | undefined;
  error(status: number, message: string): FakeResponse;
  wrap(response: FakeResponse): FakeResponse;
  errorEvent(inner: string): string | Buffer;
}

const VERTEX: Front = {
  cloud: VERTEX_CLOUD,
  path: /\/publishers\/anthropic\/models\//,
  read(path) {
    const [, model, method] = /\/models\/([^/:]+):(rawPredict|streamRawPredict)$/.exec(path) ?? [];
    return model === undefined ? undefined : { model, isStreaming: method === "streamRawPredict" };
  },
  error(status, message) {
    const error = { code: status, message, status: "INVALID_ARGUMENT" };
    return json(status, [{ error }]);
  },
  wrap: (response) => response,
  errorEvent: (inner) => inner,
};

const AWS_ERRORS: Record<number, string> = {
  400: "ValidationException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  429: "ThrottlingException",
  503: "ServiceUnavailableException",
};

const BEDROCK: Front = {
  cloud: BEDROCK_CLOUD,
  path: /\/model\//,
  read(path) {
    const [, model = "", method] =
      /\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(path) ?? [];
    // A raw colon would be signed otherwise than it is sent.
    if (model === "" || model.includes(":")) return undefined;
    return { model: decodeURIComponent(model), isStreaming: method !== "invoke" };
  },
  error(status, message) {
    const type = AWS_ERRORS[status] ?? "InternalServerException";
    const response = json(status, { message });
    return {
      ...response,
      headers: { ...response.headers, "x-amzn-errortype": `${type}:http://x/` },
    };
  },
  wrap(response) {
    const headers = {
      ...response.headers,
      "x-amzn-requestid": "00000000-0000-4000-8000-0000000000a5",
    };
    if (!response.isStream) return { ...response, headers };
    const parts = response.parts.map((part) => chunkFrame(withMetrics(dataOf(String(part)))));
    return {
      ...response,
      headers: { ...headers, "content-type": "application/vnd.amazon.eventstream" },
      parts,
    };
  },
  errorEvent: () => exceptionFrame("throttlingException", { message: "Too many tokens." }),
};

/** The JSON of a server-sent event. */
function dataOf(event: string): { type: string } {
  return JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "null") as { type: string };
}

function withMetrics(event: { type: string }): object {
  if (event.type !== "message_stop") return event;
  return { ...event, "amazon-bedrock-invocationMetrics": { inputTokenCount: 1 } };
}

function json(status: number, body: unknown): FakeResponse {
  return {
    status,
    headers: { "content-type": "application/json" },
    parts: [JSON.stringify(body)],
    isStream: false,
  };
}

export function startVertexClaude(options: AnthropicOptions): Promise<FakeProvider> {
  return startServer(cloudDialect(VERTEX, options), options);
}

export function startBedrockClaude(options: AnthropicOptions): Promise<FakeProvider> {
  return startServer(cloudDialect(BEDROCK, options), options);
}

export function vertexClaudeDialect(options: AnthropicOptions): Dialect {
  return cloudDialect(VERTEX, options);
}

export function bedrockClaudeDialect(options: AnthropicOptions): Dialect {
  return cloudDialect(BEDROCK, options);
}

function cloudDialect(front: Front, options: AnthropicOptions): Dialect {
  const inner = anthropicDialect(options);
  const refused = (status: number, message: string) => ({
    response: front.error(status, message),
    behaviour: { kind: "answer" as const },
  });
  return {
    path: front.path,
    error: (status, message) => front.error(status, message),
    errorEvent: (sent, code) => front.errorEvent(String(inner.errorEvent(sent, code))),
    handle(request, next) {
      const asked = front.read(request.path);
      if (asked === undefined) return refused(404, `no such path: ${request.path}`);
      const wrong = headerRefusal(request, options.key);
      if (wrong !== undefined) return refused(403, wrong);
      const betas = request.headers["anthropic-beta"];
      const model = anthropicModel(asked.model);
      const read = readCloudRequest(front.cloud, request.json, {
        ...asked,
        model,
        betas,
        verify: () => true,
      });
      if (typeof read === "string") return refused(400, read);
      const { response, behaviour } = inner.handle(
        forAnthropic(request, model, asked, options.key),
        next,
      );
      if (response === undefined) return { behaviour };
      if (response.status < 400) return { response: front.wrap(response), behaviour };
      const { error } = JSON.parse(String(response.parts[0])) as { error: { message: string } };
      return {
        response: front === VERTEX ? response : front.error(response.status, error.message),
        behaviour,
      };
    },
  };
}

/** Headers that no cloud expects. */
function headerRefusal({ headers }: ProviderRequest, key: string): string | undefined {
  if (headers["authorization"] !== `Bearer ${key}`) return "The token is missing or wrong.";
  const extra = ["x-api-key", "anthropic-version", "anthropic-dangerous-direct-browser-access"];
  const found = extra.find((name) => name in headers);
  return found === undefined ? undefined : `the header ${found} is not expected`;
}

/** Anthropic's name of a cloud's model. */
function anthropicModel(name: string): string {
  return name.replace(/^.*anthropic\./, "").replace(/(?:@|-\d{8}|-v\d).*$/, "");
}

function forAnthropic(
  request: ProviderRequest,
  model: string,
  { isStreaming }: { isStreaming: boolean },
  key: string,
): ProviderRequest {
  const {
    anthropic_version: _version,
    anthropic_beta: inBody = [],
    context_management: _edits,
    ...body
  } = request.json as Record<string, unknown>;
  const betas = [request.headers["anthropic-beta"] ?? "", ...(inBody as string[])].join(",");
  const permitted = betas.includes("tool-search-tool-") ? ",advanced-tool-use-" : "";
  return {
    ...request,
    headers: {
      "content-type": "application/json",
      "x-api-key": key,
      "anthropic-version": "2023-06-01",
      "anthropic-beta": `${betas}${permitted},mid-conversation-`,
    },
    json: { ...body, model, ...(isStreaming ? { stream: true } : {}) },
  };
}
