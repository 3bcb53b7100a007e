// What the limits ask of single members, in either dialect.
import { MemberTable } from "../hub/member-table";
import { isTooMany } from "../hub/request-fitting";
import { readDecimal } from "../hub/request-number";
import { RequestLimits, RequestReport } from "../hub/request-report";
import { writeSchemaSentence } from "../hub/request-writing";
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";

const TEMPERATURE = constant("temperature");
const TOP_P = constant("top_p");
const TOP_K = constant("top_k");
const BLANK_LINE = constant("\\n\\n");

/** Counts a member that goes, unless its value asks for what happens anyway. */
export function countMember(
  tape: Tape,
  key: u32,
  path: Span,
  neutral: f64,
  report: RequestReport,
): void {
  if (tape.isPresent(key + 1) && readDecimal(tape, key + 1) != neutral) report.dropLimited(path);
}

/** Whether a member is a sampling parameter that goes; it is counted. `isFree`: the model takes them all. */
export function isRefusedSampling(
  tape: Tape,
  key: u32,
  isFree: bool,
  withTemperature: bool,
  limits: RequestLimits,
  report: RequestReport,
): bool {
  const takesTopP = isFree && (limits.takesBothSampling || !withTemperature);
  if (!isFree && tape.equals(key, TEMPERATURE)) countMember(tape, key, TEMPERATURE, 1, report);
  else if (!takesTopP && tape.equals(key, TOP_P)) countMember(tape, key, TOP_P, 1, report);
  else if (!isFree && tape.equals(key, TOP_K)) countMember(tape, key, TOP_K, f64.NaN, report);
  else return false;
  return true;
}

/** Whether the body says a temperature. */
export function hasTemperature(tape: Tape): bool {
  return tape.isPresent(tape.member(0, TEMPERATURE));
}

/** Whether a member is one of `limits.refuses`; it is counted unless it asks for nothing. `table`: what it stands in. */
export function isRefusedByName(
  tape: Tape,
  key: u32,
  limits: RequestLimits,
  table: MemberTable,
  report: RequestReport,
): bool {
  const names = limits.refuses;
  for (let i = 0; i < names.length; i++) {
    const name = unchecked(names[i]);
    if (!tape.equals(key, name)) continue;
    const member = table.find(tape, key);
    const isNeutral = member === null ? !tape.isPresent(key + 1) : member.isNeutral(tape, key + 1);
    if (!isNeutral) report.dropLimited(name);
    return true;
  }
  return false;
}

/** Lowers a number of tokens to what the model can answer with. */
export function lowerTokens(
  tape: Tape,
  key: u32,
  path: Span,
  limits: RequestLimits,
  edits: Edits,
  report: RequestReport,
): void {
  const value = key + 1;
  if (!isTooMany(tape, value, limits)) return;
  appendInteger(limits.highestMaxTokens, edits);
  edits.replaceAppended(tape.start(value), tape.end(value));
  report.dropLimited(path);
}

const text = scratchBuffer();
const textSpan = new Span(0, 0);

/** Adds a number to the text of the next edit. */
export function appendInteger(value: i64, edits: Edits): void {
  text.clear();
  text.integer(value);
  edits.append(writtenText());
}

/** The configured prompt with the sentence that stands for an answer's schema behind it, until the next call. */
export function promptWithSchema(prompt: Span, tape: Tape, schema: u32): Span {
  text.clear();
  text.span(prompt);
  if (prompt.length > 0) text.span(BLANK_LINE);
  writeSchemaSentence(tape, schema, text);
  return writtenText();
}

function writtenText(): Span {
  textSpan.pointer = text.pointer;
  textSpan.length = text.length;
  return textSpan;
}
