// The access logs: one line with the fields of model/access-log-fields.ts per request and per attempt.
import { join } from "node:path";
import type { AccessLogField, AccessLogFieldName } from "../model/access-log-fields.ts";
import { ACCESS_LOG_FIELDS } from "../model/access-log-fields.ts";
import { MCP } from "../contract/endpoints.ts";
import { PROPERTY_CLIENT_FORWARDED_FOR, PROPERTY_CLIENT_PATH } from "../contract/words.ts";
import { LOGIN_PATHS } from "../model/login.ts";
import type { GatewayModel } from "../model/model.ts";
import type { AccessLogName } from "../model/names.ts";
import { accessLogFile } from "../model/names.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { AccessLog, Extension, Fields, ListenerName } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";

/**
 * The client's request head, kept as filter state: the filter and the upstream filters rewrite the one header map that
 * all logs of a request read, and the client's log line, which also reads it, is written last.
 */
export const CLIENT_PATH = "gateway.client_path";
/** The path of a call on the internal listener, as its log line shows it. */
export const LOGGED_PATH = "gateway.logged_path";
export const CLIENT_AUTHORITY = "gateway.client_authority";
export const CLIENT_FORWARDED_FOR = "gateway.client_forwarded_for";

/** Namespace of the gateway's own metadata. */
const NAMESPACE = "gateway";
const PROTOCOL = "protocol";
/** Metadata key of the name that the logs show for a host whose address is not an `<ip>:<port>`. */
const HOST = "host";

/** Returns the metadata of an endpoint that sets its name in the logs. */
export function loggedAs(host: string): Fields {
  return { filter_metadata: { [NAMESPACE]: { [HOST]: host } } };
}

/**
 * Returns the log of client requests. For a request that was rejected before the filters ran, the headers are still as
 * the client sent them. A query can hold credentials: the line contains it only if the WASM filter has masked them.
 */
export function ingressLogs(model: GatewayModel, runtime: RuntimeEnvironment): Extension[] {
  return logs("ingress", model, runtime, {
    path: firstOf(
      filterState(`wasm.${PROPERTY_CLIENT_PATH}`),
      filterState(CLIENT_PATH),
      pathWithoutQuery(),
    ),
    authority: firstOf(filterState(CLIENT_AUTHORITY), header(":authority")),
    forwardedFor: firstOf(
      filterState(`wasm.${PROPERTY_CLIENT_FORWARDED_FOR}`),
      filterState(CLIENT_FORWARDED_FOR),
      header("x-forwarded-for"),
    ),
    upstreamHost: upstreamHost(hasNamedHosts(model) || model.prompt?.mcp === true),
  });
}

/**
 * Returns the log with one line per attempt: headers as the provider received them. Envoy's flags show what the
 * provider did wrong. An attempt with neither a status nor a flag was cancelled by the gateway, because the client had
 * disconnected or the timeout had expired.
 */
export function llmLogs(
  name: ListenerName,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
): AccessLog[] {
  const others = pathsWithoutProvider(name, model);
  const llm = (responseFlags: string, filter: Fields): AccessLog[] =>
    logs("llm", model, runtime, {
      // Known from the connection; an attempt without a connection shows the protocol that the provider is configured
      // for.
      protocol: firstOf({ command: "PROTOCOL" }, clusterMetadata(PROTOCOL)),
      responseFlags,
      // Envoy counts an attempt from its own side; here, as in the client's line, request comes before response.
      bytesReceived: "%BYTES_SENT%",
      bytesSent: "%BYTES_RECEIVED%",
      upstreamHost: upstreamHost(hasNamedHosts(model)),
    }).map((log) => ({
      ...log,
      filter:
        others.length === 0 ? filter : { and_filter: { filters: [...others.map(isNot), filter] } },
    }));
  return [
    ...llm("%RESPONSE_FLAGS%", { or_filter: { filters: [hasStatus(), hasFlag()] } }),
    ...llm(LOCAL_RESET, { and_filter: { filters: [hasNoStatus(), hasNoFlag()] } }),
  ];
}

/**
 * Returns the log with one line per call of a prompt's flow: to the model server, and to the API of a prompt target.
 */
export function internalLogs(model: GatewayModel, runtime: RuntimeEnvironment): Extension[] {
  return logs("internal", model, runtime, {
    path: firstOf(filterState(LOGGED_PATH), header(":path")),
    upstreamHost: upstreamHost(true),
  });
}

/** Envoy's response flag for a connection that Envoy reset itself. */
const LOCAL_RESET = "LR";

/** Returns the paths of a listener's routes that lead to no provider: tool calls, and the login, whose queries have codes. */
function pathsWithoutProvider(name: ListenerName, { prompt, login }: GatewayModel): string[] {
  if (name === "ingress") return prompt?.mcp === true ? [MCP.path] : [];
  return name === "egress" && login !== undefined ? Object.values(LOGIN_PATHS) : [];
}

