// Chat completions on both sides: what the limits of the target change in the client's body.
import {
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_UNSET,
  EFFORT_NONE,
  EFFORT_UNSET,
} from "../../hub/request";
import { effortOf, effortWord, nearestEffort } from "../../hub/request-effort";
import { isRefusedChoice, mustNotReason, reasons } from "../../hub/request-fitting";
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
import { foldSystem } from "./edit-system";
import { limitMessageMembers } from "./limit-message-edits";
import * as member from "./members";

const MAX_TOKENS = constant("max_tokens");
const MAX_COMPLETION_TOKENS = constant("max_completion_tokens");
const PRESENCE_PENALTY = constant("presence_penalty");
const FREQUENCY_PENALTY = constant("frequency_penalty");
const STOP = constant("stop");
const USER = constant("user");
const REASONING_EFFORT = constant("reasoning_effort");
const TOOLS = constant("tools");
const TOOL_CHOICE = constant("tool_choice");
const RESPONSE_FORMAT = constant("response_format");
const JSON_SCHEMA = constant("json_schema");
const SCHEMA = constant("schema");
const TYPE = constant("type");
const FUNCTION = constant("function");
const REQUIRED = constant("required");

const QUOTE = constant('"');
const NO_EFFORT_MEMBER = constant('"reasoning_effort":"none",');
const AUTO = constant('"auto"');
const JSON_OBJECT = constant('{"type":"json_object"}');
const NOTHING = new Span(0, 0);

const members = new ListEdit();

/** What was decided before the first edit, because one member depends on another. */
let effort: i32 = EFFORT_UNSET;
let changesEffort: bool = false;
let isFreeSampling: bool = true;
let saysTemperature: bool = false;
let hasTools: bool = false;

export function limitChatRequest(
  tape: Tape,
  limits: RequestLimits,
  systemPrompt: Span,
  edits: Edits,
  report: RequestReport,
): Span {
  planEffort(tape, limits, edits, report);
  saysTemperature = hasTemperature(tape);
  const schema = limits.takesOutputSchema ? NO_NODE : schemaOf(tape);
  limitMembers(tape, limits, schema, edits, report);
  const prompt = schema == NO_NODE ? systemPrompt : promptWithSchema(systemPrompt, tape, schema);
  limitMessageMembers(tape, limits, edits, report);
  if (limits.takesSystemRole && limits.takesLaterSystem) return prompt;
  foldSystem(tape, prompt, limits.takesSystemRole, limits.takesDeveloperRole, edits);
  return NOTHING;
}

/** Which effort the model is asked for, and whether it takes sampling parameters then. */
function planEffort(tape: Tape, limits: RequestLimits, edits: Edits, report: RequestReport): void {
  const node = tape.member(0, REASONING_EFFORT);
  const tools = tape.member(0, TOOLS);
  hasTools = tape.isArray(tools) && !tape.isEmpty(tools);
  const said = effortOf(tape, node);
  effort = limits.knowsEfforts ? nearestEffort(limits.efforts, said) : said;
  let isLess = effort < said && said != EFFORT_NONE;
  // A word that nobody knows may be the model's own.
  const isReadable = said != EFFORT_UNSET || !tape.isPresent(node);
  if (isReadable && hasTools && mustNotReason(effort, limits)) {
    isLess = said > EFFORT_NONE;
    effort = EFFORT_NONE;
    if (node == NO_NODE) edits.insert(tape.start(0) + 1, NO_EFFORT_MEMBER);
  }
  changesEffort = effort != said;
  if (isLess) report.dropLimited(REASONING_EFFORT);
  isFreeSampling =
    limits.takesTemperature && !(limits.samplesWithoutReasoning && reasons(effort, limits));
}

/** The schema of a format that is not taken; NO_NODE when the client asks for none. */
function schemaOf(tape: Tape): u32 {
  const format = tape.member(0, RESPONSE_FORMAT);
  if (!tape.equals(tape.member(format, TYPE), JSON_SCHEMA)) return NO_NODE;
  const schema = tape.member(tape.member(format, JSON_SCHEMA), SCHEMA);
  return tape.isObject(schema) ? schema : NO_NODE;
}

