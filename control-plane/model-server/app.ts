// The model server's HTTP interface: one handler per endpoint, requests validated with zod, errors in OpenAI's format.
import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { z } from "zod";
import { admission, type Admitted } from "./admission.ts";
import { dialogueOf, isGlue, lastUserText } from "./read-conversation.ts";
import { type Detail, questionFor, unanswered } from "./question.ts";
import { questionByModel } from "./extraction/ask.ts";
import {
  extract,
  type Extraction,
  languageOfDialogue,
  wasAskedOften,
} from "./extraction/extract-call.ts";
import { fromDescription } from "./extraction/parameter.ts";
import { asTarget, spanFinder, statedIn } from "./extraction/stated.ts";
import { groundingScore } from "./grounding.ts";
import { MCP_PATH, mcpFault, serveMcp } from "./mcp/route.ts";
import type { Models } from "./models.ts";
import type { ModelServerOptions } from "./options.ts";
import {
  embeddingsRequest,
  extractionRequest,
  guardRequest,
  hallucinationRequest,
  zeroshotRequest,
} from "./requests.ts";
import { readJson } from "./read-json.ts";
import { select, type Selection, type Selector } from "./selection.ts";
import { ServerError } from "./server-error.ts";

export interface AppContext {
  options: ModelServerOptions;
  /** Undefined until they are loaded. */
  models: () => Models | undefined;
  now: () => Date;
  /** Logs one line, without prompts, keys or bodies. */
  log: (line: string) => void;
}

export function modelServerApp(context: AppContext): Hono<Admitted> {
  const app = new Hono<Admitted>();
  app.use(jsonOnly(), admission(context.options.most_bytes));
  app.onError((error, http) => {
    if (error instanceof ServerError) {
      if (error.retryAfter !== undefined) http.header("retry-after", String(error.retryAfter));
      const body =
        http.req.path === MCP_PATH ? mcpFault(error.message) : fault(error.message, error.status);
      return http.json(body, error.status);
    }
    context.log(`internal error: ${error.stack ?? error.message}`);
    return http.json(fault("The model server failed.", 500), 500);
  });
  app.notFound((http) => http.json(fault(`There is no ${http.req.path} here.`, 404), 404));

  app.get("/healthz", (http) => {
    const isReady = context.models() !== undefined;
    return http.json({ status: isReady ? "ok" : "loading" }, isReady ? 200 : 503);
  });
  app.get("/models", (http) =>
    http.json({
      object: "list",
      data: loaded(context).names.map((id) => ({ id, object: "model", owned_by: "gateway" })),
    }),
  );
  app.post("/embeddings", async (http) => http.json(await embeddings(context, http)));
  app.post("/zeroshot", async (http) => http.json(await zeroshot(context, http)));
  app.post("/v1/chat/completions", async (http) => http.json(await extraction(context, http)));
  app.post("/hallucination", async (http) => http.json(await hallucination(context, http)));
  app.post("/guard", async (http) => http.json(await guardInput(context, http)));
  if (context.options.mcp !== undefined) serveMcp(app, context.options.mcp, context.log);
  return app;
}

/** Rejects bodies that are not JSON: their clients called the wrong server. */
function jsonOnly(): MiddlewareHandler {
  return async (http, next) => {
    const type = http.req.header("content-type") ?? "";
    if (http.req.method === "POST" && !/^application\/json\s*(?:;|$)/i.test(type)) {
      throw new ServerError(415, "The body has to be application/json.");
    }
    await next();
  };
}

