// The actions of a computer, in OpenAI's words and in Anthropic's: the hub has a call of the tool as Anthropic's models write it, with
// one action. OpenAI's calls have a list of them.
// @see https://platform.openai.com/docs/guides/tools-computer-use
// @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool
import { partOf } from "../../../hub/response/hosted-call";
import { readDecimal } from "../../../hub/request/request-number";
import { readCount } from "../../../bytes/json/number";
import { KIND_NUMBER, Tape } from "../../../bytes/json/tape";
import { byteAt } from "../../../bytes/text/at";
import { ByteBuffer, constant, sameSpan, scratchBuffer, Span } from "../../../bytes/text/bytes";

/** The name of the tool. */
export const COMPUTER = constant("computer");

/** Anthropic's actions, and at the same place OpenAI's, with the button of a click. */
const CLAUDE = constant(
  "left_click\nright_click\nmiddle_click\ndouble_click\nmouse_move\nscroll\nleft_click_drag\nkey\ntype\nwait\nscreenshot\n",
);
const OPENAI = constant(
  'click","button":"left\nclick","button":"right\nclick","button":"wheel\ndouble_click\nmove\nscroll\ndrag\nkeypress\ntype\nwait\nscreenshot\n',
);
/** These and the ones before them have a place. */
const SCROLL: i32 = 5;
const DRAG: i32 = 6;
const TYPE_TEXT: i32 = 8;
/** Stands for an action that the other API does not have: its result shows the model that nothing has changed. */
const SCREENSHOT: i32 = 10;

const DIRECTIONS = constant("left\nright\nup\ndown\n");
/** Anthropic counts clicks of the wheel, OpenAI pixels. */
const CLICK_PIXELS: i64 = 100;

/** Anthropic's names of keys that OpenAI's clients know by others, each before that. */
const KEYS = constant(
  "Return\nENTER\nEscape\nESC\nUp\nARROWUP\nDown\nARROWDOWN\nLeft\nARROWLEFT\nRight\nARROWRIGHT\nPage_Up\nPAGEUP\nPage_Down\nPAGEDOWN\n",
);
const KEY_COUNT: i32 = 8;

const PLUS: u32 = 0x2b;

const words = scratchBuffer();
const word = new Span(0, 0);

/** Returns the place of a word in a list; `count` if it is not there. */
function placeOf(list: Span, count: i32, step: i32): i32 {
  let place = 0;
  while (place < count && !sameSpan(partOf(list, place * step), word)) place++;
  return place;
}

/** Writes the object of OpenAI's action for the input of a call. Returns false if a screenshot stands for the action. */
export function writeAction(tape: Tape, out: ByteBuffer): bool {
  const point = tape.member(0, constant("coordinate"));
  const start = tape.member(0, constant("start_coordinate"));
  const text = tape.member(0, constant("text"));
  setWord(tape, tape.member(0, constant("action")));
  let action = placeOf(CLAUDE, SCREENSHOT + 1, 1);
  const isKnown =
    action <= SCREENSHOT &&
    (action > DRAG || isPoint(tape, point)) &&
    (action != DRAG || isPoint(tape, start)) &&
    (action != TYPE_TEXT || tape.isString(text));
  if (!isKnown) action = SCREENSHOT;
  out.text('{"type":"');
  out.span(partOf(OPENAI, action));
  out.byte(0x22);
  if (action == DRAG) {
    writePoint(tape, start, constant(',"path":[{"x":'), constant(',"y":'), out);
    writePoint(tape, point, constant('},{"x":'), constant(',"y":'), out);
    out.text("}]");
  } else if (action < DRAG) {
    writePoint(tape, point, constant(',"x":'), constant(',"y":'), out);
  }
  if (action == SCROLL) {
    setWord(tape, tape.member(0, constant("scroll_direction")));
    const direction = placeOf(DIRECTIONS, 3, 1);
    const clicks = max<i64>(readCount(tape, tape.member(0, constant("scroll_amount"))), 1);
    const pixels = (direction & 1) == 0 ? -clicks * CLICK_PIXELS : clicks * CLICK_PIXELS;
    out.text(',"scroll_x":');
    out.integer(direction < 2 ? pixels : 0);
    out.text(',"scroll_y":');
    out.integer(direction < 2 ? 0 : pixels);
  }
  if (action == TYPE_TEXT) {
    out.text(',"text":"');
    out.bytes(tape.pointer(text), tape.size(text));
    out.byte(0x22);
  } else if (action < SCREENSHOT && tape.isString(text)) {
    writeKeys(tape.pointer(text), tape.size(text), out);
  }
  out.byte(0x7d);
  return isKnown;
}

