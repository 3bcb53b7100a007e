// The request of a client that sends JSON to the egress listener.
import type { ExchangeInput } from "../../control-plane/wasm-host/wasm-exchange.ts";

/** @param body an object, or the text that is sent @param headers what follows the headers that every client sends */
export function egressRequest(
  path: string,
  headers: readonly (readonly [string, string])[],
  body: unknown,
): Pick<ExchangeInput, "listener" | "request"> {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return {
    listener: "egress",
    request: {
      method: "POST",
      path,
      headers: [
        ["host", "localhost:12000"],
        ["content-type", "application/json"],
        ["content-length", String(bytes.length)],
        ...headers,
      ],
      body: bytes,
    },
  };
}
