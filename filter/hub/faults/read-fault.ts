// Reads a provider's error, in the many shapes that providers and the proxies in front of them use.
//
// {"error":{"message"}} (OpenAI, Anthropic, most) · {"error":"text"} (Ollama) · {"message"} (Mistral, Cohere) ·
// {"detail":"text"} and {"detail":[{"loc","msg"}]} (FastAPI) · {"errors":[{"message"}]} (Cloudflare) ·
// [{"error":{…}}] (Gemini) · {"object":"error","message"} (vLLM) · HTML and plain text (load balancers) · nothing.
import { Framer } from "../../bytes/framer";
import { SCAN_OK, scan } from "../../bytes/json/scan";
import { readCount } from "../../bytes/json/number";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { unescape } from "../../bytes/json/text";
import { ByteBuffer, constant, sameBytes, Span } from "../../bytes/text/bytes";
import { appendReadable, beginsWith, shorten } from "../../bytes/text/readable";
import { recogniseContextLength } from "./context-length";
import { Fault } from "./fault";
import { readErrorDetails } from "./error-details";

/** Bytes of a message from a JSON body. */
const MAX_MESSAGE: u32 = 4096;
/** Bytes of a body that is not JSON. */
const MAX_EXCERPT: u32 = 300;
/** Entries of a list of errors that are shown. */
const MAX_ENTRIES: i32 = 5;
/** A longer body is not an error message. Bytes. */
const MAX_BODY: u32 = 1 << 20;

const ERROR = constant("error");
const MESSAGE = constant("message");
const DETAIL = constant("detail");
const MSG = constant("msg");
const TYPE = constant("type");
const CODE = constant("code");
const STATUS = constant("status");

/** A word for an error's kind, and the status with the same meaning. */
@unmanaged
class Kind {
  constructor(
    public word: Span,
    public status: u32,
  ) {}
}

const KINDS: StaticArray<Kind> = [
  new Kind(constant("invalid_request_error"), 400),
  new Kind(constant("authentication_error"), 401),
  new Kind(constant("invalid_api_key"), 401),
  new Kind(constant("billing_error"), 402),
  new Kind(constant("permission_error"), 403),
  new Kind(constant("not_found_error"), 404),
  new Kind(constant("model_not_found"), 404),
  new Kind(constant("request_too_large"), 413),
  new Kind(constant("rate_limit_error"), 429),
  new Kind(constant("rate_limit_exceeded"), 429),
  new Kind(constant("insufficient_quota"), 429),
  new Kind(constant("tokens"), 429),
  new Kind(constant("requests"), 429),
  new Kind(constant("api_error"), 500),
  new Kind(constant("server_error"), 500),
  new Kind(constant("internal_error"), 500),
  new Kind(constant("service_unavailable"), 503),
  new Kind(constant("timeout_error"), 504),
  new Kind(constant("overloaded_error"), 529),
  new Kind(constant("overloaded"), 529),
  new Kind(constant("context_length_exceeded"), 400),
  new Kind(constant("invalid_authentication_error"), 401),
  new Kind(constant("exceeded_current_quota_error"), 429),
  new Kind(constant("rate_limit_reached_error"), 429),
  new Kind(constant("engine_overloaded_error"), 503),
  new Kind(constant("service_unavailable_error"), 503),
  // Google's: https://cloud.google.com/apis/design/errors#handling_errors
  new Kind(constant("RESOURCE_EXHAUSTED"), 429),
  new Kind(constant("UNAVAILABLE"), 503),
  new Kind(constant("INVALID_ARGUMENT"), 400),
  new Kind(constant("FAILED_PRECONDITION"), 400),
  new Kind(constant("OUT_OF_RANGE"), 400),
  new Kind(constant("UNAUTHENTICATED"), 401),
  new Kind(constant("PERMISSION_DENIED"), 403),
  new Kind(constant("NOT_FOUND"), 404),
  new Kind(constant("INTERNAL"), 500),
  new Kind(constant("UNKNOWN"), 500),
  new Kind(constant("DATA_LOSS"), 500),
  new Kind(constant("UNIMPLEMENTED"), 501),
  new Kind(constant("DEADLINE_EXCEEDED"), 504),
  new Kind(constant("BadRequestError"), 400),
  new Kind(constant("NotFoundError"), 404),
  new Kind(constant("RateLimitError"), 429),
  new Kind(constant("InternalServerError"), 500),
  // AWS, in an event stream. Its 408 and 424 are failures of the model, which clients retry as 5xx.
  new Kind(constant("throttlingException"), 429),
  new Kind(constant("serviceUnavailableException"), 503),
  new Kind(constant("internalServerException"), 500),
  new Kind(constant("modelTimeoutException"), 504),
  new Kind(constant("modelStreamErrorException"), 502),
  new Kind(constant("validationException"), 400),
];

