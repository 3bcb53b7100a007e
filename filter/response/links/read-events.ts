// A stream in the client's dialect, which is read while it passes: until its first token another attempt may follow, its usage
// is counted, the usage chunk that only the gateway asked for is removed, and the end of a stream that Envoy decompresses is
// checked.
import { wasRefused } from "../../memory/blocks";
import { FirstToken, MAX_HELD_BYTES } from "../../dialects/response-start";
import { StreamEnd } from "../../dialects/stream-end";
import { StreamReader } from "../../dialects/read-stream";
import { UsageObserver } from "../../dialects/usage-observer";
import { respondWithFault } from "../../exchange/respond";
import { Exchange } from "../../exchange/exchange";
import { Link } from "../../exchange/link";
import { isEventStream } from "../../exchange/response-head";
import { ALL, removeHeader, RESPONSE_HEADERS } from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { ByteBuffer, scratchBuffer } from "../../bytes/text/bytes";
import { CONTENT_LENGTH } from "../../exchange/header-names";
import { prependBytes, replaceBytesBehind, takeBytes } from "../body";
import { corruptFault } from "../faults";
import { awaitFirstToken, isDecided, isFollowed } from "./first-token";
import { isCounted, observe } from "./observe";
import { judgeWhole } from "./read-whole";

const out = scratchBuffer();

export function readEvents(exchange: Exchange): Link | null {
  const isInference = exchange.client.endpoint.row.isInference;
  if (isInference && exchange.isRewritten()) return null;
  // A provider may send a stream with another type, or to a client that has not asked for it.
  const isStream = isEventStream();
  const start: FirstToken | null =
    isStream || exchange.client.isStreaming ? awaitFirstToken(exchange, true) : null;
  if (!isStream) return start === null ? null : new ReadEvents(exchange, null, null, start);
  const usage = observe(exchange);
  const ending =
    exchange.response.isDecompressed && isInference ? new StreamEnd(exchange.client.dialect) : null;
  return start !== null || usage !== null || ending !== null || isCounted(exchange)
    ? new ReadEvents(exchange, usage, ending, start)
    : null;
}

class ReadEvents extends Link {
  private reader: StreamReader;
  private isRead: bool;
  /** How many of the bytes that Envoy holds have been read. */
  private done: u32 = 0;
  /** What the client gets of a beginning that is held. */
  private begun: ByteBuffer = out;

  constructor(
    private exchange: Exchange,
    private usage: UsageObserver | null,
    private ending: StreamEnd | null,
    private start: FirstToken | null,
  ) {
    super();
    this.passes = true;
    this.holdsHead = start !== null;
    const strips = usage !== null && exchange.response.asksUsage;
    if (strips) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
    this.reader = new StreamReader(exchange.client.dialect, strips, usage, ending);
    this.reader.start = start;
    this.isRead = start !== null || usage !== null || ending !== null;
    if (start !== null && strips) this.begun = new ByteBuffer();
  }

  onBytes(size: u32, isEnd: bool): i32 {
    if (!this.isRead) return CONTINUE;
    const start = this.start;
    if (start !== null) return this.begin(start, size, isEnd);
    out.clear();
    this.read(size, isEnd, out);
    this.leave(size, isEnd, out);
    return CONTINUE;
  }

  /** A stream that has not come to its own end is broken off. */
  onTrailers(): i32 {
    const usage = this.usage;
    if (usage !== null) usage.hasEnded = true;
    const ending = this.ending;
    if (ending === null) return CONTINUE;
    this.reader.end();
    if (!ending.isCut) return CONTINUE;
    respondWithFault(this.exchange, corruptFault(this.exchange));
    return STOP;
  }

  release(): void {
    this.reader.release();
    if (this.begun !== out) this.begun.release();
  }

  /** Reads the next bytes while the beginning of the response is held. */
  private begin(start: FirstToken, size: u32, isEnd: bool): i32 {
    const exchange = this.exchange;
    const begun = this.begun;
    if (!start.isJson) {
      const bytes = takeBytes(start.seen, size - start.seen);
      // Without memory to read it the response goes on as it is.
      if (wasRefused()) start.release();
      start.begin(bytes.pointer, bytes.length);
    }
    if (!start.isJson) this.read(size, isEnd, begun);
    else if (isEnd || size >= MAX_HELD_BYTES) judgeWhole(start, size, isEnd);
    if (!isDecided(start, isEnd)) return STOP;
    this.start = null;
    if (isFollowed(exchange, start.fault, size, isEnd)) return CONTINUE;
    const reader = this.reader;
    reader.start = null;
    if (start.isJson) this.read(size, isEnd, begun);
    // Envoy still holds the bytes of earlier calls.
    if (reader.strips && reader.isChanged && takeBytes(0, size).length < reader.unchanged)
      reader.pass();
    this.leave(size, isEnd, begun);
    this.isRead = this.usage !== null || this.ending !== null;
    if (begun !== out) begun.release();
    if (!this.isRead && !isCounted(exchange)) exchange.response.remove(this);
    return CONTINUE;
  }

  /** Reads the bytes that have not been read. */
  private read(size: u32, isEnd: bool, to: ByteBuffer): void {
    const reader = this.reader;
    const from = this.done;
    if (reader.isPassing) return;
    // Behind trailers come all bytes that were held, which are few.
    if (!reader.hasRoomFor(size == ALL ? 0 : size - from)) {
      if (reader.strips && from == 0) prependBytes(reader.heldPointer, reader.heldLength);
      reader.pass();
      return;
    }
    const bytes = takeBytes(from, size - from);
    reader.push(bytes.pointer, bytes.length, from, isEnd, to);
    this.done = from + bytes.length;
  }

  /** The bytes leave, as the client gets them. */
  private leave(size: u32, isEnd: bool, by: ByteBuffer): void {
    const reader = this.reader;
    const usage = this.usage;
    this.done = 0;
    if (reader.strips && reader.isChanged) replaceBytesBehind(size, reader.unchanged, by);
    if (usage === null) return;
    if (usage.hasToken) this.exchange.noteToken();
    if (isEnd) usage.hasEnded = true;
  }
}
