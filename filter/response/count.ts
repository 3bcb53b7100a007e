// A count of tokens in another form, {"inputTokens":14} or {"totalTokens":14}: held until it is whole, and sent in Anthropic's.
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { ResponsePhase } from "../exchange/response";
import { RESPONSE_HEADERS, setHeaderNumber } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { readCount } from "../bytes/json/number";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { scratchBuffer } from "../bytes/text/bytes";
import { CONTENT_LENGTH } from "../exchange/header-names";
import { replaceBytes, takeBytes } from "./body";
import { replaceResponse } from "./replace";

const tape = scratchTape();
const out = scratchBuffer();

export function onCountBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  if (!isEnd) return STOP;
  const bytes = takeBytes(0, size);
  const pointer = bytes.pointer;
  const target = exchange.target;
  let count: i64 = -1;
  if (target !== null && pointer != 0 && scan(tape, pointer, bytes.length) == SCAN_OK)
    count = readCount(tape, tape.member(0, target.countMember));
  tape.reset();
  if (count < 0)
    return replaceResponse(
      exchange,
      new Fault(502, "The upstream's response is no count of tokens."),
    );
  out.clear();
  out.text('{"input_tokens":');
  out.integer(count);
  out.byte(0x7d);
  replaceBytes(size, out);
  setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  exchange.response.phase = ResponsePhase.Done;
  return CONTINUE;
}
