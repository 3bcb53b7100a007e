// The state of a response: who writes it, and which phase it is in. response/table.ts lists what happens in each
// phase. All transitions (a new attempt goes back to None and Awaited from anywhere):
//
//   owner        phase             next, and when
//   None         Awaited           any row below, with the first head
//   Filter       Passed            (a local response of the filter; from any owner and phase)
//   NativeRoute  Passed            (a route of Envoy responds: /readyz)
//   Envoy        EnvoyError        Passed: its body has been rewritten
//   Provider     Passed            (nothing to read)
//   Provider     Error             Done: the end; ErrorWithoutHead: Envoy gets the head first, to retry; Filter: too large
//   Provider     ErrorWithoutHead  Done: the end, or too large
//   Provider     Page              Whole, Stream or Passed: it is not a page; Filter: it is one
//   Provider     Count             Done: the end; Filter: it is no count
//   Provider     Unwrapped         Stream or Passed: the first event; Filter: an error came first
//   Provider     Whole             Passed: the end; Stream: too large to be read; Filter: it is not whole
//   Provider     Stream            (Filter: it was broken off)
//   Provider     TranslatedWhole   Done: the end
//   Provider     TranslatedHead    TranslatedStream: the first event; Done: the end; Filter: an error came first
//   Provider     TranslatedStream  Done: the end
//   Provider     Done              (also if an error has replaced the body in the upstream filter)
import { NO_COST } from "../config/price";
import { Fault } from "../hub/faults/fault";
import { NO_NOTES, RequestNotes } from "../hub/request/request-notes";
import { StreamUnwrapper } from "../dialects/anthropic/messages/response/unwrap-stream";
import { ResponseTranslator } from "../dialects/translate-response";
import { StreamUsageFilter } from "../dialects/stream-usage";
import { UsageObserver } from "../dialects/usage-observer";
import { ByteBuffer } from "../bytes/text/bytes";

/** Who writes the response. */
export const enum ResponseOwner {
  None,
  /** The filter, by a local response. */
  Filter,
  /** Envoy, by a local response. */
  Envoy,
  /** A route of Envoy without a provider. */
  NativeRoute,
  Provider,
}

export const enum ResponsePhase {
  Awaited,
  /** The filter has nothing left to do. */
  Passed,
  /** A local response of Envoy is held, to be rewritten in the client's dialect. */
  EnvoyError,
  /** A provider's error is held. */
  Error,
  /** As before, but its head has left, so that Envoy may start another attempt. */
  ErrorWithoutHead,
  /** A response that may be an HTML page is held until its first bytes decide. */
  Page,
  /** A count of tokens in another form is held. */
  Count,
  /** The head of a stream that is unwrapped is held until its first event. */
  Unwrapped,
  /** A complete response of the client's dialect is held. */
  Whole,
  /** A response of the client's dialect is read while it passes. */
  Stream,
  /** A complete response of another dialect is held. */
  TranslatedWhole,
  /** The head of a translated stream is held until its first event. */
  TranslatedHead,
  /** A stream is translated event by event. */
  TranslatedStream,
  /** The filter has written the end; what else comes is dropped. */
  Done,
}

export class Response {
  owner: ResponseOwner = ResponseOwner.None;
  phase: ResponsePhase = ResponsePhase.Awaited;
  status: u32 = 0;
  /** Whether Envoy holds bytes of the body for the filter, which can still be replaced when trailers end it. */
  isBodyHeld: bool = false;
  /** Whether the upstream filter found the response compressed and passes it: the filter in the listener reads it decompressed. */
  isLeftToListener: bool = false;
  /** Whether the upstream filter found a content encoding, of which the route adds a copy. */
  hasEncoding: bool = false;
  /** Whether Envoy has decompressed it: then its end has to be checked, because Envoy cuts what is corrupt. */
  isDecompressed: bool = false;
  /** What replaces the body of an error; null if the body is read. */
  fault: Fault | null = null;
  /** The provider's error, for the usage record. */
  providerFault: Fault | null = null;
  /** Whether the gateway asked the provider for the usage chunk of a stream, and the client has not. */
  asksUsage: bool = false;
  /** Whether a chat client asked for the usage chunk of its stream. */
  wantsUsage: bool = false;
  /** What it cost, in nano-dollars; NO_COST if that is not known. */
  cost: i64 = NO_COST;
  isCostEstimated: bool = false;
  /** Value of `x-gateway-dropped`. */
  dropped: ByteBuffer = new ByteBuffer();
  /** What the writer of a translated response has to know of the request. */
  notes: RequestNotes = NO_NOTES;

  /** Reads the usage of a response in the client's dialect; null if nobody needs it, or the translator does. */
  observer: UsageObserver | null = null;
  /** Gives the observer the events of a stream; null if it is no stream. */
  usageFilter: StreamUsageFilter | null = null;
  /** Unwraps the stream of a cloud before anything else reads it. */
  unwrapper: StreamUnwrapper | null = null;
  /** Translates a response of another dialect. */
  translator: ResponseTranslator | null = null;
  /** Reads a decompressed stream of the client's dialect, to know whether it comes to its end. */
  watch: ResponseTranslator | null = null;

  enter(owner: ResponseOwner, phase: ResponsePhase): void {
    this.owner = owner;
    this.phase = phase;
  }

  /** Whether it is a local response that is right as it is. */
  get isLocal(): bool {
    return this.owner == ResponseOwner.Filter || this.owner == ResponseOwner.NativeRoute;
  }

  /** Whether the client may have got a part of the provider's response. */
  get hasLeft(): bool {
    return (
      this.owner == ResponseOwner.Provider &&
      (this.phase == ResponsePhase.Passed ||
        this.phase == ResponsePhase.Stream ||
        this.phase == ResponsePhase.TranslatedStream ||
        this.phase == ResponsePhase.Done)
    );
  }

  /** Forgets the response of the last attempt. */
  reset(): void {
    this.enter(ResponseOwner.None, ResponsePhase.Awaited);
    this.isBodyHeld = false;
    this.isLeftToListener = false;
    this.hasEncoding = false;
    this.isDecompressed = false;
    this.fault = null;
    this.providerFault = null;
    this.asksUsage = false;
    this.cost = NO_COST;
    this.dropped.clear();
    this.dropReaders();
  }

  dropWatch(): void {
    const watch = this.watch;
    if (watch !== null) watch.release();
    this.watch = null;
  }

  release(): void {
    this.dropped.release();
    this.dropReaders();
  }

  private dropReaders(): void {
    const unwrapper = this.unwrapper;
    if (unwrapper !== null) unwrapper.release();
    this.unwrapper = null;
    const filter = this.usageFilter;
    if (filter !== null) filter.release();
    this.usageFilter = null;
    const observer = this.observer;
    if (observer !== null) observer.release();
    this.observer = null;
    const translator = this.translator;
    if (translator !== null) translator.release();
    this.translator = null;
    this.dropWatch();
    if (this.notes !== NO_NOTES) this.notes.release();
    this.notes = NO_NOTES;
  }
}
