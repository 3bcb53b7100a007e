// The options of the MCP server: its tools, and how their targets are called.
import { z } from "zod";

const tool = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  inputSchema: z.strictObject({
    type: z.literal("object"),
    properties: z.record(z.string(), z.record(z.string(), z.json())),
    required: z.array(z.string()),
    additionalProperties: z.literal(false),
  }),
  annotations: z.strictObject({
    readOnlyHint: z.boolean(),
    destructiveHint: z.boolean(),
    idempotentHint: z.boolean(),
  }),
});

export const mcpOptions = z.strictObject({
  tools: z.array(tool),
  /** The model server's own entrance to the gateway: a unix socket. */
  socket: z.string().min(1),
  /** The ingress listener's timeout. */
  timeout_ms: z.int().min(1),
  /** Headers by which rate limits distinguish clients: sent with the call. Lower case. */
  limit_headers: z.array(z.string().min(1)).default([]),
  /** The gateway's version, for clients. */
  version: z.string(),
});

export type McpOptions = z.output<typeof mcpOptions>;
export type McpTool = z.output<typeof tool>;
