// Leads a prompt through the release filter with the model server, up to the request that a target's API would get.
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { HEADER_CLUSTER, HEADER_DETAILS } from "../../../contract/words.ts";
import { GatewayError } from "../../config/diagnostics/gateway-error.ts";
import { filterConfig } from "../../ir/filter-document/document.ts";
import { MODEL_SERVER_CLUSTER } from "../../ir/filter-document/prompt.ts";
import type { GatewayModel } from "../../ir/model.ts";
import type { Prompt } from "../../ir/prompt.ts";
import { fetchAt } from "../../model-server/unix-socket.ts";
import { FilterHost } from "../../wasm-host/filter-host.ts";
import { FAILURES } from "../../wasm-host/upstream.ts";
import type { HttpCall, HttpCallResponse } from "../../wasm-host/virtual-machine.ts";

export interface ApiRequest {
  method: string;
  url: string;
  /** With `$NAME` in place of a secret. */
  headers: Record<string, string>;
  /** JSON; absent for GET. */
  body?: string;
}

export interface Trial {
  prompt: string;
  /** Absent without a guard. */
  guard?: { probability: number; refuses: boolean };
  /** 0 to 1 for each target, the highest first. */
  scores: Record<string, number>;
  decision: "target" | "ask_model" | "none" | "default";
  /** The target that the prompt is for; null for none. */
  target: string | null;
  arguments?: Record<string, unknown>;
  /** What the user is asked for. */
  question?: string;
  /** What would be sent. */
  request?: ApiRequest;
  /** The parameter whose value is not allowed in a URL. */
  wrong?: string;
}

const values = z.record(z.string(), z.unknown());
const guardReply = z.looseObject({ jailbreak_prob: z.number(), jailbreak_verdict: z.boolean() });
const zeroshotReply = z.looseObject({
  scores: z.record(z.string(), z.number()),
  decision: z.enum(["target", "ask_model", "none"]),
});
const extractionRequest = z.looseObject({
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })),
});
const groundingRequest = z.looseObject({ target: z.string(), parameters: values });
const completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })).min(1),
  metadata: z
    .looseObject({ prompt_target: z.looseObject({ name: z.string(), arguments: values }) })
    .optional(),
});
/** Of a question: what is known so far. */
const extractionReply = z.looseObject({
  metadata: z
    .looseObject({ target: z.string().optional(), arguments: values.optional() })
    .default({}),
});
const errorReply = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** Returns a function that tries one prompt after the other. Its APIs and models are never called. */
export async function openTrial(
  { model, prompt }: { model: GatewayModel; prompt: Prompt },
  { socketPath, filterFile }: { /** of the model server */ socketPath: string; filterFile: string },
): Promise<(text: string) => Promise<Trial>> {
  const host = await FilterHost.load(await readFile(filterFile), {
    filterConfig: filterConfig(withoutAccess(model, prompt)),
    environment: Object.fromEntries(model.filterEnvironment.map((name) => [name, `$${name}`])),
    logLevel: "error",
  });
  const defaultTarget = prompt.targets.find(({ isDefault }) => isDefault)?.name;
  return async (text) => {
    const calls: ModelServerCall[] = [];
    let goesToModel = false;
    let request: ApiRequest | undefined;
    const { response, trap } = await host.exchangeAsync({
      listener: "ingress",
      request: {
        method: "POST",
        path: "/v1/chat/completions",
        headers: [["content-type", "application/json"]],
        body: Buffer.from(
          JSON.stringify({ model: "none", messages: [{ role: "user", content: text }] }),
        ),
      },
      upstream: () => {
        goesToModel = true;
        return FAILURES.connectionRefused;
      },
      async calls(call) {
        if (headerOf(call, HEADER_CLUSTER) !== MODEL_SERVER_CLUSTER) {
          request = apiRequest(prompt, call);
          return responseOf(200, "{}");
        }
        const found = await callModelServer(socketPath, call);
        calls.push(found);
        return responseOf(200, found.reply);
      },
    });
    if (trap !== undefined) throw new GatewayError(`The filter failed: ${trap}`);
    const body = bodyText(response.body);
    return trialOf(text, calls, request, {
      status: response.status,
      body,
      goesToModel,
      defaultTarget,
    });
  };
}

/** A target's text is the gateway's response, which names the target; no key and no rate limit stops the prompt. */
function withoutAccess(model: GatewayModel, prompt: Prompt): GatewayModel {
  const { rateLimits: _limits, rateLimitService: _service, ...open } = model;
  const { apiKeys: _keys, ...ingress } = model.ingress;
  const targets = prompt.targets.map((target) => ({ ...target, dispatches: false }));
  return { ...open, ingress, prompt: { ...prompt, targets } };
}

/** How the prompt ended. */
interface Outcome {
  status: number;
  body: string;
  goesToModel: boolean;
  defaultTarget: string | undefined;
}

interface ModelServerCall {
  path: string;
  /** JSON. */
  sent: string;
  reply: string;
}

/** Reads off the trial what the filter asked, and what it responded with. */
function trialOf(
  text: string,
  calls: readonly ModelServerCall[],
  request: ApiRequest | undefined,
  response: Outcome,
): Trial {
  const call = (path: string) => calls.find((one) => one.path === path);
  const trial: Trial = { prompt: text, scores: {}, decision: "none", target: null };
  const guard = call("/guard");
  if (guard !== undefined) {
    const found = guardReply.parse(JSON.parse(guard.reply));
    trial.guard = { probability: found.jailbreak_prob, refuses: found.jailbreak_verdict };
    if (found.jailbreak_verdict) return trial;
  }
  const choice = call("/zeroshot");
  if (choice !== undefined) {
    const { scores, decision } = zeroshotReply.parse(JSON.parse(choice.reply));
    Object.assign(trial, { scores, decision });
  }
  const grounding = call("/hallucination");
  if (grounding !== undefined) {
    const { target, parameters } = groundingRequest.parse(JSON.parse(grounding.sent));
    Object.assign(trial, { target, arguments: parameters });
  }
  if (request !== undefined) return withTarget(trial, request, response);
  const extraction = call("/v1/chat/completions");
  if (response.goesToModel) return { ...trial, target: null };
  if (extraction !== undefined && response.status === 200) {
    const { tools } = extractionRequest.parse(JSON.parse(extraction.sent));
    const { metadata } = extractionReply.parse(JSON.parse(extraction.reply));
    trial.target ??= metadata.target ?? tools[0]?.function.name ?? null;
    if (metadata.arguments !== undefined) trial.arguments ??= metadata.arguments;
    trial.question = completion.parse(JSON.parse(response.body)).choices[0]?.message.content ?? "";
    return trial;
  }
  const { message } = errorReply.parse(JSON.parse(response.body)).error;
  const [, wrong] = /^The value of '([^']+)'/.exec(message) ?? [];
  if (wrong === undefined)
    throw new GatewayError(`The gateway would reject the prompt: ${message}`);
  return { ...trial, wrong };
}

/** The gateway's response names the target whose API it called. */
function withTarget(trial: Trial, request: ApiRequest, { body, defaultTarget }: Outcome): Trial {
  const called = completion.parse(JSON.parse(body)).metadata?.prompt_target;
  if (called === undefined) throw new GatewayError("The filter called an API without a target.");
  const { name: target, arguments: found } = called;
  const decision = target === defaultTarget ? "default" : trial.decision;
  return { ...trial, decision, target, arguments: found, request };
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

function bodyText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
