// Selects the target for a conversation's last turn, if any: by thresholds, and by a running dialogue about parameters.
import {
  type Dialogue,
  dialogueFrom,
  dialogueOf,
  isCancellation,
  type Messages,
  NO_QUESTION,
  readsAsAnswer,
} from "./read-conversation.ts";
import type { ModelServerOptions } from "./options.ts";
import { askedNames, type Detail, isOurs } from "./question.ts";
import type { Label } from "./similarity.ts";

export interface SelectionRequest {
  input: string;
  labels: readonly Label[];
  /** The parameters of each label. */
  parameters: Readonly<Record<string, readonly Detail[]>>;
  messages: Messages;
}

export interface Selection {
  best: string | null;
  /** The score of the best target, from 0 to 1. */
  score: number;
  scores: Record<string, number>;
  /** `target`: the best one is chosen. `ask_model`: a language model decides between the candidates. */
  decision: "target" | "ask_model" | "none";
  /** The best first; at most five. */
  candidates: string[];
  /** What the turn continues: a dialogue about the parameters of a target chosen before, or a call that it corrects. */
  dialogue?: Dialogue;
}

export interface Selector {
  /** Returns a score from 0 to 1 for each label, in their order. */
  score: (text: string, labels: readonly Label[]) => Promise<number[]>;
  thresholds: ModelServerOptions["selection"];
  /**
   * Returns whether a turn states with certainty a value that a target was asked for, or any value of it if nothing was
   * asked.
   */
  states?: (target: string, text: string, asked: readonly string[]) => Promise<boolean>;
  /** Whether a language model is available. */
  asksModel: boolean;
}

const MAX_CANDIDATES = 5;

export async function select(selector: Selector, request: SelectionRequest): Promise<Selection> {
  const dialogue = dialogueOf(request.messages);
  const alone = await selectText(selector, request.input, request.labels);
  if (dialogue === undefined || isCancellation(request.input)) return alone;
  const found = await continued(selector, request, dialogue);
  if (found === undefined || (await leaves(selector, request, alone, found))) return alone;
  const { target } = found;
  return {
    ...alone,
    best: target,
    score: Math.max(selector.thresholds.certain, alone.scores[target] ?? 0),
    decision: "target",
    candidates: [target],
    dialogue: found.dialogue,
  };
}

interface Continued {
  target: string;
  dialogue: Dialogue;
}

/** Whether the topic changes: a turn that is a new request, or that asks for a different target and is no answer. */
async function leaves(
  { states, thresholds }: Selector,
  { input, parameters }: SelectionRequest,
  alone: Selection,
  { target, dialogue }: Continued,
): Promise<boolean> {
  const question = dialogue.questions.at(-1) ?? NO_QUESTION;
  if (question === NO_QUESTION) return false;
  if (!readsAsAnswer(input)) return true;
  if (alone.best === target || alone.score < thresholds.certain) return false;
  const asked = askedNames(question, parameters[target] ?? []);
  return states === undefined || asked.length === 0 || !(await states(target, input, asked));
}

/** Returns the target to which the last turn belongs, and the turns about it: they begin with one that selects it. */
async function continued(
  selector: Selector,
  request: SelectionRequest,
  whole: Dialogue,
): Promise<Continued | undefined> {
  const { turns, questions } = whole;
  let start = turns.length - 1;
  let first: Selection | undefined;
  do {
    // A turn after NO_QUESTION may be a request itself; any other continues the one before.
    start = start < 2 ? 0 : questions.lastIndexOf(NO_QUESTION, start - 2) + 1;
    first = await selectText(selector, turns[start] ?? "", request.labels);
  } while (start > 0 && first.score < selector.thresholds.threshold);
  const dialogue = dialogueFrom(whole, start);
  const target =
    dialogue.questions.at(-1) === NO_QUESTION
      ? await correctedTarget(selector, request, first)
      : askingTarget(selector, request, first, dialogue);
  return target === undefined ? undefined : { target, dialogue };
}

/** Returns the target that the turns before selected, if the last one states a value of it. */
async function correctedTarget(
  { states, thresholds }: Selector,
  { input }: SelectionRequest,
  { best, score }: Selection,
): Promise<string | undefined> {
  if (best === null || score < thresholds.threshold || states === undefined) return undefined;
  return (await states(best, input, [])) ? best : undefined;
}

/** Returns the target to which the dialogue's question belongs: the most likely one for the first turn. */
function askingTarget(
  selector: Selector,
  { labels, parameters }: SelectionRequest,
  { scores }: Selection,
  { questions }: Dialogue,
): string | undefined {
  const ranked = labels
    .map(({ name }) => name)
    .filter((name) => (parameters[name] ?? []).length > 0)
    .sort((left, right) => (scores[right] ?? 0) - (scores[left] ?? 0));
  const question = questions.at(-1) ?? "";
  if (isOurs(question)) {
    return ranked.find((name) => askedNames(question, parameters[name] ?? []).length > 0);
  }
  // A language model's question can have any form, so the turn before it has to match the target.
  return ranked.find((name) => (scores[name] ?? 0) >= selector.thresholds.threshold);
}

async function selectText(
  selector: Selector,
  text: string,
  labels: readonly Label[],
): Promise<Selection> {
  const { certain, possible, threshold } = selector.thresholds;
  const numbers = await selector.score(text, labels);
  const ranked = labels
    .map(({ name }, index) => ({ name, score: numbers[index] ?? 0 }))
    .sort((left, right) => right.score - left.score);
  const [best] = ranked;
  const score = best?.score ?? 0;
  const candidates = ranked
    .filter((candidate) => candidate.score >= Math.min(possible, threshold))
    .slice(0, MAX_CANDIDATES)
    .map(({ name }) => name);
  // If the configured threshold is higher than `certain`, it also applies to certain choices.
  const decision = selector.asksModel
    ? decide(score, Math.max(certain, threshold), Math.min(possible, threshold))
    : decide(score, threshold, threshold);
  return {
    best: best?.name ?? null,
    score,
    scores: Object.fromEntries(ranked.map((candidate) => [candidate.name, candidate.score])),
    decision,
    candidates: decision === "none" ? [] : candidates,
  };
}

function decide(score: number, certain: number, possible: number): Selection["decision"] {
  if (score >= certain) return "target";
  return score >= possible ? "ask_model" : "none";
}
