// What a stage returns, and what the stages of one callback pass on to each other.
import { freeBlock } from "../memory/blocks";
import { Config } from "../config/read-config";
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { scratchTape, Tape } from "../bytes/json/tape";

export const enum Outcome {
  /** The next stage runs. */
  Next,
  /** Envoy holds the request; the stage runs again with the next event. */
  Wait,
  /** The request goes on without the stages that follow. */
  Leave,
  /** The stage has sent a response. */
  Responded,
  /** `context.fault` is the response. */
  Refused,
}

export const enum RequestEvent {
  Headers,
  Body,
  /** The response of a prompt's callout. */
  Callout,
}

/** One callback of a request. One for all requests: nothing of it is needed after the callback. */
export class StageContext {
  config: Config = new Config();
  event: RequestEvent = RequestEvent.Headers;
  /** Bytes that Envoy holds: of the request's body, or of the callout's response. */
  size: u32 = 0;
  /** Whether the request ends here. */
  endsHere: bool = false;
  /** The client's body, which `tape` is a scan of; 0 if it is not at hand. */
  body: usize = 0;
  tape: Tape = scratchTape();
  fault: Fault | null = null;

  start(config: Config, event: RequestEvent, size: u32, endsHere: bool): void {
    this.config = config;
    this.event = event;
    this.size = size;
    this.endsHere = endsHere;
    this.fault = null;
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
  }
}
