// Writes a request of the hub for a provider: what the writers of all dialects share. A dialect's writer extends this class in
// layers, a file each: its blocks, its messages, its tools, the whole request.
import { isBlank } from "../../bytes/json/blank";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { CUSTOM_SCHEMA, writeCustomDescription } from "./custom-tools";
import { fitToolNames } from "./fit-tool-names";
import { leaveOutMedia } from "./leave-out-media";
import {
  CHOICE_ANY,
  CHOICE_AUTO,
  CHOICE_NAMED,
  FORMAT_JSON,
  FORMAT_SCHEMA,
  HubRequest,
  SERVICE_FAST,
  spanOf,
  Tool,
} from "./request";
import { dropHosted, toolNamed } from "./hosted-tools";
import { isTooMany, isUnsupportedChoice } from "./request-fitting";
import { RequestLimits, RequestReport } from "./request-report";
import {
  JSON_SENTENCE,
  separate,
  writeSchemaSentence,
  writeString,
  writeValue,
} from "./request-writing";
import { SchemaRefs, writeInlinedSchema } from "./schema-refs";
import { MAX_TOOL_NAME } from "./tool-name";

const NO_REQUEST = new HubRequest();
const NO_LIMITS = new RequestLimits();
const NO_OUT = new ByteBuffer();
const NO_REPORT = new RequestReport();
const NOTHING = new Span(0, 0);
const chosen = new Span(0, 0);

export const NO_ROLE: u32 = 0xff;

/** One per dialect, reused for all requests. */
export abstract class RequestWriter {
  protected request: HubRequest = NO_REQUEST;
  /** The client's body. */
  protected tape: Tape = NO_REQUEST.tape;
  protected limits: RequestLimits = NO_LIMITS;
  protected out: ByteBuffer = NO_OUT;
  protected report: RequestReport = NO_REPORT;
  /** A JSON string with its quotes. */
  protected model: Span = NOTHING;
  /** The configured system prompt, the inside of a JSON string; may be empty. It goes before the client's. */
  protected prompt: Span = NOTHING;
  /** The instruction that replaces the format of the response; empty if the model's API enforces it. */
  protected instruction: Span = new Span(0, 0);
  private sentence: ByteBuffer = scratchBuffer();
  protected refs: SchemaRefs = new SchemaRefs();

  /** Appends the request to `out`; or rejects it in `report`, and `out` is incomplete. */
  write(
    request: HubRequest,
    model: Span,
    prompt: Span,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    this.request = request;
    this.tape = request.tape;
    this.model = model;
    this.prompt = prompt;
    this.limits = limits;
    this.out = out;
    this.report = report;
    this.instruction.length = 0;
    this.refs.begin();
    fitToolNames(request, this.maxToolName(), this.beginsNamesWithLetter());
    if (!limits.supportsImages) leaveOutMedia(request, report);
    if (request.hosted.count > 0) dropHosted(request, this.hostedKinds(), report);
    if (this.isToolForced()) this.dropLostChoice();
    if (report.fault !== null) return;
    this.writeRequest();
  }

  protected abstract writeRequest(): void;

  /** Returns the longest name of a tool that the API accepts, in bytes. */
  protected maxToolName(): u32 {
    return MAX_TOOL_NAME;
  }

  /** Returns which tools the provider runs in this API, besides a search: a bit `1 << HOSTED_` for each. */
  protected hostedKinds(): u32 {
    return this.limits.serverTools;
  }

  /** Returns whether the API rejects names of tools that begin with a digit or `-`. */
  protected beginsNamesWithLetter(): bool {
    return false;
  }

  /** Writes a comma, unless a list or an object has just been opened. */
  protected separate(): void {
    separate(this.out);
  }

  /** Begins an item of a list, or a member of an object. */
  protected begin(head: Span): void {
    this.separate();
    this.out.span(head);
  }

  // ---- Messages

