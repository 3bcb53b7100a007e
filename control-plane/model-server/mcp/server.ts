// The MCP server: streamable HTTP by the official SDK, in which each prompt target is a tool. Each request stands alone, without a
// session, so that it can reach any of several gateways. docs/decisions/2026-11-22-mcp-tools.md
import {
  type CallToolResult,
  createMcpHandler,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { announcedSize } from "../admission.ts";
import { readJson } from "../read-json.ts";
import { ServerError } from "../server-error.ts";
import { type ArgumentCheck, argumentCheck } from "./arguments.ts";
import { callTarget } from "./call-target.ts";
import { HeldResults, type HoldResult } from "./held-results.ts";
import type { McpOptions, McpTool } from "./mcp-options.ts";
import { toolError, toolResult } from "./tool-result.ts";
import { type EndTurn, newTurns } from "./turns.ts";

/**
 * Returns the response to a client's POST. `hold` reserves memory, and throws a ServerError if there is none. `sent` resolves when
 * the response is written or the client is gone.
 */
export type McpEndpoint = (
  request: Request,
  hold: (bytes: number) => void,
  sent: Promise<void>,
) => Promise<Response>;

/** Arguments have at most 256 KiB (filter/prompt/prompt.ts), and escapes make them longer. */
const MAX_BODY_BYTES = 1024 * 1024;
/** A batch of the protocol of 2025-03-26; each of its calls is a request to an API. */
const MAX_BATCH = 32;
/** Calls wait for their APIs, and the prompts of other clients need this server too. */
const MAX_CALLS = 256;
/** Headers of the client that the gateway logs with the call. */
const LOGGED_HEADERS = ["x-request-id", "user-agent"];
/** Of the attempt that brought the request, which the call continues. */
const CONTEXT_OF_TRACE = ["traceparent", "tracestate"];

interface CheckedTool extends McpTool {
  check: ArgumentCheck;
}

/** @param log writes a line, without arguments and results */
export function openMcp(options: McpOptions, log: (line: string) => void): McpEndpoint {
  const tools = new Map<string, CheckedTool>(
    options.tools.map((tool) => [
      tool.name,
      { ...tool, check: argumentCheck(tool.name, tool.inputSchema) },
    ]),
  );
  let callCount = 0;
  const nextTurn = newTurns();
  const held = new HeldResults();
  const holdOf = new WeakMap<Request, HoldResult>();

  const call = async (
    tool: CheckedTool,
    values: Readonly<Record<string, unknown>>,
    request: Request | undefined,
    signal: AbortSignal,
  ): Promise<CallToolResult> => {
    const problem = tool.check(values);
    if (problem !== undefined) return toolError(problem);
    if (callCount >= MAX_CALLS || held.isFull)
      return toolError("Too many tool calls are in progress; try again in a second.");
    callCount += 1;
    let endTurn: EndTurn | undefined;
    try {
      // A parameter of a target with messages cannot have their name.
      const { messages, ...parameters } = values;
      const hasMessages = messages !== undefined && tool.inputSchema.required.includes("messages");
      const body = hasMessages
        ? { target: tool.name, arguments: parameters, messages }
        : { target: tool.name, arguments: values };
      return toolResult(
        await callTarget(options, body, {
          headers: sentHeaders(request, options.limit_headers),
          signal,
          log,
          waitForTurn: async () => {
            endTurn = await nextTurn();
            if (held.isFull) throw new Error("results wait for clients that read slowly");
          },
          hold: (bytes) => {
            if (request !== undefined) holdOf.get(request)?.(bytes);
          },
        }),
      );
    } finally {
      callCount -= 1;
      endTurn?.();
    }
  };

  const newServer = (request: Request | undefined): McpServer => {
    const mcp = new McpServer(
      { name: "gateway", version: options.version },
      // The list of tools changes with a reload only, which closes no stream of a client for it.
      { capabilities: { tools: { listChanged: false } } },
    );
    // Its own handlers validate with texts that name neither the parameter nor the fix.
    const { server } = mcp;
    server.setRequestHandler("tools/list", () => ({
      tools: [...tools.values()].map(({ check: _check, ...tool }) => tool),
    }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const tool = tools.get(params.name);
      if (tool === undefined) {
        const name = params.name.slice(0, 64);
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool '${name}'; list the tools again.`,
        );
      }
      const result = await call(tool, params.arguments ?? {}, request, context.mcpReq.signal);
      return server.projectCallToolResult(result, undefined);
    });
    return mcp;
  };

  const handler = createMcpHandler(({ requestInfo }) => newServer(requestInfo), {
    maxSubscriptions: 0,
  });
  return async (request, hold, sent) => {
    holdOf.set(request, held.until(sent));
    const parsedBody = await readMessage(request, hold);
    const response = await handler.fetch(request, { parsedBody });
    const { data } = listen.safeParse(parsedBody);
    return data === undefined ? response : withoutListen(response, data.id);
  };
}

const LISTEN = "subscriptions/listen";
const listen = z.object({ id: z.union([z.string(), z.number()]), method: z.literal(LISTEN) });
const rpcError = z.object({ error: z.object({ code: z.number() }) });

/** Returns "method not found" where the SDK, which cannot leave the method out, reports an internal error. */
async function withoutListen(response: Response, id: string | number): Promise<Response> {
  const text = await response.clone().text();
  const { data } = rpcError.safeParse(parsed(text));
  if (data?.error.code !== ProtocolErrorCode.InternalError) return response;
  const error = { code: ProtocolErrorCode.MethodNotFound, message: `${LISTEN} is not offered.` };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the JSON of a bounded body. Throws a ServerError. */
async function readMessage(request: Request, hold: (bytes: number) => void): Promise<unknown> {
  let size = announcedSize(request.headers) ?? 0;
  if (size > MAX_BODY_BYTES) throw tooLarge();
  const isAnnounced = size > 0;
  try {
    const message = await readJson(request, (bytes) => {
      if (!isAnnounced) size += bytes;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      hold(bytes);
    });
    if (Array.isArray(message) && message.length > MAX_BATCH)
      throw new ServerError(400, `A batch has at most ${String(MAX_BATCH)} messages.`);
    return message;
  } catch (error) {
    if (error instanceof ServerError) throw error;
    throw new ServerError(400, "The body is not valid JSON.");
  }
}

function tooLarge(): ServerError {
  return new ServerError(413, "An MCP message has at most 1 MiB.");
}

/** @param limitHeaders headers that select a budget */
function sentHeaders(
  request: Request | undefined,
  limitHeaders: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    [...LOGGED_HEADERS, ...CONTEXT_OF_TRACE, ...limitHeaders].flatMap((name) => {
      const value = request?.headers.get(name) ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}
