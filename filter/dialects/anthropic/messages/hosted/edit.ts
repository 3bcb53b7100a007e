// Fits a messages body to a cloud (contract/envelopes.ts) by edits: its version instead of the model, and no member that the cloud
// rejects. Every other byte stays.
import { DOCUMENT_URLS, FILE_IDS } from "../../../../hub/request/features";
import { Member, MemberTable } from "../../../../hub/request/member-table";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { Edits } from "../../../../bytes/json/edit";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { ListEdit } from "../../../list-edit";
import { HostedRequest, hostedRequest } from "./hosted-request";
import { message as messageMembers, request as members, tool as toolMembers } from "../members";

const TOOLS = constant("tools");
const MESSAGES = constant("messages");
const CONTENT = constant("content");
const SOURCE = constant("source");
const TYPE = constant("type");
const CACHE_CONTROL = constant("cache_control");
const SCOPE = constant("scope");

const outer = new ListEdit();
const inner = new ListEdit();
const blockEdit = new ListEdit();
const head = scratchBuffer();
const headSpan = new Span(0, 0);

/** One for the dialect: `begin` for each body, then the other methods. */
export class HostedEdits {
  private tape: Tape = new Tape();
  private limits: RequestLimits = new RequestLimits();
  private edits: Edits = new Edits();
  private report: RequestReport = new RequestReport();
  private hosted: HostedRequest | null = null;
  /** The value of `output_format`, if that becomes `output_config`; else NO_NODE. */
  renamed: u32 = NO_NODE;
  private hasFormat: bool = false;

  begin(tape: Tape, limits: RequestLimits, edits: Edits, report: RequestReport): void {
    this.tape = tape;
    this.limits = limits;
    this.edits = edits;
    this.report = report;
    const hosted = hostedRequest(report);
    this.hosted = hosted;
    this.renamed = NO_NODE;
    this.hasFormat = false;
    if (hosted !== null) open(hosted, report);
  }

  /** Returns whether the cloud rejects a member of the request. */
  drops(key: u32): bool {
    const tape = this.tape;
    const hosted = this.hosted;
    if (hosted === null) return false;
    if (tape.equals(key, constant("model"))) return !hosted.keepsModel;
    if (tape.equals(key, constant("stream"))) return !hosted.cloud.hasStream;
    if (tape.equals(key, constant("anthropic_version"))) return true;
    const member = members.find(tape, key);
    if (member !== null) return this.dropsMember(member, key, members, hosted);
    this.report.dropUnknown(constant(""), tape, key);
    return true;
  }

  /** Changes the value of a member. */
  change(key: u32): void {
    const tape = this.tape;
    const hosted = this.hosted;
    if (hosted === null) return;
    const value = key + 1;
    if (tape.equals(key, MESSAGES)) this.editMessages(value, hosted);
    else if (tape.equals(key, TOOLS)) this.editTools(value, hosted);
    else if (tape.equals(key, constant("system"))) this.editBlocks(value);
    else if (tape.equals(key, constant("output_format"))) this.renameFormat(key);
  }

  /** Inserts the members of the hosted. */
  finish(): void {
    const hosted = this.hosted;
    if (hosted === null) return;
    if (this.renamed != NO_NODE) this.edits.insert(this.tape.outerEnd(this.renamed), constant("}"));
    head.clear();
    hosted.writeMembers(head);
    head.text(",");
    // InvokeModel requires it, and a request that counts tokens has none.
    if (hosted.isWrapped && this.tape.member(0, constant("max_tokens")) == NO_NODE)
      head.text('"max_tokens":1,');
    this.edits.append(head.view(headSpan));
    this.edits.insertAppended(this.tape.start(0) + 1);
  }

  /** Returns whether a member asks for a feature that the cloud does not support; then it is reported. */
  private dropsMember(member: Member, key: u32, table: MemberTable, hosted: HostedRequest): bool {
    const feature = member.featureOf();
    if (feature === null || hosted.cloud.accepts(member.path)) return false;
    if (!member.isNeutral(this.tape, key + 1)) this.report.rejectOrDrop(member, feature, table);
    return true;
  }

  /** `output_format` needs a beta; its newer name does not. `finish` closes the object. */
  private renameFormat(key: u32): void {
    const tape = this.tape;
    if (this.hasFormat) return;
    this.hasFormat = true;
    if (tape.member(0, constant("output_config")) != NO_NODE) return;
    this.renamed = key + 1;
    this.edits.replace(
      tape.outerStart(key),
      tape.outerStart(key + 1),
      constant('"output_config":{"format":'),
    );
  }

  private editTools(list: u32, hosted: HostedRequest): void {
    const tape = this.tape;
    if (!tape.isArray(list)) return;
    this.report.enterList(TOOLS);
    const end = tape.next(list);
    for (let tool = tape.first(list); tool < end; tool = tape.next(tool)) {
      this.report.nextItem();
      if (tape.isObject(tool)) this.editTool(tool, hosted);
    }
    this.report.leaveList();
  }

  private editTool(tool: u32, hosted: HostedRequest): void {
    const tape = this.tape;
    outer.begin(tape, tool);
    const end = tape.next(tool);
    for (let key = tape.first(tool); key < end; key = tape.next(key + 1)) {
      const isDropped = this.dropsOfTool(key, hosted);
      outer.item(tape, key, isDropped, this.edits);
      if (!isDropped && tape.equals(key, CACHE_CONTROL)) this.editCacheControl(key + 1);
    }
  }

