// The callouts of a prompt's flow: to the model server and to APIs, all through the internal listener.
import { freeBlock } from "../memory/blocks";
import {
  HEADER_CLUSTER,
  HEADER_DETAILS,
  HEADER_ENCODING,
  HEADER_LOGGED_PATH,
} from "../../contract/words";
import { REQUEST_ID } from "../exchange/request-id";
import {
  addCalloutHeader,
  CALLOUT_BODY,
  CALLOUT_HEADERS,
  NO_CALLOUT,
  sendCallout,
} from "../host/callout";
import { header, REQUEST_HEADERS, takeBody } from "../host/host";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { ByteBuffer, constant, sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";
import { lengthWithoutQuery, maskCredentials } from "../bytes/text/query";
import { PromptTarget } from "../config/prompt-target";

const INTERNAL = constant("internal");
const MODEL_SERVER = constant("model_server");
const CLUSTER = constant(HEADER_CLUSTER);
const LOGGED_PATH = constant(HEADER_LOGGED_PATH);
const CONTENT_TYPE = constant("content-type");
const JSON_TYPE = constant("application/json");
const ACCEPT = constant("accept");
const GET = constant("GET");
const POST = constant("POST");
const STATUS = constant(":status");
const DETAILS = constant(HEADER_DETAILS);
const ENCODING = constant(HEADER_ENCODING);

/** Context ids of the streams whose callouts are under way, by token. */
const waiting = new Map<u32, u32>();

const path = new Span(0, 0);
const loggedPath = new Span(0, 0);
const pathBytes = scratchBuffer();
const body = new Span(0, 0);
const id = new Span(0, 0);
const idBytes = scratchBuffer();
const tape = scratchTape();

/** POST to the model server. Answers the token, or NO_CALLOUT. */
export function callModelServer(contextId: u32, to: Span, bytes: ByteBuffer, timeoutMs: u32): u32 {
  addCommonHeaders(MODEL_SERVER);
  addCalloutHeader(CONTENT_TYPE, JSON_TYPE);
  fill(body, bytes);
  return remember(contextId, sendCallout(INTERNAL, POST, to, MODEL_SERVER, body, timeoutMs));
}

/** A prompt target's own API. */
export function callApi(
  contextId: u32,
  target: PromptTarget,
  to: ByteBuffer,
  bytes: ByteBuffer,
  timeoutMs: u32,
): u32 {
  addCommonHeaders(target.cluster);
  let hasAccept = false;
  if (!target.isGet) addCalloutHeader(CONTENT_TYPE, JSON_TYPE);
  for (let i = 0; i < target.headers.length; i++) {
    const name = target.headers[i].name;
    addCalloutHeader(name, target.headers[i].value);
    if (sameBytes(name.pointer, name.length, ACCEPT.pointer, ACCEPT.length)) hasAccept = true;
  }
  if (!hasAccept) addCalloutHeader(ACCEPT, JSON_TYPE);
  fill(path, to);
  addLoggedPath();
  fill(body, bytes);
  const method = target.isGet ? GET : POST;
  return remember(
    contextId,
    sendCallout(INTERNAL, method, path, target.authority, body, timeoutMs),
  );
}

/** The configuration may have put a key into the query, which no log may show. */
function addLoggedPath(): void {
  const length = lengthWithoutQuery(path);
  if (length == path.length) return;
  pathBytes.clear();
  pathBytes.bytes(path.pointer, length);
  maskCredentials(path.pointer + length, path.length - length, pathBytes);
  fill(loggedPath, pathBytes);
  addCalloutHeader(LOGGED_PATH, loggedPath);
}

/** The stream that a token belongs to, or -1; asked once. */
export function takeWaiting(token: u32): i32 {
  if (!waiting.has(token)) return -1;
  const contextId = waiting.get(token);
  waiting.delete(token);
  return <i32>contextId;
}

/** Forgets a callout whose stream is gone. */
export function forgetCallout(token: u32): void {
  waiting.delete(token);
}

/** Status of the answer in whose callback we are; 0 when there was none. */
export function calloutStatus(): u32 {
  const text = header(CALLOUT_HEADERS, STATUS);
  let status: u32 = 0;
  for (let i: u32 = 0; i < text.length && i < 3; i++)
    status = status * 10 + (<u32>load<u8>(text.pointer + i) - 0x30);
  return status > 599 ? 0 : status;
}

/** How the answer came to be, in Envoy's words; empty when none came through the internal listener. */
export function calloutDetails(): string {
  const details = header(CALLOUT_HEADERS, DETAILS);
  return String.UTF8.decodeUnsafe(details.pointer, details.length);
}

/**
 * Whether nobody can tell if the answer is whole: it came compressed, and Envoy cuts what it cannot decompress. Of JSON no
 * part is JSON.
 */
export function isGarbled(size: u32): bool {
  if (header(CALLOUT_HEADERS, ENCODING).length == 0) return false;
  const bytes = takeBody(CALLOUT_BODY, 0, size);
  const pointer = bytes.pointer;
  const isWhole = pointer != 0 && scan(tape, pointer, bytes.length) == SCAN_OK;
  tape.reset();
  freeBlock(pointer);
  return !isWhole;
}

function addCommonHeaders(cluster: Span): void {
  addCalloutHeader(CLUSTER, cluster);
  const current = header(REQUEST_HEADERS, REQUEST_ID);
  idBytes.clear();
  idBytes.span(current);
  fill(id, idBytes);
  addCalloutHeader(REQUEST_ID, id);
}

function fill(span: Span, bytes: ByteBuffer): void {
  span.pointer = bytes.pointer;
  span.length = bytes.length;
}

function remember(contextId: u32, token: u32): u32 {
  if (token != NO_CALLOUT) waiting.set(token, contextId);
  return token;
}
