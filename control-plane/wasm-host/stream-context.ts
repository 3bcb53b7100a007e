// A stream context: one filter (route or translate) on one stream, and what it may read and write in each phase.
import { BufferType, MapType } from "./wasm-abi.ts";
import type { BodyBuffer } from "./body-buffer.ts";
import { Direction } from "./direction.ts";
import type { Next } from "./direction.ts";
import type { Exchange } from "./wasm-exchange.ts";
import { bytesFromLatin1 } from "./guest-memory.ts";
import type { HeaderMap } from "./header-map.ts";
import { Trap } from "./virtual-machine.ts";
import type { RootContext, VirtualMachine } from "./virtual-machine.ts";

/** Values by path, joined with dots. A number is returned in Envoy's form: 8 bytes, little endian. */
export type Properties = Record<string, string | number>;

export interface ContextOptions {
  side: "downstream" | "upstream";
  root: RootContext;
  /** The next stages after this filter, for requests and for responses. */
  request: Next;
  response: Next;
  /** Maximum size of a held body, in bytes. */
  requestLimit: number;
  responseLimit: number;
  /** Properties that follow from the filter's position in the configuration: endpoint metadata, cluster name … */
  properties: Properties;
  onTooLarge(direction: "request" | "response"): void;
}

export class StreamContext {
  readonly id: number;
  readonly side: "downstream" | "upstream";
  readonly root: RootContext;
  readonly exchange: Exchange;
  readonly requests: Direction;
  readonly responses: Direction;
  readonly properties: Properties;
  readonly #machine: VirtualMachine;
  #requestHeaders: HeaderMap | undefined;
  #responseHeaders: HeaderMap | undefined;
  #responseTrailers: HeaderMap | undefined;
  #isLogging = false;
  #isClosed = false;

  constructor(machine: VirtualMachine, exchange: Exchange, options: ContextOptions) {
    this.id = machine.nextId();
    this.side = options.side;
    this.root = options.root;
    this.exchange = exchange;
    this.properties = options.properties;
    this.#machine = machine;
    const fault = (message: string): void => {
      exchange.fault(message);
    };
    this.requests = new Direction(
      {
        headers: (isEnd) => this.#onHeaders("request", isEnd),
        body: (size, isEnd) => this.#onBody("request", size, isEnd),
        trailers: () => 0,
        tooLarge: () => {
          options.onTooLarge("request");
        },
        fault,
      },
      options.request,
      options.requestLimit,
    );
    this.responses = new Direction(
      {
        headers: (isEnd) => this.#onHeaders("response", isEnd),
        body: (size, isEnd) => this.#onBody("response", size, isEnd),
        trailers: (trailers) => this.#onTrailers(trailers),
        tooLarge: () => {
          options.onTooLarge("response");
        },
        fault,
      },
      options.response,
      options.responseLimit,
    );
    machine.streams.set(this.id, this);
    this.#guard(() => machine.guest.proxy_on_context_create?.(this.id, this.root.id));
  }

  readableMap(type: number): HeaderMap | undefined {
    if (this.#isLogging) {
      if (type === MapType.requestHeaders) return this.exchange.requestHeaders;
      return type === MapType.responseHeaders ? this.exchange.responseHeaders : undefined;
    }
    if (type === MapType.requestHeaders) return this.#requestHeaders;
    if (type === MapType.responseTrailers) return this.#responseTrailers;
    return type === MapType.responseHeaders ? this.#responseHeaders : undefined;
  }

  /**
   * Returns the map for a change. Envoy accepts a change of headers that were already sent, without effect; the host
   * reports it as a fault.
   */
  writableMap(type: number): HeaderMap | undefined {
    if (type === MapType.responseTrailers) return this.#responseTrailers;
    const isRequest = type === MapType.requestHeaders;
    const map = isRequest ? this.#requestHeaders : this.#responseHeaders;
    if (type !== MapType.requestHeaders && type !== MapType.responseHeaders) return undefined;
    const direction = isRequest ? this.requests : this.responses;
    const kind = isRequest ? "request" : "response";
    if (map === undefined) this.exchange.fault(`${kind} headers changed when they are not at hand`);
    else if (direction.headersWereSent)
      this.exchange.fault(`${kind} headers changed after they had been sent on`);
    return map;
  }

  buffer(type: number): BodyBuffer | undefined {
    if (type === BufferType.requestBody) return this.requests.visible;
    return type === BufferType.responseBody ? this.responses.visible : undefined;
  }

