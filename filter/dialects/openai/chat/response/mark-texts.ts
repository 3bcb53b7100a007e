// The parts of texts in the chunks of Chat Completions: every string in a delta is one, whatever a provider calls it, unless it is
// known as a word. Those of a choice end with its `finish_reason`.
// @see https://platform.openai.com/docs/api-reference/chat/streaming
import { readCount } from "../../../../bytes/json/number";
import { Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { hash64 } from "../../../../bytes/text/hash";
import { ALL_GROUPS, EventTexts } from "../../../event-texts";

/** Members of a delta that are whole, or no text. */
const WORDS: Span[] = [
  constant("role"),
  constant("id"),
  constant("type"),
  constant("name"),
  constant("format"),
  constant("signature"),
  constant("data"),
];
const INDEX = constant("index");
const ARGUMENTS = constant("arguments");
const CALLS: Span[] = [constant("tool_calls"), constant("function_call")];

export function markTexts(tape: Tape, texts: EventTexts): void {
  const choices = tape.member(0, constant("choices"));
  if (!tape.isArray(choices)) {
    if (tape.isPresent(tape.member(0, constant("error")))) texts.end(ALL_GROUPS);
    return;
  }
  const end = tape.next(choices);
  let place: i64 = 0;
  for (let choice = tape.first(choices); choice < end; choice = tape.next(choice)) {
    const group = placeOf(tape, choice, place++);
    if (tape.isString(tape.member(choice, constant("finish_reason")))) texts.end(group);
    markIn(tape, tape.member(choice, constant("delta")), texts, group, 1, false);
    // Of the older completions.
    const text = tape.member(choice, constant("text"));
    if (tape.isString(text)) texts.part(text, group, 0, false, false);
  }
}

/** Marks the texts of an object or a list. The scanner limits the depth of an event, and so the recursion. */
function markIn(
  tape: Tape,
  node: u32,
  texts: EventTexts,
  group: u32,
  name: u64,
  isCall: bool,
): void {
  const end = tape.next(node);
  if (tape.isArray(node)) {
    let place: i64 = 0;
    for (let item = tape.first(node); item < end; item = tape.next(item)) {
      const own = (name + <u64>placeOf(tape, item, place++) + 1) * 31;
      if (tape.isString(item)) texts.part(item, group, fold(own), false, isCall);
      else markIn(tape, item, texts, group, own, isCall);
    }
  } else if (tape.isObject(node)) {
    for (let key = tape.first(node); key < end; key = tape.next(key + 1)) {
      if (tape.indexIn(key, WORDS) >= 0) continue;
      const own = hash64(tape.pointer(key), tape.size(key), name);
      const isInCall = isCall || tape.indexIn(key, CALLS) >= 0;
      if (!tape.isString(key + 1)) markIn(tape, key + 1, texts, group, own, isInCall);
      else texts.part(key + 1, group, fold(own), tape.equals(key, ARGUMENTS), isInCall);
    }
  }
}

/** Returns the index of a choice or an item, its place in the list if it has none. */
function placeOf(tape: Tape, item: u32, place: i64): u32 {
  const index = readCount(tape, tape.member(item, INDEX));
  return <u32>(index < 0 ? place : index);
}

function fold(name: u64): u32 {
  return <u32>(name ^ (name >> 32));
}
