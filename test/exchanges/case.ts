// Reads the golden folders. What is in them is explained in README.md.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { HEADER_REQUEST_ID } from "../../contract/words.ts";
import { filterConfig } from "../../model/filter-document/document.ts";
import type { FilterConfig } from "../../model/filter-document/types.ts";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { formatProblem } from "../../control-plane/report/problem.ts";
import type { GatewayModel } from "../../model/model.ts";
import { clusters } from "../../envoy/clusters.ts";
import type { RuntimeEnvironment } from "../../envoy/runtime-environment.ts";
import {
  type RemovedHeaders,
  removedHeaders,
} from "../../control-plane/wasm-host/removed-headers.ts";
import { formatMessage, headerOf, parseReply, parseRequest, readable } from "./http-file.ts";
import type { Header, ReplyMessage, RequestMessage } from "./http-file.ts";

export interface ExchangeCase {
  name: string;
  folder: string;
  /** Text of the configuration: equal texts share one Envoy. */
  configuration: string;
  client: RequestMessage;
  listener: "ingress" | "egress";
  /** By attempt. */
  upstream: string[];
  replies: ReplyMessage[];
  answer: string | undefined;
  /** The only ring that can run it. */
  only: "host" | "envoy" | undefined;
}

const HERE = import.meta.dirname;
const DEFAULT_REQUEST_ID = "00000000-0000-4000-8000-000000000001";

/** The whole of a file that another folder holds. */
const EXTENDS = /^extends: \.\.\/([a-z0-9-]+)\n$/;

export function readCases(): ExchangeCase[] {
  return readdirSync(HERE, { withFileTypes: true })
    .filter(({ name }) => existsSync(join(HERE, name, "client.http")))
    .map((entry) => readCase(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function readCase(name: string): ExchangeCase {
  const folder = join(HERE, name);
  const bytes = (file: string): Buffer | undefined => readShared(folder, file);
  const written = bytes("client.http");
  if (written === undefined) throw new Error(`${name} has no client.http`);
  const client = withDefaults(parseRequest(`${name}/client.http`, written));
  const configuration = bytes("config.yaml") ?? readFileSync(join(HERE, "config.yaml"));
  const replies = attempts(bytes, "reply").map((file) => parseReply(`${name}/reply.http`, file));
  const upstream = attempts(bytes, "upstream").map((file) => {
    const { start, headers, body } = parseRequest(`${name}/upstream.http`, file);
    return readable(formatMessage(start, headers, body));
  });
  const answerFile = bytes("answer.http");
  const answer =
    answerFile === undefined ? undefined : parseReply(`${name}/answer.http`, answerFile);
  return {
    name,
    folder,
    configuration: configuration.toString(),
    client,
    listener: headerOf(client, "host")?.endsWith(":10000") === true ? "ingress" : "egress",
    upstream,
    replies,
    answer:
      answer === undefined
        ? undefined
        : readable(formatMessage(answer.start, answer.headers, answer.body, answer.isReset)),
    only: bytes("only-host") !== undefined ? "host" : bytes("only-envoy") ? "envoy" : undefined,
  };
}

/** Content of a file, or of the file of that name in the folder that it extends. */
function readShared(folder: string, file: string): Buffer | undefined {
  const path = join(folder, file);
  if (!existsSync(path)) return undefined;
  const own = readFileSync(path);
  const [, other] = EXTENDS.exec(own.toString("latin1")) ?? [];
  if (other === undefined) return own;
  const shared = readFileSync(join(HERE, other, file));
  if (EXTENDS.test(shared.toString("latin1")))
    throw new Error(`${path} extends ${other}, which extends a third folder: name that one`);
  return shared;
}

function attempts(bytes: (file: string) => Buffer | undefined, kind: string): Buffer[] {
  const found: Buffer[] = [];
  for (let attempt = 1; ; attempt++) {
    const file = bytes(attempt === 1 ? `${kind}.http` : `${kind}-${attempt}.http`);
    if (file === undefined) return found;
    found.push(file);
  }
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
  const result = loadConfiguration(
    { file: `${name}/config.yaml`, text: configuration },
    environment,
  );
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

export function requestIdOf({ client }: ExchangeCase): string | undefined {
  return headerOf(client, "x-request-id");
}

/** The body as the provider sends it: compressed when its headers say so. */
export function encodeBody(reply: ReplyMessage): Buffer[] {
  const encoding = headerOf(reply, "content-encoding");
  if (encoding === "gzip") return [gzipSync(reply.body)];
  if (encoding === "br") return [brotliCompressSync(reply.body)];
  return reply.chunks;
}

/** Writes what was seen as the new expectation; a file that extends another stays as it is while the content is equal. */
export function writeGoldens({ folder }: ExchangeCase, upstream: Buffer[], answer: Buffer): void {
  const write = (file: string, bytes: Buffer): void => {
    if (readShared(folder, file)?.equals(bytes) !== true) writeFileSync(join(folder, file), bytes);
  };
  write("answer.http", answer);
  upstream.forEach((bytes, attempt) => {
    write(attempt === 0 ? "upstream.http" : `upstream-${attempt + 1}.http`, bytes);
  });
}
