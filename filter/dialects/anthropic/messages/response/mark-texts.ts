// The parts of texts in Anthropic's events: those of a block end with `content_block_stop`.
// @see https://docs.anthropic.com/en/docs/build-with-claude/streaming
import { readCount } from "../../../../bytes/json/number";
import { Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { ALL_GROUPS, EventTexts } from "../../../event-texts";

const TEXTS: Span[] = [constant("text"), constant("thinking"), constant("partial_json")];
/** Index of TEXTS. */
const JSON_INPUT = 2;

export function markTexts(tape: Tape, texts: EventTexts): void {
  const type = tape.member(0, constant("type"));
  const group = <u32>readCount(tape, tape.member(0, constant("index")));
  if (tape.equals(type, constant("content_block_stop"))) return texts.end(group);
  if (!tape.equals(type, constant("content_block_delta"))) {
    const isEnd =
      tape.equals(type, constant("message_delta")) || tape.equals(type, constant("message_stop"));
    if (isEnd || tape.equals(type, constant("error"))) texts.end(ALL_GROUPS);
    return;
  }
  const delta = tape.member(0, constant("delta"));
  for (let i = 0; i < TEXTS.length; i++) {
    const text = tape.member(delta, TEXTS[i]);
    if (tape.isString(text)) texts.part(text, group, i, i == JSON_INPUT, i == JSON_INPUT);
  }
}
