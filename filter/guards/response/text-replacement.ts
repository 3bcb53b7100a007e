// What a rule makes of one text, as it is in JSON: the places of what it finds are found again in the bytes.
import { escape } from "../../bytes/json/text";
import { readUnits, UnitPlaces } from "../../bytes/json/text-units";
import { scratchBuffer } from "../../bytes/text/bytes";
import { Channel } from "./channel";
import { TextRule } from "./text-rule";

/** What the text has become, up to what is held of it. */
export const replaced = scratchBuffer();
/** Whether anything in it was replaced. */
export let hasReplaced: bool = false;

const plain = scratchBuffer();
const value = scratchBuffer();
const escaped = scratchBuffer();
const places = new UnitPlaces();

/** Writes `replaced`. Returns how many bytes of the text that is; the rest is held. */
export function replaceText(
  rule: TextRule,
  pointer: usize,
  length: u32,
  depth: i32,
  channel: Channel | null,
  isFinal: bool,
): u32 {
  plain.clear();
  if (channel !== null) plain.bytes(channel.context.pointer, channel.context.length);
  const from = plain.length;
  const read = readUnits(pointer, length, depth, isFinal, plain);
  places.begin(pointer, read, depth);
  replaced.clear();
  hasReplaced = false;
  let done: u32 = 0;
  let position = from;
  let isUnfinished = false;
  if (channel !== null && channel.isUnfinished) {
    // The rest of what was replaced already.
    position = rule.goesOn(plain.pointer, from, plain.length, isFinal);
    isUnfinished = rule.isUnfinished;
    done = places.to(position - from);
    hasReplaced = true;
  }
  while (!isUnfinished && rule.next(plain.pointer, position, plain.length, isFinal)) {
    hasReplaced = true;
    const start = places.to(rule.start - from);
    replaced.bytes(pointer + done, start - done);
    value.clear();
    rule.write(value);
    escapeValue(depth);
    done = places.to(rule.end - from);
    position = rule.end;
    isUnfinished = rule.isUnfinished;
  }
  // What goes on has been replaced up to `position`; the rest comes again.
  const open = isFinal ? plain.length : max(isUnfinished ? 0 : rule.open, position);
  const kept = isFinal ? length : places.to(open - from);
  if (kept > done) replaced.bytes(pointer + done, kept - done);
  if (channel === null) return kept;
  channel.isUnfinished = isUnfinished && !isFinal;
  if (rule.context > 0) {
    const context = channel.context;
    const size = min(open, rule.context);
    context.clear();
    context.bytes(plain.pointer + open - size, size);
  }
  return kept;
}

/** Returns what a text of the program becomes. */
export function replacedText(rule: TextRule, text: string): string {
  plain.clear();
  plain.text(text);
  replaced.clear();
  let done: u32 = 0;
  while (rule.next(plain.pointer, done, plain.length, true)) {
    replaced.bytes(plain.pointer + done, rule.start - done);
    rule.write(replaced);
    done = rule.end;
  }
  if (done == 0) return text;
  replaced.bytes(plain.pointer + done, plain.length - done);
  return replaced.toText();
}

/** Appends `value` as it is in JSON. */
function escapeValue(depth: i32): void {
  if (depth == 1) {
    escape(value.pointer, value.length, replaced);
    return;
  }
  escaped.clear();
  escape(value.pointer, value.length, escaped);
  escape(escaped.pointer, escaped.length, replaced);
}
