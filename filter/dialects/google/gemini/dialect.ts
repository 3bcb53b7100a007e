// Gemini's generateContent, of the Gemini API and of Vertex AI: for providers only.
import { GEMINI } from "../../../../contract/dialects";
import { Dropped } from "../../../hub/dropped";
import { ResponseHead, ResponseSink } from "../../../hub/response/events";
import { Fault } from "../../../hub/faults/fault";
import { HubRequest } from "../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../hub/request/request-report";
import { ResponseReader } from "../../../hub/response/response-reader";
import { Usage } from "../../../hub/response/usage";
import { Tape } from "../../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../../bytes/text/bytes";
import { ProviderDialect } from "../../provider-dialect";
import { cutToCount } from "./request/count-request";
import { failureOf } from "./response/failure";
import { isFirstToken } from "./response/first-token";
import { GeminiReader } from "./response/read";
import { UsageReader } from "./response/read-usage";
import { SUPPORTED } from "./supported";
import { GeminiWriter } from "./request/write";

export class Gemini extends ProviderDialect {
  private writer: GeminiWriter = new GeminiWriter();

  constructor() {
    super(GEMINI, SUPPORTED);
    this.signsCallIds = true;
    this.countMember = constant("totalTokens");
  }

  writeRequest(
    request: HubRequest,
    model: Span,
    systemPrompt: Span,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    this.writer.write(request, model, systemPrompt, limits, out, report);
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

  cutToCount(out: ByteBuffer, path: Span, model: Span): void {
    cutToCount(out, path, model);
  }

  writeCountPath(path: Span, model: Span, out: ByteBuffer): void {
    this.writeModelPath(path, model, constant(":countTokens"), out);
  }

  newReader(
    sink: ResponseSink,
    head: ResponseHead,
    usage: Usage,
    dropped: Dropped,
    requestId: ByteBuffer,
  ): ResponseReader {
    return new GeminiReader(sink, head, usage, dropped, requestId);
  }

  failureOf(tape: Tape): Fault | null {
    return failureOf(tape, 0);
  }

  isFirstToken(tape: Tape): bool {
    return isFirstToken(tape);
  }

  readUsage(tape: Tape, usage: Usage): void {
    const node = tape.member(0, constant("usageMetadata"));
    if (tape.isObject(node)) new UsageReader().read(tape, node, usage);
  }
}
