// Reads a conversation's messages: the user's turns, and whether the last one answers a question of the gateway.
import { z } from "zod";
import { isOurs } from "./question.ts";

/** Only roles and texts are read; the rest of a message is ignored. */
export const messagesSchema = z
  .array(z.looseObject({ role: z.string(), content: z.unknown().optional() }))
  .max(4096);
export type Messages = z.output<typeof messagesSchema>;

export interface Dialogue {
  /** The user's turns from the one that led to the question, the oldest first; the last is the answer. */
  turns: string[];
  /**
   * The assistant's questions between them: one fewer than the turns. NO_QUESTION before a turn that corrects the call
   * that was just made ("and in Hamburg?").
   */
  questions: string[];
}

export const NO_QUESTION = "";

/** Returns the dialogue from its turn `start` on. */
export function dialogueFrom({ turns, questions }: Dialogue, start: number): Dialogue {
  return { turns: turns.slice(start), questions: questions.slice(start) };
}

/** Turns of a dialogue that are read. */
const MAX_TURNS = 12;

/**
 * Returns the dialogue that the last user message continues, if the assistant asked a question before it, or if it
 * corrects the turn before.
 */
export function dialogueOf(messages: Messages): Dialogue | undefined {
  const spoken = messages
    .filter(({ role }) => role === "user" || role === "assistant")
    .map(({ role, content }) => ({ role, text: textOf(content) }));
  const answer = spoken.pop();
  if (answer?.role !== "user") return undefined;
  const turns = [answer.text];
  const questions: string[] = [];
  while (turns.length < MAX_TURNS) {
    const before = spoken.pop();
    const cause = spoken.pop();
    if (before?.role !== "assistant" || cause?.role !== "user") break;
    const isAnswer = isQuestion(before.text);
    if (!isAnswer && !readsAsCorrection(turns[0] ?? "")) break;
    turns.unshift(cause.text);
    questions.unshift(isAnswer ? before.text : NO_QUESTION);
  }
  return questions.length === 0 ? undefined : { turns, questions };
}

export function lastUserText(messages: Messages): string {
  return textOf(messages.findLast(({ role }) => role === "user")?.content);
}

export function userTexts(messages: Messages): string[] {
  return messages.filter(({ role }) => role === "user").map(({ content }) => textOf(content));
}

/** Whether a turn reads as an answer, and not as a new request. */
export function readsAsAnswer(text: string): boolean {
  const words = text.trim().split(/\s+/);
  if (words.length > 15 || words[0] === "" || isCancellation(text)) return false;
  if (/^(?:what|how) about\b/i.test(text.trim())) return true;
  if (/\?\s*$/.test(text) && words.length > 3) return false;
  return !NEW_WISH.test(text.trim());
}

/** Whether a text has only words that stand between the values of an answer. */
export function isGlue(text: string): boolean {
  return (text.toLowerCase().match(/\p{L}{2,}/gu) ?? []).every((word) => GLUE.has(word));
}

const GLUE = new Set(
  `a an and are as at be by for from i id im in into is it its just let make me mean my no of ok okay on or please say
  starting sure thanks that the then to until up want we will with would yes you like lets should
  am an bis bitte das den der die es fur für im ist nach um und von vom zum zur
  au de des du en est et il la le les pour s'il vous plait plaît para por y el los las un una`.split(
    /\s+/,
  ),
);

/** Whether a turn reads as a change of the turn before: "and in Hamburg?", "make it 3 days", "Rome?". */
function readsAsCorrection(text: string): boolean {
  const plain = text.trim();
  const count = plain.split(/\s+/).length;
  if (plain === "" || count > MAX_CORRECTION || isCancellation(text)) return false;
  const rest = plain.replace(CORRECTION, "");
  const isMarked = rest !== plain;
  const isBareQuestion = count <= MAX_BARE_CORRECTION && plain.endsWith("?");
  return (isMarked || isBareQuestion) && !NEW_WISH.test(rest);
}

const MAX_CORRECTION = 10;
const MAX_BARE_CORRECTION = 3;
const CORRECTION =
  /^(?:(?:and|or|but|no|sorry|actually|oh|ok(?:ay)?|now|then|also|und|oder|et|ou|y|o)\b[,\s]*)*(?:(?:what|how) about|what if|same (?:for|in|with)|i (?:mean|meant|said)|make (?:it|that)|change (?:it|that) to|instead|rather|only|not|for|in|on|at|to|into|from|with|until|für|nach|pour|à|para|en)\b\s*|^(?:and|or|but|und|et|y)\b\s*/i;

export function isCancellation(text: string): boolean {
  return CANCELLATION.test(text.trim());
}

const CANCELLATION =
  /^(?:oh |ok(?:ay)?,? |no,? |please,? |actually,? )*(?:never ?mind|forget (?:it|that|about)|cancel(?: that| it)?[.!]?$|stop[.!]?$|nothing|leave it|let's (?:talk|change))/i;
const NEW_WISH =
  /^(?:please |can you |could you |would you |hey,? |ok(?:ay)?,? |actually,? |instead,? )*(?:who|what|when|where|why|which|whose|how|tell|write|explain|translate|summari[sz]e|show|give|list|find|help|make|create|generate|calculate|compare|describe|suggest|recommend|draft|compose|sing|play)\b/i;

/** Whether the text ends with a question mark, in any script. */
function isQuestion(text: string): boolean {
  return isOurs(text) || /[?？؟]\s*$/u.test(text);
}

/** Returns the text of a message: a string, or the text parts of a list. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) =>
      typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
        ? part.text
        : "",
    )
    .filter((text) => text !== "")
    .join("\n");
}