  /** Writes the blocks from `from` on, one run after the other. Returns the role of the last one, or NO_ROLE. */
  protected writeRuns(from: u32): u32 {
    const request = this.request;
    let lastRole = NO_ROLE;
    for (from = this.nextWritten(from); from < request.blocks.count;) {
      const role = request.block(from).role;
      const to = this.runEnd(from);
      const next = this.nextWritten(to);
      this.writeRun(role, from, to, next >= request.blocks.count);
      if (this.report.fault !== null) break;
      lastRole = role;
      from = next;
    }
    return lastRole;
  }

  /** Writes the blocks of [from, to). */
  protected abstract writeRun(role: u32, from: u32, to: u32, isLast: bool): void;

  /** Returns the index of the first block from `from` on that is written. */
  protected nextWritten(from: u32): u32 {
    return from;
  }

  /** Returns the index after the last block of the run at `from`: blocks of one role in one message of the client. */
  protected runEnd(from: u32): u32 {
    const request = this.request;
    const first = request.block(from);
    let to = from + 1;
    while (to < request.blocks.count) {
      const block = request.block(to);
      if (block.message != first.message || block.role != first.role) break;
      to++;
    }
    return to;
  }

  /** Rejects a conversation without a message that can be written. */
  protected rejectEmpty(): void {
    const advice = "must have a text. Send at least one user message with text.";
    this.report.reject(this.report.paths.messages.toText(), advice);
  }

  // ---- The format of the response

  /** Sets the instruction that replaces the schema of the response, if the model does not support schemas. */
  protected replaceSchema(): void {
    if (this.request.outputFormat != FORMAT_SCHEMA || this.limits.supportsOutputSchema) return;
    this.report.dropForModel(this.report.paths.format);
    this.replaceFormat();
  }

  /** As `replaceSchema`, also for plain JSON: for APIs that enforce no JSON without a schema. */
  protected replaceUnenforced(): void {
    if (this.request.outputFormat != FORMAT_JSON) {
      this.replaceSchema();
      return;
    }
    this.report.drop(this.report.paths.format);
    this.replaceFormat();
  }

  /** Sets the instruction that replaces the format of the response, JSON with or without a schema. */
  protected replaceFormat(): void {
    const sentence = this.sentence;
    sentence.clear();
    if (this.request.outputFormat == FORMAT_JSON) sentence.span(JSON_SENTENCE);
    else writeSchemaSentence(this.tape, this.request.schema, sentence);
    sentence.view(this.instruction);
  }

  // ---- Limits

  /** Writes the client's number of tokens, or the model's maximum, which is listed in the report. */
  protected fitMaxTokens(out: ByteBuffer): void {
    const node = this.request.maxTokens;
    if (isTooMany(this.tape, node, this.limits)) {
      out.integer(this.limits.highestMaxTokens);
      this.report.dropForModel(this.report.paths.maxTokens);
    } else {
      writeValue(this.tape, node, out);
    }
  }

  /** Leaves the choice of a tool to the model if it does not support the client's; that is listed in the report. */
  protected fitToolChoice(): void {
    const request = this.request;
    if (request.tools.count == 0 || !isUnsupportedChoice(request.toolChoice, this.limits)) return;
    request.toolChoice = CHOICE_AUTO;
    this.report.dropForModel(constant("tool_choice"));
  }

  /** Leaves the choice of a tool to the model if the tool that it must call was dropped. */
  private dropLostChoice(): void {
    const request = this.request;
    const isNamed = request.toolChoice == CHOICE_NAMED;
    if (isNamed) {
      if (request.chosenTool != NO_NODE) spanOf(this.tape, request.chosenTool, chosen);
      else {
        chosen.pointer = request.chosenName;
        chosen.length = request.chosenNameLength;
      }
      if (toolNamed(request, chosen) !== null) return;
    } else if (request.tools.count > 0 || request.hosted.count > 0) return;
    request.toolChoice = CHOICE_AUTO;
    this.report.drop(constant("tool_choice"));
  }

  /** Lists that the model reasons less than the client asked for, or although the client asked for none. */
  protected dropEffort(): void {
    const paths = this.report.paths;
    this.report.dropForModel(this.request.isEffortThinking ? paths.thinking : paths.effort);
  }

