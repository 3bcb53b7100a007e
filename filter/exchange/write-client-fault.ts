// Writes an error in the format of the client's endpoint.
import { MCP } from "../../contract/endpoints";
import { Fault } from "../hub/faults/fault";
import { escapeText } from "../bytes/json/text";
import { ByteBuffer } from "../bytes/text/bytes";
import { Exchange } from "./exchange";
import { requestId } from "./request-id";

/** Appends the error as the body of a response: in the client's dialect, or as an error of JSON-RPC. */
export function writeFault(exchange: Exchange, fault: Fault, out: ByteBuffer): void {
  if (exchange.client.endpoint.row !== MCP) {
    exchange.client.dialect.writeFault(fault, requestId(exchange), out);
    return;
  }
  // The request's id is in a body that was not read; -32000 begins the codes of servers.
  out.text('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"');
  escapeText(fault.message, out);
  out.text('"}}');
}
