// One client request and everything that follows, in the order in which Envoy's connection manager and router call the
// filter. Longer than most files: it is one sequence, and is read as one.
import { ROUTING_HEADERS, USUAL_RESPONSE_HEADERS } from "../../contract/foreign-headers.ts";
import {
  HEADER_CLUSTER,
  HEADER_ENCODING,
  HEADER_REQUEST_ID,
  HEADER_RETRY,
  HEADER_RETRY_AFTER,
  HEADER_STREAM_CLUSTER,
  PROPERTY_NEXT_CLUSTER,
  ROOT_ROUTE,
  ROOT_ATTEMPT,
} from "../../contract/words.ts";
import type { FilterConfig } from "../../model/filter-document/document-types.ts";
import { hasDecompression } from "../../model/model.ts";
import { BodyBuffer } from "./body-buffer.ts";
import { StreamContext } from "./stream-context.ts";
import type { Properties } from "./stream-context.ts";
import { Decompressor } from "./decompressor.ts";
import { HeaderMap } from "./header-map.ts";
import type { HeaderPair } from "./header-map.ts";
import type { RemovedHeaders } from "./removed-headers.ts";
import { FAILURES } from "./upstream.ts";
import type { LocalReply, SentRequest, UpstreamFailure, UpstreamResponse } from "./upstream.ts";
import { Trap } from "./virtual-machine.ts";
import type { HttpCall, HttpCallResponse, LogLine, RootContext } from "./virtual-machine.ts";
import type { VirtualMachine } from "./virtual-machine.ts";

export interface ExchangeInput {
  listener: "ingress" | "egress" | "internal_egress" | "budgets";
  request: {
    method: string;
    path: string;
    headers: readonly HeaderPair[];
    /** Complete, or in chunks as it arrives. Empty or absent: the headers end the request. */
    body?: Uint8Array | readonly Uint8Array[];
    /** Whether the end of the stream arrives in a separate empty frame. */
    emptyEnd?: boolean;
  };
  /** Returns the provider's response to an attempt. */
  upstream?: (request: SentRequest) => UpstreamResponse | UpstreamFailure;
  /**
   * Returns the response to a callout of the filter. For an unreachable cluster it is also a response, Envoy's own 503
   * or 504; undefined: the call is reset, and the filter's callback gets no response. A promise needs
   * `FilterHost.exchangeAsync`.
   */
  calls?: (call: HttpCall) => CallResponse | Promise<CallResponse>;
  /** How many chunks of a response arrive between a callout that its links send and the response to that. Default: all of them. */
  chunksPerCall?: number;
  /** Clusters that can be called; calls to any other are rejected. Default: all can be called. */
  clusters?: readonly string[];
  /** Additional properties by dotted path, for example `source.address`. */
  properties?: Properties;
  /** The client disconnects after this number of response chunks; -1: before the head of the response. */
  clientLeavesAfter?: number;
  /** Maximum request body in bytes; a larger one gets a 413. Default 32 MiB. */
  requestBodyLimit?: number;
  /** Maximum attempts that Envoy makes, whatever the route's policy allows: a case may have no more responses. */
  maxAttempts?: number;
  /** What the provider's cluster removes from a request. Default: nothing. */
  removed?: RemovedHeaders;
}

export type CallResponse = HttpCallResponse | undefined;

/** What an exchange waits for between two events. */
export type Wait = Promise<void> | undefined;

export interface ResponseChunk {
  bytes: Uint8Array;
  /** The event during which it was sent: `request body 0`, `response headers`, `response body 3`, `call 1` … */
  during: string;
}

interface ClientResponse {
  status: number;
  headers: HeaderPair[];
  chunks: ResponseChunk[];
  /** All chunks together. */
  body: Uint8Array;
  /** `complete`, `reset` (by the gateway or the provider), or `left` (the client disconnected). */
  ending: "complete" | "reset" | "left";
}

