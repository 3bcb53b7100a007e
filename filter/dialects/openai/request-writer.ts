// Writes a request of the hub for one of OpenAI's APIs: what both write in the same way.
import {
  Block,
  BLOCK_TEXT,
  EFFORT_NONE,
  EFFORT_UNSET,
  FLAG_ERROR,
  FLAG_PLAIN,
  FLAG_STRING,
} from "../../hub/request/request";
import { PROMPT_CACHE_KEY, PROMPT_CACHE_OPTIONS, WEB_SEARCH } from "../../hub/request/features";
import { fileTypeOf, fileTypeOfName } from "../../hub/request/file-types";
import { MemberTable } from "../../hub/request/member-table";
import { nearestEffort } from "../../hub/request/request-effort";
import { EffortPlan } from "../../hub/request/request-fitting";
import { readDecimal } from "../../hub/request/request-number";
import { RequestWriter } from "../../hub/request/request-writer";
import { BLANK_LINE, writeString, writeValue } from "../../hub/request/request-writing";
import { NO_NODE } from "../../bytes/json/tape";
import { escape } from "../../bytes/json/text";
import { byteAt, startsWith } from "../../bytes/text/at";
import { contains } from "../../bytes/text/find";
import { constant, Span } from "../../bytes/text/bytes";

const INVALID_JSON = constant('{"INVALID_JSON":"');
const ERROR = constant("error");
export const ERROR_PREFIX = constant("Error: ");

export abstract class OpenaiRequestWriter extends RequestWriter {
  protected efforts: EffortPlan = new EffortPlan();

  /** Whether the request has breakpoints, and whether a mark of the client could not be one. */
  protected hasBreakpoints: bool = false;
  protected hasLostMarks: bool = false;
  /** Whether all marks are the gateway's: the client loses nothing if one has no place. */
  protected hasAddedMarks: bool = false;

  /** Begins a request without marks. */
  protected beginMarks(): void {
    this.hasBreakpoints = false;
    this.hasLostMarks = false;
  }

  /** Returns whether the target supports cache marks of content parts. */
  protected supportsMarks(): bool {
    return this.limits.supportsBreakpoints || this.limits.supportsCacheControl;
  }

  /** Returns whether a block has a cache mark that the target supports; else the mark is dropped. */
  protected isMarked(block: Block): bool {
    if (block.cacheLength == 0) return false;
    if (this.supportsMarks()) return true;
    this.dropMark(block);
    return false;
  }

  /** Drops the mark of a block whose place has none. */
  protected dropMark(block: Block): void {
    if (block.cacheLength == 0 || this.hasAddedMarks) return;
    this.hasLostMarks = true;
    this.report.drop(this.report.paths.cache);
  }

  /** Returns whether the tool result in [index, end) or its contents have a mark that the target supports. */
  protected isResultMarked(index: u32, end: u32): bool {
    const request = this.request;
    let isMarked = false;
    for (let i = index; i < end; i++) {
      if (!this.isMarked(request.block(i))) continue;
      isMarked = true;
      // The end of a result is that of its contents.
      const last = request.block(end - 1);
      last.cache = request.block(i).cache;
      last.cacheLength = request.block(i).cacheLength;
    }
    if (isMarked && end == index + 1) {
      this.dropMark(request.block(index));
      return false;
    }
    return isMarked;
  }

  /**
   * Writes the mark of a part as a breakpoint.
   * @see https://developers.openai.com/api/docs/guides/prompt-caching
   */
  protected writeBreakpoint(block: Block): void {
    if (block.cacheLength == 0) return;
    this.hasBreakpoints = true;
    this.out.text(',"prompt_cache_breakpoint":{"mode":"explicit"');
    if (contains(block.cache, block.cacheLength, constant('"1h"'))) this.out.text(',"ttl":"12h"');
    this.out.byte(0x7d);
  }

  /** Returns whether the client's options of the cache are sent. Mode explicit without breakpoints would cache nothing. */
  private sendsCacheOptions(node: u32): bool {
    if (!this.limits.supportsBreakpoints) return false;
    const isExplicit = this.tape.equals(
      this.tape.member(node, constant("mode")),
      constant("explicit"),
    );
    return !isExplicit || this.hasBreakpoints || !this.hasLostMarks;
  }

  /** Decides the effort before anything is written. `hasTools`: whether tools may exclude reasoning. */
  protected planEffort(hasTools: bool): void {
    const limits = this.limits;
    // A model that does not reason, or of which nothing is known, responds without thinking by default.
    const wanted = this.request.effort;
    const isAsked = wanted != EFFORT_NONE || limits.knowsEfforts;
    const nearest = isAsked ? nearestEffort(limits.efforts, wanted) : EFFORT_UNSET;
    this.efforts.plan(wanted, nearest, hasTools, limits);
    // An effort that stands for a budget is near enough.
    const isRaised = this.efforts.isRaised && !this.request.isEffortThinking;
    if (this.efforts.isOther || isRaised || this.efforts.isListed(this.report)) this.dropEffort();
  }

  /** Writes what the model samples with, which depends on the planned effort. */
  protected writeSampling(): void {
    const tape = this.tape;
    const allowsSampling = this.efforts.allowsSampling;
    const temperature = this.request.temperature;
    const topP = this.request.topP;
    // The defaults are the same in every API, and ask for nothing.
    if (allowsSampling || readDecimal(tape, temperature) != 1)
      this.writeLimited(
        temperature,
        constant('"temperature":'),
        constant("temperature"),
        allowsSampling,
      );
    const supportsTopP =
      allowsSampling && (this.limits.supportsBothSampling || !tape.isPresent(temperature));
    if (supportsTopP || readDecimal(tape, topP) != 1)
      this.writeLimited(topP, constant('"top_p":'), constant("top_p"), supportsTopP);
  }

