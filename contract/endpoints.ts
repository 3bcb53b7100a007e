// What clients can call: one row for each path. The filter recognises and routes a request by its row; docs/endpoints.md
// describes them. Compiled by tsc and asc.
import { ANTHROPIC_MESSAGES, DialectRow, OPENAI_CHAT, OPENAI_RESPONSES } from "./dialects.ts";

// Rows share these lists, because the filter's collector visits every object.
const POST: string[] = ["POST"];
const GET: string[] = ["GET", "HEAD"];
const ALL_METHODS: string[] = ["GET", "HEAD", "POST", "DELETE"];
const NOBODY: DialectRow[] = [];
const ANTHROPIC: DialectRow[] = [ANTHROPIC_MESSAGES];
const RESPONSES: DialectRow[] = [OPENAI_RESPONSES];
/** Providers that may serve OpenAI's endpoints besides that of their dialect. */
const OPENAI_COMPATIBLE: DialectRow[] = [OPENAI_CHAT, OPENAI_RESPONSES];

export class EndpointRow {
  path: string = "";
  /** Whether the paths below `path` belong to it: `/v1/files/file_1/content`. */
  hasChildren: boolean = false;
  /** The allowed methods besides OPTIONS. */
  methods: string[] = POST;
  /** The client's dialect: the form of errors. */
  dialect: DialectRow = OPENAI_CHAT;
  /** Which listeners serve it: ingress, egress, and the model server's own entrance to egress. */
  isOnIngress: boolean = false;
  isOnEgress: boolean = true;
  isOnOwnEgress: boolean = true;
  /** Whether it is served only with `mcp.enabled`. */
  isForTools: boolean = false;

  /** `gen_ai.operation.name` of OpenTelemetry's conventions; empty if it has none. */
  operation: string = "";

  /** Whether the gateway responds itself. */
  isLocal: boolean = false;
  /** Whether it is of use only to those who may use models: a listener's key or origin is checked. */
  isForModels: boolean = true;

  /** Whether requests are translated, guarded, and fail over to other models. All others pass to one provider. */
  isInference: boolean = false;
  /** Whether the request names a model or a prompt target; otherwise the hint header names the provider. */
  hasModel: boolean = true;
  /** Whether the only provider that serves it is used if the hint header names none. */
  mayGuessProvider: boolean = false;
  /** Whether the model may be omitted; then the provider of the default model chooses one. */
  mayOmitModel: boolean = false;
  /** Whether the body may be `multipart/form-data`. */
  isForm: boolean = false;
  /** The dialects whose providers serve it. */
  servedBy: DialectRow[] = NOBODY;
  /** Whether there may be another attempt at the same model. */
  isRetried: boolean = false;
  /** Whether limits of requests count it. */
  countsRequest: boolean = false;
  /** Whether limits of tokens count it, and whether a response without usage has an output to estimate. */
  countsTokens: boolean = false;
  countsOutput: boolean = false;
  /** The endpoint of another API for the same purpose: the request is translated, and the response passes. */
  counterpart: EndpointRow | null = null;
  /** Whether the gateway estimates the response where the provider does not serve it. */
  isEstimated: boolean = false;
}

function inference(dialect: DialectRow): EndpointRow {
  const row = new EndpointRow();
  row.path = dialect.path;
  row.dialect = dialect;
  row.isOnIngress = dialect.isOnIngress;
  row.isInference = true;
  row.operation = "chat";
  row.isRetried = true;
  row.countsRequest = true;
  row.countsTokens = true;
  row.countsOutput = true;
  return row;
}

/** A request that passes to the provider of its model. */
function byModel(path: string): EndpointRow {
  const row = new EndpointRow();
  row.path = path;
  row.servedBy = OPENAI_COMPATIBLE;
  row.isRetried = true;
  row.countsRequest = true;
  return row;
}

/** As `byModel`, for a body that providers expect as a form. It is not held for further attempts. */
function byForm(path: string): EndpointRow {
  const row = byModel(path);
  row.isForm = true;
  row.isRetried = false;
  return row;
}

/** What a provider stores: the request passes as a stream, whatever it holds. */
function stored(path: string): EndpointRow {
  const row = new EndpointRow();
  row.path = path;
  row.hasChildren = true;
  row.methods = ALL_METHODS;
  row.hasModel = false;
  row.servedBy = OPENAI_COMPATIBLE;
  return row;
}

function local(path: string): EndpointRow {
  const row = new EndpointRow();
  row.path = path;
  row.methods = GET;
  row.isOnIngress = true;
  row.isLocal = true;
  row.isForModels = false;
  return row;
}