/** Writes keys that Anthropic joins by `+` as a list. */
function writeKeys(pointer: usize, size: u32, out: ByteBuffer): void {
  out.text(',"keys":["');
  let from: u32 = 0;
  for (let at: u32 = 0; at <= size; at++) {
    // The key itself may be one.
    if (at < size && (byteAt(pointer, at) != PLUS || at == from)) continue;
    if (from > 0) out.text('","');
    word.pointer = pointer + from;
    word.length = at - from;
    const place = placeOf(KEYS, KEY_COUNT, 2);
    out.span(place < KEY_COUNT ? partOf(KEYS, place * 2 + 1) : word);
    from = at + 1;
  }
  out.text('"]');
}

/** Writes the input of Anthropic's call for one of OpenAI's actions. Returns false if a screenshot stands for the action. */
export function writeActionInput(tape: Tape, node: u32, out: ByteBuffer): bool {
  words.clear();
  appendText(tape, node, constant("type"), constant(""), words);
  appendText(tape, node, constant("button"), constant('","button":"'), words);
  words.view(word);
  const action = placeOf(OPENAI, SCREENSHOT, 1);
  out.text('{"action":"');
  out.span(partOf(CLAUDE, action));
  out.byte(0x22);
  if (action < DRAG) {
    writePlace(tape, node, constant(',"coordinate":['), out);
  } else if (action == DRAG) {
    const path = tape.member(node, constant("path"));
    const end = tape.isArray(path) ? tape.next(path) : 0;
    let last = tape.first(path);
    writePlace(tape, last, constant(',"start_coordinate":['), out);
    for (let point = last; point < end; point = tape.next(point)) last = point;
    writePlace(tape, last, constant(',"coordinate":['), out);
  }
  if (action == SCROLL) writeScroll(tape, node, out);
  const keys = tape.member(node, constant("keys"));
  const end = action != TYPE_TEXT && tape.isArray(keys) ? tape.next(keys) : 0;
  let hasKey = false;
  for (let key = tape.first(keys); key < end; key = tape.next(key)) {
    if (!tape.isString(key)) continue;
    out.span(hasKey ? constant("+") : constant(',"text":"'));
    out.bytes(tape.pointer(key), tape.size(key));
    hasKey = true;
  }
  if (hasKey) out.byte(0x22);
  if (action == TYPE_TEXT && appendText(tape, node, constant("text"), constant(',"text":"'), out))
    out.byte(0x22);
  out.byte(0x7d);
  return (
    action < SCREENSHOT || tape.equals(tape.member(node, constant("type")), constant("screenshot"))
  );
}

/** Writes the larger of both distances: a click of Anthropic's wheel has one direction. */
function writeScroll(tape: Tape, node: u32, out: ByteBuffer): void {
  const x = readDecimal(tape, tape.member(node, constant("scroll_x")));
  const y = readDecimal(tape, tape.member(node, constant("scroll_y")));
  const isAcross = abs(x) > abs(y);
  const distance = isAcross ? x : y;
  out.text(',"scroll_direction":"');
  out.span(partOf(DIRECTIONS, (isAcross ? 0 : 2) + (distance < 0 ? 0 : 1)));
  out.text('","scroll_amount":');
  out.integer(max<i64>(<i64>(abs(distance) / <f64>CLICK_PIXELS), 1));
}

function setWord(tape: Tape, node: u32): void {
  word.pointer = tape.pointer(node);
  word.length = tape.size(node);
}

/** Returns whether a value is a list of two numbers. */
function isPoint(tape: Tape, node: u32): bool {
  return tape.isArray(node) && tape.next(node) == node + 3 && areNumbers(tape, node + 1, node + 2);
}

function areNumbers(tape: Tape, x: u32, y: u32): bool {
  return tape.kind(x) == KIND_NUMBER && tape.kind(y) == KIND_NUMBER;
}

/** Writes the numbers of Anthropic's point. */
function writePoint(tape: Tape, point: u32, before: Span, between: Span, out: ByteBuffer): void {
  writeNumbers(tape, tape.first(point), tape.first(point) + 1, before, between, out);
}

/** Writes Anthropic's point for the members of an object of OpenAI. */
function writePlace(tape: Tape, node: u32, before: Span, out: ByteBuffer): void {
  const x = tape.member(node, constant("x"));
  const y = tape.member(node, constant("y"));
  if (!areNumbers(tape, x, y)) return;
  writeNumbers(tape, x, y, before, constant(","), out);
  out.byte(0x5d);
}

function writeNumbers(
  tape: Tape,
  x: u32,
  y: u32,
  before: Span,
  between: Span,
  out: ByteBuffer,
): void {
  out.span(before);
  out.bytes(tape.pointer(x), tape.size(x));
  out.span(between);
  out.bytes(tape.pointer(y), tape.size(y));
}

/** Appends a string of an object after `before`. Returns whether there is one. */
function appendText(tape: Tape, node: u32, name: Span, before: Span, out: ByteBuffer): bool {
  const text = tape.member(node, name);
  if (!tape.isString(text)) return false;
  out.span(before);
  out.bytes(tape.pointer(text), tape.size(text));
  return true;
}
