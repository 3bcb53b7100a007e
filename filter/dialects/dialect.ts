// A dialect: everything that the gateway asks of a wire format, in one class. dialects/registry.ts lists the dialects; each
// has a folder. The rest of the filter calls these methods and never asks which dialect it has.
import { ResponseHead, ResponseSink } from "../hub/events";
import { Dropped } from "../hub/dropped";
import { Fault } from "../hub/fault";
import { Feature } from "../hub/feature";
import { MemberTable } from "../hub/member-table";
import { ResponseReader } from "../hub/response-reader";
import { ChatRequest } from "../hub/request";
import { RequestLimits, RequestReport } from "../hub/request-report";
import { Usage } from "../hub/usage";
import { Framer } from "../bytes/framer";
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";
import { SseFramer } from "../bytes/sse/framer";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";

/** A header of a request that its provider requires; `value` is sent if the client has sent none. */
export class RequiredHeader {
  constructor(
    public name: Span,
    public value: Span,
  ) {}
}

/** Names of the response headers that report a rate limit. */
export class LimitHeaders {
  constructor(
    public limit: Span,
    public remaining: Span,
    public reset: Span,
  ) {}
}

/** A way to send a key: its header, and what stands before the key. */
export class CredentialScheme {
  constructor(
    public header: Span,
    public prefix: Span,
  ) {}
}

export const BEARER_TOKEN = new CredentialScheme(constant("authorization"), constant("Bearer "));
export const API_KEY = new CredentialScheme(constant("x-api-key"), constant(""));

export abstract class Dialect {
  /** The dialect's bit in `Feature.supporters`. */
  supporter: u32 = 0;

  constructor(
    /** The name in the filter's configuration. */
    public name: string,
    /** The API in error messages: "the Anthropic Messages API". */
    public api: string,
    /** The path of the endpoint that clients call; everything below it belongs to the dialect too. */
    public path: Span,
    /** Whether the ingress listener serves it: prompt targets respond in this dialect. */
    public isOnIngress: bool,
    /** The members of a request's top level. */
    public members: MemberTable,
    /** What the request writer can express beyond the hub's common slots. */
    public supported: Feature[],
    /** Request headers that only this dialect has: they do not reach a provider of another one. */
    public ownHeaders: Span[],
    /** Request headers that a provider of this dialect requires. */
    public requiredHeaders: RequiredHeader[],
    /** The response header in which SDKs look for the request id. */
    public requestIdHeader: Span,
    public tokenLimitHeaders: LimitHeaders,
    public requestLimitHeaders: LimitHeaders,
  ) {}

  // ---- Requests

  /** Reads a client's request into the hub; a fault in `report` means that it is of no use. */
  abstract readRequest(tape: Tape, request: ChatRequest, report: RequestReport): void;

  /**
   * Appends the request of the hub to `out`, for a provider of this dialect. `model`: a JSON string with its quotes.
   * `systemPrompt`: the configured one, the inside of a JSON string, empty if there is none; it goes before the client's.
   */
  abstract writeRequest(
    request: ChatRequest,
    model: Span,
    systemPrompt: Span,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void;

  /**
   * Adds the edits that the target's limits require of a body that keeps its dialect. What is taken out is listed in
   * `report`, or refused there if the limits are strict. Returns the system text that is still to be added.
   */
  abstract limitRequest(
    tape: Tape,
    limits: RequestLimits,
    systemPrompt: Span,
    edits: Edits,
    report: RequestReport,
  ): Span;

  /** Adds the edits that every target requires of a body that keeps its dialect. `systemText` may be empty. */
  abstract editRequest(tape: Tape, systemText: Span, edits: Edits): void;

  /** Adds the edit that asks a stream for its usage. Returns whether the client had not asked for it. */
  abstract askUsage(tape: Tape, edits: Edits): bool;

  /** Returns how a client's own key is sent to a provider of this dialect. */
  abstract credentialScheme(key: Span): CredentialScheme;

  // ---- Responses of a provider

  /** Returns what cuts a stream into events. */
  newFramer(): Framer {
    return new SseFramer();
  }

  /** Returns a reader of one response. */
  abstract newReader(
    sink: ResponseSink,
    head: ResponseHead,
    usage: Usage,
    dropped: Dropped,
    requestId: string,
  ): ResponseReader;

  /** Whether the event in the tape carries content: with it the response has begun. */
  abstract isFirstToken(tape: Tape): bool;

  /** Whether the data of a stream's event (not empty) is only the usage that `askUsage` has asked for. */
  isUsageChunk(_pointer: usize, _length: u32): bool {
    return false;
  }

  /** Reads the usage of a complete response or of an event, if it has any. */
  abstract readUsage(tape: Tape, usage: Usage): void;

  // ---- Responses to a client

  /** Returns a writer of one streamed response. */
  abstract newStreamWriter(
    out: ByteBuffer,
    dropped: Dropped,
    usage: Usage,
    requestId: string,
    wantsUsage: bool,
  ): ResponseSink;

  /** Returns a writer of one complete response. */
  abstract newCompleteWriter(
    out: ByteBuffer,
    dropped: Dropped,
    usage: Usage,
    requestId: string,
  ): ResponseSink;

  /** Gives a fault of another dialect the signs by which SDKs and agents of this one recognise it. */
  abstract adaptFault(fault: Fault): void;

  /** Appends an error body. */
  abstract writeFault(fault: Fault, requestId: string, out: ByteBuffer): void;

  /** Appends the list of models. */
  abstract writeModels(ids: string[], owners: string[], out: ByteBuffer): void;

  /** Appends the time when a rate limit is whole again. `now` and `wait` in seconds. */
  abstract writeReset(now: u64, wait: u32, out: ByteBuffer): void;
}
