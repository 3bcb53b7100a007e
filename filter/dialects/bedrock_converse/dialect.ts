// Amazon Bedrock's Converse API: one format for all of its models. No client uses it.
import { BEDROCK_CONVERSE } from "../../../contract/dialects";
import { Dropped } from "../../hub/dropped";
import { ResponseHead, ResponseSink } from "../../hub/events";
import { HubRequest } from "../../hub/request";
import { RequestLimits, RequestReport } from "../../hub/request-report";
import { ResponseReader } from "../../hub/response-reader";
import { Usage } from "../../hub/usage";
import { EventStreamFramer } from "../../bytes/event-stream/framer";
import { Framer } from "../../bytes/framer";
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";
import { percentEncode } from "../../bytes/text/url-value";
import { ProviderDialect } from "../provider-dialect";
import { isFirstToken } from "./first-token";
import { BedrockConverseReader } from "./read-response";
import { readUsage } from "./read-usage";
import { SUPPORTED } from "./supported";
import { writeRequest } from "./write-request";

const CONVERSE = constant("/converse");
const CONVERSE_STREAM = constant("/converse-stream");
const USAGE = constant("usage");

export class BedrockConverse extends ProviderDialect {
  constructor() {
    super(BEDROCK_CONVERSE, SUPPORTED);
  }

  writeRequest(
    request: HubRequest,
    _model: Span,
    systemPrompt: Span,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    writeRequest(request, systemPrompt, limits, out, report);
  }

  /** The model, which may be an ARN with slashes and colons, is one segment of the path. */
  writePath(path: Span, model: Span, isStreaming: bool, out: ByteBuffer): void {
    out.span(path);
    percentEncode(model.pointer, model.length, out);
    out.span(isStreaming ? CONVERSE_STREAM : CONVERSE);
  }

  newFramer(): Framer {
    return new EventStreamFramer();
  }

  newReader(
    sink: ResponseSink,
    head: ResponseHead,
    usage: Usage,
    dropped: Dropped,
    requestId: string,
  ): ResponseReader {
    return new BedrockConverseReader(sink, head, usage, dropped, requestId);
  }

  isFirstToken(tape: Tape): bool {
    return isFirstToken(tape);
  }

  readUsage(tape: Tape, usage: Usage): void {
    readUsage(tape, tape.member(0, USAGE), usage);
  }
}
