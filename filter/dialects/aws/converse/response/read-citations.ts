// Reads citations: the source of a text, and where the cited text is in it.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CitationLocation.html
import { DROPPED_CITATION } from "../../../../hub/dropped";
import {
  CITED_DOCUMENT_BLOCKS,
  CITED_DOCUMENT_CHARACTERS,
  CITED_DOCUMENT_PAGES,
  CITED_PAGE,
  CITED_SEARCH_RESULT,
  Citation,
  ResponseSink,
} from "../../../../hub/response/events";
import { Translation } from "../../../../hub/response/translation";
import { countOr } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, scratchBuffer } from "../../../../bytes/text/bytes";

const cited = scratchBuffer();
const citation = new Citation();

export class CitationReader {
  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {}

  readAll(tape: Tape, list: u32): void {
    if (!tape.isArray(list)) return;
    for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item))
      this.read(tape, item);
  }

  read(tape: Tape, node: u32): void {
    const key = tape.first(tape.member(node, constant("location")));
    const location = key == NO_NODE ? NO_NODE : key + 1;
    const place = placeOf(tape, key);
    const isInDocument = place != CITED_PAGE && place != CITED_SEARCH_RESULT;
    let url = tape.member(location, constant("url"));
    if (!isInDocument && !tape.isString(url)) url = tape.member(node, constant("source"));
    if (!isInDocument && !tape.isString(url)) {
      this.translation.dropped.add(DROPPED_CITATION);
      return;
    }
    citation.set(tape, isInDocument ? NO_NODE : url, tape.member(node, constant("title")), NO_NODE);
    readTexts(tape, tape.member(node, constant("sourceContent")));
    citation.cited = cited.pointer;
    citation.citedLength = cited.length;
    citation.place = place;
    let index = tape.member(location, constant("documentIndex"));
    if (index == NO_NODE) index = tape.member(location, constant("searchResultIndex"));
    citation.index = countOr(tape, index, 0);
    citation.from = countOr(tape, tape.member(location, constant("start")), 0);
    citation.to = countOr(tape, tape.member(location, constant("end")), 0);
    this.sink.citation(citation);
  }
}

/** Returns the place that the name of a location stands for. */
function placeOf(tape: Tape, name: u32): i32 {
  if (tape.equals(name, constant("documentPage"))) return CITED_DOCUMENT_PAGES;
  if (tape.equals(name, constant("documentChar"))) return CITED_DOCUMENT_CHARACTERS;
  if (tape.equals(name, constant("documentChunk"))) return CITED_DOCUMENT_BLOCKS;
  return tape.equals(name, constant("searchResultLocation")) ? CITED_SEARCH_RESULT : CITED_PAGE;
}

/** Joins the texts of a list. */
function readTexts(tape: Tape, list: u32): void {
  cited.clear();
  if (!tape.isArray(list)) return;
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    const text = tape.member(item, constant("text"));
    if (tape.isString(text)) cited.bytes(tape.pointer(text), tape.size(text));
  }
}