async function embeddings(context: AppContext, http: Context<Admitted>) {
  const { input } = await body(http, embeddingsRequest);
  const { embedder } = loaded(context);
  const found = await embedder.embed([input].flat());
  const tokens = found.reduce((sum, embedding) => sum + embedding.tokens, 0);
  return {
    object: "list",
    model: embedder.model,
    data: found.map(({ vector }, index) => ({
      object: "embedding",
      index,
      embedding: Array.from(vector),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

async function zeroshot(context: AppContext, http: Context<Admitted>) {
  const request = await body(http, zeroshotRequest);
  const models = loaded(context);
  const labels = request.labels.map((name) => ({
    name,
    description: request.descriptions[name] ?? "",
    examples: request.examples[name] ?? [],
  }));
  const { input, messages } = request;
  const parameters = detailsOf(context, request.parameters);
  const chosen = await select(selector(context, models), { input, labels, parameters, messages });
  return {
    predicted_class: chosen.best,
    predicted_class_score: chosen.score,
    scores: chosen.scores,
    decision: chosen.decision,
    candidates: chosen.candidates,
    model: models.embedder.model,
  };
}

/** Returns the parameters of each target for questions: with the descriptions that the server was started with. */
function detailsOf(
  { options }: AppContext,
  names: Readonly<Record<string, readonly string[]>>,
): Record<string, Detail[]> {
  const described = new Map(options.targets.map((target) => [target.name, target.parameters]));
  return Object.fromEntries(
    Object.entries(names).map(([target, own]) => [
      target,
      own.map((name) => {
        const known = described.get(target)?.find((one) => one.name === name);
        return { name, description: known?.description ?? "", enum: known?.enum };
      }),
    ]),
  );
}

async function extraction(context: AppContext, http: Context<Admitted>) {
  const { messages, tools, metadata } = await body(http, extractionRequest);
  const models = loaded(context);
  const target = metadata.target ?? tools[0]?.function.name ?? "";
  const chosen = await chosenAgain(context, models, messages);
  const find = models.extractor === undefined ? undefined : spanFinder(models.extractor);
  const found = await extract(
    { ...context, find },
    {
      messages,
      tools,
      target,
      dialogue:
        chosen.dialogue !== undefined && chosen.best === target
          ? chosen.dialogue
          : { turns: [lastUserText(messages)], questions: [] },
      decision: metadata.decision,
      // Over all targets, as in the first selection.
      isLikely: (chosen.scores[target] ?? 0) >= context.options.selection.threshold,
      passedHeaders: passedHeaders(http),
    },
  );
  return completion(found, context.now());
}

/** Selects as the /zeroshot of the same prompt did: the scores are in the cache, and no state is kept between the two. */
function chosenAgain(
  context: AppContext,
  models: Models,
  messages: z.output<typeof extractionRequest>["messages"],
): Promise<Selection> {
  const { targets } = context.options;
  const names = targets.map(({ name, parameters }) => [name, parameters.map((one) => one.name)]);
  return select(selector(context, models), {
    input: lastUserText(messages),
    labels: targets,
    parameters: detailsOf(context, Object.fromEntries(names) as Record<string, string[]>),
    messages,
  });
}

/** The gateway waits 5 s for this response. */
const MAX_QUESTION_MS = 4000;

async function hallucination(context: AppContext, http: Context<Admitted>) {
  const { prompt, parameters, target, messages } = await body(http, hallucinationRequest);
  const described = context.options.targets.find(({ name }) => name === target);
  const known = (described?.parameters ?? []).map(fromDescription);
  const grounding = { prompt, now: context.now() };
  const scores = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      groundingScore(
        grounding,
        value,
        known.find((parameter) => parameter.name === name),
      ),
    ]),
  );
  const missing = known.filter(
    ({ name, required, default: usual }) =>
      required &&
      (Object.hasOwn(scores, name) || usual === undefined) &&
      (scores[name] ?? 0) < context.options.grounding_threshold,
  );
  const dialogue = dialogueOf(messages) ?? { turns: [prompt], questions: [] };
  const isOver = missing.some(({ name }) => wasAskedOften(name, dialogue, known));
  const write = isOver ? unanswered : questionFor;
  const template = write(missing, known, languageOfDialogue(dialogue));
  const asking = { ...context, headers: passedHeaders(http), timeoutMs: MAX_QUESTION_MS };
  return {
    params_scores: scores,
    missing: missing.map(({ name }) => name),
    ...(missing.length > 0
      ? {
          question: isOver
            ? template
            : await questionByModel(asking, target, messages, missing, template),
        }
      : {}),
    model: "gateway-grounding",
  };
}

async function guardInput(context: AppContext, http: Context<Admitted>) {
  const { input } = await body(http, guardRequest);
  const started = performance.now();
  const { guard } = loaded(context);
  const { options } = context;
  if (guard === undefined || options.guard === undefined) {
    throw new ServerError(404, "No guard is configured.");
  }
  const { probability, window } = await guard(input);
  const isJailbreak = probability >= options.guard.threshold;
  return {
    jailbreak_prob: probability,
    jailbreak_verdict: isJailbreak,
    jailbreak_sentence: isJailbreak ? window : null,
    time: (performance.now() - started) / 1000,
  };
}

function selector({ options, now }: AppContext, models: Models): Selector {
  const { extractor } = models;
  return {
    score: models.scoreLabels,
    ...(extractor === undefined
      ? {}
      : {
          states: async (name: string, text: string, asked: readonly string[]) => {
            const described = options.targets.find((target) => target.name === name);
            if (described === undefined) return false;
            const turn = { text, asked };
            const found = await statedIn(asTarget(described), turn, spanFinder(extractor), now());
            const stated = Object.keys(found.values);
            if (asked.length === 0) return stated.length > 0;
            // With a verb it is a request: `reboot device 7` does not name a city.
            return stated.some((one) => asked.includes(one)) && isGlue(found.rest);
          },
        }),
    thresholds: options.selection,
    asksModel: options.extraction.mode !== "embedded" && options.extraction.egress !== undefined,
  };
}

function loaded(context: AppContext): Models {
  const models = context.models();
  if (models === undefined) throw new ServerError(503, "The models are being loaded.");
  return models;
}

/** Returns the validated body. A 400 names the location and the expectation, never the value. */
async function body<Request>(
  http: Context<Admitted>,
  schema: z.ZodType<Request>,
): Promise<Request> {
  let json: unknown;
  try {
    json = await readJson(http.req.raw, http.get("hold"));
  } catch (error) {
    if (error instanceof ServerError) throw error;
    throw new ServerError(400, "The body is not valid JSON.");
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ServerError(400, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is not valid"}`);
}

/** Headers that link the call of a language model to the request that it is for. */
const PASSED = ["x-request-id", "traceparent", "tracestate"];

/** Returns those of the request that have the format of one. */
function passedHeaders(http: Context<Admitted>): Record<string, string> {
  const values = PASSED.map((name) => [name, http.req.header(name) ?? ""] as const);
  return Object.fromEntries(values.filter(([, value]) => /^[\x21-\x7e]{1,512}$/.test(value)));
}

function completion(found: Extraction, now: Date) {
  const message = {
    role: "assistant",
    content: found.kind === "question" ? found.text : null,
    ...(found.kind === "call" ? { tool_calls: [toolCall(found)] } : {}),
  };
  return {
    id: "chatcmpl-extraction",
    object: "chat.completion",
    created: Math.floor(now.getTime() / 1000),
    model: "extraction",
    choices: [{ index: 0, message, finish_reason: found.kind === "call" ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    metadata: {
      extracted_by: found.kind === "neither" ? null : found.by,
      ...(found.kind === "question" ? { target: found.target, arguments: found.values } : {}),
    },
  };
}

function toolCall({ target, values }: Extract<Extraction, { kind: "call" }>) {
  return {
    id: "call_extraction",
    type: "function",
    function: { name: target, arguments: JSON.stringify(values) },
  };
}

function fault(message: string, status: number) {
  const type = status < 500 ? "invalid_request_error" : "server_error";
  return { error: { message, type, param: null, code: null } };
}