export interface ExchangeResult {
  response: ClientResponse;
  /** One for each attempt whose request reached a provider completely. */
  sent: SentRequest[];
  calls: HttpCall[];
  /** Empty if the exchange had no faults: traps, stale content-length, hanging streams, late header changes … */
  faults: string[];
  trap: string | undefined;
  logs: LogLine[];
  /** What the filter set with `proxy_set_property`. */
  filterState: Map<string, string>;
}

/** A property that exists from the provider's last byte on. */
const BACKEND_LATENCY = "response.backend_latency";
/** Address to which clients connect, as in the tests with Envoy. */
const LISTENER_ADDRESS = "127.0.0.1:12000";
const DEFAULT_BODY_LIMIT = 32 * 1024 * 1024;
const HOP_BY_HOP = new Set(["connection", "transfer-encoding", "keep-alive", "proxy-connection"]);

interface Attempt {
  sent: SentRequest;
  body: BodyBuffer;
  isComplete: boolean;
  context: StreamContext | undefined;
}

export class Exchange {
  requestHeaders: HeaderMap;
  responseHeaders: HeaderMap | undefined;
  readonly properties: Properties;
  readonly filterState = new Map<string, string>();
  readonly #machine: VirtualMachine;
  readonly #config: FilterConfig;
  readonly #input: ExchangeInput;
  readonly #faults: string[] = [];
  readonly #sent: SentRequest[] = [];
  readonly #calls: HttpCall[] = [];
  readonly #waitingCalls: { root: RootContext; call: HttpCall }[] = [];
  readonly #client = { status: 0, headers: [] as HeaderPair[], chunks: [] as ResponseChunk[] };
  readonly #routerBody = new BodyBuffer();
  readonly #logStart: number;
  #route!: StreamContext;
  #attempt: Attempt | undefined;
  #retriesLeft = 0;
  #isSeveral = false;
  /** Whether the router has passed on the head of a response: after that there is no retry. */
  #hasResponse = false;
  #cluster = "";
  #isRetryPending = false;
  #decompressor: Decompressor | undefined;
  #ending: "complete" | "reset" | "left" | undefined;
  #trap: string | undefined;
  #during = "request headers";
  /** Chunks of the response that have arrived since a callout was sent. */
  #chunksSinceCall = 0;

  constructor(machine: VirtualMachine, config: FilterConfig, input: ExchangeInput) {
    this.#machine = machine;
    this.#config = config;
    this.#input = input;
    this.#logStart = machine.logs.length;
    this.requestHeaders = HeaderMap.of(requestPairs(input));
    this.properties = { "destination.address": LISTENER_ADDRESS, ...input.properties };
  }

