// A local response of Envoy (no connection, a timeout), rewritten in the client's dialect.
import { respondWithFault, RETRY_AFTER } from "../../exchange/respond";
import { Exchange } from "../../exchange/exchange";
import { noteMissingCredential } from "../../exchange/missing-credential";
import { requestIdSpan } from "../../exchange/request-id";
import { ResponseOwner } from "../../exchange/response";
import { Link } from "../../exchange/link";
import { header, RESPONSE_HEADERS, setHeader, setHeaderNumber } from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { scratchBuffer } from "../../bytes/text/bytes";
import { localResponseFault, responseDetails, toolServerFault } from "../../exchange/envoy-errors";
import { writeFault } from "../../exchange/write-client-fault";
import { MCP } from "../../../contract/endpoints";
import { Fault } from "../../hub/faults/fault";
import { CONTENT_LENGTH, CONTENT_TYPE, JSON_TYPE, STATUS } from "../../exchange/header-names";
import { replaceBytes } from "../body";

const out = scratchBuffer();

/** Starts a local response of Envoy, whose head was read last. Returns the status for Envoy. */
export function holdEnvoyError(exchange: Exchange, details: string, endsHere: bool): i32 {
  const response = exchange.response;
  response.enter(ResponseOwner.Envoy);
  response.add(new HoldEnvoyError(exchange));
  noteMissingCredential(exchange.target, details);
  if (endsHere) respondWithFault(exchange, faultOf(exchange, details));
  return STOP;
}

/** Holds the headers until the whole body is here. */
class HoldEnvoyError extends Link {
  constructor(private exchange: Exchange) {
    super();
    this.reads = false;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    if (!isEnd) return STOP;
    rewrite(this.exchange, size);
    this.exchange.response.remove(this);
    return CONTINUE;
  }
}

function faultOf(exchange: Exchange, details: string): Fault {
  const status = exchange.response.status;
  return exchange.client.endpoint.row === MCP
    ? toolServerFault(status)
    : localResponseFault(status, details, exchange.target);
}

function rewrite(exchange: Exchange, size: u32): void {
  const response = exchange.response;
  const dialect = exchange.client.dialect;
  const fault = faultOf(exchange, responseDetails());
  exchange.fault = fault;
  out.clear();
  writeFault(exchange, fault, out);
  if (fault.status != response.status) setHeaderNumber(RESPONSE_HEADERS, STATUS, fault.status);
  setHeader(RESPONSE_HEADERS, CONTENT_TYPE, JSON_TYPE);
  setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  setHeader(RESPONSE_HEADERS, dialect.requestIdHeader, requestIdSpan(exchange));
  if (fault.retryAfter > 0 && header(RESPONSE_HEADERS, RETRY_AFTER).length == 0)
    setHeaderNumber(RESPONSE_HEADERS, RETRY_AFTER, fault.retryAfter);
  replaceBytes(size, out);
}
