// A model server of a test, with the real model, and a language model that answers as the test says.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { ModelServerInput } from "../../../../control-plane/model-server/options.ts";
import { startModelServer } from "../../../../control-plane/model-server/start.ts";
import { fetchAt, type SocketRequest } from "../../../../control-plane/model-server/unix-socket.ts";
import { newSocketPath } from "../../../gateway/socket-path.ts";
import { LABELS, TARGETS, TOOLS } from "./targets.ts";

/** Saturday. */
export const NOW = new Date("2026-11-21T12:00:00");

/** Of a test file. */
const MAX_MS = 300_000;

export interface Running {
  socketPath: string;
  log: string[];
  get: (path: string) => Promise<Response>;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
  close: () => Promise<void>;
}

export async function startServer(
  options: ModelServerInput = {},
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Running> {
  const log: string[] = [];
  const socketPath = newSocketPath();
  const server = await startModelServer(
    socketPath,
    { targets: TARGETS, guard: {}, ...options },
    { environment, log: (line) => log.push(line), now: () => NOW },
  );
  await server.ready;
  const signal = AbortSignal.timeout(MAX_MS);
  const send = (path: string, request: Omit<SocketRequest, "signal">) =>
    fetchAt(socketPath, `http://model-server${path}`, { ...request, signal });
  return {
    socketPath,
    log,
    get: (path) => send(path, { method: "GET", headers: {} }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    close: server.close,
  };
}

export interface Zeroshot {
  predicted_class: string | null;
  predicted_class_score: number;
  scores: Record<string, number>;
  decision: string;
  candidates: string[];
}

/** A type and no interface, so that it is open to members that nobody looks at. */
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions
export type Message = { role: string; content: string };

/** User and assistant in turns, the user first. */
export function conversation(...turns: string[]): Message[] {
  return turns.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }));
}

export async function zeroshot(server: Running, messages: Message[]): Promise<Zeroshot> {
  const input = messages.at(-1)?.content ?? "";
  const response = await server.post("/zeroshot", { ...LABELS, input, messages });
  return (await response.json()) as Zeroshot;
}

export interface Extracted {
  /** The called target, if any. */
  target?: string | undefined;
  values?: unknown;
  /** What is known when a question is asked. */
  known?: Record<string, unknown>;
  /** The question, if any. */
  content: string | null;
  by: string | null;
}

interface Completion {
  choices: {
    message: {
      content: string | null;
      tool_calls?: { function: { name: string; arguments: string } }[];
    };
  }[];
  metadata: { extracted_by: string | null; arguments?: Record<string, unknown> };
}

export async function extraction(
  server: Running,
  messages: Message[],
  metadata: { decision: string; target: string },
  headers: Record<string, string> = {},
): Promise<Extracted> {
  const body = { model: "extraction", messages, tools: TOOLS, stream: false, metadata };
  const response = await server.post("/v1/chat/completions", body, headers);
  const completion = (await response.json()) as Completion;
  const message = completion.choices[0]?.message;
  const call = message?.tool_calls?.[0]?.function;
  return {
    target: call?.name,
    values: call === undefined ? undefined : JSON.parse(call.arguments),
    ...(completion.metadata.arguments === undefined
      ? {}
      : { known: completion.metadata.arguments }),
    content: message?.content ?? null,
    by: completion.metadata.extracted_by,
  };
}

export interface FakeModel {
  url: string;
  /** What it was asked, the last one at the end. */
  asked: { body: Record<string, unknown>; headers: Headers }[];
  close: () => Promise<void>;
}

/** Answers every chat completion with the message, or the status, that `response` gives. */
export function startLanguageModel(response: () => object | number): Promise<FakeModel> {
  const asked: FakeModel["asked"] = [];
  const app = new Hono();
  app.post("/v1/chat/completions", async (context) => {
    asked.push({ body: await context.req.json(), headers: context.req.raw.headers });
    const message = response();
    if (typeof message === "number") return context.json({ error: {} }, message as 500);
    return context.json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
      resolve({
        url: `http://127.0.0.1:${port}`,
        asked,
        close: () =>
          new Promise((done) => {
            server.close(() => {
              done();
            });
            if ("closeAllConnections" in server) server.closeAllConnections();
          }),
      });
    });
  });
}