  /** Runs the exchange to its end, with a yield after every event, so that several can be interleaved. */
  *run(): Generator<Wait, ExchangeResult> {
    yield* this.#receive();
    yield* this.#respondToCalls();
    while (this.#ending === undefined && this.#attempt?.isComplete === true) {
      const attempt = this.#attempt;
      yield* this.#respond(attempt);
      yield* this.#respondToCalls();
      if (this.#attempt === attempt) break;
    }
    if (!this.#isOver()) {
      this.fault(`the exchange hangs after ${this.#during}`);
      this.#ending = "reset";
    }
    return this.#finish();
  }

  fault(message: string): void {
    this.#faults.push(message);
  }

  /** Returns whether the call is accepted: false if the cluster does not exist. */
  addCall(root: RootContext, call: HttpCall): boolean {
    if (this.#input.clusters?.includes(call.cluster) === false) return false;
    this.#calls.push(call);
    this.#waitingCalls.push({ root, call });
    return true;
  }

  /** Fails the stream after a trap: 503 if no headers were sent to the client, else a reset. */
  failAfterTrap(message: string): void {
    if (this.#trap === undefined) this.fault(message);
    this.#trap = message;
    this.#abort();
    if (this.#ending !== undefined) return;
    if (this.#client.status === 0) {
      this.#client.status = 503;
      this.#ending = "complete";
    } else this.#ending = "reset";
  }

  resetByFilter(): void {
    this.#abort();
    this.#ending = "reset";
  }

  /** Sends a local reply of Envoy or the filter. It passes the filter's response callbacks if no response has begun. */
  localReply(from: StreamContext | undefined, reply: LocalReply): void {
    if (this.#ending !== undefined) return;
    this.#stopRequest();
    if (this.#client.status !== 0) {
      this.resetByFilter();
      return;
    }
    this.properties["response.code_details"] = reply.details;
    this.#attempt?.context?.close();
    const headers = localHeaders(reply);
    this.#addRequestId(headers);
    const isHead = this.requestHeaders.get(":method") === "HEAD";
    const hasBody = reply.body.length > 0 && !isHead;
    if (this.responseHeaders === undefined || from?.side === "upstream") {
      this.#responseHeaders(headers, !hasBody);
      if (hasBody && !this.#isOver()) this.#route.responses.onData(reply.body, true);
      return;
    }
    // A response was already passing through the filter: the local reply bypasses it, straight to the client.
    this.#abort();
    this.responseHeaders = headers;
    this.#clientHeaders(headers, !hasBody);
    if (hasBody) this.#clientData(reply.body, true);
  }

  *#receive(): Generator<undefined, void> {
    const { request, listener, requestBodyLimit = DEFAULT_BODY_LIMIT } = this.#input;
    const root = this.#machine.root(ROOT_ROUTE, JSON.stringify({ listener }));
    this.#route = new StreamContext(this.#machine, this, {
      side: "downstream",
      root,
      request: {
        headers: (headers, isEnd) => {
          this.#routerHeaders(headers, isEnd);
        },
        data: (bytes, isEnd) => {
          this.#routerData(bytes, isEnd);
        },
        trailers: () => undefined,
      },
      response: {
        headers: (headers, isEnd) => {
          this.#clientHeaders(headers, isEnd);
        },
        data: (bytes, isEnd) => {
          this.#clientData(bytes, isEnd);
        },
        trailers: () => {
          this.#ending = "complete";
        },
      },
      requestLimit: requestBodyLimit,
      responseLimit: requestBodyLimit,
      properties: {},
      onTooLarge: (direction) => {
        this.#rejectTooLarge(direction);
      },
    });
    if (this.#hasTrapped()) return;
    const chunks = bodyChunks(request.body, request.emptyEnd === true);
    this.#route.requests.onHeaders(this.requestHeaders, chunks.length === 0);
    yield;
    for (const [index, chunk] of chunks.entries()) {
      if (this.#ending !== undefined) return;
      this.#during = `request body ${index}`;
      this.#route.requests.onData(chunk, index === chunks.length - 1);
      yield;
    }
  }

  /** A function, because every event may end the exchange. */
  #isOver(): boolean {
    return this.#ending !== undefined;
  }

  /** A function, because creating a context calls the guest. */
  #hasTrapped(): boolean {
    return this.#trap !== undefined;
  }

  *#respondToCalls(): Generator<Wait, void> {
    for (;;) {
      const next = this.#waitingCalls.shift();
      if (next === undefined || this.#trap !== undefined) return;
      // Envoy deletes a stream that is over, whether its callouts are or not.
      if (this.#ending !== undefined) this.#close();
      this.#during = `call ${next.call.token}`;
      const result = this.#input.calls?.(next.call);
      let response: CallResponse;
      if (result instanceof Promise) {
        yield result.then((value) => {
          response = value;
        });
      } else response = result;
      next.root.calls.delete(next.call.token);
      this.#machine.callResponse = response;
      try {
        const { guest } = this.#machine;
        this.#machine.call(next.root, () =>
          guest.proxy_on_http_call_response?.(
            next.root.id,
            next.call.token,
            response?.headers.length ?? 0,
            response?.body.length ?? 0,
            0,
          ),
        );
      } catch (error) {
        if (!(error instanceof Trap)) throw error;
        this.failAfterTrap(error.message);
      }
      this.#machine.callResponse = undefined;
      this.#machine.runAfterCall();
      yield;
    }
  }

  #routerHeaders(headers: HeaderMap, isEnd: boolean): void {
    const name = headers.get(HEADER_STREAM_CLUSTER) ?? headers.get(HEADER_CLUSTER) ?? "";
    const route = this.#config.routes.find((candidate) => candidate.cluster === name);
    this.#isSeveral = route?.retry !== undefined;
    this.#cluster = this.#isSeveral ? this.#nextCluster() : name;
    const isKnown =
      route !== undefined || this.#config.targets.some(({ cluster }) => cluster === name);
    if (!isKnown || this.#cluster === "") {
      this.fault(`the request went on without a known cluster: "${name}"`);
      const details = "cluster_not_found";
      this.localReply(undefined, { status: 503, body: new Uint8Array(0), headers: [], details });
      return;
    }
    // The route's own changes (envoy/route-headers.ts).
    for (const one of ROUTING_HEADERS) headers.remove(one);
    headers.replace("accept-encoding", "identity");
    const { maxAttempts: mostAttempts = Infinity } = this.#input;
    this.#retriesLeft = Math.min(retriesOf(name), mostAttempts - 1);
    this.#startAttempt(0);
    this.#attemptHeaders(isEnd);
  }

  /** Returns the cluster that the route's matcher finds in the filter state. */
  #nextCluster(): string {
    return this.filterState.get(PROPERTY_NEXT_CLUSTER) ?? "";
  }

  #routerData(bytes: Uint8Array, isEnd: boolean): void {
    this.#routerBody.append(bytes);
    this.#attemptData(bytes, isEnd);
  }

