// What Converse passes to the model as it is, `additionalModelRequestFields`: reasoning and `top_k`, whose form depends on
// the family.
// @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html
import {
  EFFORT_HIGH,
  EFFORT_NONE,
  EFFORT_UNSET,
  HubRequest,
} from "../../../../hub/request/request";
import { effortWord, isOtherEffort, nearestEffort } from "../../../../hub/request/request-effort";
import {
  FAMILY_CLAUDE,
  FAMILY_GPT,
  FAMILY_GPT_OSS,
  FAMILY_NOVA,
  RequestLimits,
  RequestReport,
} from "../../../../hub/request/request-report";
import { writeMember } from "../../../../hub/request/request-writing";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";

const QUOTE: u32 = 0x22;

export function writeTopK(
  request: HubRequest,
  limits: RequestLimits,
  extras: ByteBuffer,
  report: RequestReport,
): void {
  if (limits.family == FAMILY_CLAUDE) {
    writeMember(request.tape, request.topK, constant(',"top_k":'), extras);
  } else if (limits.family == FAMILY_NOVA) {
    writeMember(request.tape, request.topK, constant(',"inferenceConfig":{"topK":'), extras);
    extras.byte(0x7d);
  } else {
    report.dropForModel(constant("top_k"));
  }
}

/** Writes the effort for a family other than Claude. Returns it, EFFORT_UNSET if the request has none. */
export function writeEffort(
  request: HubRequest,
  limits: RequestLimits,
  extras: ByteBuffer,
  report: RequestReport,
): i32 {
  const wanted = request.effort;
  if (wanted == EFFORT_UNSET) return EFFORT_UNSET;
  const family = limits.family;
  const isForm = family == FAMILY_NOVA || family == FAMILY_GPT || family == FAMILY_GPT_OSS;
  const isOff = wanted == EFFORT_NONE && family == FAMILY_NOVA;
  const effort = !isForm ? EFFORT_UNSET : isOff ? wanted : nearestEffort(limits.efforts, wanted);
  if (isOtherEffort(wanted, effort)) report.dropForModel(pathOf(request, report));
  if (effort == EFFORT_UNSET) return effort;
  if (isOff) {
    extras.text(',"reasoningConfig":{"type":"disabled"}');
    return effort;
  }
  extras.span(nameOf(family));
  extras.span(effortWord(effort));
  extras.byte(QUOTE);
  if (family != FAMILY_GPT_OSS) extras.byte(0x7d);
  return effort;
}

function nameOf(family: i32): Span {
  if (family == FAMILY_NOVA)
    return constant(',"reasoningConfig":{"type":"enabled","maxReasoningEffort":"');
  return family == FAMILY_GPT
    ? constant(',"reasoning":{"effort":"')
    : constant(',"reasoning_effort":"');
}

function pathOf(request: HubRequest, report: RequestReport): Span {
  return request.isEffortThinking ? report.paths.thinking : report.paths.effort;
}

/** Returns whether the model accepts no sampling parameters and no maximum of tokens at this effort. */
export function excludesLimits(effort: i32, limits: RequestLimits): bool {
  return limits.family == FAMILY_NOVA && effort >= EFFORT_HIGH;
}
