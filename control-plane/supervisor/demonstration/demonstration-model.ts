// The demonstration model: a keyless provider in OpenAI's format inside the gateway, so that a first request works.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { closeNow, listenAt } from "../../model-server/unix-socket.ts";
import { admission, type Admitted } from "../../model-server/admission.ts";
import { readJson } from "../../model-server/read-json.ts";
import { ServerError } from "../../model-server/server-error.ts";
import {
  type ChatRequest,
  chatRequest,
  type Completion,
  complete,
} from "./demonstration-response.ts";

/** Between two pieces of a stream, so that a person sees it stream. Milliseconds. */
const PIECE_MS = 8;

export interface DemonstrationModel {
  close: () => Promise<void>;
}

/** Serves it at a unix socket. */
export async function startDemonstrationModel(socketPath: string): Promise<DemonstrationModel> {
  const server = createAdaptorServer({ fetch: demonstrationApp().fetch }) as Server;
  await listenAt(server, socketPath);
  return { close: () => closeNow(server) };
}

/** Maximum bytes of in-flight requests: it runs in the supervisor's process. */
const MAX_BYTES = 16 * 1024 * 1024;

/** @see https://platform.openai.com/docs/api-reference/chat */
export function demonstrationApp(): Hono<Admitted> {
  const app = new Hono<Admitted>();
  app.use(admission(MAX_BYTES));
  app.onError((error, context) => {
    if (!(error instanceof ServerError)) throw error;
    if (error.retryAfter !== undefined) context.header("retry-after", String(error.retryAfter));
    return context.json(fault(error.message), error.status);
  });
  app.post("/v1/chat/completions", async (context) => {
    let body: unknown;
    try {
      body = await readJson(context.req.raw, context.get("hold"));
    } catch (error) {
      if (error instanceof ServerError) throw error;
      return context.json(fault("The body is not valid JSON."), 400);
    }
    const parsed = chatRequest.safeParse(body);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const path = issue?.path.join(".") ?? "";
      return context.json(fault(`${path}: ${issue?.message ?? "invalid"}`, path), 400);
    }
    const request = parsed.data;
    const head = headOf(request);
    const completion = complete(request);
    context.header("x-request-id", head.id);
    if (request.stream !== true) return context.json(completionBody(head, completion));
    return streamSSE(context, async (stream) => {
      for (const chunk of chunks(
        head,
        completion,
        request.stream_options?.include_usage === true,
      )) {
        await stream.writeSSE({ data: JSON.stringify(chunk) });
        await sleep(PIECE_MS);
      }
      await stream.writeSSE({ data: "[DONE]" });
    });
  });
  app.notFound((context) =>
    context.json(fault(`The demonstration model has no ${context.req.path}.`), 404),
  );
  return app;
}

interface Head {
  id: string;
  created: number;
  model: string;
}

/** Derived from the request alone: the same request gets the same response, byte by byte. */
function headOf(request: ChatRequest): Head {
  const digest = createHash("sha256").update(JSON.stringify(request)).digest("hex");
  return { id: `chatcmpl-demo-${digest.slice(0, 24)}`, created: 0, model: request.model };
}

function completionBody(head: Head, completion: Completion) {
  const message =
    completion.kind === "text"
      ? { role: "assistant", content: completion.pieces.join(""), refusal: null }
      : {
          role: "assistant",
          content: null,
          refusal: null,
          tool_calls: [toolCall(head, completion)],
        };
  return {
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(completion) }],
    usage: completion.usage,
  };
}

/** Role, content or tool call in pieces, finish, and usage where it was asked for. */
function chunks(head: Head, completion: Completion, withUsage: boolean) {
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage ? { usage: null } : {}),
  });
  const last = { ...head, object: "chat.completion.chunk", choices: [], usage: completion.usage };
  return [
    chunk({ role: "assistant", content: completion.kind === "text" ? "" : null, refusal: null }),
    ...(completion.kind === "text"
      ? completion.pieces.map((content) => chunk({ content }))
      : toolDeltas(head, completion).map((call) => chunk({ tool_calls: [call] }))),
    chunk({}, finishReason(completion)),
    ...(withUsage ? [last] : []),
  ];
}

type ToolCompletion = Extract<Completion, { kind: "tool" }>;

function toolCall(head: Head, completion: ToolCompletion) {
  return {
    id: `call_demo_${head.id.slice(-12)}`,
    type: "function",
    function: { name: completion.name, arguments: completion.arguments },
  };
}

/** The name first with empty arguments, then the arguments in two pieces, as OpenAI streams them. */
function toolDeltas(head: Head, completion: ToolCompletion) {
  const half = Math.ceil(completion.arguments.length / 2);
  const pieces = [completion.arguments.slice(0, half), completion.arguments.slice(half)];
  return [
    { index: 0, ...toolCall(head, { ...completion, arguments: "" }) },
    ...pieces.map((part) => ({ index: 0, function: { arguments: part } })),
  ];
}

function finishReason(completion: Completion): string {
  if (completion.kind === "tool") return "tool_calls";
  return completion.isCut ? "length" : "stop";
}

function fault(message: string, parameter?: string) {
  return {
    error: {
      message,
      type: "invalid_request_error",
      param: parameter === undefined || parameter === "" ? null : parameter,
      code: null,
    },
  };
}
