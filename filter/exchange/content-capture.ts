// Captures a request and its response as the client sends and gets them (contract/content-record.ts), up to a number of bytes each.
import {
  CONTENT_GROUP,
  CONTENT_HEADERS,
  CONTENT_ID,
  CONTENT_IS_CUT,
  CONTENT_KEY,
  CONTENT_KEY_ID,
  CONTENT_LISTENER,
  CONTENT_METHOD,
  CONTENT_PATH,
  CONTENT_REQUEST,
  CONTENT_REQUEST_BYTES,
  CONTENT_RESPONSE,
  CONTENT_SESSION,
  CONTENT_TIME,
  CONTENT_USER,
  PROPERTY_CONTENT,
} from "../../contract/content-record";
import { LISTENER_EGRESS, LISTENER_INGRESS } from "../../contract/words";
import { escape, escapeWire } from "../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { HeldText } from "../bytes/text/held-text";
import { lengthWithoutQuery, maskCredentials } from "../bytes/text/query";
import { ApiKey } from "../config/api-keys";
import { ContentRules } from "../config/content-rules";
import { setProperty } from "../host/host";
import { wasRefused } from "../memory/blocks";
import { mayHold } from "../memory/memory-budget";
import { METHOD, PATH, writeHeaders } from "./request-head";

const line = scratchBuffer();
const query = scratchBuffer();
const span = new Span(0, 0);

const QUOTE: u32 = 0x22;

/** One per captured exchange, released by its owner. */
export class Content {
  /** The members up to the headers, as JSON. */
  private head: ByteBuffer = new ByteBuffer();
  private request: ByteBuffer = new ByteBuffer();
  private requestLength: u32 = 0;
  private response: ByteBuffer = new ByteBuffer();
  private isResponseCut: bool = false;
  /** Whether `response` is a local one, which may come to `keepResponse` too. */
  private isLocal: bool = false;
  /** Whether a link keeps the response, before it has the values again in place of placeholders. */
  isGuarded: bool = false;

  constructor(private rules: ContentRules) {}

  /** Keeps the head that was read last. `time`: milliseconds since 1970. */
  keepHead(id: Span, time: i64, isIngress: bool): void {
    const out = this.head;
    out.text('{"' + CONTENT_ID + '":"');
    escape(id.pointer, id.length, out);
    out.text('","' + CONTENT_TIME + '":');
    out.integer(time);
    out.text(',"' + CONTENT_LISTENER + '":"');
    out.span(isIngress ? constant(LISTENER_INGRESS) : constant(LISTENER_EGRESS));
    out.text('","' + CONTENT_METHOD + '":"');
    escapeWire(METHOD.pointer, METHOD.length, out);
    out.text('","' + CONTENT_PATH + '":"');
    writePath(out);
    out.text('","' + CONTENT_HEADERS + '":');
    writeHeaders(this.rules.redactedHeaders, out);
  }

  keepRequest(pointer: usize, length: u32): void {
    this.requestLength = length;
    const kept = min(length, this.rules.maxBytes);
    // Memory is for requests first; `request_bytes` shows what is missing.
    if (mayHold(kept)) this.request.bytes(pointer, kept);
    wasRefused();
  }

  /** Keeps a local response, unless a response has begun. It may come to `keepResponse` too, with further members. */
  keepLocalResponse(body: Span): void {
    if (this.response.length > 0) return;
    this.isLocal = true;
    this.append(body.pointer, body.length);
  }

  /** How many bytes of the response `keepResponse` needs: one more than it keeps shows whether there are more. 0: none. */
  get missing(): u32 {
    if (this.isLocal) return this.rules.maxBytes + 1;
    return this.isResponseCut ? 0 : this.rules.maxBytes - this.response.length + 1;
  }

  /** Keeps bytes of a body that leave now. The first ones replace a local response. */
  keepResponse(pointer: usize, length: u32): void {
    if (this.isLocal) {
      this.isLocal = false;
      this.isResponseCut = false;
      this.response.clear();
    }
    if (length > 0) this.append(pointer, length);
  }

  private append(pointer: usize, length: u32): void {
    const left = this.rules.maxBytes - this.response.length;
    const kept = min(length, left);
    const before = this.response.length;
    if (mayHold(kept)) this.response.bytes(pointer, kept);
    wasRefused();
    this.isResponseCut = this.response.length - before < length;
  }

  /** Stores the object in the stream's filter state, from where Envoy's access log takes it. */
  settle(key: ApiKey | null, session: HeldText | null): void {
    line.clear();
    line.span(this.head.view(span));
    if (key !== null) {
      writeHeld(constant(CONTENT_KEY), key.held);
      writeHeld(constant(CONTENT_KEY_ID), key.id);
      writeHeld(constant(CONTENT_GROUP), key.group);
      writeHeld(constant(CONTENT_USER), key.user);
    }
    writeHeld(constant(CONTENT_SESSION), session);
    line.text(',"' + CONTENT_REQUEST + '":"');
    escapeWire(this.request.pointer, this.request.length, line);
    if (this.requestLength > this.request.length) {
      line.text('","' + CONTENT_REQUEST_BYTES + '":');
      line.integer(this.requestLength);
    } else {
      line.byte(QUOTE);
    }
    line.text(',"' + CONTENT_RESPONSE + '":"');
    escapeWire(this.response.pointer, this.response.length, line);
    line.span(this.isResponseCut ? constant('","' + CONTENT_IS_CUT + '":1}') : constant('"}'));
    setProperty(constant(PROPERTY_CONTENT), line.view(span));
  }

  release(): void {
    this.head.release();
    this.request.release();
    this.response.release();
  }
}

function writeHeld(name: Span, value: HeldText | null): void {
  if (value === null) return;
  line.text(',"');
  line.span(name);
  line.text('":"');
  escape(value.pointer, value.length, line);
  line.byte(QUOTE);
}

function writePath(out: ByteBuffer): void {
  const length = lengthWithoutQuery(PATH);
  escapeWire(PATH.pointer, length, out);
  if (length == PATH.length) return;
  query.clear();
  maskCredentials(PATH.pointer + length, PATH.length - length, query);
  escapeWire(query.pointer, query.length, out);
}
