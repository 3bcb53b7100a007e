// Reads reasoning of chat providers: plain text (`reasoning_content`, `reasoning`) and OpenRouter's `reasoning_details`,
// which may hold signatures and encrypted blocks (docs/decisions/2026-11-21-reasoning-carrier.md).
// @see https://openrouter.ai/docs/use-cases/reasoning-tokens#reasoning-details-array-structure
import { DROPPED_SIGNATURE } from "../../../../hub/dropped";
import { ResponseSink } from "../../../../hub/response/events";
import { Translation } from "../../../../hub/response/translation";
import {
  CARRIER_SIGNED,
  MEMBER_DETAILS,
  MEMBER_PARTS,
  MEMBER_SUMMARY,
} from "../../../../hub/reasoning-carrier";
import { NO_COUNT, readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";

/** Where the text is read from: some providers send it twice, as text and as details. The first with text decides. */
const SOURCE_OPEN: i32 = 0;
const SOURCE_TEXT: i32 = 1;
const SOURCE_DETAILS: i32 = 2;

export class ReasoningReader {
  private source: i32 = SOURCE_OPEN;
  private hasContent: bool = false;
  /** `index` of the last detail that had text. */
  private lastIndex: i64 = NO_COUNT;

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {}

  /** Whether reasoning comes as text alone. */
  get isPlain(): bool {
    return this.source == SOURCE_TEXT;
  }

  /** Reads events that differ from the last one in their text alone. */
  repeat(texts: TextRuns): void {
    this.hasContent = false;
    for (let i: u32 = 0; i < texts.count; i++)
      this.sink.reasoning(texts.pointer(i), texts.length(i));
  }

  /** Text or tool calls have begun: the reasoning block before them has ended. */
  contentBegins(): void {
    this.hasContent = true;
  }

  /** `text`, which came in the member `letter` (MEMBER_), and `details` may be missing. */
  read(tape: Tape, text: u32, letter: u32, details: u32): void {
    const hasText = tape.isString(text) && tape.size(text) > 0;
    if (this.source == SOURCE_OPEN) {
      if (this.detailsHaveText(tape, details)) this.source = SOURCE_DETAILS;
      else if (hasText) {
        this.source = SOURCE_TEXT;
        this.translation.markReasoning(letter, 0, 0);
      }
    }
    if (hasText && this.source == SOURCE_TEXT) {
      // The signature of an earlier part is not that of the next one.
      if (letter == MEMBER_PARTS && this.hasContent) this.translation.markReasoning(letter, 0, 0);
      this.hasContent = false;
      this.sink.reasoning(tape.pointer(text), tape.size(text));
    }
    if (!tape.isArray(details)) return;
    for (
      let entry = tape.first(details), end = tape.next(details);
      entry < end;
      entry = tape.next(entry)
    ) {
      this.readDetail(tape, entry);
    }
  }

  /** Reads the signature of a thinking part, after its texts. */
  signPart(tape: Tape, signature: u32): void {
    if (!tape.isString(signature) || tape.size(signature) == 0) return;
    if (this.hasContent) {
      this.translation.dropped.add(DROPPED_SIGNATURE);
      return;
    }
    this.translation.markReasoning(MEMBER_PARTS, tape.pointer(signature), tape.size(signature));
    // A block, although it may have no text.
    this.sink.reasoning(tape.pointer(signature), 0);
  }

  private detailsHaveText(tape: Tape, details: u32): bool {
    if (!tape.isArray(details)) return false;
    for (
      let entry = tape.first(details), end = tape.next(details);
      entry < end;
      entry = tape.next(entry)
    ) {
      if (textOf(tape, entry) != NO_NODE) return true;
    }
    return false;
  }

  private readDetail(tape: Tape, entry: u32): void {
    const data = tape.member(entry, constant("data"));
    if (tape.isString(data) && tape.size(data) > 0) {
      this.sink.redactedReasoning(tape.pointer(data), tape.size(data));
      return;
    }
    const text = textOf(tape, entry);
    if (this.source == SOURCE_DETAILS && text != NO_NODE) {
      const index = readCount(tape, tape.member(entry, constant("index")));
      if (index != this.lastIndex && this.lastIndex != NO_COUNT) this.sink.blockEnd();
      this.lastIndex = index;
      this.hasContent = false;
      const isText = tape.isString(tape.member(entry, constant("text")));
      const format = tape.member(entry, constant("format"));
      const size = tape.isString(format) ? tape.size(format) : 0;
      const letter = isText ? MEMBER_DETAILS : MEMBER_SUMMARY;
      this.translation.markReasoning(letter, tape.pointer(format), size);
      this.sink.reasoning(tape.pointer(text), tape.size(text));
    }
    const signature = tape.member(entry, constant("signature"));
    if (!tape.isString(signature) || tape.size(signature) == 0) return;
    if (this.hasContent) this.translation.dropped.add(DROPPED_SIGNATURE);
    else this.sink.signature(CARRIER_SIGNED, tape.pointer(signature), tape.size(signature));
  }
}

/** Returns the text of a detail, NO_NODE if it has none. */
function textOf(tape: Tape, entry: u32): u32 {
  const text = tape.member(entry, constant("text"));
  if (tape.isString(text) && tape.size(text) > 0) return text;
  const summary = tape.member(entry, constant("summary"));
  return tape.isString(summary) && tape.size(summary) > 0 ? summary : NO_NODE;
}
