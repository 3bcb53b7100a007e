// Parameters without a language model: only values that are certain; anything else is asked for.
import { bareAnswer, remainingAnswer } from "./bare-values.ts";
import {
  type SpanFinder,
  type Stated,
  statedIn,
  type Target,
  type Turn,
  type Values,
} from "./stated.ts";

/** The part of a turn that is read. Characters. */
const MAX_TEXT = 4000;

/** Returns the certain values of a dialogue's turns, the oldest first; later turns win. */
export async function extractEmbedded(
  target: Target,
  turns: readonly Turn[],
  find: SpanFinder | undefined,
  now: Date,
): Promise<Omit<Stated, "rest">> {
  let values: Values = {};
  const doubtful = new Set<string>();
  for (const [index, { text, asked }] of turns.entries()) {
    const turn = { text: text.slice(0, MAX_TEXT), asked };
    const found = await readTurn(target, turn, find, now);
    for (const name of found.doubtful) {
      doubtful.add(name);
      // `and in my home town?` takes back the town of the call before.
      if (index > 0 && asked.length === 0) values = without(values, name);
    }
    Object.assign(values, found.values);
  }
  const asked = new Set(turns.flatMap((turn) => turn.asked));
  const isOpen = (name: string) => !Object.hasOwn(values, name) && !asked.has(name);
  return { values, doubtful: [...doubtful].filter(isOpen) };
}

async function readTurn(
  target: Target,
  turn: Turn,
  find: SpanFinder | undefined,
  now: Date,
): Promise<Omit<Stated, "rest">> {
  const bare = bareAnswer(target.parameters, turn, now);
  if (bare !== undefined) return { values: bare, doubtful: [] };
  const { values, doubtful } = await statedIn(target, turn, find, now);
  const rest = remainingAnswer(target.parameters, turn, values, now);
  return { values: { ...values, ...rest }, doubtful };
}

function without(values: Values, name: string): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
}
