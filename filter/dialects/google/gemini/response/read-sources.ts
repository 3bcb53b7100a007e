// Reads the sources of a candidate: what a search found, and where recited texts come from.
// @see https://ai.google.dev/api/generate-content#GroundingMetadata
import { DROPPED_CITATION } from "../../../../hub/dropped";
import { HOSTED_SEARCH } from "../../../../hub/request/hosted-tools";
import { appendString, HostedCall } from "../../../../hub/response/hosted-call";
import { Citation, ResponseSink } from "../../../../hub/response/events";
import { Translation } from "../../../../hub/response/translation";
import { SEARCH_BY_REQUEST } from "../../../../hub/request/request-notes";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { NO_COUNT, readCount } from "../../../../bytes/json/number";
import { constant } from "../../../../bytes/text/bytes";
import { GroundedText } from "./grounded-text";

/** The same list at the Gemini API and at Vertex AI. */
const TITLE = constant("title");
const CITATION_SOURCES = constant("citationSources");

/** Later sources stand for the whole text. */
const MAX_PLACED: i64 = 64;
/** More places in the text are dropped. */
const MAX_PLACES: u32 = 256;
/** More cited text is dropped: each source of a segment cites all of it. Bytes. */
const MAX_WORDS: u32 = 256 << 10;

export class SourceReader {
  /** Events may repeat the sources of earlier ones: the number of those that have been read. */
  private chunks: u32 = 0;
  private recited: u32 = 0;
  private supports: u32 = 0;
  private places: u32 = 0;
  private words: u32 = 0;
  /** Those of the first MAX_PLACED sources that have a place in the text: a bit for each. */
  private placed: u64 = 0;
  /** What was searched for and found, until its end; and how many sources it has read. */
  private search: HostedCall | null = null;
  private pages: u32 = 0;
  private hasSearched: bool = false;
  /** Whether the text that the sources belong to has ended. */
  isLate: bool = false;
  /** Queries of the calls that were read. */
  private called: i64 = 0;
  private citation: Citation = new Citation();

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {}

  /** Reads `groundingMetadata`. The member of a chunk is its kind: `web`, `retrievedContext`, `maps`. */
  readGrounding(tape: Tape, metadata: u32, text: GroundedText | null): void {
    this.charge(countQueries(tape, tape.member(metadata, constant("webSearchQueries"))));
    const list = tape.member(metadata, constant("groundingChunks"));
    if (!tape.isArray(list)) return;
    if (text !== null)
      this.readSupports(tape, tape.member(metadata, constant("groundingSupports")), list, text);
    let count: u32 = 0;
    const end = tape.next(list);
    for (let chunk = tape.first(list); chunk < end; chunk = tape.next(chunk)) {
      const place = count++;
      const isPlaced = place < <u32>MAX_PLACED && ((this.placed >> place) & 1) != 0;
      if (place >= this.chunks && !isPlaced) this.cite(tape, sourceOf(tape, chunk));
    }
    this.chunks = max(this.chunks, count);
  }

  /** Reads which sources stand for which segments of the text. */
  private readSupports(tape: Tape, supports: u32, chunks: u32, text: GroundedText): void {
    if (!tape.isArray(supports)) return;
    let count: u32 = 0;
    const end = tape.next(supports);
    for (let support = tape.first(supports); support < end; support = tape.next(support)) {
      if (count++ < this.supports) continue;
      const indices = tape.member(support, constant("groundingChunkIndices"));
      const last = tape.isArray(indices) ? tape.next(indices) : 0;
      const segment = tape.member(support, constant("segment"));
      let seen: u64 = 0;
      for (let index = tape.first(indices); index < last; index = tape.next(index)) {
        const place = readCount(tape, index);
        const chunk =
          place == NO_COUNT || place >= MAX_PLACED ? NO_NODE : itemAt(tape, chunks, place);
        if (chunk == NO_NODE || this.places >= MAX_PLACES) {
          this.translation.dropped.add(DROPPED_CITATION);
          continue;
        }
        if (((seen >> (<u64>place)) & 1) != 0) continue;
        if (seen == 0) text.locate(tape, segment, this.citation);
        seen |= (<u64>1) << place;
        this.places++;
        this.cite(tape, sourceOf(tape, chunk), this.wordsOf(tape, segment));
      }
      this.placed |= seen;
      this.citation.from = 0;
      this.citation.to = 0;
    }
    this.supports = max(this.supports, count);
  }

  /** Returns the text of a segment for one more citation; NO_NODE after too much of it. */
  private wordsOf(tape: Tape, segment: u32): u32 {
    const words = tape.member(segment, constant("text"));
    if (!tape.isString(words)) return NO_NODE;
    const size = tape.size(words);
    if (size > MAX_WORDS - this.words) {
      this.translation.dropped.add(DROPPED_CITATION);
      return NO_NODE;
    }
    this.words += size;
    return words;
  }