  private dropsOfTool(key: u32, hosted: HostedRequest): bool {
    const tape = this.tape;
    if (
      tape.equals(key, constant("eager_input_streaming")) &&
      tape.isTrue(key + 1) &&
      hosted.addEagerToolBeta()
    )
      return true;
    if (tape.equals(key, constant("strict")) && !this.limits.supportsOutputSchema) {
      if (tape.isTrue(key + 1)) this.report.dropForModel(constant("tools[].strict"));
      return true;
    }
    const member = toolMembers.find(tape, key);
    return member !== null && this.dropsMember(member, key, toolMembers, hosted);
  }

  private editMessages(list: u32, hosted: HostedRequest): void {
    const tape = this.tape;
    if (!tape.isArray(list)) return;
    this.report.enterList(MESSAGES);
    const end = tape.next(list);
    for (let message = tape.first(list); message < end; message = tape.next(message)) {
      this.report.nextItem();
      if (tape.isObject(message)) this.editMessage(message, hosted);
    }
    this.report.leaveList();
  }

  private editMessage(message: u32, hosted: HostedRequest): void {
    const tape = this.tape;
    outer.begin(tape, message);
    const end = tape.next(message);
    for (let key = tape.first(message); key < end; key = tape.next(key + 1)) {
      const member = messageMembers.find(tape, key);
      const isDropped = member !== null && this.dropsMember(member, key, messageMembers, hosted);
      outer.item(tape, key, isDropped, this.edits);
      if (tape.equals(key, CONTENT)) this.editBlocks(key + 1);
    }
  }

  /** Edits the blocks of a message, of a tool's result, or of the system prompt. */
  private editBlocks(list: u32): void {
    const tape = this.tape;
    if (!tape.isArray(list)) return;
    this.report.enterList(CONTENT);
    const end = tape.next(list);
    for (let block = tape.first(list); block < end; block = tape.next(block)) {
      this.report.nextItem();
      if (tape.isObject(block)) this.editBlock(block);
    }
    this.report.leaveList();
  }

  private editBlock(block: u32): void {
    const tape = this.tape;
    let content = NO_NODE;
    blockEdit.begin(tape, block);
    for (let key = tape.first(block), end = tape.next(block); key < end; key = tape.next(key + 1)) {
      blockEdit.item(tape, key, isOfResponse(tape, key), this.edits);
      if (tape.equals(key, SOURCE)) this.checkSource(key + 1);
      else if (tape.equals(key, CACHE_CONTROL)) this.editCacheControl(key + 1);
      else if (tape.equals(key, CONTENT)) content = key + 1;
    }
    if (!tape.isArray(content)) return;
    const end = tape.next(content);
    for (let part = tape.first(content); part < end; part = tape.next(part)) {
      this.checkSource(tape.member(part, SOURCE));
      this.editCacheControl(tape.member(part, CACHE_CONTROL));
    }
  }

  /** Rejects an image or document that the cloud would have to fetch. */
  private checkSource(source: u32): void {
    const type = this.tape.member(source, TYPE);
    if (this.tape.equals(type, constant("url")))
      this.report.reject("source", "of type url " + this.report.notSupported(DOCUMENT_URLS));
    else if (this.tape.equals(type, constant("file")))
      this.report.reject("source", "of type file " + this.report.notSupported(FILE_IDS));
  }

  /** Removes the scope of a cache mark; the mark stays. */
  private editCacheControl(mark: u32): void {
    const tape = this.tape;
    if (tape.member(mark, SCOPE) == NO_NODE) return;
    inner.begin(tape, mark);
    const end = tape.next(mark);
    for (let key = tape.first(mark); key < end; key = tape.next(key + 1)) {
      const isScope = tape.equals(key, SCOPE);
      if (isScope && tape.isPresent(key + 1)) this.report.drop(constant("cache_control.scope"));
      inner.item(tape, key, isScope, this.edits);
    }
  }
}

/**
 * Returns whether a member of a block is one of responses that asks for nothing in a request. The clouds reject it: "text.citations:
 * Extra inputs are not permitted" (anthropic-sdk-go#186), "tool_use.caller: …" (anthropic-sdk-python#1112).
 */
function isOfResponse(tape: Tape, key: u32): bool {
  const value = key + 1;
  if (tape.equals(key, constant("citations")))
    return !tape.isPresent(value) || (tape.isArray(value) && tape.isEmpty(value));
  return (
    tape.equals(key, constant("caller")) &&
    tape.equals(tape.member(value, TYPE), constant("direct"))
  );
}

/** Appends the beginning of a request that is written for a cloud: its members instead of the model. */
export function openHosted(hosted: HostedRequest, out: ByteBuffer, report: RequestReport): void {
  open(hosted, report);
  out.byte(0x7b);
  hosted.writeMembers(out);
}

/** Reads the betas of the request, and reports those that the cloud does not support. */
function open(hosted: HostedRequest, report: RequestReport): void {
  report.api = hosted.cloud.api;
  hosted.readBetas(report);
}
