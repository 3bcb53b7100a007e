// The first event of a stream that is unwrapped (unwrap.ts): a fault before it becomes the status, which SDKs act on.
import { Exchange } from "../exchange/exchange";
import { ResponsePhase } from "../exchange/response";
import { CONTINUE, STOP } from "../host/status";
import { phaseOfBody } from "./head";
import { replaceResponse } from "./replace";
import { onStreamBody } from "./stream";

/** Holds the head until the first event. */
export function onUnwrappedBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  const response = exchange.response;
  const unwrapper = response.unwrapper;
  if (unwrapper === null) return CONTINUE;
  const fault = unwrapper.fault;
  if (fault !== null && !unwrapper.hasWritten) {
    exchange.client.dialect.adaptFault(fault);
    return replaceResponse(exchange, fault);
  }
  if (size == 0 && !isEnd) return STOP;
  response.phase = phaseOfBody(exchange, true);
  return response.phase == ResponsePhase.Stream ? onStreamBody(exchange, size, isEnd) : CONTINUE;
}