  /** Reads the arguments of a call of a search, whose queries the metadata repeat. */
  readCall(tape: Tape, args: u32): void {
    const queries = tape.member(args, constant("queries"));
    if (!tape.hasItems(queries)) return;
    if (!this.hasSearched) {
      this.hasSearched = true;
      this.search = new HostedCall(HOSTED_SEARCH);
    }
    this.called += countQueries(tape, queries);
    const search = this.search;
    if (search !== null) addQueries(tape, queries, search);
    this.charge(this.called);
  }

  /** Reads what was searched for and found. */
  readSearch(tape: Tape, metadata: u32): void {
    const queries = tape.member(metadata, constant("webSearchQueries"));
    let call = this.search;
    if (call === null) {
      if (this.hasSearched || !tape.hasItems(queries)) return;
      this.hasSearched = true;
      call = new HostedCall(HOSTED_SEARCH);
      this.search = call;
      addQueries(tape, queries, call);
    }
    const list = tape.member(metadata, constant("groundingChunks"));
    const end = tape.isArray(list) ? tape.next(list) : 0;
    let count: u32 = 0;
    for (let chunk = tape.first(list); chunk < end; chunk = tape.next(chunk)) {
      const page = tape.member(chunk, constant("web"));
      if (count++ >= this.pages)
        call.addPage(tape, tape.member(page, constant("uri")), tape.member(page, TITLE));
    }
    this.pages = max(this.pages, count);
  }

  /** Ends the search, if there was one: it is one event after the text, because the sources of a stream come last. */
  endSearch(): void {
    const call = this.search;
    this.search = null;
    if (call === null) return;
    this.sink.hosted(call);
    call.release();
  }

  release(): void {
    const call = this.search;
    if (call !== null) call.release();
  }

  /** Reads `citationMetadata`. */
  readCitations(tape: Tape, metadata: u32): void {
    let list = tape.member(metadata, CITATION_SOURCES);
    if (!tape.isArray(list)) list = tape.member(metadata, constant("citations"));
    if (!tape.isArray(list)) return;
    let count: u32 = 0;
    const end = tape.next(list);
    for (let source = tape.first(list); source < end; source = tape.next(source)) {
      if (count++ >= this.recited) this.cite(tape, source);
    }
    this.recited = max(this.recited, count);
  }

  /**
   * Charges the searches of the response, of which the calls and the metadata both have a list.
   * @see https://ai.google.dev/gemini-api/docs/google-search#pricing
   */
  private charge(count: i64): void {
    if (this.translation.notes.search == SEARCH_BY_REQUEST) count = min(count, 1);
    const usage = this.translation.usage;
    usage.searches = max(usage.searches, count);
  }

  /** Cites a source for the place that the citation has. `words`: the text there. */
  private cite(tape: Tape, source: u32, words: u32 = NO_NODE): void {
    const uri = tape.member(source, constant("uri"));
    if (!tape.isString(uri) || tape.size(uri) == 0) {
      this.translation.dropped.add(DROPPED_CITATION);
      return;
    }
    this.citation.isLate = this.isLate;
    this.citation.set(tape, uri, tape.member(source, TITLE), words);
    this.sink.citation(this.citation);
  }
}

/** Returns the number of queries; empty ones are not charged. */
function countQueries(tape: Tape, queries: u32): i64 {
  if (!tape.isArray(queries)) return 0;
  let count: i64 = 0;
  const end = tape.next(queries);
  for (let query = tape.first(queries); query < end; query = tape.next(query)) {
    if (tape.isString(query) && tape.size(query) > 0) count++;
  }
  return count;
}

function addQueries(tape: Tape, queries: u32, call: HostedCall): void {
  const last = tape.next(queries);
  for (let query = tape.first(queries); query < last; query = tape.next(query)) {
    if (call.input.length > 0) call.input.text(", ");
    appendString(tape, query, call.input);
  }
}

/** Returns the source of a chunk, the member that names its kind. */
function sourceOf(tape: Tape, chunk: u32): u32 {
  return tape.isObject(chunk) && !tape.isEmpty(chunk) ? tape.first(chunk) + 1 : NO_NODE;
}

/** Returns an item of a list; NO_NODE if it has fewer. */
function itemAt(tape: Tape, list: u32, index: i64): u32 {
  const end = tape.next(list);
  let item = tape.first(list);
  for (let i: i64 = 0; i < index && item < end; i++) item = tape.next(item);
  return item < end ? item : NO_NODE;
}