  #startAttempt(index: number): void {
    Reflect.deleteProperty(this.properties, BACKEND_LATENCY);
    const sent: SentRequest = {
      attempt: index,
      cluster: this.#cluster,
      method: "",
      path: "",
      authority: "",
      headers: [],
      body: new Uint8Array(0),
    };
    const attempt: Attempt = {
      sent,
      body: new BodyBuffer(),
      isComplete: false,
      context: undefined,
    };
    this.#attempt = attempt;
    // The first of the cluster's filters; all attempts share the header map.
    for (const name of this.#input.removed?.(this.#cluster) ?? []) this.requestHeaders.remove(name);
    if (this.#isSeveral) attempt.context = this.#upstreamContext(attempt);
  }

  #upstreamContext(attempt: Attempt): StreamContext {
    return new StreamContext(this.#machine, this, {
      side: "upstream",
      root: this.#machine.root(ROOT_ATTEMPT, ""),
      request: {
        headers: (headers, isEnd) => {
          this.#codecHeaders(attempt, headers, isEnd);
        },
        data: (bytes, isEnd) => {
          this.#codecData(attempt, bytes, isEnd);
        },
        trailers: () => undefined,
      },
      response: {
        headers: (headers, isEnd) => {
          this.#routerResponse(attempt, headers, isEnd);
        },
        data: (bytes, isEnd) => {
          if (this.#attempt !== attempt || this.#isRetryPending) return;
          // The router finishes an attempt before it passes on its last bytes.
          if (isEnd) attempt.context?.close();
          this.#routeData(bytes, isEnd);
        },
        trailers: (trailers) => {
          if (this.#attempt !== attempt || this.#isRetryPending) return;
          attempt.context?.close();
          this.#routeTrailers(trailers);
        },
      },
      requestLimit: DEFAULT_BODY_LIMIT,
      responseLimit: DEFAULT_BODY_LIMIT,
      properties: { "xds.cluster_name": this.#cluster },
      onTooLarge: (direction) => {
        this.#rejectTooLarge(direction);
      },
    });
  }

  #attemptHeaders(isEnd: boolean): void {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    if (attempt.context !== undefined)
      attempt.context.requests.onHeaders(this.requestHeaders, isEnd);
    else this.#codecHeaders(attempt, this.requestHeaders, isEnd);
  }

  #attemptData(bytes: Uint8Array, isEnd: boolean): void {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    if (attempt.context !== undefined) attempt.context.requests.onData(bytes, isEnd);
    else this.#codecData(attempt, bytes, isEnd);
  }

