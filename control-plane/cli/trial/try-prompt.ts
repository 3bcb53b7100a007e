// A prompt's way through the model server, as the filter leads it, up to the request that its API would get.
import { z } from "zod";
import { GatewayError } from "../../config/diagnostics/gateway-error.ts";
import { toolOf, zeroshotRequest } from "../../ir/filter-document/prompt.ts";
import type { GatewayModel } from "../../ir/model.ts";
import type { Prompt, PromptTarget } from "../../ir/prompt.ts";
import { fetchAt } from "../../model-server/unix-socket.ts";
import { apiRequest } from "./api-request.ts";
import type { ApiRequest, Values } from "./api-request.ts";

export interface Trial {
  prompt: string;
  /** Absent without a guard. */
  guard?: { probability: number; refuses: boolean };
  /** 0 to 1 for each target, the highest first. */
  scores: Record<string, number>;
  decision: "target" | "ask_model" | "none" | "default";
  /** The target that the prompt is for; null for none. */
  target: string | null;
  arguments?: Values;
  /** What the user is asked for. */
  question?: string;
  /** What would be sent. */
  request?: ApiRequest;
  /** The parameter whose value cannot stand in a URL. */
  wrong?: string;
}

const guardReply = z.looseObject({ jailbreak_prob: z.number(), jailbreak_verdict: z.boolean() });
const zeroshotReply = z.looseObject({
  predicted_class: z.string().nullable(),
  scores: z.record(z.string(), z.number()),
  decision: z.enum(["target", "ask_model", "none"]),
  candidates: z.array(z.string()),
});
const call = z.looseObject({ function: z.object({ name: z.string(), arguments: z.string() }) });
const message = z.looseObject({
  content: z.string().nullable().optional(),
  tool_calls: z.array(call).optional(),
});
const extractionReply = z.looseObject({ choices: z.array(z.looseObject({ message })).min(1) });
const groundingReply = z.looseObject({
  missing: z.array(z.string()),
  question: z.string().optional(),
});

const errorReply = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** A language model may be asked on the way. */
const MAX_MS = 60_000;

interface Server {
  model: GatewayModel;
  prompt: Prompt;
  /** Of the model server. */
  socketPath: string;
}

/** Sends nothing to an API. Throws a GatewayError when the model server does not answer as it should. */
export async function tryPrompt(server: Server, text: string): Promise<Trial> {
  const { prompt } = server;
  const trial: Trial = { prompt: text, scores: {}, decision: "none", target: null };
  if (prompt.guard !== undefined) {
    const found = await ask(server, "/guard", { input: text, task: "jailbreak" }, guardReply);
    trial.guard = { probability: found.jailbreak_prob, refuses: found.jailbreak_verdict };
    if (found.jailbreak_verdict) return trial;
  }
  if (prompt.targets.every(({ isDefault }) => isDefault)) return withoutTarget(server, trial);
  const choice = await choose(server, text);
  trial.scores = choice.scores;
  trial.decision = choice.decision;
  const best = prompt.targets.find(({ name }) => name === choice.predicted_class);
  if (choice.decision === "none") return withoutTarget(server, trial);
  if (choice.decision === "target" && best?.parameters.length === 0) {
    return withRequest(server, { ...trial, arguments: {} }, best);
  }
  const candidates = choice.decision === "target" ? [choice.predicted_class] : choice.candidates;
  return extracted(server, trial, candidates);
}

function choose(server: Server, text: string) {
  const messages = [{ role: "user", content: text }];
  const body = { input: text, messages, ...zeroshotRequest(server.prompt.targets) };
  return ask(server, "/zeroshot", body, zeroshotReply);
}

async function extracted(
  server: Server,
  trial: Trial,
  candidates: readonly (string | null)[],
): Promise<Trial> {
  const { targets } = server.prompt;
  const offered = candidates.flatMap((name) => targets.find((one) => one.name === name) ?? []);
  const body = {
    messages: [{ role: "user", content: trial.prompt }],
    tools: offered.map(toolOf),
    metadata: { decision: trial.decision },
  };
  const reply = await ask(server, "/v1/chat/completions", body, extractionReply);
  const said = reply.choices[0]?.message;
  const called = said?.tool_calls?.[0]?.function;
  if (called === undefined) {
    if (!said?.content) return withoutTarget(server, trial);
    return { ...trial, target: offered[0]?.name ?? null, question: said.content };
  }
  const values = JSON.parse(called.arguments) as Values;
  const target = targets.find(({ name }) => name === called.name);
  if (target === undefined) return withoutTarget(server, trial);
  const grounding = { prompt: trial.prompt, parameters: values, target: target.name };
  const { missing, question } = await ask(server, "/hallucination", grounding, groundingReply);
  const found = { ...trial, arguments: values };
  if (missing.length === 0) return withRequest(server, found, target);
  return { ...found, target: target.name, question: question ?? missing.join(", ") };
}

/** Nothing fits: the default target, where there is one. */
function withoutTarget(server: Server, trial: Trial): Trial {
  const target = server.prompt.targets.find(({ isDefault }) => isDefault);
  if (target === undefined) return { ...trial, target: null };
  return withRequest(server, { ...trial, decision: "default", arguments: {} }, target);
}

function withRequest({ model }: Server, trial: Trial, target: PromptTarget): Trial {
  const request = apiRequest(model, target, trial.arguments ?? {}, trial.prompt);
  const found = { ...trial, target: target.name };
  return "wrong" in request ? { ...found, wrong: request.wrong } : { ...found, request };
}

async function ask<Reply>(
  { socketPath }: Server,
  path: string,
  body: object,
  schema: z.ZodType<Reply>,
): Promise<Reply> {
  let reply: Response;
  let answer: unknown;
  try {
    reply = await fetchAt(socketPath, `http://model-server${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(MAX_MS),
    });
    answer = await reply.json();
  } catch {
    throw new GatewayError(`The model server gave no answer to ${path}: it may have ended.`);
  }
  const parsed = schema.safeParse(answer);
  if (reply.ok && parsed.success) return parsed.data;
  const said = errorReply.safeParse(answer).data?.error.message ?? "";
  throw new GatewayError(
    `The model server answered ${String(reply.status)} to ${path}. ${said}`.trimEnd(),
  );
}
