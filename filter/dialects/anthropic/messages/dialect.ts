// Anthropic's Messages API.
import { BEARER, CredentialKind, X_API_KEY } from "../../../../contract/credentials";
import { ANTHROPIC_MESSAGES } from "../../../../contract/dialects";
import { ResponseSink } from "../../../hub/response/events";
import { Translation } from "../../../hub/response/translation";
import { findReason } from "../../../hub/response/finish-reason";
import { BLOCKED, Fault } from "../../../hub/faults/fault";
import { ResponseReader } from "../../../hub/response/response-reader";
import { ApiNeeds } from "../../../hub/request/api-needs";
import { EFFORT_UNSET, HubRequest } from "../../../hub/request/request";
import { effortOf, thinkingEffort } from "../../../hub/request/request-effort";
import { RequestReport } from "../../../hub/request/request-report";
import { Usage } from "../../../hub/response/usage";
import { Edits } from "../../../bytes/json/edit";
import { Tape } from "../../../bytes/json/tape";
import { escapeText } from "../../../bytes/json/text";
import { startsWith } from "../../../bytes/text/at";
import { ByteBuffer, constant, Span } from "../../../bytes/text/bytes";
import { writeDateTime } from "../../../bytes/text/date-time";
import { ClientDialect } from "../../client-dialect";
import { attributionIn, removeAttribution } from "./request/attribution";
import { addSystemPrompt } from "./request/edit";
import { removeForeignSignatures } from "./request/edit-thinking";
import { AnthropicMessagesLimitEdits } from "./request/limit-edits";
import { SUPPORTED } from "./members";
import { EventTexts } from "../../event-texts";
import { ResponseEnding } from "../../response-ending";
import { markTexts } from "./response/mark-texts";
import { AnthropicMessagesReader } from "./response/read";
import { paths } from "./paths";
import { readRequest } from "./request/read";
import { STOP_REASONS } from "./response/finish-reason";
import { readUsage } from "./response/read-usage";
import { adaptFault, writeAnthropicFault } from "./write-fault";
import { AnthropicMessagesWriter } from "./response/write";
import { AnthropicMessagesStreamWriter } from "./response/write-stream";
import { AnthropicRequestWriter } from "./request/write";

const USAGE = constant("usage");
const MESSAGE = constant("message");
/** Tokens of Anthropic's subscriptions (Claude Code) begin so; they are bearer tokens. */
const OAUTH = constant("sk-ant-oat");
const TYPE = constant("type");

export class AnthropicMessages extends ClientDialect {
  constructor() {
    super(
      ANTHROPIC_MESSAGES,
      SUPPORTED,
      new AnthropicRequestWriter(),
      paths,
      new AnthropicMessagesLimitEdits(),
    );
    this.responseMember = MESSAGE;
    this.finishMember = constant('"stop_reason":');
    this.finishWords = STOP_REASONS;
    this.leavesMarks = true;
    this.deniedCode = BLOCKED;
  }

  readRequest(tape: Tape, request: HubRequest, report: RequestReport): void {
    readRequest(tape, request, report);
  }

  isRequest(tape: Tape): bool {
    return tape.isArray(tape.member(0, constant("messages")));
  }

  readNeeds(tape: Tape, needs: ApiNeeds): void {
    const output = tape.member(0, constant("output_config"));
    needs.effort = effortOf(tape, tape.member(output, constant("effort")));
    if (needs.effort == EFFORT_UNSET)
      needs.effort = thinkingEffort(tape, tape.member(0, constant("thinking")));
    needs.hasTools = tape.hasItems(tape.member(0, constant("tools")));
    needs.hasStop = tape.hasItems(tape.member(0, constant("stop_sequences")));
  }

  editRequest(tape: Tape, systemText: Span, edits: Edits): void {
    removeForeignSignatures(tape, edits);
    if (systemText.length > 0) addSystemPrompt(tape, systemText, edits);
  }

  attributionIn(tape: Tape): u32 {
    return attributionIn(tape);
  }

  removeAttribution(tape: Tape, block: u32, edits: Edits): void {
    removeAttribution(tape, block, edits);
  }

