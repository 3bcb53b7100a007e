// Reads the member `limits` of a target into the fields of RequestLimits. Names, values and defaults are those of
// contract/model-capabilities.ts.
import {
  CACHE_CONTROL,
  CALL_IDS,
  DEFAULT_MAX_TOKENS,
  DEVELOPER_ROLE,
  EFFORTS,
  FORCED_TOOLS,
  JSON_SCHEMA,
  MAX_OUTPUT_TOKENS,
  MAX_TOKENS_MEMBER,
  MODEL_FAMILY,
  OUTPUT_SCHEMA,
  PREFILL,
  REASONING_CONTENT,
  REASONING_DETAILS,
  REASONING_WITH_TOOLS,
  REASONS_BY_DEFAULT,
  REFUSES,
  SAMPLING,
  STOP,
  SYSTEM_MESSAGES,
  SYSTEM_ROLE,
  THINKING,
  THINKING_OFF,
  TOOL_CALLS,
  TOP_K,
  USER,
  USER_AFTER_TOOL,
} from "../../contract/model-capabilities";
import { FORCED_ALL, REASONING_ADAPTIVE, RequestLimits } from "../hub/request/request-report";
import { effortOf } from "../hub/request/request-effort";
import { EFFORT_HIGH, EFFORT_LOW, EFFORT_MEDIUM, EFFORT_UNSET } from "../hub/request/request";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { integerOf, membersOf, reportProblem, textOf } from "./document";

const IN_MESSAGES = "messages[].";
/** Nearly every model supports these. */
const USUAL_EFFORTS: u32 = (1 << EFFORT_LOW) | (1 << EFFORT_MEDIUM) | (1 << EFFORT_HIGH);

/** The name of a capability: a string for each would double the memory that a configuration needs while it is read. */
const nameBytes = scratchBuffer();
const name = new Span(0, 0);

/** Number of members of the object that were found. */
let known: u32 = 0;

/**
 * Fills `limits`, with defaults if `object` is missing; an unknown member or value is reported as a problem of the
 * document.
 */
export function readLimits(tape: Tape, object: u32, limits: RequestLimits): void {
  known = 0;
  limits.highestMaxTokens = count(tape, object, MAX_OUTPUT_TOKENS);
  limits.defaultMaxTokens = count(tape, object, DEFAULT_MAX_TOKENS);
  const member = choice(tape, object, MAX_TOKENS_MEMBER);
  limits.supportsMaxCompletionTokens = member != 1;
  limits.usesMaxCompletionTokens = member == 2;
  const sampling = choice(tape, object, SAMPLING);
  limits.supportsBothSampling = sampling != 1;
  limits.samplesWithoutReasoning = sampling == 2;
  limits.supportsTemperature = sampling != 3;
  const role = choice(tape, object, SYSTEM_ROLE);
  limits.supportsLaterSystem = role == 0;
  limits.supportsSystemRole = role != 2;
  limits.supportsStop = flag(tape, object, STOP);
  limits.supportsUser = flag(tape, object, USER);
  limits.supportsTopK = flag(tape, object, TOP_K);
  limits.supportsDeveloperRole = flag(tape, object, DEVELOPER_ROLE);
  limits.supportsSystemMessages = flag(tape, object, SYSTEM_MESSAGES);
  limits.supportsLongCallIds = choice(tape, object, CALL_IDS) == 0;
  limits.supportsUserAfterTool = flag(tape, object, USER_AFTER_TOOL);
  limits.supportsReasoningContent = flag(tape, object, REASONING_CONTENT);
  limits.supportsReasoningDetails = flag(tape, object, REASONING_DETAILS);
  limits.supportsOutputSchema = flag(tape, object, OUTPUT_SCHEMA);
  limits.supportsPrefill = flag(tape, object, PREFILL);
  limits.supportsCacheControl = flag(tape, object, CACHE_CONTROL);
  limits.reasonsByDefault = flag(tape, object, REASONS_BY_DEFAULT);
  limits.supportsReasoningWithTools = flag(tape, object, REASONING_WITH_TOOLS);
  limits.signsCalls = choice(tape, object, TOOL_CALLS) == 0;
  limits.supportsJsonSchema = flag(tape, object, JSON_SCHEMA);
  limits.forcedTools = choice(tape, object, FORCED_TOOLS);
  limits.thinkingOff = choice(tape, object, THINKING_OFF);
  const thinking = choice(tape, object, THINKING);
  limits.knowsReasoning = thinking >= 0;
  limits.reasoning = thinking < 0 ? REASONING_ADAPTIVE : thinking;
  limits.family = choice(tape, object, MODEL_FAMILY);
  readEfforts(tape, capability(tape, object, EFFORTS), limits);
  readRefused(tape, capability(tape, object, REFUSES), limits);
  if (known != membersOf(tape, object)) reportProblem("unknown member of 'limits'");
  limits.isLimiting = changesOwnDialect(limits);
}

