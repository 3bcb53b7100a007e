// A build of the filter with a link that waits for a callout: in each part of a response (`each`), or at its end (`whole`), before
// all other links (`first`) or after them (`last`). A response has it if its header `x-test-wait` says so. 200 passes the bytes,
// anything else blocks them.
import { compileVariant } from "./filter-variant.ts";
import type { Addition } from "./filter-variant.ts";

export const WAIT_HEADER = "x-test-wait";

const LINK = "filter/response/links/wait-for-test.ts";
const CHAIN = "filter/response/chain.ts";
const IMPORT = `import { waitFirst, waitLast } from "./links/wait-for-test";`;

const ADDED: readonly Addition[] = [
  [CHAIN, "const ROWS: StaticArray<Row> = [", "waitFirst,", IMPORT],
  [
    CHAIN,
    "  translate, // reader (provider) → hub events → writer (client); usage, cost, dropped members",
    "waitLast,",
    "",
  ],
];

const SOURCE = `
import { Call } from "../../callouts/call";
import { calloutResponse, send } from "../../callouts/callouts";
import { Exchange } from "../../exchange/exchange";
import { Link } from "../../exchange/link";
import { Fault } from "../../hub/faults/fault";
import { header, logError, removeHeader, RESPONSE_HEADERS } from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { constant, scratchBuffer } from "../../bytes/text/bytes";
import { replaceBytes } from "../body";
import { replaceResponse } from "../replace";
import { waitFor } from "../wait";

const JUDGE = constant("model_server");
const CALL = new Call(JUDGE);
CALL.cluster = JUDGE;
CALL.authority = JUDGE;
CALL.path = constant("/judge");
CALL.timeoutMs = 1000;
const WAIT = constant("${WAIT_HEADER}");
const out = scratchBuffer();

export function waitFirst(exchange: Exchange): Link | null { return plan(exchange, "first "); }
export function waitLast(exchange: Exchange): Link | null { return plan(exchange, "last "); }

function plan(exchange: Exchange, place: string): Link | null {
  const value = header(RESPONSE_HEADERS, WAIT);
  const text = String.UTF8.decodeUnsafe(value.pointer, value.length);
  if (!text.startsWith(place)) return null;
  removeHeader(RESPONSE_HEADERS, WAIT);
  exchange.response.mayWait = true;
  return new WaitForTest(exchange, text.endsWith("whole"));
}

class WaitForTest extends Link {
  private isPassed: bool = false;
  private isBlocked: bool = false;

  constructor(private exchange: Exchange, private isWhole: bool) {
    super();
    this.reads = false;
    this.holdsHead = isWhole;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const exchange = this.exchange;
    if (this.isBlocked) return this.block(size);
    if (size == 0 && !isEnd) return CONTINUE;
    if (!this.isPassed) {
      if (this.isWhole && !isEnd) return STOP;
      if (!send(exchange, CALL)) {
        logError("the callout cannot be sent");
        return CONTINUE;
      }
      if (send(exchange, CALL)) logError("a second callout was sent");
      return waitFor(exchange, this, size, isEnd);
    }
    this.isPassed = false;
    return CONTINUE;
  }

  onCallout(): void {
    this.isPassed = calloutResponse.status == 200;
    this.isBlocked = !this.isPassed;
  }

  private block(size: u32): i32 {
    const exchange = this.exchange;
    if (exchange.response.isHeadHeld)
      return replaceResponse(exchange, new Fault(403, "The response was blocked."));
    out.clear();
    out.text("event: blocked\\n\\n");
    replaceBytes(size, out);
    exchange.response.finish();
    return CONTINUE;
  }
}
`;

/** Compiles the build unless it is there. Returns its file. */
export function compileWaitingFilter(): string {
  return compileVariant("waiting", { [LINK]: SOURCE }, ADDED);
}
