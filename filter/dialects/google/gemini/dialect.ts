// Gemini's generateContent, of the Gemini API and of Vertex AI: for providers only.
import { GEMINI } from "../../../../contract/dialects";
import { ResponseSink } from "../../../hub/response/events";
import { Translation } from "../../../hub/response/translation";
import { Fault } from "../../../hub/faults/fault";
import { ResponseReader } from "../../../hub/response/response-reader";
import { Usage } from "../../../hub/response/usage";
import { Tape } from "../../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../bytes/text/bytes";
import { contains } from "../../../bytes/text/find";
import { keepMembers } from "../../keep-members";
import { ProviderDialect } from "../../provider-dialect";
import { ERROR, failureIn } from "./response/failure";
import { GeminiReader } from "./response/read";
import { UsageReader } from "./response/read-usage";
import { SUPPORTED } from "./supported";
import { GeminiWriter } from "./request/write";

const CANDIDATES = constant("candidates");

/**
 * What Vertex AI accepts to count tokens; the Gemini API accepts a whole request.
 * @see https://ai.google.dev/api/tokens
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/projects.locations.publishers.models/countTokens
 */
const VERTEX_MEMBERS: Span[] = [
  constant("contents"),
  constant("systemInstruction"),
  constant("tools"),
  constant("generationConfig"),
];

const counted = scratchBuffer();

export class Gemini extends ProviderDialect {
  constructor() {
    super(GEMINI, SUPPORTED, new GeminiWriter());
    this.leavesMarks = true;
    this.countMember = constant("totalTokens");
  }

  /** The model is in the path, as one segment. */
  writePath(path: Span, model: Span, isStreaming: bool, out: ByteBuffer): void {
    this.writeModelPath(
      path,
      model,
      isStreaming ? constant(":streamGenerateContent?alt=sse") : constant(":generateContent"),
      out,
    );
  }

  /** Turns the request in `out` into one of countTokens. `path`: what stands before the model, which is inside a JSON string. */
  cutToCount(out: ByteBuffer, path: Span, model: Span): void {
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
    out.text('",');
    out.bytes(counted.pointer + 1, counted.length - 1);
    out.byte(0x7d);
  }

  writeCountPath(path: Span, model: Span, out: ByteBuffer): void {
    this.writeModelPath(path, model, constant(":countTokens"), out);
  }

  newReader(sink: ResponseSink, translation: Translation): ResponseReader {
    return new GeminiReader(sink, translation);
  }

  failureOf(tape: Tape): Fault | null {
    return failureIn(tape, 0, tape.member(0, ERROR), tape.member(0, CANDIDATES));
  }

  /** Any part but an empty text, the reason why the response ended, or a blocked prompt. */
  isFirstToken(tape: Tape): bool {
    if (
      tape.isString(
        tape.member(tape.member(0, constant("promptFeedback")), constant("blockReason")),
      )
    )
      return true;
    const candidates = tape.member(0, CANDIDATES);
    if (!tape.isArray(candidates)) return false;
    const end = tape.next(candidates);
    for (let one = tape.first(candidates); one < end; one = tape.next(one)) {
      if (tape.isString(tape.member(one, constant("finishReason")))) return true;
      if (hasContent(tape, tape.member(tape.member(one, constant("content")), constant("parts"))))
        return true;
    }
    return false;
  }

  readUsage(tape: Tape, usage: Usage): void {
    const node = tape.member(0, constant("usageMetadata"));
    if (tape.isObject(node)) new UsageReader().read(tape, node, usage);
  }
}

function hasContent(tape: Tape, parts: u32): bool {
  if (!tape.isArray(parts)) return false;
  const end = tape.next(parts);
  for (let part = tape.first(parts); part < end; part = tape.next(part)) {
    const text = tape.member(part, constant("text"));
    if (!tape.isString(text) || tape.size(text) > 0) return true;
  }
  return false;
}