  #codecHeaders(attempt: Attempt, headers: HeaderMap, isEnd: boolean): void {
    const { sent } = attempt;
    sent.method = headers.get(":method") ?? "";
    sent.path = headers.get(":path") ?? "";
    sent.authority = headers.get(":authority") ?? "";
    sent.headers = headers
      .pairs()
      .filter(([name]) => !name.startsWith(":") && !HOP_BY_HOP.has(name));
    if (isEnd) this.#completeRequest(attempt);
  }

  #codecData(attempt: Attempt, bytes: Uint8Array, isEnd: boolean): void {
    attempt.body.append(bytes);
    if (isEnd) this.#completeRequest(attempt);
  }

  #completeRequest(attempt: Attempt): void {
    attempt.isComplete = true;
    attempt.sent.body = attempt.body.view().slice();
    this.#sent.push(attempt.sent);
    this.#checkLength("request", attempt.sent.headers, attempt.sent.body.length);
  }

  *#respond(attempt: Attempt): Generator<Wait, void> {
    const script = this.#input.upstream;
    if (script === undefined) {
      this.fault("a request reached the provider, and the case has no response for it");
      this.resetByFilter();
      return;
    }
    if (this.#input.clientLeavesAfter === -1) {
      this.#ending = "left";
      return;
    }
    const response = script(attempt.sent);
    this.#during = "response headers";
    if ("failure" in response) {
      if (this.#retriesLeft > 0) this.#retry(attempt);
      else this.localReply(undefined, response.failure);
      yield;
      return;
    }
    this.properties["response.code_details"] = "via_upstream";
    const chunks = bodyChunks(response.chunks, response.emptyEnd === true);
    const endsWithHeaders =
      chunks.length === 0 && response.ending !== "reset" && response.trailers === undefined;
    const headers = HeaderMap.of([[":status", String(response.status)], ...response.headers]);
    if (attempt.context !== undefined)
      attempt.context.responses.onHeaders(headers, endsWithHeaders);
    else this.#routerResponse(attempt, headers, endsWithHeaders);
    yield;
    yield* this.#respondBody(attempt, response, chunks);
    if (response.ending !== "reset") yield* this.#respondToCalls();
    const isReset = response.ending === "reset" && this.#ending === undefined;
    const isResetEarly = isReset && !this.#hasResponse && this.#retriesLeft > 0;
    if (this.#isRetryPending || isResetEarly) this.#retry(attempt);
    else if (isReset && !this.#hasResponse) this.localReply(undefined, FAILURES.reset.failure);
    else if (isReset) this.resetByFilter();
  }

  *#respondBody(
    attempt: Attempt,
    response: UpstreamResponse,
    chunks: readonly Uint8Array[],
  ): Generator<Wait, void> {
    for (const [index, chunk] of chunks.entries()) {
      if (this.#ending !== undefined || this.#isRetryPending) return;
      if (index === this.#input.clientLeavesAfter) {
        this.#ending = "left";
        return;
      }
      this.#during = `response body ${index}`;
      const isLast = index === chunks.length - 1 && response.ending !== "reset";
      const isEnd = isLast && response.trailers === undefined;
      if (isEnd) this.properties[BACKEND_LATENCY] = 1;
      if (attempt.context !== undefined) attempt.context.responses.onData(chunk, isEnd);
      else this.#routeData(chunk, isEnd);
      yield;
      yield* this.#respondToCallsDuringBody();
    }
    if (response.trailers === undefined || this.#isOver() || this.#isRetryPending) return;
    this.#during = "response trailers";
    this.properties[BACKEND_LATENCY] = 1;
    const trailers = HeaderMap.of(response.trailers);
    if (attempt.context !== undefined) attempt.context.responses.onTrailers(trailers);
    else this.#routeTrailers(trailers);
    yield;
  }

  *#respondToCallsDuringBody(): Generator<Wait, void> {
    if (this.#waitingCalls.length === 0) this.#chunksSinceCall = 0;
    else if (this.#chunksSinceCall++ >= (this.#input.chunksPerCall ?? Infinity)) {
      this.#chunksSinceCall = 0;
      yield* this.#respondToCalls();
    }
  }

  /** Passes bytes to the filter in the listener, after the router and the decompressors. */
  #routeData(bytes: Uint8Array, isEnd: boolean): void {
    const decompressor = this.#decompressor;
    if (decompressor === undefined) {
      this.#route.responses.onData(bytes, isEnd);
      return;
    }
    const plain = decompressor.push(bytes);
    if (isEnd) this.#route.responses.onLastData(plain, decompressor.trailers());
    else this.#route.responses.onData(plain, false);
  }

  #routeTrailers(trailers: HeaderMap): void {
    for (const [name, value] of this.#decompressor?.trailers().pairs() ?? [])
      trailers.add(name, value);
    this.#route.responses.onTrailers(trailers);
  }

  /** Runs the router: it decides about a retry after the upstream filter has processed the response's headers. */
  #routerResponse(attempt: Attempt, headers: HeaderMap, isEnd: boolean): void {
    if (this.#attempt !== attempt) return;
    const status = Number(headers.get(":status"));
    this.properties["response.code"] = status;
    if (this.#retriesLeft > 0 && headers.get(HEADER_RETRY) !== undefined) {
      this.#isRetryPending = true;
      attempt.context?.abort();
      return;
    }
    this.#hasResponse = true;
    for (const name of [HEADER_RETRY, HEADER_RETRY_AFTER, ...USUAL_RESPONSE_HEADERS])
      headers.remove(name);
    const encoding = headers.get("content-encoding") ?? "";
    this.#addRequestId(headers);
    if (encoding !== "" && hasDecompression(this.#config)) headers.add(HEADER_ENCODING, encoding);
    if (isEnd) attempt.context?.close();
    this.#responseHeaders(headers, isEnd);
  }

  #retry(attempt: Attempt): void {
    this.#isRetryPending = false;
    this.#retriesLeft--;
    attempt.context?.close();
    this.#cluster = this.#nextCluster();
    this.#startAttempt(attempt.sent.attempt + 1);
    const body = this.#routerBody.view().slice();
    this.#attemptHeaders(body.length === 0);
    if (body.length > 0) this.#attemptData(body, true);
  }

  /** Adds the header that the route adds to every response (envoy/request-id-header.ts). */
  #addRequestId(headers: HeaderMap): void {
    headers.add(HEADER_REQUEST_ID, this.requestHeaders.get("x-request-id") ?? "");
  }

  #responseHeaders(headers: HeaderMap, isEnd: boolean): void {
    this.responseHeaders = headers;
    this.#decompressor =
      isEnd || !hasDecompression(this.#config) ? undefined : Decompressor.for(headers);
    this.#route.responses.onHeaders(headers, isEnd);
  }

  #clientHeaders(headers: HeaderMap, isEnd: boolean): void {
    if (this.#client.status !== 0) {
      this.fault("the client got headers twice");
      return;
    }
    this.#client.status = Number(headers.get(":status"));
    this.properties["response.code"] = this.#client.status;
    this.#client.headers = headers
      .pairs()
      .filter(([name]) => !name.startsWith(":") && !HOP_BY_HOP.has(name));
    this.#addHeaderFaults(headers);
    if (isEnd) this.#ending = "complete";
  }

  #clientData(bytes: Uint8Array, isEnd: boolean): void {
    if (bytes.length > 0) this.#client.chunks.push({ bytes, during: this.#during });
    if (isEnd) this.#ending = "complete";
  }

  #rejectTooLarge(direction: "request" | "response"): void {
    const isRequest = direction === "request";
    this.localReply(undefined, {
      status: isRequest ? 413 : 500,
      body: Buffer.from(isRequest ? "Payload Too Large" : "Internal Server Error"),
      headers: [],
      details: `${isRequest ? "request" : "response"}_payload_too_large`,
    });
  }

  #stopRequest(): void {
    this.#route.requests.isAborted = true;
    this.#attempt?.context?.abort();
  }

  #close(): void {
    this.#attempt?.context?.close();
    if (this.#trap === undefined) this.#route.close();
  }

  #abort(): void {
    this.#route.abort();
    this.#attempt?.context?.abort();
  }

  #addHeaderFaults(headers: HeaderMap): void {
    this.#faults.push(...headers.faults.splice(0));
  }

  #checkLength(kind: string, headers: readonly HeaderPair[], size: number): void {
    const stated = headers.find(([name]) => name === "content-length")?.[1];
    if (stated !== undefined && stated !== String(size))
      this.fault(`stale content-length: the ${kind} says ${stated} and has ${size} bytes`);
  }

  #finish(): ExchangeResult {
    const body = Buffer.concat(this.#client.chunks.map(({ bytes }) => bytes));
    const ending = this.#ending ?? "reset";
    const isBodiless = this.requestHeaders.get(":method") === "HEAD" || this.#client.status === 304;
    if (ending === "complete" && !isBodiless && this.#trap === undefined)
      this.#checkLength("response", this.#client.headers, body.length);
    this.#addHeaderFaults(this.requestHeaders);
    this.#close();
    this.#faults.push(...this.#machine.faults.splice(0));
    return {
      response: { ...this.#client, body, ending },
      sent: this.#sent,
      calls: this.#calls,
      faults: this.#faults,
      trap: this.#trap,
      logs: this.#machine.logs.slice(this.#logStart),
      filterState: this.filterState,
    };
  }
}

/** Returns how many retries a route's policy allows, which its name contains (model/retry-policies.ts). */
function retriesOf(name: string): number {
  return Number(/^retry\/(\d+)/.exec(name)?.[1] ?? 0);
}

/** Returns the request as Envoy's connection manager passes it to the first filter. */
function requestPairs({ request }: ExchangeInput): HeaderPair[] {
  const named = (name: string): string | undefined =>
    request.headers.find(([key]) => key.toLowerCase() === name)?.[1];
  const others = request.headers.filter(([name]) => {
    const key = name.toLowerCase();
    return key !== "host" && !HOP_BY_HOP.has(key);
  });
  const pairs: HeaderPair[] = [
    [":path", request.path],
    [":method", request.method],
    [":scheme", "http"],
    [":authority", named("host") ?? "gateway.test"],
    ...others,
    ["x-forwarded-proto", "http"],
  ];
  if (named("x-request-id") === undefined)
    pairs.push(["x-request-id", "7f5c1a52-6a0c-4b1e-9d0c-000000000001"]);
  return pairs;
}

function localHeaders(reply: LocalReply): HeaderMap {
  const headers = HeaderMap.of([[":status", String(reply.status)], ...reply.headers]);
  headers.remove("content-length");
  if (reply.body.length === 0) {
    headers.remove("content-type");
    return headers;
  }
  headers.add("content-length", String(reply.body.length));
  if (headers.get("content-type") === undefined) headers.add("content-type", "text/plain");
  return headers;
}

function bodyChunks(
  body: Uint8Array | readonly Uint8Array[] | undefined,
  emptyEnd: boolean,
): readonly Uint8Array[] {
  const chunks = body === undefined ? [] : body instanceof Uint8Array ? [body] : body;
  if (emptyEnd) return [...chunks, new Uint8Array(0)];
  return chunks.length === 1 && chunks[0]?.length === 0 ? [] : chunks;
}