function models(path: string): EndpointRow {
  const row = local(path);
  row.isForModels = true;
  return row;
}

/** The prompt targets as tools (Model Context Protocol). A route of Envoy leads to the model server, which responds. */
function tools(): EndpointRow {
  const row = models("/mcp");
  row.methods = POST;
  row.isOnEgress = false;
  row.isOnOwnEgress = false;
  row.isForTools = true;
  return row;
}

/** A call of one prompt target, named by the model server for a tool call: no client can send it. */
function targetCall(): EndpointRow {
  const row = new EndpointRow();
  row.path = "/target_call";
  row.operation = "execute_tool";
  row.isOnEgress = false;
  row.isForTools = true;
  return row;
}

/** @param countsOutput whether a response without usage has an output to estimate */
function counted(row: EndpointRow, countsOutput: boolean, operation: string): EndpointRow {
  row.operation = operation;
  row.countsTokens = true;
  row.countsOutput = countsOutput;
  return row;
}

function withoutModel(row: EndpointRow): EndpointRow {
  row.mayOmitModel = true;
  return row;
}

function countTokens(): EndpointRow {
  const row = new EndpointRow();
  row.path = ANTHROPIC_MESSAGES.path + "/count_tokens";
  row.dialect = ANTHROPIC_MESSAGES;
  row.servedBy = ANTHROPIC;
  row.isEstimated = true;
  row.counterpart = RESPONSE_TOKENS;
  return row;
}

function messageBatches(): EndpointRow {
  const row = stored(ANTHROPIC_MESSAGES.path + "/batches");
  row.dialect = ANTHROPIC_MESSAGES;
  row.servedBy = ANTHROPIC;
  return row;
}

/** A request of the Responses API that is not translated. */
function responsesByModel(path: string): EndpointRow {
  const row = byModel(OPENAI_RESPONSES.path + path);
  row.dialect = OPENAI_RESPONSES;
  row.servedBy = RESPONSES;
  return row;
}

/** A count, which is free, and needs no model of an earlier response. */
function responseTokens(): EndpointRow {
  const row = withoutModel(responsesByModel("/input_tokens"));
  row.countsRequest = false;
  return row;
}

/** Responses that a provider has stored: `/v1/responses/resp_1/input_items`. */
function storedResponses(): EndpointRow {
  const row = stored(OPENAI_RESPONSES.path);
  row.dialect = OPENAI_RESPONSES;
  row.servedBy = RESPONSES;
  row.mayGuessProvider = true;
  return row;
}

const RESPONSE_TOKENS: EndpointRow = responseTokens();
export const MODEL_LIST: EndpointRow = models("/v1/models");
export const MODEL_BY_ID: EndpointRow = models("/v1/models");
MODEL_BY_ID.hasChildren = true;
/** A route of Envoy responds, which the control plane changes. */
export const READINESS: EndpointRow = local("/readyz");

/** A link to the live page, if that is on this machine. */
export const ROOT: EndpointRow = local("/");

export const MCP: EndpointRow = tools();
export const TARGET_CALL: EndpointRow = targetCall();

/** The first row that matches a path is its row. Those with most of the requests come first. */
export const ENDPOINTS: EndpointRow[] = [
  inference(OPENAI_CHAT),
  inference(ANTHROPIC_MESSAGES),
  inference(OPENAI_RESPONSES),
  countTokens(),
  counted(responsesByModel("/compact"), true, ""),
  RESPONSE_TOKENS,
  storedResponses(),
  counted(byModel("/v1/embeddings"), false, "embeddings"),
  counted(byModel("/v1/completions"), true, "text_completion"),
  withoutModel(byModel("/v1/moderations")),
  byModel("/v1/rerank"),
  withoutModel(byModel("/v1/images/generations")),
  withoutModel(byForm("/v1/images/edits")),
  withoutModel(byForm("/v1/images/variations")),
  byModel("/v1/audio/speech"),
  byForm("/v1/audio/transcriptions"),
  byForm("/v1/audio/translations"),
  MODEL_LIST,
  MODEL_BY_ID,
  stored("/v1/files"),
  stored("/v1/uploads"),
  stored("/v1/batches"),
  stored("/v1/vector_stores"),
  stored("/v1/conversations"),
  stored("/v1/containers"),
  stored("/v1/fine_tuning"),
  stored("/v1/evals"),
  stored("/v1/videos"),
  messageBatches(),
  MCP,
  TARGET_CALL,
  local("/healthz"),
  READINESS,
  ROOT,
  // The target of OPTIONS for the whole server.
  local("*"),
];