/** One filter for each path: Envoy rejects a larger expression. */
function isNot(path: string): Fields {
  const regex = `${path.replaceAll(".", String.raw`\.`)}(\\?.*)?`;
  return {
    header_filter: {
      header: { name: ":path", string_match: { safe_regex: { regex } }, invert_match: true },
    },
  };
}

function hasStatus(): Fields {
  return status("GE", 1);
}

function hasNoStatus(): Fields {
  return status("EQ", 0);
}

function status(op: "GE" | "EQ", value: number): Fields {
  const compared = { default_value: value, runtime_key: `gateway.status_${String(value)}` };
  return { status_code_filter: { comparison: { op, value: compared } } };
}

function hasFlag(): Fields {
  return { response_flag_filter: {} };
}

/** Log filters have no "not". Evaluated last: only the few attempts without a status reach it. */
function hasNoFlag(): Fields {
  const cel = extension(
    "envoy.access_loggers.extension_filters.cel",
    "extensions.access_loggers.filters.cel.v3.ExpressionFilter",
    { expression: "response.flags == 0" },
  );
  return { extension_filter: cel };
}

/** @param isNamed whether a host may be a unix socket or a tunnel, of which Envoy would write the internal name */
function upstreamHost(isNamed: boolean): string {
  if (!isNamed) return "%UPSTREAM_HOST%";
  const metadata = { command: "UPSTREAM_METADATA", param: `${NAMESPACE}:${HOST}` };
  return firstOf(metadata, { command: "UPSTREAM_HOST" });
}

function hasNamedHosts({ targets }: GatewayModel): boolean {
  return targets.some(({ address }) => address.kind === "embedded" || address.proxy !== undefined);
}

/** One of Envoy's log commands, in the form that COALESCE accepts. */
interface Operator {
  command: string;
  param?: string;
}

function filterState(name: string): Operator {
  return { command: "FILTER_STATE", param: `${name}:PLAIN` };
}

function header(name: string): Operator {
  return { command: "REQ", param: name };
}

function pathWithoutQuery(): Operator {
  return { command: "PATH", param: "NQ:PATH" };
}

function clusterMetadata(key: string): Operator {
  return { command: "CLUSTER_METADATA", param: `${NAMESPACE}:${key}` };
}

/** Returns the metadata of a provider's cluster: the protocol of an attempt without a connection. */
export function logMetadata(protocol: "HTTP/1.1" | "HTTP/2"): Fields {
  return { metadata: { filter_metadata: { [NAMESPACE]: { [PROTOCOL]: protocol } } } };
}

function firstOf(...operators: Operator[]): string {
  return `%COALESCE(${JSON.stringify({ operators })})%`;
}

/** The commands that a log uses in place of those in ACCESS_LOG_FIELDS. */
type OwnCommands = Partial<Record<AccessLogFieldName, string>>;

/**
 * Returns the loggers: the log's file and, if configured, standard output, where the line starts with the log's name, or
 * has it as a member.
 */
function logs(
  name: AccessLogName,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
  own: OwnCommands,
): Extension[] {
  const isJson = model.accessLog.format === "json";
  const format = (before: string, members: Fields): Fields =>
    isJson ? json({ ...members, ...commands(own) }) : text(`${before}${lineFormat(own)}\n`);
  const file = extension(
    "envoy.access_loggers.file",
    "extensions.access_loggers.file.v3.FileAccessLog",
    { path: join(runtime.logDirectory, accessLogFile(name)), log_format: format("", {}) },
  );
  if (runtime.accessLogOnStdout !== true) return [file];
  const stdout = extension(
    "envoy.access_loggers.stdout",
    "extensions.access_loggers.stream.v3.StdoutAccessLog",
    { log_format: format(`${name} `, { log: name }) },
  );
  return [file, stdout];
}

/** Returns the command of each field. */
function commands(own: OwnCommands): Record<string, string> {
  const fields = Object.entries<AccessLogField>(ACCESS_LOG_FIELDS);
  return Object.fromEntries(
    fields.map(([name, { command }]) => [name, own[name as AccessLogFieldName] ?? command]),
  );
}

function lineFormat(own: OwnCommands): string {
  return Object.entries<AccessLogField>(ACCESS_LOG_FIELDS)
    .map(([name, { command, before = "", after = "", quoted }]) => {
      const value = own[name as AccessLogFieldName] ?? command;
      return quoted === undefined ? `${before}${value}${after}` : `"${value}"`;
    })
    .join(" ");
}

/** Envoy escapes the values, and writes a number without quotes. */
function json(members: Fields): Fields {
  return { json_format: members };
}

function text(line: string): Fields {
  return { text_format_source: { inline_string: line } };
}
