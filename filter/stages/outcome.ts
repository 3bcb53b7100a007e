// What a stage returns, and what the stages of one callback pass on to each other.
import { freeBlock } from "../memory/blocks";
import { CalloutResponse } from "../callouts/response";
import { Config } from "../config/read-config";
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { scratchTape, Tape } from "../bytes/json/tape";

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
