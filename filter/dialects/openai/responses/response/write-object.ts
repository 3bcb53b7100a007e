// Writes the members of a response object around its output, for events and complete responses.
// @see https://platform.openai.com/docs/api-reference/responses/object
import { Fault } from "../../../../hub/faults/fault";
import { Translation } from "../../../../hub/response/translation";
import { atLeastZero, Usage } from "../../../../hub/response/usage";
import { escapeText } from "../../../../bytes/json/text";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { tierWord } from "../../tier";
import { writeStem } from "../response-id";
import { failureCode, failureMessage } from "../write-fault";

const STRING_END = constant('"}');
const NULL = constant("null");

/** What a response repeats of a request without any of it. */
const NO_ECHO = constant(
  ',"frequency_penalty":0,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"metadata":{},' +
    '"parallel_tool_calls":true,"presence_penalty":0,"previous_response_id":null,"prompt_cache_key":null,' +
    '"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"temperature":1,' +
    '"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1,' +
    '"truncation":"disabled"',
);

/** Writes what stays the same in all events of a response: `{"id":…` up to the members of the request. */
export function writeHead(translation: Translation, out: ByteBuffer): void {
  const head = translation.head;
  out.text('{"id":"resp_');
  writeStem(head.id, out);
  out.text('","object":"response","created_at":');
  out.integer(head.created);
  out.text(',"model":"');
  out.bytes(head.model.pointer, head.model.length);
  out.text('","service_tier":"');
  out.span(tierWord(head.tier));
  out.text('","store":false,"background":false');
  const echo = translation.notes.echo;
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
  out.text(',"status":"');
  out.span(status);
  out.text('","completed_at":');
  if (completedAt > 0) out.integer(completedAt);
  else out.span(NULL);
  out.text(',"error":');
  if (fault === null) out.span(NULL);
  else writeError(fault, out);
  out.text(',"incomplete_details":');
  if (incomplete.length == 0) {
    out.span(NULL);
  } else {
    out.text('{"reason":"');
    out.span(incomplete);
    out.span(STRING_END);
  }
  out.text(',"usage":');
  if (usage !== null && usage.isKnown) writeUsage(usage, out);
  else out.span(NULL);
  out.byte(0x7d);
}

function writeError(fault: Fault, out: ByteBuffer): void {
  out.text('{"code":"');
  escapeText(failureCode(fault), out);
  out.text('","message":"');
  escapeText(failureMessage(fault), out);
  out.span(STRING_END);
}

/** Codex rejects a response whose counts are not integers or whose details are incomplete: unknown counts are 0. */
function writeUsage(usage: Usage, out: ByteBuffer): void {
  out.text('{"input_tokens":');
  out.integer(usage.input);
  out.text(',"input_tokens_details":{"cached_tokens":');
  out.integer(atLeastZero(usage.cacheRead));
  out.text(',"cache_write_tokens":');
  out.integer(atLeastZero(usage.cacheWrite));
  out.text('},"output_tokens":');
  out.integer(atLeastZero(usage.output));
  out.text(',"output_tokens_details":{"reasoning_tokens":');
  out.integer(atLeastZero(usage.reasoning));
  out.text('},"total_tokens":');
  out.integer(usage.total);
  out.byte(0x7d);
}
