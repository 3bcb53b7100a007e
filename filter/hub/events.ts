// What happens in a response, in the hub's words: readers of one dialect say it, writers of the other hear it.
//
// Texts are the raw inside of JSON strings, still escaped, and stay the caller's: a sink that needs them later copies.
// A complete response is the same events in one go. After `end` or `fault` nothing follows.
import { ByteBuffer } from "../bytes/text/bytes";
import { Fault } from "./fault";

/** What a response says of itself before its content. Texts are escaped. */
export class ResponseHead {
  /** The upstream's id of the response, empty if it has none. */
  id: ByteBuffer = new ByteBuffer();
  model: ByteBuffer = new ByteBuffer();
  /** OpenAI's system_fingerprint, empty if there is none. */
  fingerprint: ByteBuffer = new ByteBuffer();
  tier: i32 = TIER_UNKNOWN;
  /** Seconds since 1970. */
  created: i64 = 0;

  release(): void {
    this.id.release();
    this.model.release();
    this.fingerprint.release();
  }
}

/** The tier that served the request. OpenAI: default, flex, scale, priority. Anthropic: standard, batch, priority. */
export const TIER_UNKNOWN: i32 = 0;
export const TIER_STANDARD: i32 = 1;
export const TIER_PRIORITY: i32 = 2;
export const TIER_BATCH: i32 = 3;
export const TIER_FLEX: i32 = 4;
export const TIER_SCALE: i32 = 5;

/** A source that a text names. Escaped texts, valid during the call only. */
export class Citation {
  url: usize = 0;
  urlLength: u32 = 0;
  title: usize = 0;
  titleLength: u32 = 0;
  /** The words that were cited, where the provider gives them. */
  cited: usize = 0;
  citedLength: u32 = 0;
}

export abstract class ResponseSink {
  constructor(
    /** Where the client's bytes go; may be another buffer in each call. */
    public out: ByteBuffer,
  ) {}

  /** Once, before everything else but `ping` and `fault`. The head stays valid until the response's end. */
  abstract begin(head: ResponseHead): void;
  abstract text(pointer: usize, length: u32): void;
  /** Words of a refusal, where the provider keeps them apart from its text. */
  abstract refusal(pointer: usize, length: u32): void;
  abstract reasoning(pointer: usize, length: u32): void;
  /** The signature of the reasoning block before it, or of one without text. */
  abstract signature(pointer: usize, length: u32): void;
  /** A whole block of encrypted reasoning. */
  abstract redactedReasoning(pointer: usize, length: u32): void;
  /** A source of the text block before it. */
  abstract citation(citation: Citation): void;
  /** The block of text or reasoning before it is whole; the next one is another block, whatever its kind. */
  abstract blockEnd(): void;
  /** A tool call; `slot` counts them from 0. Id and name are not empty. */
  abstract toolBegin(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void;
  /** A fragment of the call's arguments: escaped JSON, cut anywhere between two outer characters. */
  abstract toolArguments(slot: i32, pointer: usize, length: u32): void;
  /** Once for every call. */
  abstract toolEnd(slot: i32): void;
  /** Why the response ended, a FINISH_ constant, and the stop sequence if that was it. No content follows; usage may. */
  abstract finish(reason: i32, sequence: usize, sequenceLength: u32): void;
  /** Usage will not change any more. */
  abstract usageFinal(): void;
  /** The upstream is alive but has nothing to say. */
  abstract ping(): void;
  /** The clean end. */
  abstract end(): void;
  /** The response failed. */
  abstract fault(fault: Fault): void;
  abstract release(): void;
}
