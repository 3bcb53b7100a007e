// Finds the places of sources in a text: Gemini counts bytes of UTF-8, other formats count characters.
// @see https://ai.google.dev/api/generate-content#Segment
// @see https://firebase.google.com/docs/reference/js/ai.segment ("measured in UTF-8 bytes")
import { Citation } from "../../../../hub/response/events";
import { NO_COUNT, readCount } from "../../../../bytes/json/number";
import { Tape } from "../../../../bytes/json/tape";
import { unescape } from "../../../../bytes/json/text";
import { byteAt } from "../../../../bytes/text/at";
import { ByteBuffer, constant, sameBytes, scratchBuffer } from "../../../../bytes/text/bytes";

/** Sources of a longer text stand for the whole of it. Bytes. */
const MAX_TEXT: u32 = 64 << 10;

const wanted = scratchBuffer();

export class GroundedText {
  /** The open block, unescaped. */
  private text: ByteBuffer = new ByteBuffer();
  /** A place, and how many characters are before it. */
  private at: u32 = 0;
  private characters: i64 = 0;
  private isFull: bool = false;

  /** Adds the inside of a JSON string, which may begin a new block. After a text that is too long no place is found. */
  append(pointer: usize, length: u32, isNew: bool): void {
    if (isNew) this.isFull = false;
    this.isFull = this.isFull || this.text.length + length > MAX_TEXT;
    if (isNew || this.isFull) {
      this.text.clear();
      this.at = 0;
      this.characters = 0;
    }
    if (!this.isFull) unescape(pointer, length, this.text);
  }

  /** Sets the place of a citation, which has none: it stands for the whole block if the segment is not in the text. */
  locate(tape: Tape, segment: u32, citation: Citation): void {
    const start = max(0, readCount(tape, tape.member(segment, constant("startIndex"))));
    const end = readCount(tape, tape.member(segment, constant("endIndex")));
    if (end == NO_COUNT || start >= end || end > <i64>this.text.length) return;
    const words = tape.member(segment, constant("text"));
    // A byte is at most 6 in JSON.
    if (!tape.isString(words) || <i64>tape.size(words) > 6 * (end - start)) return;
    wanted.clear();
    unescape(tape.pointer(words), tape.size(words), wanted);
    const found = this.text.pointer + <u32>start;
    if (!sameBytes(found, <u32>(end - start), wanted.pointer, wanted.length)) return;
    citation.from = this.charactersTo(<u32>start);
    citation.to = this.charactersTo(<u32>end);
  }

  release(): void {
    this.text.release();
  }

  /** Returns how many characters are before a place, which must be in the text. */
  private charactersTo(place: u32): i64 {
    if (place < this.at) {
      this.at = 0;
      this.characters = 0;
    }
    // Each byte but those that continue a character.
    for (; this.at < place; this.at++)
      if ((byteAt(this.text.pointer + this.at) & 0xc0) != 0x80) this.characters++;
    return this.characters;
  }
}
