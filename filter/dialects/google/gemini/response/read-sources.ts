// Reads the sources of a candidate: what a search found, and where recited texts come from.
// @see https://ai.google.dev/api/generate-content#GroundingMetadata
import { DROPPED_CITATION } from "../../../../hub/dropped";
import { Citation, ResponseSink } from "../../../../hub/response/events";
import { Translation } from "../../../../hub/response/translation";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

/** The same list at the Gemini API and at Vertex AI. */
const CITATION_SOURCES = constant("citationSources");

export class SourceReader {
  /** Events may repeat the sources of earlier ones: the number of those that have been read. */
  private chunks: u32 = 0;
  private recited: u32 = 0;
  private citation: Citation = new Citation();

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {}

  /** Reads `groundingMetadata`. The member of a chunk is its kind: `web`, `retrievedContext`, `maps`. */
  readGrounding(tape: Tape, metadata: u32): void {
    this.countQueries(tape, tape.member(metadata, constant("webSearchQueries")));
    const list = tape.member(metadata, constant("groundingChunks"));
    if (!tape.isArray(list)) return;
    let count: u32 = 0;
    const end = tape.next(list);
    for (let chunk = tape.first(list); chunk < end; chunk = tape.next(chunk)) {
      if (count++ < this.chunks) continue;
      const hasKind = tape.isObject(chunk) && !tape.isEmpty(chunk);
      this.cite(tape, hasKind ? tape.first(chunk) + 1 : NO_NODE);
    }
    this.chunks = max(this.chunks, count);
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
   * Counts what was searched for; empty queries are not charged.
   * @see https://ai.google.dev/gemini-api/docs/google-search#pricing
   */
  private countQueries(tape: Tape, queries: u32): void {
    if (!tape.isArray(queries)) return;
    let count: i64 = 0;
    const end = tape.next(queries);
    for (let query = tape.first(queries); query < end; query = tape.next(query)) {
      if (tape.isString(query) && tape.size(query) > 0) count++;
    }
    const usage = this.translation.usage;
    usage.searches = max(usage.searches, count);
  }

  private cite(tape: Tape, source: u32): void {
    const uri = tape.member(source, constant("uri"));
    if (!tape.isString(uri) || tape.size(uri) == 0) {
      this.translation.dropped.add(DROPPED_CITATION);
      return;
    }
    this.citation.set(tape, uri, tape.member(source, constant("title")), NO_NODE);
    this.sink.citation(this.citation);
  }
}
