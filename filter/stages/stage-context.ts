// What a stage returns, and what the stages of one callback pass on to each other.
import { freeBlock, wasRefused } from "../memory/blocks";
import { CalloutResponse } from "../callouts/callout-response";
import { Config } from "../config/read-config";
import { Fault } from "../hub/faults/fault";
import { Client } from "../exchange/client";
import { Exchange } from "../exchange/exchange";
import { readForm } from "../exchange/form";
import { CONTENT_LENGTH, CONTENT_TYPE } from "../exchange/header-names";
import {
  header,
  replaceBodyPrefix,
  REQUEST_BODY,
  REQUEST_HEADERS,
  setHeaderNumber,
  takeBody,
} from "../host/host";
import { Edits } from "../bytes/json/edit";
import { scan, SCAN_MEMORY, SCAN_OK, SCAN_SYNTAX } from "../bytes/json/scan";
import { scratchTape, Tape } from "../bytes/json/tape";
import { scratchBuffer } from "../bytes/text/bytes";

export const enum Outcome {
  /** The next stage runs. */
  Next,
  /** Envoy holds the request; the stage runs again with the next part of it, or with the response to its callout. */
  Wait,
  /** The request goes on without the stages that follow. */
  Leave,
  /** The stage has sent a response. */
  Responded,
  /** `context.fault` is the response. */
  Refused,
}

const replacement = scratchBuffer();

/** One callback of a request. One for all requests: nothing of it is needed after the callback. */
export class StageContext {
  config: Config = new Config();
  /** The response to the callout that the stage has sent; null if it waits for none. */
  response: CalloutResponse | null = null;
  /** The client's body, which `tape` is a scan of; 0 if it is not at hand. */
  body: usize = 0;
  tape: Tape = scratchTape();
  fault: Fault | null = null;

  start(config: Config): void {
    this.config = config;
    this.fault = null;
  }

  /** Reads the client's body, which Envoy has, and scans it. Returns a code of the scanner: SCAN_OK, or what is wrong. */
  openBody(client: Client): i32 {
    const bytes = takeBody(REQUEST_BODY, 0, client.bodyLength);
    this.body = bytes.pointer;
    if (this.body == 0) return SCAN_MEMORY;
    if (!client.isForm) return scan(this.tape, this.body, bytes.length);
    this.tape.hold(this.body, bytes.length);
    const type = header(REQUEST_HEADERS, CONTENT_TYPE);
    return readForm(type, this.body, this.tape.length) ? SCAN_OK : SCAN_SYNTAX;
  }

  /**
   * Replaces the client's body by the edited one, here and in Envoy's buffer, and scans it: the stages that follow read it as if
   * the client had sent it. Returns false if there is no memory for it.
   */
  replaceBody(client: Client, edits: Edits): bool {
    replacement.clear();
    const replaced = edits.prefix(this.body, replacement);
    freeBlock(this.body);
    this.body = 0;
    if (wasRefused()) return false;
    replaceBodyPrefix(REQUEST_BODY, replaced, replacement);
    client.bodyLength += replacement.length - replaced;
    setHeaderNumber(REQUEST_HEADERS, CONTENT_LENGTH, client.bodyLength);
    return this.openBody(client) == SCAN_OK;
  }

  refuse(fault: Fault): Outcome {
    this.fault = fault;
    return Outcome.Refused;
  }

  /** As `refuse` with a fault, Next without one. */
  check(fault: Fault | null): Outcome {
    return fault === null ? Outcome.Next : this.refuse(fault);
  }

  /** Frees the body, unless the exchange keeps it for later attempts. */
  end(exchange: Exchange): void {
    if (exchange.client.body != this.body) freeBlock(this.body);
    this.body = 0;
    this.response = null;
  }
}
