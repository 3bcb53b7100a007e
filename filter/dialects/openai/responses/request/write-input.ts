// Writes the hub's blocks as items of `input`. Items have no ids: the provider has stored none of them.
// @see https://platform.openai.com/docs/api-reference/responses/create
import {
  Block,
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_TEXT,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  FLAG_CUSTOM,
  FLAG_ERROR,
  FLAG_ENCRYPTED,
  NO_MESSAGE,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../../../hub/request/request";
import { writeCallId } from "../../../../hub/request/call-id";
import { BLANK_LINE, writeString } from "../../../../hub/request/request-writing";
import { constant } from "../../../../bytes/text/bytes";
import { ERROR_PREFIX, mentionsError } from "../../request-writer";
import { ResponsesParts } from "./write-parts";

const USER_MESSAGE = constant('{"type":"message","role":"user","content":');
const SYSTEM_MESSAGE = constant('{"type":"message","role":"system","content":');

/** "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64". */
const MAX_CALL_ID: u32 = 64;

export abstract class ResponsesInput extends ResponsesParts {
  protected writeInput(): void {
    const out = this.out;
    this.beginMarks();
    const from = this.systemEnd();
    // JSON output requires the word in an item.
    const isItem =
      this.instruction.length > 0 || !this.limits.supportsSystemRole || this.hasMarkedSystem(from);
    if (!isItem) this.writeInstructions(from);
    out.text(',"input":[');
    const start = out.length;
    if (isItem) this.writeSystemItem(from);
    this.writeRuns(from);
    if (out.length == start)
      this.report.reject("messages", "have no text. Send at least one user message with text.");
    out.byte(0x5d);
  }

  /** Returns the index after the system texts that stand outside of the messages: they become `instructions`. */
  private systemEnd(): u32 {
    const request = this.request;
    let to: u32 = 0;
    while (to < request.blocks.count) {
      const block = request.block(to);
      if (block.role != ROLE_SYSTEM || block.message != NO_MESSAGE) break;
      to++;
    }
    return to;
  }

  private hasMarkedSystem(to: u32): bool {
    if (!this.supportsMarks()) return false;
    for (let i: u32 = 0; i < to; i++) if (this.request.block(i).cacheLength > 0) return true;
    return false;
  }

  private writeInstructions(to: u32): void {
    const out = this.out;
    if (to == 0 && this.prompt.length == 0) return;
    out.text(',"instructions":"');
    const start = out.length;
    out.span(this.prompt);
    for (let i: u32 = 0; i < to; i++) {
      const block = this.request.block(i);
      this.isMarked(block);
      if (out.length > start) out.span(BLANK_LINE);
      out.bytes(block.text, block.textLength);
    }
    out.byte(0x22);
  }

  /**
   * Writes the texts as an item, with the instruction that replaces a schema: for cache marks, and for models whose chat template
   * does not support the system role.
   */
  private writeSystemItem(to: u32): void {
    if (to == 0 && this.prompt.length == 0 && this.instruction.length == 0) return;
    this.begin(this.limits.supportsSystemRole ? SYSTEM_MESSAGE : USER_MESSAGE);
    this.out.byte(0x5b);
    this.writeTextPart(this.prompt);
    for (let i: u32 = 0; i < to; i++) this.writePart(this.request.block(i));
    this.writeTextPart(this.instruction);
    this.out.text("]}");
  }

  protected writeRun(role: u32, from: u32, to: u32, _isLast: bool): void {
    if (role == ROLE_ASSISTANT) this.writeAssistant(from, to);
    else this.writeMessage(role, from, to);
  }

  /** Writes a message of the user or the system: first the outputs of tools, then the rest as one item. */
  private writeMessage(role: u32, from: u32, to: u32): void {
    const request = this.request;
    const out = this.out;
    let parts: u32 = 0;
    let only = from;
    for (let i = from; i < to; i++) {
      if (request.block(i).kind == BLOCK_TOOL_RESULT) {
        i = this.writeOutput(i);
      } else {
        parts++;
        only = i;
      }
    }
    if (parts == 0) return;
    this.begin(role == ROLE_USER || !this.mayBeSystem(from) ? USER_MESSAGE : SYSTEM_MESSAGE);
    const block = request.block(only);
    if (parts == 1 && block.kind == BLOCK_TEXT && !this.isMarked(block)) {
      writeString(block.text, block.textLength, out);
      out.byte(0x7d);
      return;
    }
    out.byte(0x5b);
    for (let i = from; i < to; i++) {
      if (request.block(i).kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
      else this.writePart(request.block(i));
    }
    out.text("]}");
  }

  /** Returns whether the model supports a system message at this place. */
  private mayBeSystem(from: u32): bool {
    return this.limits.supportsSystemRole && (from == 0 || this.limits.supportsLaterSystem);
  }

  /** Writes the output of a tool: texts as one string, with images or documents a list of parts. Returns the index of its end. */
  private writeOutput(index: u32): u32 {
    const request = this.request;
    const out = this.out;
    const end = request.resultEnd(index);
    const result = request.block(index);
    const isMarked = this.isResultMarked(index, end);
    this.begin(
      (result.flags & FLAG_CUSTOM) != 0
        ? constant('{"type":"custom_tool_call_output","call_id":')
        : constant('{"type":"function_call_output","call_id":'),
    );
    writeCallId(result.id, result.idLength, MAX_CALL_ID, out);
    out.text(',"output":');
    let isText = true;
    for (let i = index + 1; i < end; i++) if (request.block(i).kind != BLOCK_TEXT) isText = false;
    if (isText) {
      // One part, as the string is one text: the mark moves on with the conversation, and the prompt must stay the same.
      if (isMarked) out.text('[{"type":"input_text","text":');
      out.byte(0x22);
      this.writeResultTexts(index, end);
      out.byte(0x22);
      if (isMarked) {
        this.writeBreakpoint(request.block(end - 1));
        out.text("}]");
      }
    } else {
      this.writeOutputParts(index, end);
    }
    out.byte(0x7d);
    return end;
  }

  private writeOutputParts(index: u32, end: u32): void {
    const request = this.request;
    const out = this.out;
    let hasPrefix = (request.block(index).flags & FLAG_ERROR) == 0;
    out.byte(0x5b);
    for (let i = index + 1; i < end; i++) {
      const block = request.block(i);
      if (!hasPrefix && !(block.kind == BLOCK_TEXT && mentionsError(block)))
        this.writeTextPart(ERROR_PREFIX);
      hasPrefix = true;
      this.writePart(block);
    }
    out.byte(0x5d);
  }

  /** Writes the items of one turn of the assistant, in its order. */
  private writeAssistant(from: u32, to: u32): void {
    const report = this.report;
    const end = this.contentEnd(from, to);
    for (let i = from; i < to; i++) {
      const block = this.request.block(i);
      this.dropMark(block);
      if (block.kind == BLOCK_TEXT) i = this.writeTexts(i, to);
      else if (block.kind == BLOCK_TOOL_CALL) this.writeCall(block);
      else if (block.kind == BLOCK_REASONING && isOpenai(block) && i < end)
        this.writeReasoningItem(block);
      else if (block.kind == BLOCK_REASONING && !isOpenai(block))
        report.drop(report.paths.reasoning);
      else if (block.kind == BLOCK_REASONING || block.kind == BLOCK_REASONING_DATA)
        report.drop(report.paths.redacted);
    }
  }

  /** Returns the index after the last text or call: reasoning that nothing follows is rejected ("without its required following item"). */
  private contentEnd(from: u32, to: u32): u32 {
    for (let i = to; i > from; i--) {
      const kind = this.request.block(i - 1).kind;
      if (kind == BLOCK_TEXT || kind == BLOCK_TOOL_CALL) return i;
    }
    return from;
  }

  /** Writes neighbouring texts, which Claude splits at citations, as one. Returns the index of the last one. */
  private writeTexts(from: u32, to: u32): u32 {
    const request = this.request;
    this.begin(
      constant('{"type":"message","role":"assistant","content":[{"type":"output_text","text":"'),
    );
    let last = from;
    while (last < to && request.block(last).kind == BLOCK_TEXT) {
      this.out.bytes(request.block(last).text, request.block(last).textLength);
      last++;
    }
    this.out.text('"}]}');
    return last - 1;
  }

  private writeReasoningItem(block: Block): void {
    const out = this.out;
    this.begin(constant('{"type":"reasoning","summary":['));
    if (block.textLength > 0) {
      out.text('{"type":"summary_text","text":"');
      out.bytes(block.text, block.textLength);
      out.text('"}');
    }
    out.text('],"encrypted_content":"');
    out.bytes(block.name, block.nameLength);
    out.text('"}');
  }

  private writeCall(block: Block): void {
    const out = this.out;
    const isCustom = (block.flags & FLAG_CUSTOM) != 0;
    this.begin(
      isCustom
        ? constant('{"type":"custom_tool_call","call_id":')
        : constant('{"type":"function_call","call_id":'),
    );
    writeCallId(block.id, block.idLength, MAX_CALL_ID, out);
    out.text(',"name":');
    writeString(block.name, block.nameLength, out);
    out.span(isCustom ? constant(',"input":"') : constant(',"arguments":"'));
    if (isCustom) out.bytes(block.text, block.textLength);
    else this.writeArguments(block);
    out.text('"}');
  }
}

/** Returns whether reasoning is OpenAI's own. */
function isOpenai(block: Block): bool {
  return (block.flags & FLAG_ENCRYPTED) != 0 && block.nameLength > 0;
}
