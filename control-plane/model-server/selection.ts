// Selects the target for a conversation's last turn, if any: by thresholds, and by a running dialogue about parameters.
import {
  type Dialogue,
  dialogueOf,
  isCancellation,
  type Messages,
  readsAsAnswer,
} from "./conversation.ts";
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
  /** Whether the turn continues the dialogue about the parameters of a target chosen before. */
  isDialogue: boolean;
}

export interface Selector {
  /** Returns a score from 0 to 1 for each label, in their order. */
  score: (text: string, labels: readonly Label[]) => Promise<number[]>;
  thresholds: ModelServerOptions["selection"];
  /** Whether a language model is available. */
  asksModel: boolean;
}

const MAX_CANDIDATES = 5;

export async function select(selector: Selector, request: SelectionRequest): Promise<Selection> {
  const dialogue = dialogueOf(request.messages);
  const alone = await selectText(selector, request.input, request.labels);
  if (dialogue === undefined || isCancellation(request.input)) return alone;
  const target = await dialogueTarget(selector, request, dialogue);
  if (target === undefined || leaves(selector, request.input, alone, target)) return alone;
  return {
    ...alone,
    best: target,
    score: Math.max(selector.thresholds.certain, alone.scores[target] ?? 0),
    decision: "target",
    candidates: [target],
    isDialogue: true,
  };
}

/** Whether the topic changes: a different target with certainty, or a turn that is a new request. */
function leaves(selector: Selector, input: string, alone: Selection, target: string): boolean {
  if (alone.best !== target && alone.score >= selector.thresholds.certain) return true;
  return !readsAsAnswer(input);
}

/** Returns the target to which the dialogue's question belongs: the one that its first turn selects. */
async function dialogueTarget(
  selector: Selector,
  { labels, parameters }: SelectionRequest,
  { turns, questions }: Dialogue,
): Promise<string | undefined> {
  const first = await selectText(selector, turns[0] ?? "", labels);
  const ranked = labels
    .map(({ name }) => name)
    .filter((name) => (parameters[name] ?? []).length > 0)
    .sort((left, right) => (first.scores[right] ?? 0) - (first.scores[left] ?? 0));
  const question = questions.at(-1) ?? "";
  if (isOurs(question)) {
    return ranked.find((name) => askedNames(question, parameters[name] ?? []).length > 0);
  }
  // A language model's question can have any form, so the turn before it has to match the target.
  return ranked.find((name) => (first.scores[name] ?? 0) >= selector.thresholds.threshold);
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
    isDialogue: false,
  };
}

function decide(score: number, certain: number, possible: number): Selection["decision"] {
  if (score >= certain) return "target";
  return score >= possible ? "ask_model" : "none";
}
