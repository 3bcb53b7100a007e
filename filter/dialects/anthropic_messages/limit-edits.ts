// Messages on both sides: what the limits of the target change in the client's body, but for thinking
// (limit-thinking.ts).
import { CHOICE_ANY, CHOICE_NAMED, CHOICE_UNSET } from "../../hub/request";
import { isRefusedChoice } from "../../hub/request-fitting";
import { RequestLimits, RequestReport } from "../../hub/request-report";
import { Edits } from "../../bytes/json/edit";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { constant, Span } from "../../bytes/text/bytes";
import {
  countMember,
  hasTemperature,
  isRefusedByName,
  isRefusedSampling,
  lowerTokens,
  promptWithSchema,
} from "../limit-members";
import { ListEdit } from "../list-edit";
import { ThinkingLimit } from "./limit-thinking";
import * as member from "./members";

const MAX_TOKENS = constant("max_tokens");
const STOP_SEQUENCES = constant("stop_sequences");
const THINKING = constant("thinking");
const OUTPUT_CONFIG = constant("output_config");
const OUTPUT_FORMAT = constant("output_format");
const FORMAT = constant("format");
const FORMAT_PATH = constant("output_config.format");
const EFFORT = constant("effort");
const SCHEMA = constant("schema");
const TOOL_CHOICE = constant("tool_choice");
const TYPE = constant("type");
const ANY = constant("any");
const TOOL = constant("tool");
const NAME = constant("name");
const MESSAGES = constant("messages");
const ROLE = constant("role");
const ASSISTANT = constant("assistant");
const PREFILL = constant("prefill");

const QUOTED_AUTO = constant('"auto"');
const NEXT_MESSAGE = constant(',{"role":"user","content":"Continue."}');
const OUTPUT_CONFIG_OPEN = constant('"output_config":{"effort":"');
const OUTPUT_CONFIG_CLOSE = constant('"},');
const EFFORT_OPEN = constant('"effort":"');
const QUOTE = constant('"');
const COMMA = constant(",");

const members = new ListEdit();
const innerMembers = new ListEdit();
const thinking = new ThinkingLimit();

/** What was decided before the first edit. */
let saysTemperature: bool = false;
/** The schema of an answer that the model does not take; NO_NODE when the client asks for none. */
let schema: u32 = NO_NODE;

export function limitMessagesRequest(
  tape: Tape,
  limits: RequestLimits,
  systemPrompt: Span,
  edits: Edits,
  report: RequestReport,
): Span {
  thinking.plan(tape, limits, report);
  saysTemperature = hasTemperature(tape);
  schema = limits.takesOutputSchema ? NO_NODE : schemaOf(tape);
  limitMembers(tape, limits, edits, report);
  if (thinking.addsEffort && !tape.isObject(tape.member(0, OUTPUT_CONFIG))) {
    edits.append(OUTPUT_CONFIG_OPEN);
    edits.append(thinking.effortWord());
    edits.append(OUTPUT_CONFIG_CLOSE);
    edits.insertAppended(tape.start(0) + 1);
  }
  if (!limits.takesPrefill) endWithUser(tape, edits, report);
  return schema == NO_NODE ? systemPrompt : promptWithSchema(systemPrompt, tape, schema);
}

function schemaOf(tape: Tape): u32 {
  const config = tape.member(tape.member(0, OUTPUT_CONFIG), FORMAT);
  const format = tape.isPresent(config) ? config : tape.member(0, OUTPUT_FORMAT);
  const found = tape.member(format, SCHEMA);
  return tape.isObject(found) ? found : NO_NODE;
}

function limitMembers(
  tape: Tape,
  limits: RequestLimits,
  edits: Edits,
  report: RequestReport,
): void {
  members.begin();
  const end = tape.next(0);
  for (let key = tape.first(0); key < end; key = tape.next(key + 1)) {
    const next = tape.next(key + 1);
    const to = tape.outerEnd(key + 1);
    const isRemoved =
      isRefused(tape, key, limits, report) || changeMember(tape, key, limits, edits, report);
    const nextStart = next < end ? tape.outerStart(next) : to;
    members.item(tape.outerStart(key), to, nextStart, isRemoved, edits);
  }
}

