// Reads the member `limits` of a target into the fields of RequestLimits. Names, values and defaults are those of
// contract/model-capabilities.ts.
import { OPENAI_CHAT, OPENAI_RESPONSES } from "../../contract/dialects";
import {
  APIS,
  CACHE_BREAKPOINTS,
  CACHE_CONTROL,
  CACHE_KEY,
  CACHES_BY_ITSELF,
  CALL_IDS,
  COMPUTER,
  DEFAULT_MAX_TOKENS,
  DEVELOPER_ROLE,
  DOCUMENT_PART,
  EFFORTS,
  RESPONSES_EFFORTS,
  FAST_MODE,
  FORCED_TOOLS,
  IMAGES,
  JSON_SCHEMA,
  MAX_OUTPUT_TOKENS,
  MAX_TOKENS_MEMBER,
  MODEL_FAMILY,
  NEEDS_REASONING,
  OUTPUT_SCHEMA,
  SCHEMA_REFS,
  OWN_REASONING,
  PREFILL,
  REASONING_CONTENT,
  REASONING_DETAILS,
  REASONING_WITH_TOOLS,
  REASONS_BY_DEFAULT,
  REFUSES,
  SAMPLING,
  SEED_MEMBER,
  SERVER_TOOLS,
  STOP,
  SYSTEM_MESSAGES,
  SYSTEM_ROLE,
  THINK_TAGS,
  THINKING,
  THINKING_OFF,
  THINKING_SWITCH,
  TOOL_CALLS,
  TOP_K,
  USER,
  USER_AFTER_TOOL,
  WEB_SEARCH,
} from "../../contract/model-capabilities";
import {
  FORCED_ALL,
  NEEDS_NONE,
  REASONING_ADAPTIVE,
  RequestLimits,
  SWITCH_NONE,
} from "../hub/request/request-report";
import { effortOf } from "../hub/request/request-effort";
import { HOSTED_COMPUTER, hostedByName } from "../hub/request/hosted-tools";
import {
  EFFORT_HIGH,
  EFFORT_LOW,
  EFFORT_MEDIUM,
  EFFORT_UNSET,
  NO_HOSTED,
} from "../hub/request/request";
import { startsWith } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { dialectByName } from "../dialects/dialect-registry";
import { Document, textOf } from "./document";

const IN_MESSAGES = constant("messages[].");
/** Nearly every model supports these. */
const USUAL_EFFORTS: u32 = (1 << EFFORT_LOW) | (1 << EFFORT_MEDIUM) | (1 << EFFORT_HIGH);

