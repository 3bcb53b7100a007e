// The state of a response: who writes it, and what is left to do with it.
//
// The first head decides the owner; the filter may take it over until bytes have left. A new attempt begins again with None.
// What happens to the provider's bytes is a list of links (response/chain.ts): each leaves the list when its work is done. With
// none left, the rest passes; once the filter has written the end, the rest is dropped.
import { NO_COST } from "../config/price";
import { Fault } from "../hub/faults/fault";
import { NO_NOTES, RequestNotes } from "../hub/request/request-notes";
import { ResponseFacts } from "../hub/response/facts";
import { ByteBuffer } from "../bytes/text/bytes";
import { Link } from "./link";

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

export class Response {
  owner: ResponseOwner = ResponseOwner.None;
  /** The links that are left, in the order of response/chain.ts. */
  links: Link | null = null;
  /** What keeps the bytes for a link that waits for a callout (response/wait.ts); null if none waits. */
  waiting: Link | null = null;
  /** Whether one of the links may wait. Set by its row of the chain. */
  mayWait: bool = false;
  /** Whether the filter has written the end: what else comes is dropped. */
  isDone: bool = false;
  /** Whether the head has not left for the client. */
  isHeadHeld: bool = false;
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
  /** Whether reasoning is taken out of the content for a client of the provider's dialect. */
  splitsContent: bool = false;
  /** Whether a chat client asked for the usage chunk of its stream. */
  wantsUsage: bool = false;
  /** What it cost, in nano-dollars; NO_COST if that is not known. */
  cost: i64 = NO_COST;
  isCostEstimated: bool = false;
  /** Value of `x-gateway-dropped`. */
  dropped: ByteBuffer = new ByteBuffer();
  /** What the writer of a translated response has to know of the request. */
  notes: RequestNotes = NO_NOTES;
  /** What the response has shown; null if nobody reads it. */
  facts: ResponseFacts | null = null;

  /** Whether it is a local response that is right as it is. */
  get isLocal(): bool {
    return this.owner == ResponseOwner.Filter || this.owner == ResponseOwner.NativeRoute;
  }

  /** Whether the client may have got a part of the provider's response. */
  get hasLeft(): bool {
    return this.owner == ResponseOwner.Provider && !this.isHeadHeld;
  }

  /** Adds a link before another one; after all others by default. */
  add(link: Link, before: Link | null = null): void {
    let last: Link | null = null;
    let one = this.links;
    while (one !== null && one !== before) {
      last = one;
      one = one.next;
    }
    link.next = one;
    if (last === null) this.links = link;
    else last.next = link;
  }

  /** Takes a link out, whose work is done. */
  remove(link: Link): void {
    if (this.links === link) this.links = link.next;
    let one = this.links;
    while (one !== null) {
      if (one.next === link) one.next = link.next;
      one = one.next;
    }
    link.release();
  }

  /** Removes all links, or those before another one. */
  removeAll(rest: Link | null = null): void {
    let link = this.links;
    this.links = rest;
    while (link !== null && link !== rest) {
      link.release();
      link = link.next;
    }
  }

  /** The filter has written the end: nothing else of the provider's follows. The links after the one that wrote it go on. */
  finish(by: Link | null = null): void {
    this.removeAll(by === null ? null : by.next);
    this.isDone = true;
  }

  /** Makes the filter or a route of Envoy the owner: nothing of the provider's follows. */
  enter(owner: ResponseOwner): void {
    this.owner = owner;
    this.removeAll();
    this.isDone = false;
  }

  /** Forgets the response of the last attempt. */
  reset(): void {
    this.enter(ResponseOwner.None);
    this.isHeadHeld = false;
    this.isBodyHeld = false;
    this.isLeftToListener = false;
    this.hasEncoding = false;
    this.isDecompressed = false;
    this.mayWait = false;
    this.fault = null;
    this.providerFault = null;
    this.asksUsage = false;
    this.splitsContent = false;
    this.cost = NO_COST;
    this.dropped.clear();
    this.dropFacts();
  }

  release(): void {
    this.dropped.release();
    this.removeAll();
    this.dropFacts();
  }

  private dropFacts(): void {
    const facts = this.facts;
    if (facts !== null) facts.release();
    this.facts = null;
    if (this.notes !== NO_NOTES) this.notes.release();
    this.notes = NO_NOTES;
  }
}