  credentialKind(key: Span): CredentialKind {
    return startsWith(key.pointer, key.length, OAUTH) ? BEARER : X_API_KEY;
  }

  newReader(sink: ResponseSink, translation: Translation): ResponseReader {
    return new AnthropicMessagesReader(sink, translation);
  }

  /** Anything but the start of the message, pings, and the start of a block that has nothing in it yet. */
  isFirstToken(tape: Tape): bool {
    const type = tape.member(0, TYPE);
    if (tape.equals(type, constant("message_start")) || tape.equals(type, constant("ping")))
      return false;
    if (!tape.equals(type, constant("content_block_start"))) return true;
    const kind = tape.member(tape.member(0, constant("content_block")), TYPE);
    return !tape.equals(kind, constant("text")) && !tape.equals(kind, constant("thinking"));
  }

  isLastEvent(tape: Tape): bool {
    return tape.equals(tape.member(0, TYPE), constant("message_stop"));
  }

  readUsage(tape: Tape, usage: Usage): void {
    let node = tape.member(0, USAGE);
    // `message_start` has it one level below.
    if (!tape.isObject(node)) node = tape.member(tape.member(0, MESSAGE), USAGE);
    readUsage(tape, node, usage);
  }

  /** The reason of a message, or of the event `message_delta`. */
  readFinish(tape: Tape): i32 {
    const delta = tape.member(0, constant("delta"));
    const message = tape.isObject(delta) ? delta : tape.root();
    return findReason(STOP_REASONS, tape, tape.member(message, constant("stop_reason")));
  }

  markTexts(tape: Tape, texts: EventTexts): void {
    markTexts(tape, texts);
  }

  writeEnding(_ending: ResponseEnding, fault: Fault, requestId: ByteBuffer, out: ByteBuffer): void {
    out.text("event: error\ndata: ");
    writeAnthropicFault(fault, requestId, out);
    out.text("\n\n");
  }

  newStreamWriter(out: ByteBuffer, translation: Translation): ResponseSink {
    return new AnthropicMessagesStreamWriter(out, translation);
  }

  newCompleteWriter(out: ByteBuffer, translation: Translation): ResponseSink {
    return new AnthropicMessagesWriter(out, translation);
  }

  adaptFault(fault: Fault): void {
    adaptFault(fault);
  }

  writeFault(fault: Fault, requestId: ByteBuffer, out: ByteBuffer): void {
    writeAnthropicFault(fault, requestId, out);
  }

  /**
   * `created_at` "may be set to an epoch value if the release date is unknown", as it is to a gateway; so are the members that
   * are null.
   * @see https://docs.anthropic.com/en/api/models-list
   */
  writeModels(ids: string[], _owners: string[], out: ByteBuffer): void {
    const count = ids.length;
    out.text('{"data":[');
    for (let i = 0; i < count; i++) {
      if (i > 0) out.text(",");
      this.writeModel(ids[i], "", out);
    }
    out.text('],"has_more":false,"first_id":');
    writeId(ids, 0, out);
    out.text(',"last_id":');
    writeId(ids, count - 1, out);
    out.text("}");
  }

  writeModel(id: string, _owner: string, out: ByteBuffer): void {
    out.text('{"type":"model","id":"');
    escapeText(id, out);
    out.text('","display_name":"');
    escapeText(id, out);
    out.text(
      '","created_at":"1970-01-01T00:00:00Z","capabilities":null,"deprecated_at":null,"lifecycle":"active","line":null,"max_input_tokens":null,"max_tokens":null,"retires_at":null}',
    );
  }

  /** @see https://docs.anthropic.com/en/api/rate-limits#response-headers */
  writeReset(now: u64, wait: u32, out: ByteBuffer): void {
    writeDateTime(now + wait, out);
  }
}

function writeId(ids: string[], at: i32, out: ByteBuffer): void {
  if (at < 0 || at >= ids.length) {
    out.text("null");
    return;
  }
  out.text('"');
  escapeText(ids[at], out);
  out.text('"');
}
