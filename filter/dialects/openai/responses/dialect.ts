// OpenAI's Responses API, which Codex, the Agents SDKs and the Vercel AI SDK use by default.
import { OPENAI_RESPONSES } from "../../../../contract/dialects";
import { CONTEXT_LENGTH } from "../../../hub/faults/context-length";
import { Fault } from "../../../hub/faults/fault";
import { ResponseSink } from "../../../hub/response/events";
import { FINISH_NONE, FINISH_STOP, FINISH_TOOLS } from "../../../hub/response/finish-reason";
import { ResponseReader } from "../../../hub/response/response-reader";
import { noteText } from "../../../hub/response/text-bytes";
import { Translation } from "../../../hub/response/translation";
import { Usage } from "../../../hub/response/usage";
import { HubRequest } from "../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../hub/request/request-report";
import { Edits } from "../../../bytes/json/edit";
import { KIND_FALSE, NO_NODE, Tape } from "../../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../../bytes/text/bytes";
import { Conversation } from "../../conversation";
import { NAME_MEMBERS, TextMembers, TextRole } from "../../texts";
import { keepMembers } from "../../keep-members";
import { OpenaiDialect } from "../dialect";
import { addInstructions, removeForeignReasoning } from "./request/edit";
import { failureOf } from "./response/failure";
import { incompleteReason } from "./response/finish-reason";
import { OpenaiResponsesLimitEdits } from "./request/limit-edits";
import { SUPPORTED } from "./members";
import { EventTexts } from "../../event-texts";
import { ResponseEnding } from "../../response-ending";
import { writeEnding } from "./response/write-ending";
import { markTexts } from "./response/mark-texts";
import { OpenaiResponsesReader } from "./response/read";
import { paths } from "./paths";
import { readRequest } from "./request/read";
import { readCharges, readUsage } from "./response/read-usage";
import { adaptFault } from "./write-fault";
import { OpenaiResponsesWriter } from "./response/write";
import { OpenaiResponsesStreamWriter } from "./response/write-stream";
import { ResponsesRequestWriter } from "./request/write";

const INPUT = constant("input");
const USAGE = constant("usage");
const RESPONSE = constant("response");

/**
 * The members that a request to count tokens accepts; the others are rejected.
 * @see https://platform.openai.com/docs/api-reference/responses/input-tokens
 */
const COUNTED_MEMBERS: Span[] = [
  constant("model"),
  constant("input"),
  constant("instructions"),
  constant("tools"),
  constant("tool_choice"),
  constant("parallel_tool_calls"),
  constant("reasoning"),
  constant("text"),
];

/**
 * Members whose value is the id of something stored.
 * @see https://platform.openai.com/docs/guides/conversation-state
 */
const STORED: Span[] = [
  constant("previous_response_id"),
  constant("conversation"),
  constant("prompt"),
];

const TYPE = constant("type");

/** What a provider sends before it knows whether it can respond, and beginnings of what has nothing in it yet. */
const EMPTY: Span[] = [
  constant("response.created"),
  constant("response.queued"),
  constant("response.in_progress"),
  constant("response.content_part.added"),
  constant("response.reasoning_summary_part.added"),
  constant("keepalive"),
];

export class OpenaiResponses extends OpenaiDialect {
  constructor() {
    super(
      OPENAI_RESPONSES,
      SUPPORTED,
      new ResponsesRequestWriter(),
      paths,
      new OpenaiResponsesLimitEdits(),
    );
    // A response repeats the request's own `metadata`.
    this.metadataMember = "gateway_metadata";
    this.responseMember = RESPONSE;
    this.conversation = new Conversation("input", '{"type":"input_text","text":"', true);
    // Codex ends its turn, and shows the message.
    this.deniedCode = "invalid_prompt";
    this.textMembers = [
      new TextMembers([constant("instructions")], TextRole.System),
      new TextMembers([constant("prompt")], TextRole.User),
      new TextMembers([constant("input")], TextRole.User),
      NAME_MEMBERS,
    ];
  }

  readRequest(tape: Tape, request: HubRequest, report: RequestReport): void {
    readRequest(tape, request, report);
  }

  supportsStop(_limits: RequestLimits): bool {
    return false;
  }

  cutToCount(out: ByteBuffer, _path: Span, _model: Span): void {
    keepMembers(out, COUNTED_MEMBERS);
  }

  isRequest(tape: Tape): bool {
    return tape.isPresent(tape.member(0, INPUT));
  }

  /** A response to `background: true` is polled at the provider that gave it. */
  refersToState(tape: Tape): bool {
    for (let i = 0; i < STORED.length; i++) {
      if (tape.isPresent(tape.member(0, STORED[i]))) return true;
    }
    if (this.runsInBackground(tape)) return true;
    const input = tape.member(0, INPUT);
    if (!tape.isArray(input)) return false;
    const end = tape.next(input);
    for (let item = tape.first(input); item < end; item = tape.next(item)) {
      if (tape.isObject(item) && refersToItem(tape, item)) return true;
    }
    return false;
  }