  /** Writes a member, or drops it if the target does not support it. */
  protected writeLimited(node: u32, name: Span, path: Span, isSupported: bool): void {
    if (!this.tape.isPresent(node)) return;
    if (!isSupported) {
      this.report.dropForModel(path);
      return;
    }
    this.begin(name);
    writeValue(this.tape, node, this.out);
  }

  /** Asks for fast mode by a member of the API, if the model has it; else lists that it is dropped. */
  protected writeFastMode(member: Span): bool {
    if (this.request.serviceTier != SERVICE_FAST) return false;
    if (this.limits.hasFastMode) this.begin(member);
    else this.report.dropForModel(this.report.paths.speed);
    return this.limits.hasFastMode;
  }

  // ---- Tools

  /** Writes a tool's name, description, schema and strictness. `schemaName`: `,"parameters":` or the like. */
  protected writeTool(tool: Tool, schemaName: Span): void {
    const out = this.out;
    writeString(tool.name, tool.nameLength, out);
    this.writeToolDescription(tool);
    out.span(schemaName);
    this.writeToolSchema(tool);
    if (tool.isCustom == 0 && tool.isStrict != 0) out.text(',"strict":true');
  }

  /** Writes a tool's name and description; a custom tool's without its grammar. */
  protected writeToolHead(tool: Tool): void {
    writeString(tool.name, tool.nameLength, this.out);
    if (isBlank(tool.description, tool.descriptionLength)) return;
    this.out.text(',"description":');
    writeString(tool.description, tool.descriptionLength, this.out);
  }

  /** Writes a tool's description, if it has one; a custom tool's with its grammar. */
  protected writeToolDescription(tool: Tool): void {
    const out = this.out;
    const isPlain = tool.isCustom == 0 || tool.grammar == NO_NODE;
    if (isPlain && isBlank(tool.description, tool.descriptionLength)) return;
    out.text(',"description":"');
    if (tool.isCustom != 0) writeCustomDescription(this.tape, tool, out);
    else out.bytes(tool.description, tool.descriptionLength);
    out.byte(0x22);
  }

  /** Writes the schema of a tool's input: an object, which dialects require but clients may leave out. A custom tool has one argument. */
  protected writeToolSchema(tool: Tool): void {
    const tape = this.tape;
    const schema = tool.schema;
    const out = this.out;
    if (tool.isCustom != 0) {
      out.span(CUSTOM_SCHEMA);
    } else if (tool.schemaTextLength > 0) {
      out.bytes(tool.schemaText, tool.schemaTextLength);
    } else if (schema == NO_NODE || tape.isEmpty(schema)) {
      out.text('{"type":"object","properties":{}}');
    } else if (!this.limits.supportsSchemaRefs) {
      writeInlinedSchema(tape, schema, this.refs, true, out);
    } else if (tape.member(schema, constant("type")) != NO_NODE) {
      writeValue(tape, schema, out);
    } else {
      out.text('{"type":"object",');
      out.bytes(tape.pointer(schema) + 1, tape.size(schema) - 1);
    }
  }

  /** Writes a schema as the client's, or with its definitions in place if the model does not resolve references. */
  protected writeSchema(schema: u32): void {
    if (this.limits.supportsSchemaRefs) writeValue(this.tape, schema, this.out);
    else writeInlinedSchema(this.tape, schema, this.refs, false, this.out);
  }

  /** Writes a cache mark, the value of `cache_control`; nothing if there is none. */
  protected writeCache(mark: usize, length: u32): void {
    if (length == 0) return;
    this.out.text(',"cache_control":');
    this.out.bytes(mark, length);
  }

  /** Returns whether the client forces a call of a tool. */
  protected isToolForced(): bool {
    return this.request.toolChoice == CHOICE_ANY || this.request.toolChoice == CHOICE_NAMED;
  }

  /** Writes the name of the tool of CHOICE_NAMED, a JSON string. */
  protected writeChosenTool(out: ByteBuffer): void {
    const request = this.request;
    if (request.chosenTool != NO_NODE) writeValue(this.tape, request.chosenTool, out);
    else writeString(request.chosenName, request.chosenNameLength, out);
  }
}
