// A complete response in the client's dialect that is held until it is whole, because a limit counts it or Envoy has
// decompressed it: half of one is an error.
import { wasRefused } from "../memory/blocks";
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { ResponsePhase } from "../exchange/response";
import { ALL } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { scan, scanMessage, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { LOOKS_JSON, looksLike } from "../bytes/sse/looks-like";
import { providerOf } from "../exchange/envoy-errors";
import { releaseBytes, takeBytes } from "./body";
import { setCostHeader } from "./cost-header";
import { corruptFault } from "./faults";
import { replaceResponse } from "./replace";
import { onStreamBody } from "./stream";

/** A larger response that only a limit counts passes unread. Bytes. */
const MAX_COUNTED: u32 = 8 << 20;

const tape = scratchTape();

export function onWholeBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  const response = exchange.response;
  if (size > MAX_COUNTED && size != ALL && !response.isDecompressed) {
    response.phase = ResponsePhase.Stream;
    return onStreamBody(exchange, size, isEnd);
  }
  if (!isEnd) return STOP;
  response.phase = ResponsePhase.Passed;
  const bytes = takeBytes(0, size);
  const pointer = bytes.pointer;
  let fault = wholeFault(exchange, pointer, bytes.length);
  // Without memory to read it, it passes unread.
  const isRead = !wasRefused();
  if (!isRead) fault = null;
  const tally = exchange.tally;
  if (tally !== null && fault !== null) tally.hasResponse = false;
  const observer = response.observer;
  if (observer !== null && fault === null) {
    if (isRead) {
      observer.part(pointer, bytes.length, true);
      setCostHeader(exchange);
    } else observer.giveUp();
  }
  if (fault === null) return CONTINUE;
  releaseBytes();
  return replaceResponse(exchange, fault);
}

/** Returns why the bytes are not a complete response, or null. */
function wholeFault(exchange: Exchange, pointer: usize, length: u32): Fault | null {
  const code = pointer == 0 ? SCAN_OK : scan(tape, pointer, length);
  tape.reset();
  if (exchange.response.isDecompressed)
    return pointer != 0 && code == SCAN_OK ? null : corruptFault(exchange);
  if (code == SCAN_OK || looksLike(pointer, length) != LOOKS_JSON) return null;
  return new Fault(
    502,
    providerOf(exchange.target) + " sent JSON that is not valid: " + scanMessage(code) + ".",
  );
}