/** Fills `limits`, with defaults if `object` is missing. */
export function readLimits(from: Document, object: u32, limits: RequestLimits): void {
  limits.highestMaxTokens = from.number(object, constant(MAX_OUTPUT_TOKENS));
  limits.defaultMaxTokens = from.number(object, constant(DEFAULT_MAX_TOKENS));
  const member = from.choice(object, constant(MAX_TOKENS_MEMBER));
  limits.supportsMaxCompletionTokens = member != 1;
  limits.usesMaxCompletionTokens = member == 2;
  const sampling = from.choice(object, constant(SAMPLING));
  limits.supportsBothSampling = sampling != 1;
  limits.samplesWithoutReasoning = sampling == 2;
  limits.supportsTemperature = sampling != 3;
  const role = from.choice(object, constant(SYSTEM_ROLE));
  limits.supportsLaterSystem = role == 0;
  limits.supportsSystemRole = role != 2;
  limits.supportsStop = from.flag(object, constant(STOP));
  limits.supportsUser = from.flag(object, constant(USER));
  limits.supportsTopK = from.flag(object, constant(TOP_K));
  limits.supportsDeveloperRole = from.flag(object, constant(DEVELOPER_ROLE));
  limits.supportsSystemMessages = from.flag(object, constant(SYSTEM_MESSAGES));
  limits.thinkTags = from.choice(object, constant(THINK_TAGS));
  limits.thinkingSwitch = from.choice(object, constant(THINKING_SWITCH));
  limits.usesRandomSeed = from.choice(object, constant(SEED_MEMBER)) == 1;
  limits.usesDocumentUrl = from.choice(object, constant(DOCUMENT_PART)) == 1;
  limits.supportsLongCallIds = from.choice(object, constant(CALL_IDS)) == 0;
  limits.supportsUserAfterTool = from.flag(object, constant(USER_AFTER_TOOL));
  limits.supportsReasoningContent = from.flag(object, constant(REASONING_CONTENT));
  limits.supportsReasoningDetails = from.flag(object, constant(REASONING_DETAILS));
  limits.supportsOwnReasoning = from.flag(object, constant(OWN_REASONING));
  limits.needsReasoning = from.choice(object, constant(NEEDS_REASONING));
  limits.supportsOutputSchema = from.flag(object, constant(OUTPUT_SCHEMA));
  limits.supportsImages = from.flag(object, constant(IMAGES));
  limits.supportsSchemaRefs = from.flag(object, constant(SCHEMA_REFS));
  limits.supportsPrefill = from.flag(object, constant(PREFILL));
  limits.hasFastMode = from.flag(object, constant(FAST_MODE));
  limits.supportsCacheControl = from.flag(object, constant(CACHE_CONTROL));
  limits.cachesByItself = from.flag(object, constant(CACHES_BY_ITSELF));
  limits.supportsBreakpoints = from.flag(object, constant(CACHE_BREAKPOINTS));
  limits.cacheKey = from.choice(object, constant(CACHE_KEY));
  limits.reasonsByDefault = from.flag(object, constant(REASONS_BY_DEFAULT));
  limits.supportsReasoningWithTools = from.flag(object, constant(REASONING_WITH_TOOLS));
  const apis = from.choice(object, constant(APIS));
  limits.servesSearches = apis == 3;
  if (apis == 1 || apis == 3) limits.lackedApis = bitOf(OPENAI_RESPONSES.name);
  else if (apis == 2) limits.lackedApis = bitOf(OPENAI_CHAT.name);
  limits.supportsJsonSchema = from.flag(object, constant(JSON_SCHEMA));
  limits.forcedTools = from.choice(object, constant(FORCED_TOOLS));
  limits.thinkingOff = from.choice(object, constant(THINKING_OFF));
  const thinking = from.choice(object, constant(THINKING));
  limits.knowsReasoning = thinking >= 0;
  limits.reasoning = thinking < 0 ? REASONING_ADAPTIVE : thinking;
  readTools(from, object, limits);
  limits.family = from.choice(object, constant(MODEL_FAMILY));
  limits.knowsEfforts = from.has(object, constant(EFFORTS));
  const efforts = effortsIn(from, object, constant(EFFORTS));
  limits.efforts = limits.knowsEfforts ? efforts : USUAL_EFFORTS;
  limits.responsesEfforts = effortsIn(from, object, constant(RESPONSES_EFFORTS));
  readRefused(from, object, limits);
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
  if (changesOpenModels(limits)) return true;
  return limits.refuses.length > 0 || limits.refusesInMessages.length > 0;
}

function bitOf(name: string): u32 {
  const dialect = dialectByName(name);
  return dialect === null ? 0 : dialect.supporter;
}

/** What only models of providers with OpenAI's format have. */
function changesOpenModels(limits: RequestLimits): bool {
  if (!limits.supportsLongCallIds || !limits.supportsUserAfterTool) return true;
  if (limits.needsReasoning != NEEDS_NONE || limits.thinkingSwitch != SWITCH_NONE) return true;
  return limits.usesRandomSeed || limits.usesDocumentUrl;
}

/** Returns the bits of a list of efforts. */
function effortsIn(from: Document, object: u32, name: Span): u32 {
  let efforts: u32 = 0;
  const words = from.items(object, name);
  for (let i = 0; i < words.length; i++) {
    const effort = effortOf(from.tape, words[i]);
    if (effort == EFFORT_UNSET) from.report("unknown effort '" + textOf(from.tape, words[i]) + "'");
    else efforts |= (<u32>1) << effort;
  }
  return efforts;
}

/** Reads how tools are called, and which ones the provider runs. */
function readTools(from: Document, object: u32, limits: RequestLimits): void {
  const calls = from.choice(object, constant(TOOL_CALLS));
  limits.signsCalls = calls != 1;
  limits.mixesTools = calls == 2;
  limits.webSearch = from.choice(object, constant(WEB_SEARCH));
  limits.serverTools = serverToolsIn(from, object);
  limits.computer = from.choice(object, constant(COMPUTER));
  if (limits.computer > 0) limits.serverTools |= 1 << HOSTED_COMPUTER;
}

/** Returns the bits of the tools that the provider runs. */
function serverToolsIn(from: Document, object: u32): u32 {
  let kinds: u32 = 0;
  const names = from.items(object, constant(SERVER_TOOLS));
  for (let i = 0; i < names.length; i++) {
    const kind = hostedByName(from.tape, names[i]);
    if (kind != NO_HOSTED) kinds |= (<u32>1) << kind;
  }
  return kinds;
}

function readRefused(from: Document, object: u32, limits: RequestLimits): void {
  const paths = from.spans(object, constant(REFUSES));
  for (let i = 0; i < paths.length; i++) {
    const path = paths[i];
    if (startsWith(path.pointer, path.length, IN_MESSAGES)) {
      const start = IN_MESSAGES.length;
      limits.refusesInMessages.push(new Span(path.pointer + start, path.length - start));
      limits.refusedPaths.push(path);
    } else {
      limits.refuses.push(path);
    }
  }
}
