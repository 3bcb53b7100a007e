// Estimates the input tokens of a request that no provider counts.
import { KIND_NUMBER, KIND_STRING, Tape } from "../../bytes/json/tape";
import { constant, Span } from "../../bytes/text/bytes";

/** What a model reads of a request. */
const MEMBERS: Span[] = [constant("system"), constant("tools"), constant("messages")];

const TYPE = constant("type");
const IMAGE = constant("image");
const BASE64 = constant("base64");

/** Two tokens have seven bytes: English has four a token, code and JSON three. */
const BYTES_OF_TWO: u64 = 7;
/** The most that Anthropic scales an image to. */
const IMAGE_TOKENS: u64 = 1600;

/** Types of the objects that hold an image, or another file, in all dialects. */
const IMAGES: Span[] = [
  IMAGE,
  constant("image_url"),
  constant("input_image"),
  constant("computer_screenshot"),
];
const DOCUMENTS: Span[] = [
  BASE64,
  constant("file"),
  constant("input_file"),
  constant("input_audio"),
];
/** Bytes of text that cost as much as an image, or as a long document. */
const IMAGE_BYTES: u32 = 6400;
const DOCUMENT_BYTES: u32 = 131072;
/** Content that is larger makes a request larger than this. */
const SMALL: u32 = 65536;

/** Returns the tokens of a scanned request, rounded up. `extraBytes`: of texts that are added to it. */
export function estimateTokens(tape: Tape, extraBytes: u32): u32 {
  let bytes: u64 = extraBytes;
  let images: u64 = 0;
  for (let i = 0; i < MEMBERS.length; i++) {
    const member = tape.member(0, MEMBERS[i]);
    const end = tape.next(member);
    for (let node = member; node < end;) {
      if (tape.isObject(node) && isImage(tape, node)) {
        images++;
        node = tape.next(node);
        continue;
      }
      // Names and values alike: those of a schema are read, and the others are as long as what frames a message.
      const kind = tape.kind(node);
      if (kind == KIND_STRING || kind == KIND_NUMBER) bytes += tape.size(node);
      node++;
    }
  }
  return <u32>((bytes * 2 + BYTES_OF_TWO - 1) / BYTES_OF_TWO + images * IMAGE_TOKENS);
}

/**
 * Returns the bytes of a scanned request that count as text: all of them, but of the content of an image or a document only as
 * many as their tokens may be.
 */
export function promptByteCount(tape: Tape): u32 {
  let bytes = tape.length;
  if (bytes <= SMALL) return bytes;
  const end = tape.count;
  // A form, which is large because of its file.
  if (end == 0) return min(bytes, DOCUMENT_BYTES);
  for (let node: u32 = 0; node < end; node++) {
    const most = tape.isObject(node) ? mostBytes(tape, tape.member(node, TYPE)) : 0;
    if (most == 0) continue;
    const next = tape.next(node);
    for (; node < next; node++) {
      if (tape.isString(node) && tape.size(node) > most) bytes -= tape.size(node) - most;
    }
    node--;
  }
  return bytes;
}

/** Returns how many bytes of content an object with this type has at most; 0 if it is text. */
function mostBytes(tape: Tape, type: u32): u32 {
  if (!tape.isString(type)) return 0;
  if (tape.indexIn(type, IMAGES) >= 0) return IMAGE_BYTES;
  return tape.indexIn(type, DOCUMENTS) >= 0 ? DOCUMENT_BYTES : 0;
}

/** Returns whether an object is an image, or the base64 source of another document. */
function isImage(tape: Tape, object: u32): bool {
  const type = tape.member(object, TYPE);
  return tape.equals(type, IMAGE) || tape.equals(type, BASE64);
}
