// From a conversation and its candidate targets to a call, a question to the user, or neither.
import { type Dialogue, type Messages, NO_QUESTION, userTexts } from "../read-conversation.ts";
import { groundingScore } from "../grounding.ts";
import type { ModelServerOptions } from "../options.ts";
import { type Spoken, spokenLanguage } from "../language/spoken.ts";
import { askedNames, isOurs, languageOfQuestion, questionFor, unanswered } from "../question.ts";
import { ServerError } from "../server-error.ts";
import { extractEmbedded } from "./embedded.ts";
import { askingTarget, questionByModel } from "./ask.ts";
import { askLanguageModel, WHEN_ASKING } from "./language-model.ts";
import type { Parameter } from "./parameter.ts";
import type { SpanFinder, Target, Turn, Values } from "./stated.ts";
import { parametersOf, type Tool } from "./tool.ts";

export interface ExtractionRequest {
  messages: Messages;
  /** The best candidate first. */
  tools: readonly Tool[];
  /** The decision of the selection: `target` is sure, `ask_model` is not. */
  decision: "target" | "ask_model";
  target: string;
  /** The turns about it, of which the last one is the user's last message. */
  dialogue: Dialogue;
  /** Whether the target is taken where no language model decides. */
  isLikely: boolean;
  /** Sent with the call of the language model. */
  passedHeaders?: Readonly<Record<string, string>>;
}

export type Extraction =
  | { kind: "call"; target: string; values: Values; by: "embedded" | "llm" }
  | {
      kind: "question";
      text: string;
      by: "embedded" | "llm";
      /** What is known so far. */
      target?: string;
      values?: Values;
      /** What the text asks for; undefined if it is a language model's, or ends the dialogue. */
      missing?: readonly Parameter[];
    }
  | { kind: "neither" };

export interface ExtractionContext {
  options: Pick<ModelServerOptions, "extraction" | "grounding_threshold" | "targets">;
  /** Undefined without a trained extractor. */
  find: SpanFinder | undefined;
  now: () => Date;
  log: (line: string) => void;
}

export async function extract(
  context: ExtractionContext,
  request: ExtractionRequest,
): Promise<Extraction> {
  const { options, log } = context;
  const started = performance.now();
  const found = await decided(context, request);
  if (found.kind !== "question" || found.missing === undefined) return found;
  const timeoutMs = Math.round(options.extraction.timeout_ms - (performance.now() - started));
  const asking = { options, log, headers: request.passedHeaders ?? {}, timeoutMs };
  const { target, missing, text } = found;
  return {
    ...found,
    text: await questionByModel(asking, target, request.messages, missing, text),
  };
}

async function decided(
  context: ExtractionContext,
  request: ExtractionRequest,
): Promise<Extraction> {
  const { mode, egress } = context.options.extraction;
  const tool = request.tools.find((candidate) => candidate.function.name === request.target);
  const embedded =
    tool === undefined ? undefined : await embeddedExtraction(context, request, tool);
  const isSure = request.decision === "target" && embedded?.kind === "call";
  if (mode === "embedded" || egress === undefined || (mode === "auto" && isSure)) {
    return alone(request, embedded);
  }
  try {
    const asked = { ...context.options.extraction, egress };
    const answer = await askLanguageModel(
      asked,
      request.messages,
      request.tools,
      request.passedHeaders,
      instructionsFor(context, request),
    );
    switch (answer.kind) {
      case "call":
        return calledByModel(context, request, answer.tool, answer.values);
      case "text":
        return { kind: "question", text: answer.text, by: "llm" };
      case "neither":
        return alone(request, embedded);
    }
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    context.log(`extraction goes on without a language model: ${error.message}`);
    return alone(request, embedded);
  }
}

/** Returns the instructions of the target for questions, if a language model writes them. */
function instructionsFor({ options }: ExtractionContext, { target }: ExtractionRequest): string {
  const prompt = askingTarget(options, target)?.system_prompt ?? "";
  return prompt === "" ? "" : WHEN_ASKING + prompt;
}