/**
 * Whether the limits also change requests in the provider's own dialect; the remaining capabilities affect translation
 * only.
 */
function changesOwnDialect(limits: RequestLimits): bool {
  if (limits.highestMaxTokens != 0 || limits.usesMaxCompletionTokens) return true;
  if (!limits.supportsMaxCompletionTokens || limits.samplesWithoutReasoning) return true;
  if (!limits.supportsTemperature || !limits.supportsBothSampling) return true;
  if (!limits.supportsSystemRole || !limits.supportsLaterSystem || !limits.supportsDeveloperRole)
    return true;
  if (!limits.supportsStop || !limits.supportsUser || !limits.supportsOutputSchema) return true;
  if (limits.knowsEfforts || !limits.supportsReasoningWithTools || limits.knowsReasoning)
    return true;
  if (limits.forcedTools != FORCED_ALL || !limits.supportsPrefill) return true;
  if (!limits.supportsLongCallIds || !limits.supportsUserAfterTool) return true;
  return limits.refuses.length > 0 || limits.refusesInMessages.length > 0;
}

function readEfforts(tape: Tape, list: u32, limits: RequestLimits): void {
  limits.knowsEfforts = list != NO_NODE;
  limits.efforts = limits.knowsEfforts ? 0 : USUAL_EFFORTS;
  const end = tape.next(list);
  for (let word = tape.first(list); word < end; word = tape.next(word)) {
    const effort = effortOf(tape, word);
    if (effort == EFFORT_UNSET) reportProblem("unknown effort '" + textOf(tape, word) + "'");
    else limits.efforts |= (<u32>1) << effort;
  }
}

function readRefused(tape: Tape, list: u32, limits: RequestLimits): void {
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item)) {
    const text = textOf(tape, item);
    if (text.startsWith(IN_MESSAGES)) {
      limits.refusesInMessages.push(constant(text.substring(IN_MESSAGES.length)));
      limits.refusedPaths.push(constant(text));
    } else {
      limits.refuses.push(constant(text));
    }
  }
}

/** Returns the node of a declared capability, and counts it if it is present. */
function capability(tape: Tape, object: u32, declaration: string): u32 {
  if (object == NO_NODE) return NO_NODE;
  nameBytes.clear();
  for (let i = 0, end = declaration.indexOf(":"); i < end; i++)
    nameBytes.byte(declaration.charCodeAt(i));
  const node = tape.member(object, nameBytes.view(name));
  if (node != NO_NODE) known++;
  return node;
}

function fallbackOf(declaration: string): string {
  const at = declaration.indexOf(" = ");
  return at < 0 ? "" : declaration.substring(at + 3);
}

function flag(tape: Tape, object: u32, declaration: string): bool {
  const node = capability(tape, object, declaration);
  return node == NO_NODE ? declaration.endsWith("true") : tape.isTrue(node);
}

function count(tape: Tape, object: u32, declaration: string): u32 {
  const node = capability(tape, object, declaration);
  if (node != NO_NODE) return <u32>max(integerOf(tape, node), 0);
  let value: u32 = 0;
  const fallback = fallbackOf(declaration);
  for (let i = 0; i < fallback.length; i++) value = value * 10 + (fallback.charCodeAt(i) - 0x30);
  return value;
}

/** Returns the index of the value among those of the type; -1 if the capability is not set and has no default. */
function choice(tape: Tape, object: u32, declaration: string): i32 {
  const node = capability(tape, object, declaration);
  const value = node == NO_NODE ? fallbackOf(declaration) : textOf(tape, node);
  // `name: a|b = a`
  let from = declaration.indexOf(": ") + 2;
  for (let index = 0; ; index++) {
    let to = from;
    while (isOfValue(declaration.charCodeAt(to))) to++;
    if (to - from == value.length && declaration.startsWith(value, from)) return index;
    if (declaration.charCodeAt(to) != 0x7c) break;
    from = to + 1;
  }
  if (node != NO_NODE) reportProblem("unknown value '" + value + "' in 'limits'");
  return -1;
}

function isOfValue(character: i32): bool {
  return character == 0x5f || (character >= 0x61 && character <= 0x7a);
}
