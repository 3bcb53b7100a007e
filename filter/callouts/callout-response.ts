// The response to a callout: read in the callback's root context, used once the stream's context is entered again (callouts.ts).
import { freeBlock } from "../memory/blocks";
import { HEADER_DETAILS, HEADER_ENCODING, MAX_API_RESPONSE } from "../../contract/words";
import { CALLOUT_BODY, CALLOUT_HEADERS } from "../host/callout";
import { header, takeBody } from "../host/host";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape, Tape } from "../bytes/json/tape";
import { constant } from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";

const MAX_STATUS: i32 = 599;

/** A larger response is not read. Bytes. */
export const MAX_RESPONSE_BYTES: u32 = MAX_API_RESPONSE;

/** Only at module level: its tape is never freed. */
export class CalloutResponse {
  /** 0 if there was no response. */
  status: u32 = 0;
  /** Envoy's response code details; empty if none came through the internal listener. */
  details: string = "";
  /** Bytes of the body, also of one that is too large to be read. */
  size: u32 = 0;
  /** The body; 0 if it is empty or too large. */
  pointer: usize = 0;
  /** The body as JSON, after `readObject`. */
  json: Tape = scratchTape();
  /** Whether the time of the exchange has expired: set by the one that waits, if it limits that. */
  isLate: bool = false;
  private isEncoded: bool = false;

  /** Reads the response whose callback runs. */
  receive(size: u32): void {
    this.clear();
    const status = decimal(header(CALLOUT_HEADERS, constant(":status")));
    this.status = status < 0 || status > MAX_STATUS ? 0 : <u32>status;
    const details = header(CALLOUT_HEADERS, constant(HEADER_DETAILS));
    this.details = String.UTF8.decodeUnsafe(details.pointer, details.length);
    this.isEncoded = header(CALLOUT_HEADERS, constant(HEADER_ENCODING)).length > 0;
    this.size = size;
    if (size == 0 || size > MAX_RESPONSE_BYTES) return;
    const body = takeBody(CALLOUT_BODY, 0, size);
    this.pointer = body.pointer;
    this.size = body.length;
  }

  /** Scans the body into `json`. Returns whether it is a JSON object. */
  readObject(): bool {
    return this.scan() && this.json.isObject(0);
  }

  /** Returns whether the body is whole: Envoy cuts a compressed one where it is damaged, and no part of JSON is JSON. */
  isWhole(): bool {
    return !this.isEncoded || this.scan();
  }

  /** Frees the body. What is left is no response. */
  clear(): void {
    freeBlock(this.pointer);
    this.pointer = 0;
    this.json.reset();
    this.status = 0;
    this.size = 0;
    this.details = "";
    this.isEncoded = false;
    this.isLate = false;
  }

  private scan(): bool {
    return this.pointer != 0 && scan(this.json, this.pointer, this.size) == SCAN_OK;
  }
}
