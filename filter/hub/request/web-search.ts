// A web search that the provider runs: the tool of messages and Responses clients, or `web_search_options` of chat completions.
// All of them have the same members, at different places.
import { KIND_FALSE, NO_NODE, Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";
import { dropForced, dropOthers, HOSTED_SEARCH } from "./hosted-tools";
import { HubRequest } from "./request";
import { RequestReport } from "./request-report";
import { separate, writeMember, writeName, writeValue } from "./request-writing";

/** How a model searches the web: the values of `web_search`. Without one, the API's own tool is used if it has one. */
export const SEARCH_UNKNOWN: i32 = -1;
export const SEARCH_NONE: i32 = 0;
/** The tool of the API. */
export const SEARCH_TOOL: i32 = 1;
/** Chat: `web_search_options`. */
export const SEARCH_OPTIONS: i32 = 2;
/** Chat: a tool of type `browser_search` (Groq). */
export const SEARCH_BROWSER: i32 = 3;

export const ALLOWED_DOMAINS = constant("allowed_domains");
export const BLOCKED_DOMAINS = constant("blocked_domains");
export const CONTEXT_SIZE = constant("search_context_size");
export const MAX_USES = constant("max_uses");
export const USER_LOCATION = constant("user_location");

const OPTIONS_PATH = constant("web_search_options");
const OPTIONS_PREFIX = constant("web_search_options.");
const TOOL_PREFIX = constant("tools[].");
const TYPE_PREFIX = constant("tools[].type=");

/** What is read of a search; the settings that a writer does not know are listed by it. */
const KNOWN: Span[] = [
  constant("type"),
  constant("name"),
  constant("filters"),
  constant("external_web_access"),
  MAX_USES,
  ALLOWED_DOMAINS,
  BLOCKED_DOMAINS,
  CONTEXT_SIZE,
  USER_LOCATION,
];

/** The known members of the user's place. */
const PLACES: Span[] = [
  constant("city"),
  constant("region"),
  constant("country"),
  constant("timezone"),
];

const path = new ByteBuffer();
const pathSpan = new Span(0, 0);

/** Returns the client's tool, or its options; NO_NODE without a search. */
export function searchOf(request: HubRequest): u32 {
  return request.hostedNode(HOSTED_SEARCH);
}

/** Returns the search for a model that searches with the API's own tool; else drops it, and returns NO_NODE. */
export function ownSearch(request: HubRequest, kind: i32, report: RequestReport): u32 {
  const search = searchOf(request);
  if (search == NO_NODE) return NO_NODE;
  // A search of the provider's cache alone is no search of the web.
  const isCached = request.tape.kind(request.tape.member(search, constant("external_web_access")));
  if (kind != SEARCH_NONE && isCached != KIND_FALSE) {
    dropOthers(request.tape, search, prefixOf(request.tape, search), KNOWN, report);
    return search;
  }
  dropSearch(request, report);
  return NO_NODE;
}

/** Returns the beginning of the path of the search's members. */
function prefixOf(tape: Tape, search: u32): Span {
  return tape.isString(tape.member(search, constant("type"))) ? TOOL_PREFIX : OPTIONS_PREFIX;
}

/** Lists that the model is not offered the search. */
export function dropSearch(request: HubRequest, report: RequestReport): void {
  const type = request.tape.member(searchOf(request), constant("type"));
  if (request.tape.isString(type)) report.dropUnknown(TYPE_PREFIX, request.tape, type);
  else report.dropForModel(OPTIONS_PATH);
  dropForced(request, HOSTED_SEARCH, report);
}

/** Lists that a member of the search is left out, if the search has it. */
export function dropSearchMember(request: HubRequest, name: Span, report: RequestReport): void {
  const tape = request.tape;
  const search = searchOf(request);
  if (!tape.isPresent(searchMember(tape, search, name))) return;
  path.clear();
  path.span(prefixOf(tape, search));
  path.span(name);
  report.drop(path.view(pathSpan));
}

/** Lists all settings of the search, for models that have none. */
export function dropSearchSettings(request: HubRequest, report: RequestReport): void {
  dropSearchMember(request, MAX_USES, report);
  dropSearchMember(request, ALLOWED_DOMAINS, report);
  dropSearchMember(request, BLOCKED_DOMAINS, report);
  dropSearchMember(request, USER_LOCATION, report);
  dropContextSize(request, report);
}

/** Lists a size that is not the default. */
export function dropContextSize(request: HubRequest, report: RequestReport): void {
  const size = request.tape.member(searchOf(request), CONTEXT_SIZE);
  if (!request.tape.equals(size, constant("medium")))
    dropSearchMember(request, CONTEXT_SIZE, report);
}

/** Returns a member of the search; Responses has domains in `filters`. */
export function searchMember(tape: Tape, search: u32, name: Span): u32 {
  const node = tape.member(search, name);
  return node == NO_NODE ? tape.member(tape.member(search, constant("filters")), name) : node;
}

/** Writes a list of domains after `name`, which has the comma and the colon. Returns whether there is one. */
export function writeDomains(
  tape: Tape,
  search: u32,
  member: Span,
  name: Span,
  out: ByteBuffer,
): bool {
  const domains = searchMember(tape, search, member);
  if (!tape.isArray(domains) || tape.isEmpty(domains)) return false;
  writeMember(tape, domains, name, out);
  return true;
}

/** Returns the place of the user: chat completions have it one level below. NO_NODE without one. */
function locationOf(tape: Tape, search: u32): u32 {
  const location = tape.member(search, USER_LOCATION);
  const inner = tape.member(location, constant("approximate"));
  if (tape.isObject(inner)) return inner;
  return tape.isObject(location) ? location : NO_NODE;
}

/** Writes the known members of the user's place after `head`, which is a member. Returns whether there is a place. */
export function writeLocation(tape: Tape, search: u32, head: Span, out: ByteBuffer): bool {
  const location = locationOf(tape, search);
  if (location == NO_NODE) return false;
  separate(out);
  out.span(head);
  const end = tape.next(location);
  for (let key = tape.first(location); key < end; key = tape.next(key + 1)) {
    if (!tape.isString(key + 1) || tape.indexIn(key, PLACES) < 0) continue;
    writeName(tape, key, out);
    writeValue(tape, key + 1, out);
  }
  return true;
}