function limitMembers(
  tape: Tape,
  limits: RequestLimits,
  schema: u32,
  edits: Edits,
  report: RequestReport,
): void {
  members.begin();
  const end = tape.next(0);
  for (let key = tape.first(0); key < end; key = tape.next(key + 1)) {
    const next = tape.next(key + 1);
    const to = tape.outerEnd(key + 1);
    const isRemoved = isRefused(tape, key, limits, report);
    if (!isRemoved) changeMember(tape, key, limits, schema, edits, report);
    const nextStart = next < end ? tape.outerStart(next) : to;
    members.item(tape.outerStart(key), to, nextStart, isRemoved, edits);
  }
}

function isRefused(tape: Tape, key: u32, limits: RequestLimits, report: RequestReport): bool {
  if (isRefusedSampling(tape, key, isFreeSampling, saysTemperature, limits, report)) return true;
  if (!limits.takesTemperature && tape.equals(key, PRESENCE_PENALTY)) {
    countMember(tape, key, PRESENCE_PENALTY, 0, report);
    return true;
  }
  if (!limits.takesTemperature && tape.equals(key, FREQUENCY_PENALTY)) {
    countMember(tape, key, FREQUENCY_PENALTY, 0, report);
    return true;
  }
  if (!limits.takesStop && tape.equals(key, STOP)) {
    if (!tape.isArray(key + 1) || !tape.isEmpty(key + 1))
      countMember(tape, key, STOP, f64.NaN, report);
    return true;
  }
  if (!limits.takesUser && tape.equals(key, USER)) {
    countMember(tape, key, USER, f64.NaN, report);
    return true;
  }
  if (changesEffort && effort == EFFORT_UNSET && tape.equals(key, REASONING_EFFORT)) return true;
  // Where the member's other name is there already, and says the same or better, this one goes.
  const other = otherTokens(tape, key, limits);
  if (other.length > 0 && tape.member(0, other) != NO_NODE) return true;
  return isRefusedByName(tape, key, limits, member.request, report);
}

/** The name that a number of tokens has to have instead; empty when it may keep its own. */
function otherTokens(tape: Tape, key: u32, limits: RequestLimits): Span {
  if (limits.usesMaxCompletionTokens && tape.equals(key, MAX_TOKENS)) return MAX_COMPLETION_TOKENS;
  if (!limits.takesMaxCompletionTokens && tape.equals(key, MAX_COMPLETION_TOKENS))
    return MAX_TOKENS;
  return NOTHING;
}

function changeMember(
  tape: Tape,
  key: u32,
  limits: RequestLimits,
  schema: u32,
  edits: Edits,
  report: RequestReport,
): void {
  const value = key + 1;
  const start = tape.outerStart(value);
  const end = tape.outerEnd(value);
  if (tape.equals(key, MAX_TOKENS)) lowerTokens(tape, key, MAX_TOKENS, limits, edits, report);
  else if (tape.equals(key, MAX_COMPLETION_TOKENS)) {
    lowerTokens(tape, key, MAX_COMPLETION_TOKENS, limits, edits, report);
  } else if (changesEffort && tape.equals(key, REASONING_EFFORT)) {
    edits.append(QUOTE);
    edits.append(effortWord(effort));
    edits.append(QUOTE);
    edits.replaceAppended(start, end);
  } else if (
    hasTools &&
    tape.equals(key, TOOL_CHOICE) &&
    isRefusedChoice(choiceOf(tape, value), limits)
  ) {
    edits.replace(start, end, AUTO);
    report.dropLimited(TOOL_CHOICE);
  } else if (schema != NO_NODE && tape.equals(key, RESPONSE_FORMAT)) {
    edits.replace(start, end, JSON_OBJECT);
    report.dropLimited(RESPONSE_FORMAT);
  }
  const other = otherTokens(tape, key, limits);
  if (other.length > 0) edits.replace(tape.start(key), tape.end(key), other);
}

/** The kind of a choice that forces a call; CHOICE_UNSET for any other. */
function choiceOf(tape: Tape, node: u32): i32 {
  if (tape.equals(node, REQUIRED)) return CHOICE_ANY;
  return tape.equals(tape.member(node, TYPE), FUNCTION) ? CHOICE_NAMED : CHOICE_UNSET;
}
