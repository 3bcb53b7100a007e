// Amazon Bedrock's Converse API: one format for all of its models. No client uses it.
import { BEDROCK_CONVERSE } from "../../../../contract/dialects";
import { ResponseSink } from "../../../hub/response/events";
import { Translation } from "../../../hub/response/translation";
import { ResponseReader } from "../../../hub/response/response-reader";
import { Usage } from "../../../hub/response/usage";
import { EventStreamFramer } from "../../../bytes/event-stream/event-stream-framer";
import { Framer } from "../../../bytes/framer";
import { Tape } from "../../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../bytes/text/bytes";
import { keepMembers } from "../../keep-members";
import { ProviderDialect } from "../../provider-dialect";
import { BedrockConverseReader } from "./response/read";
import { readUsage } from "./response/read-usage";
import { SUPPORTED } from "./supported";
import { ConverseWriter } from "./request/write";

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseTokensRequest.html */
const COUNTED_MEMBERS: Span[] = [
  constant("messages"),
  constant("system"),
  constant("toolConfig"),
  constant("additionalModelRequestFields"),
];

const counted = scratchBuffer();

export class BedrockConverse extends ProviderDialect {
  constructor() {
    super(BEDROCK_CONVERSE, SUPPORTED, new ConverseWriter());
    this.countMember = constant("inputTokens");
  }

  /** The model, which may be an ARN with slashes and colons, is one segment of the path. */
  writePath(path: Span, model: Span, isStreaming: bool, out: ByteBuffer): void {
    this.writeModelPath(
      path,
      model,
      isStreaming ? constant("/converse-stream") : constant("/converse"),
      out,
    );
  }

  cutToCount(out: ByteBuffer, _path: Span, _model: Span): void {
    keepMembers(out, COUNTED_MEMBERS);
    counted.clear();
    counted.bytes(out.pointer, out.length);
    out.clear();
    out.text('{"input":{"converse":');
    out.bytes(counted.pointer, counted.length);
    out.text("}}");
  }

  writeCountPath(path: Span, model: Span, out: ByteBuffer): void {
    this.writeModelPath(path, model, constant("/count-tokens"), out);
  }

  newFramer(): Framer {
    return new EventStreamFramer();
  }

  newReader(sink: ResponseSink, translation: Translation): ResponseReader {
    return new BedrockConverseReader(sink, translation);
  }

  /** Anything but the start of the message: blocks of text have no start of their own. */
  isFirstToken(tape: Tape): bool {
    return !tape.isString(tape.member(0, constant("role")));
  }

  readUsage(tape: Tape, usage: Usage): void {
    readUsage(tape, tape.member(0, constant("usage")), usage);
  }
}
