// Runs a case in the TypeScript host, the provider's response cut in a given way.
import { recordedSessions } from "../../model/filter-document/document-sessions.ts";
import { FilterHost, compileFilter } from "../../control-plane/wasm-host/filter-host.ts";
import type {
  ExchangeInput,
  ExchangeResult,
  ResponseChunk,
} from "../../control-plane/wasm-host/wasm-exchange.ts";
import type { FilterConfig } from "../../model/filter-document/document-types.ts";
import { encodeBody, loadCase } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { frameEnds } from "./frames.ts";
import { formatMessage, headerOf } from "./http-file.ts";
import type { Header, ResponseMessage } from "./http-file.ts";
import { STATUS_CODES } from "node:http";
import { join } from "node:path";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");

export type Cut = "as written" | "at once" | "every byte" | "every event";

export interface Observed {
  providerRequests: Buffer[];
  clientResponse: Buffer;
  result: ExchangeResult;
}

/** The exchanges that are others with usage records: the provider is asked for the usage of a stream. */
export const NOT_OBSERVED: ReadonlySet<string> = new Set([
  "streams/openai-usage-not-asked",
  "open-models/tags-closing-stream",
]);

const hosts = new Map<string, Promise<FilterHost>>();

/** Usage records, and the content of requests and responses. */
const OBSERVED = {
  usage_records: true,
  sessions: recordedSessions({}),
  content: { max_bytes: 1 << 20, redact_headers: ["x-redacted"] },
} as const satisfies Partial<FilterConfig>;

/** One host for each configuration, whole or split (`LoadedCase.splitConfig`), with or without usage records, content and prices. */
export function hostFor(
  exchange: ExchangeCase,
  split = false,
  isObserved = false,
  price?: number[][],
  filter = FILTER,
): Promise<FilterHost> {
  const loaded = loadCase(exchange);
  const { environment } = loaded;
  const config = split ? loaded.splitConfig : loaded.filterConfig;
  const filterConfig = {
    ...config,
    ...(isObserved ? OBSERVED : {}),
    ...(price === undefined
      ? {}
      : {
          cost_header: true as const,
          targets: config.targets.map((target) => ({ ...target, price })),
        }),
  };
  const key = filter + JSON.stringify(filterConfig);
  let host = hosts.get(key);
  if (host === undefined) {
    host = compileFilter(filter).then((module) =>
      FilterHost.load(module, { filterConfig, environment }),
    );
    hosts.set(key, host);
  }
  return host;
}

export interface HostOptions {
  split?: boolean;
  requestCut?: Cut;
  isObserved?: boolean;
  price?: number[][];
  /** The file of another build of the filter. */
  filter?: string;
  /** What the provider's responses have besides their headers. */
  header?: Header;
  more?: Partial<ExchangeInput>;
}

export async function runInHost(
  exchange: ExchangeCase,
  cut: Cut,
  options: HostOptions = {},
): Promise<Observed> {
  const { split, isObserved, price, filter, header } = options;
  const host = await hostFor(exchange, split, isObserved, price, filter);
  const { clientRequest: client, providerResponses } = exchange;
  const { removed } = loadCase(exchange);
  const result = host.exchange({
    listener: exchange.listener,
    request: {
      method: client.method,
      path: client.path,
      headers: client.headers,
      body: cutBody(client.chunks, options.requestCut ?? "as written"),
    },
    upstream: ({ attempt }) => {
      const response = providerResponses[attempt];
      if (response === undefined)
        throw new Error(`${exchange.name} has no response for attempt ${attempt}`);
      return {
        status: response.status,
        headers: [...responseHeaders(response), ...(header === undefined ? [] : [header])],
        chunks: cutBody(encodeBody(response), cut, endsIn(response)),
        ending: response.isReset ? "reset" : "complete",
        // As HTTP/1 ends a body; where the last bytes end it (HTTP/2), a compressed stream that is cut can only be reset.
        emptyEnd: cut === "every byte" || cut === "every event" || isCompressed(response),
      };
    },
    removed,
    maxAttempts: providerResponses.length,
    ...options.more,
  });
  const { response, sent } = result;
  return {
    result,
    providerRequests: sent.map(({ method, path, authority, headers, body }) =>
      formatMessage(`${method} ${path} HTTP/1.1`, [["host", authority], ...headers], body),
    ),
    clientResponse: formatResponse(
      response.status,
      response.headers,
      response.body,
      response.ending === "reset",
    ),
  };
}

/** Returns the client's response as a case has it. */
export function formatResponse(
  status: number,
  headers: readonly Header[],
  body: Uint8Array,
  isReset: boolean,
): Buffer {
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();
  return formatMessage(start, headers, body, isReset);
}

/** As a real provider frames it: with a length, or chunked. */
export function responseHeaders(response: ResponseMessage): Header[] {
  const { headers } = response;
  if (headerOf(response, "transfer-encoding") !== undefined || isStream(response)) return headers;
  const size = encodeBody(response).reduce((sum, chunk) => sum + chunk.length, 0);
  return [...headers, ["content-length", String(size)]];
}

export function isStream(response: ResponseMessage): boolean {
  const type = headerOf(response, "content-type") ?? "";
  return type.startsWith("text/event-stream") || isBinaryStream(response);
}

function isBinaryStream(response: ResponseMessage): boolean {
  return headerOf(response, "content-type") === "application/vnd.amazon.eventstream";
}

export function isCompressed(response: ResponseMessage): boolean {
  return headerOf(response, "content-encoding") !== undefined;
}

export function cutBody(chunks: readonly Buffer[], cut: Cut, endsOf = eventEnds): Buffer[] {
  if (cut === "as written") return [...chunks];
  const body = Buffer.concat(chunks);
  if (body.length === 0) return [];
  if (cut === "at once") return [body];
  const ends = cut === "every byte" ? [...body.keys()].map((at) => at + 1) : endsOf(body);
  if (ends.at(-1) !== body.length) ends.push(body.length);
  return ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
}

/** Returns the function that finds the ends of a response's events. */
export function endsIn(response: ResponseMessage): (body: Buffer) => number[] {
  return isBinaryStream(response) ? frameEnds : eventEnds;
}

/** Returns the offsets after the empty line of each event. */
export function eventEnds(body: Buffer): number[] {
  const text = body.toString("latin1");
  return [...text.matchAll(/(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))+/g)].map(
    (match) => match.index + match[0].length,
  );
}

/**
 * Returns, for every chunk of the provider's response, the number of bytes that the client had been sent when the chunk
 * had been handled.
 */
export function progress(chunks: readonly ResponseChunk[], count: number): number[] {
  const out: number[] = [];
  let total = 0;
  for (let index = 0; index < count; index++) {
    for (const chunk of chunks)
      if (chunk.during === `response body ${index}`) total += chunk.bytes.length;
    out.push(total);
  }
  return out;
}