function isRefused(tape: Tape, key: u32, limits: RequestLimits, report: RequestReport): bool {
  const isFree = limits.takesTemperature;
  if (isRefusedSampling(tape, key, isFree, saysTemperature, limits, report)) return true;
  if (!limits.takesStop && tape.equals(key, STOP_SEQUENCES)) {
    if (!tape.isEmpty(key + 1)) countMember(tape, key, STOP_SEQUENCES, f64.NaN, report);
    return true;
  }
  if (schema != NO_NODE && tape.equals(key, OUTPUT_FORMAT)) {
    countMember(tape, key, OUTPUT_FORMAT, f64.NaN, report);
    return true;
  }
  return isRefusedByName(tape, key, limits, member.request, report);
}

/** Changes what stands in a member; answers whether nothing of it is left. */
function changeMember(
  tape: Tape,
  key: u32,
  limits: RequestLimits,
  edits: Edits,
  report: RequestReport,
): bool {
  const value = key + 1;
  if (tape.equals(key, MAX_TOKENS)) lowerTokens(tape, key, MAX_TOKENS, limits, edits, report);
  else if (tape.equals(key, THINKING)) return thinking.edit(tape, value, edits);
  else if (tape.equals(key, OUTPUT_CONFIG)) return changeOutput(tape, value, edits, report);
  else if (tape.equals(key, TOOL_CHOICE) && isRefusedChoice(choiceOf(tape, value), limits)) {
    leaveChoice(tape, value, edits);
    report.dropLimited(TOOL_CHOICE);
  }
  return false;
}

/** `output_config`: the effort that the model knows, and no format that it does not take. */
function changeOutput(tape: Tape, object: u32, edits: Edits, report: RequestReport): bool {
  if (!tape.isObject(object)) return false;
  innerMembers.begin();
  let kept: u32 = 0;
  const end = tape.next(object);
  for (let key = object + 1; key < end; key = tape.next(key + 1)) {
    const next = tape.next(key + 1);
    const to = tape.outerEnd(key + 1);
    let isRemoved = false;
    if (schema != NO_NODE && tape.equals(key, FORMAT)) {
      report.dropLimited(FORMAT_PATH);
      isRemoved = true;
    } else if (thinking.changesEffort && tape.equals(key, EFFORT)) {
      isRemoved = !thinking.replaceEffort(tape, key + 1, edits);
    }
    if (!isRemoved) kept++;
    const nextStart = next < end ? tape.outerStart(next) : to;
    innerMembers.item(tape.outerStart(key), to, nextStart, isRemoved, edits);
  }
  if (!thinking.addsEffort) return kept == 0 && !tape.isEmpty(object);
  edits.append(EFFORT_OPEN);
  edits.append(thinking.effortWord());
  edits.append(QUOTE);
  if (kept > 0) edits.append(COMMA);
  edits.insertAppended(tape.start(object) + 1);
  return false;
}

/** The kind of a choice that forces a call; CHOICE_UNSET for any other. */
function choiceOf(tape: Tape, node: u32): i32 {
  const type = tape.member(node, TYPE);
  if (tape.equals(type, ANY)) return CHOICE_ANY;
  return tape.equals(type, TOOL) ? CHOICE_NAMED : CHOICE_UNSET;
}

/** Makes a choice `auto`; whether calls may be parallel stays as it is. */
function leaveChoice(tape: Tape, object: u32, edits: Edits): void {
  innerMembers.begin();
  const end = tape.next(object);
  for (let key = object + 1; key < end; key = tape.next(key + 1)) {
    const next = tape.next(key + 1);
    const to = tape.outerEnd(key + 1);
    if (tape.equals(key, TYPE)) edits.replace(tape.outerStart(key + 1), to, QUOTED_AUTO);
    const nextStart = next < end ? tape.outerStart(next) : to;
    innerMembers.item(tape.outerStart(key), to, nextStart, tape.equals(key, NAME), edits);
  }
}

/** The model continues no message of its own: a short one of the user follows it. */
function endWithUser(tape: Tape, edits: Edits, report: RequestReport): void {
  const list = tape.member(0, MESSAGES);
  if (!tape.isArray(list)) return;
  let last = NO_NODE;
  const end = tape.next(list);
  for (let message = tape.first(list); message < end; message = tape.next(message)) last = message;
  if (!tape.equals(tape.member(last, ROLE), ASSISTANT)) return;
  edits.insert(tape.end(last), NEXT_MESSAGE);
  report.dropLimited(PREFILL);
}