/** What the embedded path does by itself: between the thresholds only a likely target is taken. */
function alone(request: ExtractionRequest, embedded: Extraction | undefined): Extraction {
  const isTaken = request.decision === "target" || request.isLikely;
  return isTaken && embedded !== undefined ? embedded : { kind: "neither" };
}

async function embeddedExtraction(
  context: ExtractionContext,
  { dialogue }: ExtractionRequest,
  tool: Tool,
): Promise<Extraction> {
  const target = targetOf(context, tool);
  const turns = turnsOf(dialogue, target.parameters);
  const found = await extractEmbedded(target, turns, context.find, context.now());
  return callOrQuestion(context, dialogue, target, found.values, found.doubtful, "embedded");
}

/** Returns the tool with what only the options know of its target. */
function targetOf({ options }: ExtractionContext, tool: Tool): Target {
  const { name, description } = tool.function;
  const configured = options.targets.find((target) => target.name === name);
  const parameters = parametersOf(tool);
  return {
    name,
    description,
    parameters,
    path: configured?.path ?? "",
    acts: configured?.acts === true,
  };
}

/** Optional values that nobody said are dropped; required ones are asked for again. */
function calledByModel(
  context: ExtractionContext,
  { messages, dialogue }: ExtractionRequest,
  tool: Tool,
  values: Values,
): Extraction {
  const parameters = parametersOf(tool);
  // As /hallucination sees it: a value may have been said long before.
  const prompt = userTexts(messages).join("\n");
  const grounding = { prompt, now: context.now() };
  const grounded = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      const parameter = parameters.find((known) => known.name === name);
      return groundingScore(grounding, value, parameter) >= context.options.grounding_threshold;
    }),
  );
  return callOrQuestion(context, dialogue, targetOf(context, tool), grounded, [], "llm");
}

/**
 * Asks for what is missing, and for optional values that were stated but not understood: a default in their place would
 * be wrong.
 */
function callOrQuestion(
  { options }: ExtractionContext,
  dialogue: Dialogue,
  { name: target, parameters }: Target,
  values: Values,
  doubtful: readonly string[],
  by: "embedded" | "llm",
): Extraction {
  const missing = parameters.filter(
    ({ name, required, default: usual }) =>
      !Object.hasOwn(values, name) &&
      ((required && usual === undefined) || doubtful.includes(name)),
  );
  if (missing.length === 0) return { kind: "call", target, values, by };
  const language = languageOfDialogue(dialogue);
  const question = { kind: "question" as const, by, target, values };
  if (!missing.some(({ name }) => wasAskedOften(name, dialogue, parameters)))
    return { ...question, missing, text: questionFor(missing, parameters, language) };
  if (options.extraction.hands_over) return { kind: "neither" };
  return { ...question, text: unanswered(missing, parameters, language) };
}

/** A value that was asked for so often is not asked for again. */
const MAX_ASKED = 3;

/** Whether a value was asked for without success until it is pointless to ask again. */
export function wasAskedOften(
  name: string,
  dialogue: Dialogue,
  parameters: readonly Parameter[],
): boolean {
  const asked = turnsOf(dialogue, parameters).filter((turn) => turn.asked.includes(name));
  return asked.length >= MAX_ASKED;
}

/** Returns the language of the last question of the gateway, else that of the user's turns. */
export function languageOfDialogue({ turns, questions }: Dialogue): Spoken {
  const last = questions.map(languageOfQuestion).findLast((language) => language !== undefined);
  return last ?? spokenLanguage(turns.join("\n"));
}

/** Returns the turns, each with what was asked before it. */
function turnsOf({ turns, questions }: Dialogue, parameters: readonly Parameter[]): Turn[] {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return turns.map((text, index) => {
    const question = questions[index - 1] ?? NO_QUESTION;
    if (question === NO_QUESTION) return { text, asked: [] };
    // A language model's question is not read: it asked for something that is required.
    return { text, asked: isOurs(question) ? askedNames(question, parameters) : required };
  });
}
