// Estimates the input tokens of a request that no provider counts.
import { KIND_NUMBER, KIND_STRING, Tape } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";

/** What a model reads of a request. */
const MEMBERS: Span[] = [constant("system"), constant("tools"), constant("messages")];

const TYPE = constant("type");
const IMAGE = constant("image");
const BASE64 = constant("base64");

/** Two tokens have seven bytes: English has four a token, code and JSON three. */
const BYTES_OF_TWO: u64 = 7;
/** The most that Anthropic scales an image to. */
const IMAGE_TOKENS: u64 = 1600;

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

/** Returns whether an object is an image, or the base64 source of another document. */
function isImage(tape: Tape, object: u32): bool {
  const type = tape.member(object, TYPE);
  return tape.equals(type, IMAGE) || tape.equals(type, BASE64);
}
