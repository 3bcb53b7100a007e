// The parts of texts in the events of the Responses API: all have the same form, whatever the text is, `response.….delta` and
// `response.….done`.
// @see https://platform.openai.com/docs/api-reference/responses-streaming
import { readCount } from "../../../../bytes/json/number";
import { Tape } from "../../../../bytes/json/tape";
import { endsWith } from "../../../../bytes/text/at";
import { constant, Span } from "../../../../bytes/text/bytes";
import { contains } from "../../../../bytes/text/find";
import { hash64 } from "../../../../bytes/text/hash";
import { ALL_GROUPS, EventTexts } from "../../../event-texts";

const INDEXES: Span[] = [constant("content_index"), constant("summary_index")];

/** Events that show the end of the response, not of one of its texts. */
const ENDS: Span[] = [
  constant("response.completed"),
  constant("response.incomplete"),
  constant("response.failed"),
  constant("response.cancelled"),
  constant("error"),
];

export function markTexts(tape: Tape, texts: EventTexts): void {
  const type = tape.member(0, constant("type"));
  if (!tape.isString(type)) return;
  const pointer = tape.pointer(type);
  const size = tape.size(type);
  const item = readCount(tape, tape.member(0, constant("output_index")));
  const group = item < 0 ? ALL_GROUPS - 1 : <u32>item;
  if (endsWith(pointer, size, constant(".done"))) return texts.end(group);
  if (tape.indexIn(type, ENDS) >= 0) return texts.end(ALL_GROUPS);
  const delta = tape.member(0, constant("delta"));
  // The only one in base64.
  const isSound = tape.equals(type, constant("response.audio.delta"));
  if (!endsWith(pointer, size, constant(".delta")) || !tape.isString(delta) || isSound) return;
  let name = hash64(pointer, size);
  for (let i = 0; i < INDEXES.length; i++)
    name = name * 31 + <u64>(readCount(tape, tape.member(0, INDEXES[i])) + 1);
  const isJson = contains(pointer, size, constant("arguments"));
  const isCall = isJson || contains(pointer, size, constant("call"));
  texts.part(delta, group, <u32>(name ^ (name >> 32)), isJson, isCall);
}