  /** Writes the members of the request itself that ask for features, with the client's values. */
  protected writeFeatures(table: MemberTable): void {
    const out = this.out;
    for (let i = 0; i < table.count; i++) {
      const name = table.at(i).name;
      const feature = table.at(i).featureOf();
      // The search of another format is written in this one's own words.
      if (feature === WEB_SEARCH) continue;
      const node = feature === null ? NO_NODE : this.request.features.node(feature);
      if (node == NO_NODE) continue;
      const isLeftOut = feature === PROMPT_CACHE_OPTIONS && !this.sendsCacheOptions(node);
      if (isLeftOut || this.limits.isRefused(name)) {
        this.report.dropForModel(name);
        continue;
      }
      const sent = this.sentName(name);
      out.byte(0x2c);
      writeString(sent.pointer, sent.length, out);
      out.byte(0x3a);
      writeValue(this.tape, node, out);
    }
  }

  /** Writes the key of the session, unless the client has sent one. What is a member is no header. */
  protected writeCacheKey(): void {
    const report = this.report;
    if (report.cacheKey.length == 0 || !this.hasCacheKeyMember()) return;
    if (this.request.features.node(PROMPT_CACHE_KEY) == NO_NODE) {
      this.out.text(',"prompt_cache_key":"');
      this.out.bytes(report.cacheKey.pointer, report.cacheKey.length);
      this.out.byte(0x22);
    }
    report.cacheKey.clear();
  }

  /** Returns whether the key is a member, not a header. */
  protected hasCacheKeyMember(): bool {
    return true;
  }

  /** Returns the provider's name of a member that asks for a feature. */
  protected sentName(name: Span): Span {
    return name;
  }

  /** Writes the name of the response's schema, `otherwise` if the client gave none, and the schema. */
  protected writeNamedSchema(otherwise: Span): void {
    const request = this.request;
    if (request.schemaName == NO_NODE) this.out.span(otherwise);
    else writeValue(this.tape, request.schemaName, this.out);
    this.out.text(',"schema":');
    this.writeSchema(request.schema);
  }

  /**
   * Writes the texts of the tool result in [index, end), joined by empty lines: the inside of a JSON string. That of a tool that
   * failed begins with `Error: `, unless it mentions an error. Returns the number of texts.
   */
  protected writeResultTexts(index: u32, end: u32): u32 {
    const request = this.request;
    const out = this.out;
    const isError = (request.block(index).flags & FLAG_ERROR) != 0;
    let texts: u32 = 0;
    for (let i = index + 1; i < end; i++) {
      const block = request.block(i);
      if (block.kind != BLOCK_TEXT) continue;
      if (texts++ > 0) out.span(BLANK_LINE);
      else if (isError && !mentionsError(block)) out.span(ERROR_PREFIX);
      out.bytes(block.text, block.textLength);
    }
    if (texts == 0 && isError) out.span(ERROR_PREFIX);
    return texts;
  }

  /** Writes the input as a string. Arguments that the gateway wrapped, because they were not JSON, are unwrapped. */
  protected writeArguments(block: Block): void {
    const out = this.out;
    const length = block.textLength;
    const head = INVALID_JSON.length;
    if (length == 0) {
      out.text("{}");
    } else if ((block.flags & FLAG_STRING) != 0) {
      out.bytes(block.text, length);
    } else if (
      length > head + 2 &&
      startsWith(block.text, length, INVALID_JSON) &&
      isOneString(block, head)
    ) {
      out.bytes(block.text + head, length - head - 2);
    } else {
      escape(block.text, length, out);
    }
  }

  /** Writes a base64 file as a data URL, up to the quote after it. */
  protected writeData(block: Block): void {
    const out = this.out;
    out.text("data:");
    out.bytes(block.name, block.nameLength);
    out.text(";base64,");
    out.bytes(block.text, block.textLength);
    out.byte(0x22);
  }

  /** Writes the name of a document, a JSON string. */
  protected writeFileName(block: Block): void {
    const out = this.out;
    const isNamed =
      (block.flags & FLAG_PLAIN) == 0 || fileTypeOfName(block.id, block.idLength) !== null;
    if (block.idLength > 0) {
      out.byte(0x22);
      out.bytes(block.id, block.idLength);
      // OpenAI reads the type from the name; a document of text has a title.
      out.text(isNamed ? '"' : '.txt"');
      return;
    }
    const type = fileTypeOf(block.name, block.nameLength);
    out.text('"document');
    out.span(type === null ? constant(".pdf") : type.end);
    out.byte(0x22);
  }
}

/** Returns whether a text begins with the word error, in any case. */
export function mentionsError(block: Block): bool {
  if (block.textLength < ERROR.length) return false;
  for (let i: u32 = 0; i < ERROR.length; i++) {
    if ((byteAt(block.text, i) | 0x20) != byteAt(ERROR.pointer, i)) return false;
  }
  return true;
}

/** Returns whether the block is one string from `start` to the closing `"}`. */
function isOneString(block: Block, start: u32): bool {
  const last = block.textLength - 2;
  let i = start;
  while (i < last && byteAt(block.text, i) != 0x22) i += byteAt(block.text, i) == 0x5c ? 2 : 1;
  return i == last;
}
