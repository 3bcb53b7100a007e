// From a conversation and its candidate targets to a call, a question to the user, or neither.
import { dialogueOf, lastUserText, type Messages, userTexts } from "../conversation.ts";
import { groundingScore } from "../grounding.ts";
import type { ModelServerOptions } from "../options.ts";
import { askedNames, isOurs, questionFor } from "../question.ts";
import { ServerError } from "../server-error.ts";
import { extractEmbedded, type Turn, type Values } from "./embedded.ts";
import { askLanguageModel } from "./language-model.ts";
import { ownVocabulary, readsAsEnglish } from "./language.ts";
import { kindOf, type Parameter } from "./parameter.ts";
import { parametersOf, type Tool } from "./tool.ts";

export interface ExtractionRequest {
  messages: Messages;
  /** The best candidate first. */
  tools: readonly Tool[];
  /** What the selection said: `target` is sure, `ask_model` is not. */
  decision: "target" | "ask_model";
  target: string;
  /** Whether the target is taken where no language model decides. */
  isLikely: boolean;
  requestId?: string | undefined;
}

export type Extraction =
  | { kind: "call"; target: string; values: Values; by: "embedded" | "llm" }
  | { kind: "question"; text: string; by: "embedded" | "llm" }
  | { kind: "neither" };

export interface ExtractionContext {
  options: Pick<ModelServerOptions, "extraction" | "grounding_threshold">;
  now: () => Date;
  log: (line: string) => void;
}

export async function extract(
  context: ExtractionContext,
  request: ExtractionRequest,
): Promise<Extraction> {
  const { mode, egress } = context.options.extraction;
  const tool = request.tools.find((candidate) => candidate.function.name === request.target);
  const embedded = tool === undefined ? undefined : embeddedExtraction(context, request, tool);
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
      request.requestId,
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

/** What the embedded path does by itself: between the thresholds only a likely target is taken. */
function alone(request: ExtractionRequest, embedded: Extraction | undefined): Extraction {
  const isTaken = request.decision === "target" || request.isLikely;
  return isTaken && embedded !== undefined ? embedded : { kind: "neither" };
}

function embeddedExtraction(
  context: ExtractionContext,
  { messages }: ExtractionRequest,
  tool: Tool,
): Extraction {
  const parameters = parametersOf(tool);
  const own = ownVocabulary([tool.function.name, tool.function.description], parameters);
  const values: Values = {};
  for (const turn of turnsOf(messages, parameters)) {
    // An answer can be a bare name or number, which are of no language.
    const isUnderstood = turn.asked.length > 0 || readsAsEnglish(turn.text, own);
    const sought = isUnderstood ? parameters : parameters.filter(isSaidAlikeEverywhere);
    Object.assign(values, extractEmbedded(sought, [turn], context.now()));
  }
  return callOrQuestion(tool, parameters, values, "embedded");
}

function isSaidAlikeEverywhere(parameter: Parameter): boolean {
  return ["enum", "email", "url"].includes(kindOf(parameter));
}

/** Optional values that nobody said are dropped; required ones are asked for again. */
function calledByModel(
  context: ExtractionContext,
  { messages }: ExtractionRequest,
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
  return callOrQuestion(tool, parameters, grounded, "llm");
}

function callOrQuestion(
  tool: Tool,
  parameters: readonly Parameter[],
  values: Values,
  by: "embedded" | "llm",
): Extraction {
  const missing = parameters.filter(
    (parameter) =>
      parameter.required &&
      parameter.default === undefined &&
      !Object.hasOwn(values, parameter.name),
  );
  return missing.length > 0
    ? { kind: "question", text: questionFor(missing, parameters), by }
    : { kind: "call", target: tool.function.name, values, by };
}

/** The turns that belong to the parameters, each with what was asked before it. */
function turnsOf(messages: Messages, parameters: readonly Parameter[]): Turn[] {
  const { turns, questions } = dialogueOf(messages) ?? {
    turns: [lastUserText(messages)],
    questions: [],
  };
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return turns.map((text, index) => {
    const question = questions[index - 1];
    if (question === undefined) return { text, asked: [] };
    // A language model's question is not read: it asked for something that is required.
    return { text, asked: isOurs(question) ? askedNames(question, parameters) : required };
  });
}
