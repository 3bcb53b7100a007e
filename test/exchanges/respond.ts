// A fake provider as the upstream of the WASM host, without a socket.
import type { SentRequest, UpstreamResponse } from "../../control-plane/wasm-host/upstream.ts";
import type { Dialect } from "../providers/server.ts";

/** Returns the provider's response to a request that the filter has sent. */
export function respond(provider: Dialect, request: SentRequest): UpstreamResponse {
  const body = Buffer.from(request.body).toString();
  const { response } = provider.handle(
    {
      method: request.method,
      path: request.path,
      headers: Object.fromEntries(request.headers),
      body,
      json: JSON.parse(body) as unknown,
      violations: [],
      wasCut: Promise.resolve(false),
    },
    undefined,
  );
  if (response === undefined) throw new Error("the provider does not respond");
  return {
    status: response.status,
    headers: Object.entries(response.headers),
    chunks: response.parts.map((part) => Buffer.from(part)),
  };
}
