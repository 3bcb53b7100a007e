// The callouts of a prompt in a dry run: the model server responds, the user's API is never called.
import { z } from "zod";
import { HEADER_CLUSTER, HEADER_DETAILS } from "../../contract/words.ts";
import { GatewayError } from "../report/gateway-error.ts";
import { MODEL_SERVER_CLUSTER } from "../../model/filter-document/document-prompt.ts";
import type { Prompt } from "../../model/prompts.ts";
import { fetchAt } from "../model-server/unix-socket.ts";
import type { HttpCall, HttpCallResponse } from "../wasm-host/virtual-machine.ts";

export interface ApiRequest {
  method: string;
  url: string;
  /** With `$NAME` in place of a secret. */
  headers: Record<string, string>;
  /** JSON; absent for GET. */
  body?: string;
}

/** What was decided about a prompt. */
export interface PromptDecisions {
  /** Absent without a guard. */
  guard?: { probability: number; refuses: boolean };
  /** 0 to 1 for each target, the highest first. */
  scores: Record<string, number>;
  decision: "target" | "ask_model" | "none" | "default";
  /** The target that the prompt is for; null for none. */
  target: string | null;
  arguments?: Record<string, unknown>;
  /** What would be sent to the API. */
  request?: ApiRequest;
}

interface ModelServerCall {
  path: string;
  /** JSON. */
  sent: string;
  reply: string;
}

export const values = z.record(z.string(), z.unknown());
export const errorReply = z.looseObject({ error: z.looseObject({ message: z.string() }) });
const guardReply = z.looseObject({ jailbreak_prob: z.number(), jailbreak_verdict: z.boolean() });
const zeroshotReply = z.looseObject({
  scores: z.record(z.string(), z.number()),
  decision: z.enum(["target", "ask_model", "none"]),
});
const groundingRequest = z.looseObject({ target: z.string(), parameters: values });

/** Responds to the callouts of one prompt, and keeps what was asked. */
export class PromptCalls {
  readonly #prompt: Prompt;
  readonly #socketPath: string;
  readonly #calls: ModelServerCall[] = [];
  request: ApiRequest | undefined;

  /** @param socketPath of the model server */
  constructor(prompt: Prompt, socketPath: string) {
    this.#prompt = prompt;
    this.#socketPath = socketPath;
  }

  /** Returns the response to a callout; `{}` in place of an API's. */
  async respond(call: HttpCall): Promise<HttpCallResponse> {
    if (headerOf(call, HEADER_CLUSTER) !== MODEL_SERVER_CLUSTER) {
      this.request = apiRequest(this.#prompt, call);
      return responseOf(200, "{}");
    }
    const found = await callModelServer(this.#socketPath, call);
    this.#calls.push(found);
    return responseOf(200, found.reply);
  }

  /** Whether nothing was called. */
  get isEmpty(): boolean {
    return this.#calls.length === 0 && this.request === undefined;
  }

  /** Returns the first call of a path of the model server. */
  callOf(path: string): ModelServerCall | undefined {
    return this.#calls.find((one) => one.path === path);
  }

  /** Returns what the model server has decided. */
  decisions(): PromptDecisions {
    const found: PromptDecisions = { scores: {}, decision: "none", target: null };
    const guard = this.callOf("/guard");
    if (guard !== undefined) {
      const { jailbreak_prob, jailbreak_verdict } = guardReply.parse(JSON.parse(guard.reply));
      found.guard = { probability: jailbreak_prob, refuses: jailbreak_verdict };
      if (jailbreak_verdict) return found;
    }
    const choice = this.callOf("/zeroshot");
    if (choice !== undefined) {
      const { scores, decision } = zeroshotReply.parse(JSON.parse(choice.reply));
      Object.assign(found, { scores, decision });
    }
    const grounding = this.callOf("/hallucination");
    if (grounding !== undefined) {
      const { target, parameters } = groundingRequest.parse(JSON.parse(grounding.sent));
      Object.assign(found, { target, arguments: parameters });
    }
    return this.request === undefined ? found : { ...found, request: this.request };
  }
}

/** What the filter and Envoy add to every callout. */
const ADDED = /^(?::.*|x-gateway-.*|x-request-id|content-length)$/;

function apiRequest({ endpoints, targets }: Prompt, call: HttpCall): ApiRequest {
  const cluster = headerOf(call, HEADER_CLUSTER) ?? "";
  const authority = headerOf(call, ":authority") ?? "";
  const names = new Set(targets.map(({ endpoint }) => endpoint));
  const endpoint = endpoints.find(({ name }) => names.has(name) && cluster.endsWith(`/${name}`));
  const scheme = endpoint?.address.tls === true ? "https" : "http";
  return {
    method: headerOf(call, ":method") ?? "",
    url: `${scheme}://${authority}${headerOf(call, ":path") ?? ""}`,
    headers: Object.fromEntries(call.headers.filter(([name]) => !ADDED.test(name))),
    ...(call.body.length === 0 ? {} : { body: bodyText(call.body) }),
  };
}

async function callModelServer(socketPath: string, call: HttpCall): Promise<ModelServerCall> {
  const path = headerOf(call, ":path") ?? "";
  const sent = bodyText(call.body);
  let response: Response;
  let reply: string;
  try {
    response = await fetchAt(socketPath, `http://model-server${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: sent,
      signal: AbortSignal.timeout(call.timeoutMs),
    });
    reply = await response.text();
  } catch {
    throw new GatewayError(`The model server did not respond to ${path}; it may have stopped.`);
  }
  if (response.ok) return { path, sent, reply };
  const { data } = errorReply.safeParse(parsed(reply));
  throw new GatewayError(
    `The model server responded to ${path} with ${String(response.status)}. ${data?.error.message ?? ""}`.trimEnd(),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function responseOf(status: number, body: string): HttpCallResponse {
  return {
    headers: [
      [":status", String(status)],
      [HEADER_DETAILS, "via_upstream"],
    ],
    body: Buffer.from(body),
  };
}

function headerOf({ headers }: HttpCall, name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1];
}

export function bodyText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
