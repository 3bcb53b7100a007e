// Reads the cases, `<area>/<case>.http`. Their format is explained in README.md.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { HEADER_REQUEST_ID } from "../../contract/words.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import type { FilterConfig } from "../../model/filter-document/document-types.ts";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { formatProblem } from "../../control-plane/report/problem.ts";
import type { GatewayModel } from "../../model/model.ts";
import { clusters } from "../../envoy/clusters.ts";
import type { RuntimeEnvironment } from "../../envoy/runtime-environment.ts";
import {
  type RemovedHeaders,
  removedHeaders,
} from "../../control-plane/wasm-host/removed-headers.ts";
import { formatCaseFile, parseCaseFile } from "./case-file.ts";
import { formatMessage, headerOf, parseRequest, parseResponse, readable } from "./http-file.ts";
import type { Header, RequestMessage, ResponseMessage } from "./http-file.ts";

export interface ExchangeCase {
  /** `<area>/<case>`. */
  name: string;
  /** Text of the configuration: equal texts share one Envoy. */
  configuration: string;
  listener: "ingress" | "egress";
  clientRequest: RequestMessage;
  /** By attempt. */
  providerRequests: string[];
  /** By attempt. */
  providerResponses: ResponseMessage[];
  clientResponse: string;
}

const HERE = import.meta.dirname;
const DEFAULT_REQUEST_ID = "00000000-0000-4000-8000-000000000001";

export function readCases(): ExchangeCase[] {
  return globSync("*/*.http", { cwd: HERE })
    .map((file) => file.slice(0, -".http".length))
    .sort()
    .map(readCase);
}

export function readCase(name: string): ExchangeCase {
  const file = fileOf(name);
  const text = parseCaseFile(file, readFileSync(file));
  const clientRequest = withDefaults(parseRequest(file, text.clientRequest));
  const response = text.clientResponse && parseResponse(file, text.clientResponse);
  return {
    name,
    configuration: configurationOf(text.config),
    listener: headerOf(clientRequest, "host")?.endsWith(":10000") === true ? "ingress" : "egress",
    clientRequest,
    providerRequests: text.providerRequests.map((message) => {
      const { start, headers, body } = parseRequest(file, message);
      return readable(formatMessage(start, headers, body));
    }),
    providerResponses: text.providerResponses.map((message) => parseResponse(file, message)),
    clientResponse:
      response === undefined
        ? ""
        : readable(
            formatMessage(response.start, response.headers, response.body, response.isReset),
          ),
  };
}

function fileOf(name: string): string {
  return join(HERE, `${name}.http`);
}

const configurations = new Map<string, string>();

function configurationOf(name: string): string {
  const known = configurations.get(name) ?? readFileSync(join(HERE, `config/${name}.yaml`), "utf8");
  configurations.set(name, known);
  return known;
}

function withDefaults(client: RequestMessage): RequestMessage {
  const headers: Header[] = [...client.headers];
  if (headerOf(client, "host") === undefined) headers.unshift(["host", "localhost:12000"]);
  if (headerOf(client, "x-request-id") === undefined)
    headers.push(["x-request-id", DEFAULT_REQUEST_ID]);
  if (client.body.length > 0 && headerOf(client, "transfer-encoding") === undefined)
    headers.push(["content-length", String(client.body.length)]);
  return { ...client, headers };
}

export interface LoadedCase {
  filterConfig: FilterConfig;
  /** The same, but every name leads to a set of targets, so that the upstream filter does the provider's half. */
  splitConfig: FilterConfig;
  /** What clusters remove from requests. */
  removed: RemovedHeaders;
  environment: Record<string, string>;
}

/** Every variable that a configuration names, set. */
export function environmentOf(configuration: string): Record<string, string> {
  const names = [...configuration.matchAll(/\$([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name]) => name);
  return Object.fromEntries(names.map((name) => [name ?? "", `value-of-${name}`]));
}

const loaded = new Map<string, LoadedCase>();

/** The configuration of a case; every variable that it names is set. */
export function loadCase({
  name,
  configuration,
}: Pick<ExchangeCase, "name" | "configuration">): LoadedCase {
  const known = loaded.get(configuration);
  if (known !== undefined) return known;
  const environment = environmentOf(configuration);
  const result = loadConfiguration({ file: `${name}.yaml`, text: configuration }, environment);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  const inFilter = Object.fromEntries(
    result.model.filterEnvironment.map((word) => [word, environment[word] ?? ""]),
  );
  const model = withSets(result.model);
  const config = filterConfig(result.model);
  const loadedCase = {
    filterConfig: config,
    splitConfig: filterConfig(model),
    removed: removedHeaders(clusters(model, PLACE)),
    environment: inFilter,
  };
  loaded.set(configuration, loadedCase);
  return loadedCase;
}

/** For the rendering; nothing of it is looked at here. */
export const PLACE: RuntimeEnvironment = {
  filterPath: "/filter.wasm",
  logDirectory: "/logs",
  adminSocketPath: "/admin",
  caFile: "/ca.pem",
};

/** A set for every target, which alone is in it: the upstream filter does the provider's half, for the only attempt. */
function withSets(model: GatewayModel): GatewayModel {
  if (model.targetSets !== undefined) return model;
  const retry = { attempts: 1, statuses: [], afterRefusal: false, afterReset: false };
  const sets = model.targets.map((_, of) => ({ of, targets: [of], retry }));
  return { ...model, targetSets: sets };
}

/** Values of the response header with the gateway's request id; every response has one, the request's own. */
export function gatewayIds(headers: readonly Header[]): string[] {
  return headers.filter(([name]) => name === HEADER_REQUEST_ID).map(([, value]) => value);
}

export function requestIdOf({ clientRequest }: ExchangeCase): string | undefined {
  return headerOf(clientRequest, "x-request-id");
}

/** The body as the provider sends it: compressed when its headers say so. */
export function encodeBody(response: ResponseMessage): Buffer[] {
  const encoding = headerOf(response, "content-encoding");
  if (encoding === "gzip") return [gzipSync(response.body)];
  if (encoding === "br") return [brotliCompressSync(response.body)];
  return response.chunks;
}

/** Writes what the host sent as the new expectation. */
export function writeGoldens(
  { name }: ExchangeCase,
  providerRequests: Buffer[],
  clientResponse: Buffer,
): void {
  const file = fileOf(name);
  const written = readFileSync(file);
  const text = formatCaseFile({
    ...parseCaseFile(file, written),
    providerRequests,
    clientResponse,
  });
  if (!text.equals(written)) writeFileSync(file, text);
}
