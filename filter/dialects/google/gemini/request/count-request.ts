// A request of countTokens. The Gemini API takes a whole request of generateContent, Vertex AI a few members of it.
// @see https://ai.google.dev/api/tokens
// @see https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/projects.locations.publishers.models/countTokens
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { contains } from "../../../../bytes/text/find";
import { keepMembers } from "../../../keep-members";

const VERTEX_MEMBERS: Span[] = [
  constant("contents"),
  constant("systemInstruction"),
  constant("tools"),
  constant("generationConfig"),
];
/** Behind the model, instead of the brace that opens the request. */
const AFTER_MODEL = constant('",');
const CLOSE: u32 = 0x7d;

const counted = scratchBuffer();

/** Turns the request in `out` into one of countTokens. `path`: what stands before the model, which is inside a JSON string. */
export function cutToCount(out: ByteBuffer, path: Span, model: Span): void {
  if (contains(path.pointer, path.length, constant("/publishers/"))) {
    keepMembers(out, VERTEX_MEMBERS);
    return;
  }
  if (out.length == 0) return;
  counted.clear();
  counted.bytes(out.pointer, out.length);
  out.clear();
  out.text('{"generateContentRequest":{"model":"models/');
  out.span(model);
  out.span(AFTER_MODEL);
  out.bytes(counted.pointer + 1, counted.length - 1);
  out.byte(CLOSE);
}
