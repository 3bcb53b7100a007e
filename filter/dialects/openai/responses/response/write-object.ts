// Writes the members of a response object around its output, for events and complete responses.
// @see https://platform.openai.com/docs/api-reference/responses/object
import { ResponseHead } from "../../../../hub/response/events";
import { Fault } from "../../../../hub/faults/fault";
import { RequestNotes } from "../../../../hub/request/request-notes";
import { atLeastZero, Usage } from "../../../../hub/response/usage";
import { escapeText } from "../../../../bytes/json/text";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { tierWord } from "../../tier";
import { writeStem } from "../response-id";
import { failureCode, failureMessage } from "../write-fault";

const ID = constant('{"id":"resp_');
const CREATED = constant('","object":"response","created_at":');
const MODEL = constant(',"model":"');
const TIER = constant('","service_tier":"');
const STORE = constant('","store":false,"background":false');
const STATUS = constant(',"status":"');
const COMPLETED_AT = constant('","completed_at":');
const ERROR = constant(',"error":');
const ERROR_CODE = constant('{"code":"');
const ERROR_MESSAGE = constant('","message":"');
const STRING_END = constant('"}');
const INCOMPLETE = constant(',"incomplete_details":');
const REASON = constant('{"reason":"');
const USAGE = constant(',"usage":');
const NULL = constant("null");
const INPUT_TOKENS = constant('{"input_tokens":');
const CACHED_TOKENS = constant(',"input_tokens_details":{"cached_tokens":');
const CACHE_WRITE_TOKENS = constant(',"cache_write_tokens":');
const OUTPUT_TOKENS = constant('},"output_tokens":');
const REASONING_TOKENS = constant(',"output_tokens_details":{"reasoning_tokens":');
const TOTAL_TOKENS = constant('},"total_tokens":');

/** What a response repeats of a request without any of it. */
const NO_ECHO = constant(
  ',"frequency_penalty":0,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"metadata":{},' +
    '"parallel_tool_calls":true,"presence_penalty":0,"previous_response_id":null,"prompt_cache_key":null,' +
    '"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"temperature":1,' +
    '"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1,' +
    '"truncation":"disabled"',
);

/** Writes what stays the same in all events of a response: `{"id":…` up to the members of the request. */
export function writeHead(head: ResponseHead, notes: RequestNotes, out: ByteBuffer): void {
  out.span(ID);
  writeStem(head.id, out);
  out.span(CREATED);
  out.integer(head.created);
  out.span(MODEL);
  out.bytes(head.model.pointer, head.model.length);
  out.span(TIER);
  out.span(tierWord(head.tier));
  out.span(STORE);
  const echo = notes.echo;
  if (echo.length > 0) out.bytes(echo.pointer, echo.length);
  else out.span(NO_ECHO);
}

/**
 * Writes the members that depend on how far the response has come. `completedAt`: 0 for null; `incomplete`: the reason, empty
 * for null; `usage`: null if it is not known yet.
 */
export function writeState(
  status: Span,
  completedAt: i64,
  fault: Fault | null,
  incomplete: Span,
  usage: Usage | null,
  out: ByteBuffer,
): void {
  out.span(STATUS);
  out.span(status);
  out.span(COMPLETED_AT);
  if (completedAt > 0) out.integer(completedAt);
  else out.span(NULL);
  out.span(ERROR);
  if (fault === null) out.span(NULL);
  else writeError(fault, out);
  out.span(INCOMPLETE);
  if (incomplete.length == 0) {
    out.span(NULL);
  } else {
    out.span(REASON);
    out.span(incomplete);
    out.span(STRING_END);
  }
  out.span(USAGE);
  if (usage !== null && usage.isKnown) writeUsage(usage, out);
  else out.span(NULL);
  out.byte(0x7d);
}

function writeError(fault: Fault, out: ByteBuffer): void {
  out.span(ERROR_CODE);
  escapeText(failureCode(fault), out);
  out.span(ERROR_MESSAGE);
  escapeText(failureMessage(fault), out);
  out.span(STRING_END);
}

/** Codex rejects a response whose counts are not integers or whose details are incomplete: unknown counts are 0. */
function writeUsage(usage: Usage, out: ByteBuffer): void {
  out.span(INPUT_TOKENS);
  out.integer(usage.input);
  out.span(CACHED_TOKENS);
  out.integer(atLeastZero(usage.cacheRead));
  out.span(CACHE_WRITE_TOKENS);
  out.integer(atLeastZero(usage.cacheWrite));
  out.span(OUTPUT_TOKENS);
  out.integer(atLeastZero(usage.output));
  out.span(REASONING_TOKENS);
  out.integer(atLeastZero(usage.reasoning));
  out.span(TOTAL_TOKENS);
  out.integer(usage.total);
  out.byte(0x7d);
}