  runsInBackground(tape: Tape): bool {
    // A provider may read another value as true.
    const value = tape.member(0, constant("background"));
    return tape.isPresent(value) && tape.kind(value) != KIND_FALSE;
  }

  editRequest(tape: Tape, systemText: Span, edits: Edits): void {
    if (systemText.length > 0) addInstructions(tape, systemText, edits);
    removeForeignReasoning(tape, edits);
  }

  newReader(sink: ResponseSink, translation: Translation): ResponseReader {
    return new OpenaiResponsesReader(sink, translation);
  }

  failureOf(tape: Tape): Fault | null {
    return failureOf(tape);
  }

  isFirstToken(tape: Tape): bool {
    const type = tape.member(0, TYPE);
    if (!tape.isString(type)) return false;
    if (tape.indexIn(type, EMPTY) >= 0) return false;
    if (!tape.equals(type, constant("response.output_item.added"))) return true;
    const kind = tape.member(tape.member(0, constant("item")), TYPE);
    return !tape.equals(kind, constant("message")) && !tape.equals(kind, constant("reasoning"));
  }

  /** The other events repeat texts that have come in deltas. */
  textBytes(tape: Tape): u32 {
    const delta = tape.member(0, constant("delta"));
    if (!tape.isString(delta)) return 0;
    noteText(tape.pointer(delta));
    return tape.size(delta);
  }

  /** All members but the input. */
  repeatedBytes(tape: Tape): u32 {
    return tape.length - tape.size(tape.member(0, INPUT));
  }

  readUsage(tape: Tape, usage: Usage): void {
    let response = tape.root();
    let node = tape.member(response, USAGE);
    if (!tape.isObject(node)) {
      // Events have it in the response.
      response = tape.member(response, RESPONSE);
      node = tape.member(response, USAGE);
    }
    if (!tape.isObject(node)) return;
    readUsage(tape, node, usage);
    readCharges(tape, response, node, usage);
  }

  /** The reason of a complete response, or of an event that has the response. */
  readFinish(tape: Tape): i32 {
    const inner = tape.member(0, constant("response"));
    const response = tape.isObject(inner) ? inner : tape.root();
    const status = tape.member(response, constant("status"));
    if (tape.equals(status, constant("incomplete"))) return incompleteReason(tape, response);
    if (!tape.equals(status, constant("completed"))) return FINISH_NONE;
    return hasCall(tape, tape.member(response, constant("output"))) ? FINISH_TOOLS : FINISH_STOP;
  }

  markTexts(tape: Tape, texts: EventTexts): void {
    markTexts(tape, texts);
  }

  describes(tape: Tape): u32 {
    return tape.member(0, RESPONSE);
  }

  writeEnding(ending: ResponseEnding, fault: Fault, _requestId: ByteBuffer, out: ByteBuffer): void {
    writeEnding(ending, fault, out);
  }

  newStreamWriter(out: ByteBuffer, translation: Translation): ResponseSink {
    return new OpenaiResponsesStreamWriter(out, translation);
  }

  newCompleteWriter(out: ByteBuffer, translation: Translation): ResponseSink {
    return new OpenaiResponsesWriter(out, translation);
  }

  adaptFault(fault: Fault): void {
    adaptFault(fault);
  }

  /** Codex repeats the request after a 402, and shows its own text in place of that of a 429. */
  get stopStatus(): u32 {
    return 400;
  }

  /** Codex compacts the conversation when a stream fails with this code, and gives up on the status 400. */
  streamsFault(fault: Fault): bool {
    return fault.code == CONTEXT_LENGTH;
  }
}

/** An object without type and role is a reference, too: `{"id": "msg_1"}`. */
function refersToItem(tape: Tape, item: u32): bool {
  const type = tape.member(item, constant("type"));
  if (tape.equals(type, constant("item_reference"))) return true;
  if (!tape.isPresent(type) && tape.member(item, constant("role")) == NO_NODE) return true;
  return (
    hasFile(tape, tape.member(item, constant("content"))) ||
    hasFile(tape, tape.member(item, constant("output")))
  );
}

function hasFile(tape: Tape, parts: u32): bool {
  if (!tape.isArray(parts)) return false;
  const end = tape.next(parts);
  for (let part = tape.first(parts); part < end; part = tape.next(part)) {
    if (tape.isPresent(tape.member(part, constant("file_id")))) return true;
  }
  return false;
}

function hasCall(tape: Tape, output: u32): bool {
  if (!tape.isArray(output)) return false;
  const end = tape.next(output);
  for (let item = tape.first(output); item < end; item = tape.next(item)) {
    const type = tape.member(item, constant("type"));
    if (
      tape.equals(type, constant("function_call")) ||
      tape.equals(type, constant("custom_tool_call"))
    )
      return true;
  }
  return false;
}
