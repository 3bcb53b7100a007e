// The route of the MCP server in the model server. Its SDK is loaded with the first request: it takes 0.1 s and 12 MB.
import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import type { Admitted } from "../admission.ts";
import type { McpOptions } from "./mcp-options.ts";
import type { McpEndpoint } from "./server.ts";

/** The endpoint MCP of contract/endpoints.ts. */
export const MCP_PATH = "/mcp";

export function serveMcp(
  app: Hono<Admitted>,
  options: McpOptions,
  log: (line: string) => void,
): void {
  let endpoint: Promise<McpEndpoint> | undefined;
  app.post(MCP_PATH, async (http) => {
    endpoint ??= import("./server.ts").then(({ openMcp }) => openMcp(options, log));
    const answer = await endpoint;
    const connection = http.env as HttpBindings | undefined;
    return answer(http.req.raw, http.get("hold"), closed(connection?.outgoing));
  });
}

/** Resolves when the response is written or its client is gone; at once if there is no connection. */
async function closed(outgoing: HttpBindings["outgoing"] | undefined): Promise<void> {
  if (outgoing === undefined || outgoing.closed) return;
  await new Promise((resolve) => outgoing.once("close", resolve));
}

/** An error of JSON-RPC for a request whose id was not read. */
export function mcpFault(message: string) {
  return { jsonrpc: "2.0", id: null, error: { code: -32_000, message } };
}
