// The events of a response, independent of any dialect: a dialect's reader calls a sink, another dialect's writer is one.
//
// Texts are the insides of JSON strings, still escaped, and valid during the call only: a sink that needs them later copies
// them. A complete response is the same events in one call. `end` or `fault` is the last event.
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, Span } from "../../bytes/text/bytes";
import { TextRuns } from "../../bytes/text/text-runs";
import { DROPPED_BLOCK, DROPPED_LOGPROBS, DROPPED_MEMBER, DROPPED_SERVER_TOOL } from "../dropped";
import { Fault } from "../faults/fault";
import { HostedCall } from "./hosted-call";
import { Translation } from "./translation";

/** Where a citation points to: a web page, or a part of a document or search result of the request. */
export const CITED_PAGE: i32 = 0;
export const CITED_DOCUMENT_PAGES: i32 = 1;
export const CITED_DOCUMENT_CHARACTERS: i32 = 2;
export const CITED_DOCUMENT_BLOCKS: i32 = 3;
export const CITED_SEARCH_RESULT: i32 = 4;

/** A source of a text. Escaped texts, valid during the call only. */
export class Citation {
  /** CITED_. */
  place: i32 = CITED_PAGE;
  /** Of a place in the request: which document or search result, and from where to where in it. */
  index: i64 = 0;
  /** Of a page: the characters of the text block that it stands for; `to` is 0 for the whole block. */
  from: i64 = 0;
  to: i64 = 0;
  /** Length 0 for a document. */
  url: usize = 0;
  urlLength: u32 = 0;
  title: usize = 0;
  titleLength: u32 = 0;
  /** The cited text, if the provider sends it. */
  cited: usize = 0;
  citedLength: u32 = 0;

  /** Whether its text has ended before: then it stands for the whole of it, where the format can still express that. */
  isLate: bool = false;

  /** Whether it stands for a part of the text block, from `from` to `to`. */
  get hasRange(): bool {
    return this.place == CITED_PAGE && this.to > 0;
  }

  /** Sets the source. A title or cited text that is no string is left out. */
  set(tape: Tape, url: u32, title: u32, cited: u32): void {
    this.url = tape.isString(url) ? tape.pointer(url) : 0;
    this.urlLength = tape.isString(url) ? tape.size(url) : 0;
    this.title = tape.isString(title) ? tape.pointer(title) : 0;
    this.titleLength = tape.isString(title) ? tape.size(title) : 0;
    this.cited = tape.isString(cited) ? tape.pointer(cited) : 0;
    this.citedLength = tape.isString(cited) ? tape.size(cited) : 0;
  }
}

export abstract class ResponseSink {
  constructor(
    /** Gets the client's bytes; may be a different buffer in each call. */
    public out: ByteBuffer,
    protected translation: Translation,
  ) {}

  /** Once, before everything else but `ping` and `fault`. The head of the response is known. */
  abstract begin(): void;
  abstract text(pointer: usize, length: u32): void;
  /** Several texts, one after the other. */
  texts(texts: TextRuns): void {
    for (let i: u32 = 0; i < texts.count; i++) this.text(texts.pointer(i), texts.length(i));
  }
  /** Log probabilities of the text after it: entries of OpenAI's form, comma-separated. */
  logprobs(_pointer: usize, _length: u32): void {
    this.translation.dropped.add(DROPPED_LOGPROBS);
  }
  /** An image: its media type, and its bytes in base64. */
  image(_type: usize, _typeLength: u32, _data: usize, _length: u32): void {
    this.translation.dropped.add(DROPPED_BLOCK);
  }
  /** Returns the sink of a choice after the first one, which its reader begins; null if the client has not asked for it. */
  choice(_index: i64): ResponseSink | null {
    return null;
  }
  /** The text of a refusal, if the provider sends it separately. */
  abstract refusal(pointer: usize, length: u32): void;
  abstract reasoning(pointer: usize, length: u32): void;
  /**
   * The signature of the reasoning block before it, or of one without text; `carrier`: CARRIER_, whose signature it is. It ends
   * the block.
   */
  abstract signature(carrier: i32, pointer: usize, length: u32): void;
  /** A whole block of encrypted reasoning. */
  abstract redactedReasoning(pointer: usize, length: u32): void;
  /** A source of the text block before it. */
  abstract citation(citation: Citation): void;
  /** A member of the provider's own beside the message; `name`: `,"trace":`. Only some formats have a place for it. */
  extra(_name: Span, _tape: Tape, _node: u32): void {
    this.translation.dropped.add(DROPPED_MEMBER);
  }
  /** What the provider ran for the model. */
  hosted(_call: HostedCall): void {
    this.translation.dropped.add(DROPPED_SERVER_TOOL);
  }
  /** The current block of text or reasoning ends. */
  abstract blockEnd(): void;
  /** A tool call; `slot` counts them from 0. Id and name are not empty. */
  abstract toolBegin(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void;
  /** A fragment of the call's arguments: escaped JSON, cut anywhere between two outer characters. */
  abstract toolArguments(slot: i32, pointer: usize, length: u32): void;
  /** Once for every call. */
  abstract toolEnd(slot: i32): void;
  /** Why the response ended, a FINISH_ constant, and the stop sequence if that was it. No content follows; usage may. */
  abstract finish(reason: i32, sequence: usize, sequenceLength: u32): void;
  /** Usage is complete. */
  abstract usageFinal(): void;
  /** The upstream keeps the connection alive. */
  abstract ping(): void;
  /** The clean end. */
  abstract end(): void;
  /** The response failed. */
  abstract fault(fault: Fault): void;
  abstract release(): void;
}
