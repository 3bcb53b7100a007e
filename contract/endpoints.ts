// What clients can call: one row for each path. The filter recognises and routes a request by its row. Compiled by tsc and asc.
import { ANTHROPIC_MESSAGES, DialectRow, OPENAI_CHAT, OPENAI_RESPONSES } from "./dialects.ts";

export class EndpointRow {
  path: string = "";
  /** Whether the paths below `path` belong to it: `/v1/files/file_1/content`. */
  hasChildren: boolean = false;
  /** The allowed methods besides OPTIONS. */
  methods: string[] = ["POST"];
  /** The client's dialect: the form of errors. */
  dialect: DialectRow = OPENAI_CHAT;
  /** Whether the ingress listener serves it too. */
  isOnIngress: boolean = false;

  /** Whether the gateway responds itself. */
  isLocal: boolean = false;
  /** Whether it is of use only to those who may use models: a listener's key or origin is checked. */
  isForModels: boolean = true;

  /** Whether requests are translated, guarded, and fail over to other models. */
  isInference: boolean = false;
}

function inference(dialect: DialectRow): EndpointRow {
  const row = new EndpointRow();
  row.path = dialect.path;
  row.dialect = dialect;
  row.isOnIngress = dialect.isOnIngress;
  row.isInference = true;
  return row;
}

function local(path: string): EndpointRow {
  const row = new EndpointRow();
  row.path = path;
  row.methods = ["GET", "HEAD"];
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

export const MODEL_LIST: EndpointRow = models("/v1/models");
/** A route of Envoy responds, which the control plane changes. */
export const READINESS: EndpointRow = local("/readyz");

/** The first row that matches a path is its row. Those with most of the requests come first. */
export const ENDPOINTS: EndpointRow[] = [
  inference(OPENAI_CHAT),
  inference(ANTHROPIC_MESSAGES),
  // No path is empty: without one, a dialect is for providers only.
  inference(OPENAI_RESPONSES),
  MODEL_LIST,
  local("/healthz"),
  READINESS,
  local("/"),
  // The target of OPTIONS for the whole server.
  local("*"),
];
