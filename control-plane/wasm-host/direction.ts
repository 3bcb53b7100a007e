// One direction of one filter: how Envoy's filter manager handles the statuses that its callbacks return.
import { DataStatus, HeadersStatus, TrailersStatus } from "./wasm-abi.ts";
import { BodyBuffer } from "./body-buffer.ts";
import type { HeaderMap } from "./header-map.ts";

/** The next stage after the filter in this direction. */
export interface Next {
  headers(headers: HeaderMap, isEnd: boolean): void;
  data(bytes: Uint8Array, isEnd: boolean): void;
  trailers(trailers: HeaderMap): void;
}

/**
 * The filter's own callbacks. If one returns undefined, the stream received a local reply or failed in the meantime:
 * stop here.
 */
export interface Callbacks {
  headers(isEnd: boolean): number | undefined;
  body(size: number, isEnd: boolean): number | undefined;
  trailers(trailers: HeaderMap): number | undefined;
  /** The held body exceeds the limit. */
  tooLarge(): void;
  fault(message: string): void;
}

export class Direction {
  headers: HeaderMap | undefined;
  /** The body that `proxy_get_buffer_bytes` reads. */
  visible: BodyBuffer | undefined;
  headersWereSent = false;
  /** No further callback is called: local reply, reset, or failure. */
  isAborted = false;
  #state: "continue" | "stopSingle" | "stopAll" = "continue";
  #held: BodyBuffer | undefined;
  #isBuffering = false;
  #isComplete = false;
  #trailers: HeaderMap | undefined;
  readonly #callbacks: Callbacks;
  readonly #next: Next;
  readonly #limit: number;

  constructor(callbacks: Callbacks, next: Next, limit: number) {
    this.#callbacks = callbacks;
    this.#next = next;
    this.#limit = limit;
  }

  onHeaders(headers: HeaderMap, isEnd: boolean): void {
    this.headers = headers;
    this.#isComplete = isEnd;
    const status = this.#callbacks.headers(isEnd);
    if (status === undefined || this.isAborted) return;
    switch (status) {
      case HeadersStatus.continue:
        this.#sendHeaders(isEnd);
        return;
      case HeadersStatus.stopIteration:
        this.#state = "stopSingle";
        return;
      case HeadersStatus.continueAndEndStream:
        this.#callbacks.fault("ContinueAndEndStream is not for this filter");
        return;
      default:
        this.#state = "stopAll";
    }
  }

  onData(bytes: Uint8Array, isEnd: boolean): void {
    if (this.isAborted) return;
    this.#isComplete = isEnd;
    if (this.#state === "stopAll") {
      this.#hold(bytes);
      return;
    }
    this.#callBody(new BodyBuffer(bytes), isEnd);
  }

  /**
   * Passes the last bytes when an earlier filter adds trailers in the same call: the bytes are not marked as the last,
   * and a filter that was stopped until now, or stops here, gets no trailers callback.
   */
  onLastData(bytes: Uint8Array, trailers: HeaderMap): void {
    this.#trailers = trailers;
    const wasStopped = this.isStopped;
    this.onData(bytes, false);
    if (!wasStopped) this.#onTrailersUnlessStopped(trailers);
  }

  onTrailers(trailers: HeaderMap): void {
    if (this.isAborted) return;
    this.#trailers = trailers;
    if (this.#state === "stopAll") return;
    if (this.#isBuffering) this.visible = this.#held;
    const status = this.#callbacks.trailers(trailers);
    if (status === TrailersStatus.continue) this.visible = undefined;
    if (status === undefined || this.#isOver()) return;
    if (status !== TrailersStatus.continue) this.#state = "stopSingle";
    else if (this.#state === "continue") this.#sendTrailers();
    else this.resume();
  }

  #onTrailersUnlessStopped(trailers: HeaderMap): void {
    if (!this.isStopped) this.onTrailers(trailers);
  }

  /** Implements `continue_stream`: passes the headers if they are held, then the held body. */
  resume(): void {
    if (this.isAborted) return;
    if (this.#state === "continue") {
      this.#callbacks.fault("continue_stream on a stream that was not stopped");
      return;
    }
    const heldForFilter = this.#state === "stopAll";
    this.#state = "continue";
    if (!this.headersWereSent) this.#sendHeaders(this.#isComplete && this.#held === undefined);
    const held = this.#held;
    const trailers = this.#trailers;
    if (held !== undefined && !this.#isOver()) {
      this.#held = undefined;
      if (heldForFilter) this.#callBody(held, this.#isComplete);
      else this.#send(held, this.#isComplete);
    }
    if (trailers === undefined || this.#isOver()) return;
    if (heldForFilter) this.onTrailers(trailers);
    else this.#sendTrailers();
  }

  /** Whether headers or a body are still held; at the end of an exchange that means the stream hangs. */
  get isStopped(): boolean {
    return this.#state !== "continue";
  }

  /** A function, because sending may have ended the stream. */
  #isOver(): boolean {
    return this.isAborted;
  }

  #callBody(chunk: BodyBuffer, isEnd: boolean): void {
    // While it buffers, the filter sees the whole held body, the new chunk included.
    if (this.#isBuffering) {
      if (!this.#hold(chunk.take())) return;
      this.visible = this.#held;
    } else {
      this.visible = chunk;
    }
    const status = this.#callbacks.body(this.visible?.size ?? 0, isEnd);
    this.#isBuffering = status === DataStatus.stopIterationAndBuffer;
    this.visible = status === DataStatus.continue ? undefined : this.visible;
    if (status === undefined || this.isAborted) return;
    switch (status) {
      case DataStatus.continue:
        this.#continue(chunk, isEnd);
        return;
      case DataStatus.stopIterationAndBuffer:
      case DataStatus.stopIterationAndWatermark:
        this.#state = "stopSingle";
        if (this.#held === undefined) this.#held = new BodyBuffer();
        this.#hold(chunk.take());
        this.visible = this.#isBuffering ? this.#held : chunk;
        return;
      default:
        // The chunk is dropped, as Envoy drops it.
        this.#state = "stopSingle";
        if (isEnd && this.#held === undefined) this.#held = new BodyBuffer();
    }
  }

  #continue(chunk: BodyBuffer, isEnd: boolean): void {
    if (this.#state === "continue") {
      this.#send(chunk, isEnd);
      return;
    }
    if (this.#held === undefined) this.#held = new BodyBuffer();
    this.#held.append(chunk.take());
    this.#state = "stopSingle";
    this.resume();
  }

  #hold(bytes: Uint8Array): boolean {
    this.#held ??= new BodyBuffer();
    this.#held.append(bytes);
    if (this.#held.size <= this.#limit) return true;
    this.isAborted = true;
    this.#callbacks.tooLarge();
    return false;
  }

  #sendTrailers(): void {
    if (this.#trailers !== undefined) this.#next.trailers(this.#trailers);
  }

  #sendHeaders(isEnd: boolean): void {
    this.headersWereSent = true;
    if (this.headers !== undefined) this.#next.headers(this.headers, isEnd);
  }

  #send(buffer: BodyBuffer, isEnd: boolean): void {
    if (!this.headersWereSent) this.#sendHeaders(false);
    if (this.isAborted) return;
    this.#next.data(buffer.take(), isEnd);
  }
}