  property(parts: string[]): Uint8Array | undefined {
    const headers = this.#propertyOfHeaders(parts);
    if (headers !== undefined) return bytesFromLatin1(headers);
    const path = parts.join(".");
    const value =
      this.properties[path] ??
      this.exchange.properties[path] ??
      this.exchange.filterState.get(path);
    if (typeof value !== "number") return value === undefined ? undefined : Buffer.from(value);
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    return bytes;
  }

  /** `continue_stream` makes the request's headers and body unreachable, whichever direction it continues. */
  forgetRequest(): void {
    this.#requestHeaders = undefined;
    this.requests.visible = undefined;
  }

  resume(type: number): void {
    if (type === 0) this.requests.resume();
    else this.responses.resume();
  }

  abort(): void {
    this.requests.isAborted = true;
    this.responses.isAborted = true;
  }

  /** Calls log (downstream only), done, delete: the order in which Envoy destroys a stream. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.abort();
    if (this.side === "downstream") {
      this.#isLogging = true;
      this.#guard(() => this.#machine.guest.proxy_on_log?.(this.id));
      this.#isLogging = false;
    }
    this.#guard(() => this.#machine.guest.proxy_on_done?.(this.id));
    this.#guard(() => this.#machine.guest.proxy_on_delete?.(this.id));
    this.#machine.streams.delete(this.id);
  }

  /** Returns a property that Envoy reads from the headers; it exists only while the filter may read them. */
  #propertyOfHeaders([first, second, third]: string[]): string | undefined {
    if (first === "request" && second !== undefined) {
      const map = this.#isLogging ? this.exchange.requestHeaders : this.#requestHeaders;
      if (second === "headers") return third === undefined ? undefined : map?.get(third);
      const name = REQUEST_PROPERTIES[second];
      if (second === "url_path") return map?.get(":path")?.split("?")[0];
      return name === undefined ? undefined : map?.get(name);
    }
    if (first === "response" && second === "headers" && third !== undefined)
      return this.readableMap(MapType.responseHeaders)?.get(third);
    return undefined;
  }

  #onHeaders(direction: "request" | "response", isEnd: boolean): number | undefined {
    const { guest } = this.#machine;
    const map = direction === "request" ? this.requests.headers : this.responses.headers;
    const call =
      direction === "request" ? guest.proxy_on_request_headers : guest.proxy_on_response_headers;
    if (direction === "request") this.#requestHeaders = map;
    else this.#responseHeaders = map;
    const status = this.#guard(() => call?.(this.id, map?.size ?? 0, Number(isEnd)) ?? 0, 4);
    if (status === 0 && direction === "request") this.#requestHeaders = undefined;
    if (status === 0 && direction === "response") this.#responseHeaders = undefined;
    return status;
  }

  #onBody(direction: "request" | "response", size: number, isEnd: boolean): number | undefined {
    const { guest } = this.#machine;
    const call =
      direction === "request" ? guest.proxy_on_request_body : guest.proxy_on_response_body;
    return this.#guard(() => call?.(this.id, size, Number(isEnd)) ?? 0, 3);
  }

  #onTrailers(trailers: HeaderMap): number | undefined {
    const { guest } = this.#machine;
    this.#responseTrailers = trailers;
    const status = this.#guard(
      () => guest.proxy_on_response_trailers?.(this.id, trailers.size) ?? 0,
      1,
    );
    if (status === 0) this.#responseTrailers = undefined;
    return status;
  }

  /**
   * Runs a callback and returns its status. `stopped` is the status with which Envoy replaces the guest's after a local
   * reply.
   */
  #guard(body: () => unknown, stopped = 0): number | undefined {
    const machine = this.#machine;
    try {
      const status = Number(machine.call(this, body) ?? 0);
      const isStopped = machine.stopsNextIteration;
      machine.stopsNextIteration = false;
      machine.runAfterCall();
      return isStopped ? stopped : status;
    } catch (error) {
      if (!(error instanceof Trap)) throw error;
      this.exchange.failAfterTrap(error.message);
      return undefined;
    }
  }
}

const REQUEST_PROPERTIES: Record<string, string> = {
  path: ":path",
  host: ":authority",
  scheme: ":scheme",
  method: ":method",
  referer: "referer",
  useragent: "user-agent",
  id: "x-request-id",
};