/** Returns the status that a word for an error's kind stands for, 0 for an unknown word. */
function statusOfWord(tape: Tape, node: u32): u32 {
  if (!tape.isString(node)) return 0;
  for (let i = 0; i < KINDS.length; i++) {
    const candidate = unchecked(KINDS[i]);
    if (tape.equals(node, candidate.word)) return candidate.status;
  }
  return 0;
}

/** As `statusOfWord`, for the name of an event. */
function statusOfName(pointer: usize, length: u32): u32 {
  for (let i = 0; i < KINDS.length; i++) {
    const candidate = unchecked(KINDS[i]);
    if (sameBytes(pointer, length, candidate.word.pointer, candidate.word.length))
      return candidate.status;
  }
  return 0;
}

/**
 * Returns the fault of a complete body. `status`: of the response; 0 for an error inside a 200, whose body implies the
 * status. Bytes need PADDING after them.
 */
export function readFaultBody(status: u32, pointer: usize, length: u32): Fault {
  const looksLikeJson =
    beginsWith(pointer, length, 0x7b) ||
    beginsWith(pointer, length, 0x5b) ||
    beginsWith(pointer, length, 0x22);
  if (length <= MAX_BODY && looksLikeJson) {
    const tape = new Tape();
    if (scan(tape, pointer, length) == SCAN_OK) {
      const fault = readFault(tape, tape.root(), status);
      tape.release();
      return fault;
    }
    tape.release();
  }
  const text = excerpt(pointer, length);
  if (status != 0 && text.length == 0) return new Fault(status, statusMessage(status));
  const words = status == 0 ? "sent an error" : `returned ${status.toString()}`;
  const fault = new Fault(status == 0 ? 502 : status, `The provider ${words}: ${text}`);
  recogniseContextLength(fault);
  return fault;
}

/** Returns the fault that an event of a stream reports (`Framer.isError`); the event's name may imply the status. */
export function readEventFault(event: Framer): Fault {
  const status = statusOfName(event.namePointer, event.nameLength);
  return readFaultBody(status, event.dataPointer, event.dataLength);
}

/** Returns the first readable words of any bytes. */
export function excerpt(pointer: usize, length: u32): string {
  const text = new ByteBuffer();
  appendReadable(pointer, min(length, MAX_BODY), MAX_EXCERPT, text);
  const words = text.toText();
  text.release();
  return words;
}

/**
 * Returns the fault of a scanned body, or of an event of a stream. `status` as in `readFaultBody`.
 */
export function readFault(tape: Tape, root: u32, status: u32): Fault {
  if (tape.isArray(root) && !tape.isEmpty(root)) root = tape.first(root);
  const inner = tape.member(root, ERROR);
  const error = tape.isObject(inner) ? inner : root;
  const message = new ByteBuffer();
  putMessage(tape, root, message);
  if (message.length == 0 && tape.isObject(error) && !tape.isEmpty(error)) {
    // An unknown shape: its text is better than nothing.
    appendReadable(tape.pointer(error), tape.size(error), MAX_EXCERPT, message);
  }
  putRaw(tape, error, message);
  shorten(message, MAX_MESSAGE);
  const meaning = status >= 400 ? status : impliedStatus(tape, error);
  const fault = new Fault(meaning, message.length > 0 ? message.toText() : statusMessage(meaning));
  message.release();
  const code = tape.member(error, CODE);
  // Azure repeats the status here.
  if (tape.isString(code) && statusNumber(tape, code) == 0) fault.code = textOfNode(tape, code);
  else if (tape.equals(tape.member(error, TYPE), constant("billing_error")))
    fault.code = "insufficient_quota";
  const param = tape.member(error, constant("param"));
  if (tape.isString(param)) fault.member = textOfNode(tape, param);
  readErrorDetails(tape, tape.member(error, constant("details")), fault);
  recogniseContextLength(fault);
  if (fault.tokens == 0) {
    fault.tokens = tokensOf(tape, tape.member(error, constant("n_prompt_tokens")));
    fault.maxTokens = tokensOf(tape, tape.member(error, constant("n_ctx")));
  }
  return fault;
}

/** llama.cpp has the tokens of a request that is too long as members. */
function tokensOf(tape: Tape, node: u32): u32 {
  return <u32>min<i64>(max<i64>(readCount(tape, node), 0), i32.MAX_VALUE);
}

/** Returns the status that an error in a 200 implies: as `code` or `status`, or by a word. */
function impliedStatus(tape: Tape, error: u32): u32 {
  let status = statusOfWord(tape, tape.member(error, TYPE));
  if (status == 0) status = statusOfWord(tape, tape.member(error, CODE));
  if (status == 0) status = statusNumber(tape, tape.member(error, CODE));
  if (status == 0) status = statusNumber(tape, tape.member(error, STATUS));
  if (status == 0) status = statusOfWord(tape, tape.member(error, STATUS));
  return status == 0 ? 502 : status;
}

