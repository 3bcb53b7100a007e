// Errors for requests that this listener does not serve: what it serves, and what was probably meant.
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { METHOD, PATH } from "../exchange/request-head";
import { byteAt } from "../bytes/text/at";
import { Span } from "../bytes/text/bytes";
import { lengthWithoutQuery } from "../bytes/text/query";
import { Config } from "../config/read-config";
import { MCP } from "../../contract/endpoints";
import { ENDPOINTS, UNKNOWN } from "../exchange/endpoint";

const SLASH: u32 = 0x2f;
const MAX_PATH: u32 = 120;
const MAX_METHOD: u32 = 16;

/** Returns the 404 for the head that was read last. */
export function unknownPath(exchange: Exchange, config: Config): Fault {
  const isIngress = exchange.client.isIngress;
  let served = isIngress ? " The ingress listener serves " : " This listener serves ";
  for (let i = 0; i < ENDPOINTS.length; i++) {
    const row = ENDPOINTS[i].row;
    if (row.isInference && row.path.length > 0 && (row.isOnIngress || !isIngress))
      served += "POST " + row.path + ", ";
  }
  served += "GET /v1/models and GET /healthz" + (isIngress ? "." : "; all: docs/endpoints.md.");
  const path = shown(PATH, lengthWithoutQuery(PATH), MAX_PATH, "");
  const what = path.length == 0 ? "Unknown path." : "Unknown path " + path + ".";
  return new Fault(404, what + adviceFor(exchange, config) + served);
}

/** Returns the 405 for the head that was read last. */
export function wrongMethod(exchange: Exchange): Fault {
  const path = shown(PATH, lengthWithoutQuery(PATH), MAX_PATH, "this path");
  const method = shown(METHOD, METHOD.length, MAX_METHOD, "This method");
  const endpoint = exchange.client.endpoint;
  const use = endpoint.row.methods[0];
  const fault = new Fault(405, method + " is not allowed on " + path + "; use " + use + ".");
  fault.allow = endpoint.allow;
  return fault;
}

function adviceFor(exchange: Exchange, config: Config): string {
  const endpoint = exchange.client.endpoint;
  if (endpoint.row === MCP)
    return config.hasTools()
      ? " Use the ingress listener."
      : " Prompt targets are offered as tools if mcp.enabled is set in the configuration.";
  if (endpoint !== UNKNOWN && endpoint.row.isOnEgress) return " Use the egress listener.";
  const length = lengthWithoutQuery(PATH);
  const endsInSlash = length > 1 && byteAt(PATH.pointer, length - 1) == SLASH;
  return endsInSlash ? " Remove the slash at the end." : "";
}

/** Returns a part of the head for a message; `otherwise` if it is long or not printable ASCII. */
function shown(part: Span, length: u32, maxLength: u32, otherwise: string): string {
  if (length == 0 || length > maxLength) return otherwise;
  for (let i: u32 = 0; i < length; i++) {
    if (byteAt(part.pointer, i) - 0x21 >= 0x5e) return otherwise;
  }
  return String.UTF8.decodeUnsafe(part.pointer, length);
}
