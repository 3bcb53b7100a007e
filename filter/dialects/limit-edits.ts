// Fits a body that keeps its dialect to what the target's model supports, by edits of single members. Every other byte stays.
// What is the same in every dialect is here; a dialect's limit-edits.ts has the rest.
import { MemberTable } from "../hub/request/member-table";
import { isTooMany } from "../hub/request/request-fitting";
import { readDecimal } from "../hub/request/request-number";
import { RequestLimits, RequestReport } from "../hub/request/request-report";
import { BLANK_LINE, writeSchemaSentence } from "../hub/request/request-writing";
import { Edits } from "../bytes/json/edit";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { ListEdit } from "./list-edit";

const TEMPERATURE = constant("temperature");

const list = new ListEdit();
const text = scratchBuffer();
const textSpan = new Span(0, 0);

/** The neutral value of a member that has none. */
export const NO_NEUTRAL: f64 = f64.NaN;

/** One per dialect, reused for all requests. */
export abstract class LimitEdits {
  protected tape: Tape = new Tape();
  protected limits: RequestLimits = new RequestLimits();
  protected edits: Edits = new Edits();
  protected report: RequestReport = new RequestReport();
  /** The schema of a response that the model does not support; NO_NODE if the client asks for none. */
  protected schema: u32 = NO_NODE;
  /** Whether the model supports sampling parameters in this request. */
  protected allowsSampling: bool = true;
  private hasTemperature: bool = false;

  constructor(
    /** The members of a request's top level. */
    public members: MemberTable,
  ) {}

  /** Decides what depends on more than one member, before the first edit. */
  protected abstract plan(): void;

  /** Returns the node of the schema that the client asks for, or NO_NODE. */
  protected abstract schemaOf(): u32;

  /** Returns whether the model does not support a member of the dialect's own; lists it in the report. */
  protected abstract isDropped(key: u32): bool;

  /** Changes the value of a member. Returns whether nothing of it is left. */
  protected abstract change(key: u32): bool;

  /** Adds what concerns more than one member. Returns the system text that is still to be added. */
  protected abstract finish(systemText: Span): Span;

  /** As ClientDialect.fitRequest, of a body with messages. */
  limit(
    tape: Tape,
    limits: RequestLimits,
    systemPrompt: Span,
    edits: Edits,
    report: RequestReport,
  ): Span {
    this.tape = tape;
    this.limits = limits;
    this.edits = edits;
    this.report = report;
    this.allowsSampling = limits.supportsTemperature;
    this.hasTemperature = tape.isPresent(tape.member(0, TEMPERATURE));
    this.plan();
    this.schema = limits.supportsOutputSchema ? NO_NODE : this.schemaOf();
    list.begin(tape, 0);
    for (let key = tape.first(0), end = tape.next(0); key < end; key = tape.next(key + 1)) {
      const isDropped =
        this.isDroppedSampling(key) || this.isDropped(key) || this.isDroppedByName(key);
      list.item(tape, key, isDropped || this.change(key), edits);
    }
    return this.finish(this.schema == NO_NODE ? systemPrompt : this.withSchema(systemPrompt));
  }

  /** Returns whether a member is `name`; then it is listed in the report, unless its value asks for nothing. */
  protected drops(key: u32, name: Span, neutral: f64): bool {
    const tape = this.tape;
    if (!tape.equals(key, name)) return false;
    if (tape.isPresent(key + 1) && readDecimal(tape, key + 1) != neutral)
      this.report.dropForModel(name);
    return true;
  }

  private isDroppedSampling(key: u32): bool {
    const allowsSampling = this.allowsSampling;
    if (
      !allowsSampling &&
      (this.drops(key, TEMPERATURE, 1) || this.drops(key, constant("top_k"), NO_NEUTRAL))
    )
      return true;
    const keepsTopP = allowsSampling && (this.limits.supportsBothSampling || !this.hasTemperature);
    return !keepsTopP && this.drops(key, constant("top_p"), 1);
  }

  /** Returns whether the configuration lists the member as unsupported. */
  private isDroppedByName(key: u32): bool {
    const tape = this.tape;
    const names = this.limits.refuses;
    for (let i = 0; i < names.length; i++) {
      const name = unchecked(names[i]);
      if (!tape.equals(key, name)) continue;
      const member = this.members.find(tape, key);
      const isNeutral =
        member === null ? !tape.isPresent(key + 1) : member.isNeutral(tape, key + 1);
      if (!isNeutral) this.report.dropForModel(name);
      return true;
    }
    return false;
  }

  /** Lowers a number of tokens to the model's maximum. */
  protected lowerTokens(key: u32, name: Span): void {
    const value = key + 1;
    if (!isTooMany(this.tape, value, this.limits)) return;
    this.edits.append(integerText(this.limits.highestMaxTokens));
    this.edits.replaceAppended(this.tape.start(value), this.tape.end(value));
    this.report.dropForModel(name);
  }

  /** Replaces a value. */
  protected replace(node: u32, value: Span): void {
    this.edits.replace(this.tape.outerStart(node), this.tape.outerEnd(node), value);
  }

  /** Returns the configured prompt with the instruction that replaces the schema, until the next request. */
  private withSchema(prompt: Span): Span {
    text.clear();
    text.span(prompt);
    if (prompt.length > 0) text.span(BLANK_LINE);
    writeSchemaSentence(this.tape, this.schema, text);
    return spanOf(text);
  }
}

/** Returns the digits of a number, until the next call. */
export function integerText(value: i64): Span {
  text.clear();
  text.integer(value);
  return spanOf(text);
}

function spanOf(buffer: ByteBuffer): Span {
  textSpan.pointer = buffer.pointer;
  textSpan.length = buffer.length;
  return textSpan;
}