/** Returns the status of 429 or "429". */
function statusNumber(tape: Tape, node: u32): u32 {
  if (tape.size(node) != 3 || tape.isObject(node) || tape.isArray(node)) return 0;
  const value = textOfNode(tape, node);
  let status: u32 = 0;
  for (let i = 0; i < value.length; i++) {
    const digit = <u32>value.charCodeAt(i) - 0x30;
    if (digit > 9) return 0;
    status = status * 10 + digit;
  }
  return status >= 400 && status < 600 ? status : 0;
}

/** Appends the message, wherever it is. */
function putMessage(tape: Tape, root: u32, out: ByteBuffer): void {
  if (tape.isString(root)) {
    putString(tape, root, out);
    return;
  }
  putOneOf(tape, tape.member(root, ERROR), out);
  if (out.length == 0) putOneOf(tape, root, out);
  if (out.length == 0) putList(tape, tape.member(root, DETAIL), out);
  if (out.length == 0) putList(tape, tape.member(root, constant("errors")), out);
}

/** Appends the text of a node, or of the first member that usually holds a message. */
function putOneOf(tape: Tape, node: u32, out: ByteBuffer): void {
  if (tape.isString(node)) putString(tape, node, out);
  if (!tape.isObject(node)) return;
  let message = tape.member(node, MESSAGE);
  if (tape.isObject(message)) message = firstText(tape, message);
  putString(tape, message, out);
  if (out.length == 0) putList(tape, tape.member(node, DETAIL), out);
  if (out.length == 0) putString(tape, tape.member(node, constant("Message")), out);
  if (out.length == 0) putString(tape, tape.member(node, MSG), out);
  if (out.length == 0) putString(tape, tape.member(node, constant("error_message")), out);
  if (out.length == 0) putString(tape, tape.member(node, constant("error_msg")), out);
  if (out.length == 0) putString(tape, tape.member(node, ERROR), out);
}

/** Returns the message inside a message: {"message":{"detail":…}} and the like. */
function firstText(tape: Tape, node: u32): u32 {
  for (let key = tape.first(node), end = tape.next(node); key < end; key = tape.next(key + 1)) {
    if (tape.isString(key + 1)) return key + 1;
  }
  return NO_NODE;
}

/** Appends a text, or the texts of a list of errors: "body.messages: field required; …". */
function putList(tape: Tape, node: u32, out: ByteBuffer): void {
  if (tape.isString(node)) putString(tape, node, out);
  if (tape.isObject(node)) putOneOf(tape, node, out);
  if (!tape.isArray(node)) return;
  let shown = 0;
  for (let entry = tape.first(node), end = tape.next(node); entry < end; entry = tape.next(entry)) {
    if (++shown > MAX_ENTRIES) return;
    const start = out.length;
    if (start > 0) out.text("; ");
    const before = out.length;
    putPlace(tape, tape.member(entry, constant("loc")), out);
    const text = tape.isString(entry) ? entry : tape.member(entry, MSG);
    putString(tape, tape.isString(text) ? text : tape.member(entry, MESSAGE), out);
    if (out.length == before) out.length = start;
  }
}

/** ["body","messages",0] → "body.messages.0: ". */
function putPlace(tape: Tape, place: u32, out: ByteBuffer): void {
  if (!tape.isArray(place) || tape.isEmpty(place)) return;
  for (let part = tape.first(place), end = tape.next(place); part < end; part = tape.next(part)) {
    if (part != tape.first(place)) out.byte(0x2e);
    if (tape.isString(part)) putString(tape, part, out);
    else out.bytes(tape.pointer(part), tape.size(part));
  }
  out.text(": ");
}

/** OpenRouter's message is "Provider returned error"; the provider's message is in metadata.raw. */
function putRaw(tape: Tape, error: u32, out: ByteBuffer): void {
  const raw = tape.member(tape.member(error, constant("metadata")), constant("raw"));
  if (!tape.isString(raw) || tape.size(raw) == 0) return;
  if (out.length > 0) out.text(": ");
  putString(tape, raw, out);
}

function putString(tape: Tape, node: u32, out: ByteBuffer): void {
  if (tape.isString(node)) unescape(tape.pointer(node), tape.size(node), out);
}

function textOfNode(tape: Tape, node: u32): string {
  const plain = new ByteBuffer();
  if (tape.isString(node)) putString(tape, node, plain);
  else plain.bytes(tape.pointer(node), tape.size(node));
  shorten(plain, 256);
  const text = plain.toText();
  plain.release();
  return text;
}

function statusMessage(status: u32): string {
  const message = `The provider returned ${status.toString()} without an error message.`;
  if (status == 401 || status == 403)
    return `${message} Check the provider's key in the configuration.`;
  if (status == 404) return `${message} Check the model's name and the provider's base_url.`;
  if (status == 429) return `${message} It limits the rate of requests; try again later.`;
  if (status == 503 || status == 529) return `${message} It is overloaded; try again later.`;
  return message;
}
