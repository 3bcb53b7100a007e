// The member `limits` of a target (control-plane/ir/model.ts, `ModelLimits`) → what the request path asks for.
import {
  FORCED_ALL,
  FORCED_NAMED,
  FORCED_NONE,
  OFF_BETWEEN_TOOLS,
  OFF_DISABLED,
  OFF_NONE,
  REASONING_ADAPTIVE,
  REASONING_BOTH,
  REASONING_BUDGET,
  REASONING_NONE,
  RequestLimits,
} from "../hub/request-report";
import { effortOf } from "../hub/request-effort";
import { EFFORT_UNSET } from "../hub/request";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { constant } from "../bytes/text/bytes";
import { integerOf, memberOf, onlyKnownMembers, reportProblem, textOf } from "./document";

const IN_MESSAGES = "messages[].";

/** Fills `limits`; what it does not understand is a problem of the document. */
export function readLimits(tape: Tape, object: u32, limits: RequestLimits): void {
  if (object == NO_NODE) return;
  onlyKnownMembers(tape, object, [
    "max_output_tokens",
    "default_max_tokens",
    "max_tokens_member",
    "sampling",
    "stop",
    "user",
    "top_k",
    "system_role",
    "developer_role",
    "system_messages",
    "efforts",
    "reasons_by_default",
    "reasoning_with_tools",
    "thinking",
    "thinking_off",
    "reasoning_content",
    "reasoning_details",
    "forced_tools",
    "output_schema",
    "prefill",
    "cache_control",
    "refuses",
  ]);
  readTokens(tape, object, limits);
  readMembers(tape, object, limits);
  readReasoning(tape, object, limits);
  readRefused(tape, memberOf(tape, object, "refuses"), limits);
  limits.isLimiting = changesOwnDialect(limits);
}

/** The other columns are for the translation alone. */
function changesOwnDialect(limits: RequestLimits): bool {
  if (limits.highestMaxTokens != 0 || limits.usesMaxCompletionTokens) return true;
  if (!limits.takesMaxCompletionTokens || limits.samplesWithoutReasoning) return true;
  if (!limits.takesTemperature || !limits.takesBothSampling) return true;
  if (!limits.takesSystemRole || !limits.takesLaterSystem || !limits.takesDeveloperRole)
    return true;
  if (!limits.takesStop || !limits.takesUser || !limits.takesOutputSchema) return true;
  if (limits.knowsEfforts || !limits.takesReasoningWithTools || limits.knowsReasoning) return true;
  if (limits.forcedTools != FORCED_ALL || !limits.takesPrefill) return true;
  return limits.refuses.length > 0 || limits.refusesInMessages.length > 0;
}

function readTokens(tape: Tape, object: u32, limits: RequestLimits): void {
  limits.highestMaxTokens = countMember(tape, object, "max_output_tokens", 0);
  limits.defaultMaxTokens = countMember(
    tape,
    object,
    "default_max_tokens",
    limits.defaultMaxTokens,
  );
  const member = wordMember(tape, object, "max_tokens_member", [
    "any",
    "max_tokens",
    "max_completion_tokens",
  ]);
  limits.takesMaxCompletionTokens = member != 1;
  limits.usesMaxCompletionTokens = member == 2;
}

function readMembers(tape: Tape, object: u32, limits: RequestLimits): void {
  const sampling = wordMember(tape, object, "sampling", [
    "any",
    "one",
    "without_reasoning",
    "none",
  ]);
  limits.takesBothSampling = sampling != 1;
  limits.samplesWithoutReasoning = sampling == 2;
  limits.takesTemperature = sampling != 3;
  const role = wordMember(tape, object, "system_role", ["anywhere", "first", "none"]);
  limits.takesLaterSystem = role <= 0;
  limits.takesSystemRole = role != 2;
  limits.takesStop = flagMember(tape, object, "stop", true);
  limits.takesUser = flagMember(tape, object, "user", true);
  limits.takesTopK = flagMember(tape, object, "top_k", false);
  limits.takesDeveloperRole = flagMember(tape, object, "developer_role", true);
  limits.takesSystemMessages = flagMember(tape, object, "system_messages", false);
  limits.takesReasoningContent = flagMember(tape, object, "reasoning_content", false);
  limits.takesReasoningDetails = flagMember(tape, object, "reasoning_details", false);
  limits.takesOutputSchema = flagMember(tape, object, "output_schema", true);
  limits.takesPrefill = flagMember(tape, object, "prefill", true);
  limits.takesCacheControl = flagMember(tape, object, "cache_control", false);
  const forced = wordMember(tape, object, "forced_tools", ["all", "named", "none"]);
  limits.forcedTools = forced == 1 ? FORCED_NAMED : forced == 2 ? FORCED_NONE : FORCED_ALL;
}

function readReasoning(tape: Tape, object: u32, limits: RequestLimits): void {
  const efforts = memberOf(tape, object, "efforts");
  if (efforts != NO_NODE) {
    limits.knowsEfforts = true;
    limits.efforts = 0;
    const end = tape.next(efforts);
    for (let word = tape.first(efforts); word < end; word = tape.next(word)) {
      const effort = effortOf(tape, word);
      if (effort == EFFORT_UNSET) reportProblem("unknown effort '" + textOf(tape, word) + "'");
      else limits.efforts |= (<u32>1) << effort;
    }
  }
  limits.reasonsByDefault = flagMember(tape, object, "reasons_by_default", true);
  limits.takesReasoningWithTools = flagMember(tape, object, "reasoning_with_tools", true);
  const thinking = wordMember(tape, object, "thinking", ["none", "budget", "adaptive", "both"]);
  limits.knowsReasoning = thinking >= 0;
  if (thinking == 0) limits.reasoning = REASONING_NONE;
  else if (thinking == 1) limits.reasoning = REASONING_BUDGET;
  else limits.reasoning = thinking == 3 ? REASONING_BOTH : REASONING_ADAPTIVE;
  const off = wordMember(tape, object, "thinking_off", ["disabled", "between_tools", "none"]);
  limits.thinkingOff = off == 1 ? OFF_BETWEEN_TOOLS : off == 2 ? OFF_NONE : OFF_DISABLED;
}

function readRefused(tape: Tape, list: u32, limits: RequestLimits): void {
  const end = tape.next(list);
  for (let name = tape.first(list); name < end; name = tape.next(name)) {
    const text = textOf(tape, name);
    if (text.startsWith(IN_MESSAGES)) {
      limits.refusesInMessages.push(constant(text.substring(IN_MESSAGES.length)));
      limits.refusedPaths.push(constant(text));
    } else {
      limits.refuses.push(constant(text));
    }
  }
}

function flagMember(tape: Tape, object: u32, name: string, otherwise: bool): bool {
  const node = memberOf(tape, object, name);
  return node == NO_NODE ? otherwise : tape.isTrue(node);
}

function countMember(tape: Tape, object: u32, name: string, otherwise: u32): u32 {
  const node = memberOf(tape, object, name);
  return node == NO_NODE ? otherwise : <u32>max(integerOf(tape, node), 0);
}

/** Index of the member's word; -1 when there is no such member. */
function wordMember(tape: Tape, object: u32, name: string, words: string[]): i32 {
  const node = memberOf(tape, object, name);
  if (node == NO_NODE) return -1;
  const word = textOf(tape, node);
  const index = words.indexOf(word);
  if (index < 0) reportProblem("unknown " + name + " '" + word + "'");
  return index;
}
