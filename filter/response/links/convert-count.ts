// A count of tokens in another form, {"inputTokens":14} or {"totalTokens":14}: held until it is whole, and sent in Anthropic's.
import { Fault } from "../../hub/faults/fault";
import { Exchange } from "../../exchange/exchange";
import { Link } from "../../exchange/link";
import { RESPONSE_HEADERS, setHeaderNumber } from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { readCount } from "../../bytes/json/number";
import { scan, SCAN_OK } from "../../bytes/json/scan";
import { scratchTape } from "../../bytes/json/tape";
import { constant, scratchBuffer } from "../../bytes/text/bytes";
import { CONTENT_LENGTH } from "../../exchange/header-names";
import { replaceBytes, takeBytes } from "../body";
import { replaceByEmptyFault, replaceResponse } from "../replace";

const tape = scratchTape();
const out = scratchBuffer();

export function convertCount(exchange: Exchange): Link | null {
  const target = exchange.target;
  if (target === null || !exchange.client.endpoint.row.isEstimated) return null;
  return target.countMember.length > 0 ? new ConvertCount(exchange) : null;
}

class ConvertCount extends Link {
  constructor(private exchange: Exchange) {
    super();
    this.holdsHead = true;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    if (!isEnd) return STOP;
    const exchange = this.exchange;
    const count = readCountOf(exchange, size);
    if (count < 0)
      return replaceResponse(
        exchange,
        new Fault(502, "The provider's response has no token count."),
      );
    out.clear();
    out.span(constant('{"input_tokens":'));
    out.integer(count);
    out.byte(0x7d);
    replaceBytes(size, out);
    setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
    exchange.response.finish(this);
    return CONTINUE;
  }

  onTrailers(): i32 {
    return replaceByEmptyFault(this.exchange);
  }
}

/** Returns the count in the whole body; less than 0 if there is none. */
function readCountOf(exchange: Exchange, size: u32): i64 {
  const bytes = takeBytes(0, size);
  const target = exchange.target;
  let count: i64 = -1;
  if (target !== null && bytes.pointer != 0 && scan(tape, bytes.pointer, bytes.length) == SCAN_OK)
    count = readCount(tape, tape.member(0, target.countMember));
  tape.reset();
  return count;
}
