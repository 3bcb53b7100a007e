// Explains YAML that cannot be read by the indentation of its lines: the parser reports what it met, people look for what they did.

export interface Explanation {
  /** Of the key or dash that stands at no place. */
  offset: number;
  message: string;
}

/** A key or a dash: where it stands, from 0. */
interface Mark {
  column: number;
  /** As a message names it: `` `model` `` or "the dash". */
  name: string;
  line: number;
}

interface Level {
  /** The last mark at this column. */
  mark: Mark;
  isList: boolean;
}

/** One line of block YAML: its dashes, its key, and whether a block can follow below it. */
interface Line {
  number: number;
  offset: number;
  dashes: number[];
  key: { column: number; name: string } | undefined;
  /** Whether it ends in `key:` or `-`, so that deeper lines belong to it. */
  opens: boolean;
}

const CONTENT = /^( *)((?:- +)*)(-$|.*)/;
const KEY = /^("[^"]*"|'[^']*'|[^\s#"'[\]{}&*!|>%@`-][^:#]*?|-[^\s:][^:]*?)\s*:(?:\s|$)/;
/** The rest of a line that opens a block scalar, whose lines are no keys. */
const BLOCK_SCALAR = /[|>][-+0-9]*\s*(?:#.*)?$/;

/** Returns the first key or dash that lines up with nothing above it; undefined when all do. */
export function wrongIndentation(text: string): Explanation | undefined {
  let levels: Level[] = [];
  let previous: Line | undefined;
  for (const line of blockLines(text)) {
    const column = line.dashes[0] ?? line.key?.column;
    // Neither a key nor a dash: the rest of a text on several lines, which the parser judges.
    if (column === undefined) continue;
    const isList = line.dashes.length > 0;
    if (!fits(column, isList, levels, previous)) {
      const rival = nearest(column, isList, levels);
      return rival === undefined ? undefined : explain(line, column, isList, rival);
    }
    levels = push(levels, line, column);
    previous = line;
  }
  return undefined;
}

/** Whether a line that begins at this column has a place: beside another of its kind, or as the first below a key. */
function fits(
  column: number,
  isList: boolean,
  levels: readonly Level[],
  previous: Line | undefined,
): boolean {
  if (previous === undefined) return true;
  const peers = levels.filter(({ mark }) => mark.column === column);
  if (peers.some((level) => level.isList === isList)) return true;
  const isDeepest = levels.every(({ mark }) => mark.column <= column);
  // A list may stand at the column of its key.
  return isDeepest && previous.opens && (peers.length === 0 || isList);
}

/** The mark that was meant: of the same kind, in the column that is nearest. */
function nearest(column: number, isList: boolean, levels: readonly Level[]): Mark | undefined {
  const distance = ({ mark }: Level): number => Math.abs(mark.column - column);
  const [first] = levels
    .filter((level) => level.isList === isList)
    .sort((one, other) => distance(one) - distance(other) || other.mark.line - one.mark.line);
  return first?.mark;
}

function push(levels: Level[], line: Line, column: number): Level[] {
  const kept = levels.filter(({ mark }) => mark.column < column);
  const same = levels.filter(({ mark }) => mark.column === column);
  const added = line.dashes.map((at): Level => ({
    mark: { column: at, name: "the dash", line: line.number },
    isList: true,
  }));
  if (line.key !== undefined) {
    const mark = { ...line.key, line: line.number };
    added.push({ mark, isList: false });
  }
  // A list may continue at the column of its key.
  const parent = line.dashes.length > 0 ? same.filter(({ isList }) => !isList) : [];
  return [...kept, ...parent, ...added];
}

function explain(line: Line, column: number, isList: boolean, rival: Mark): Explanation {
  const name = isList ? "this dash" : (line.key?.name ?? "this line");
  const above = rival.line === line.number - 1 ? "above it" : `in line ${String(rival.line)}`;
  return {
    offset: line.offset + column,
    message: `wrong indentation: ${name} has ${spaces(column)}, ${rival.name} ${above} has ${String(rival.column)}`,
  };
}

function spaces(count: number): string {
  return count === 1 ? "1 space" : `${String(count)} spaces`;
}

/** The lines that hold keys and dashes: without comments, texts on several lines, and what stands in brackets. */
function* blockLines(text: string): Generator<Line> {
  let offset = 0;
  let open = 0;
  /** Lines of a block text are deeper than this column. */
  let textBelow: number | undefined;
  let isTextNew = false;
  for (const [index, raw] of text.split("\n").entries()) {
    const start = offset;
    offset += raw.length + 1;
    const content = raw.replace(/\r$/, "");
    const trimmed = content.trim();
    if (trimmed === "" || trimmed.startsWith("#") || /^(?:---|\.\.\.|%)/.test(content)) continue;
    const indent = content.length - content.trimStart().length;
    // The first line of a block scalar sets its indentation.
    if (textBelow !== undefined && indent > textBelow) {
      if (isTextNew) textBelow = indent - 1;
      isTextNew = false;
      continue;
    }
    textBelow = undefined;
    const isInside = open > 0;
    open = Math.max(0, open + brackets(content));
    if (isInside) continue;
    const line = readLine(content, index + 1, start);
    if (BLOCK_SCALAR.test(content)) textBelow = line.key?.column ?? indent;
    isTextNew = true;
    yield line;
  }
}

function readLine(content: string, number: number, offset: number): Line {
  const [, indent = "", marks = "", rest = ""] = CONTENT.exec(content) ?? [];
  const dashes = [...marks.matchAll(/-/g)].map(({ index }) => indent.length + index);
  const column = indent.length + marks.length;
  if (rest === "-")
    return { number, offset, dashes: [...dashes, column], key: undefined, opens: true };
  const isBare = dashes.length > 0 && NOTHING.test(rest);
  const word = KEY.exec(rest)?.[1];
  const key = word === undefined ? undefined : { column, name: `\`${word.slice(0, MAX_NAME)}\`` };
  const value = rest.slice(word?.length ?? 0).replace(/^\s*:/, "");
  const opens = isBare || (word !== undefined && NOTHING.test(value));
  return { number, offset, dashes, key, opens };
}

/** No value: at most an anchor, a tag and a comment. */
const NOTHING = /^\s*(?:[&!]\S+\s*)*(?:#.*)?$/;

/** A longer key is cut in a message. */
const MAX_NAME = 40;

/** How many brackets a line opens more than it closes, outside of quotes, references and comments. */
function brackets(content: string): number {
  const plain = content
    .replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'|\$\{[^}]*\}/g, "")
    .replace(/(?:^|\s)#.*$/, "");
  // Inside of a plain text it is none.
  const opening = plain.match(/(?<=^|[\s:,[{-])[[{]/g)?.length ?? 0;
  const closing = plain.match(/[\]}]/g)?.length ?? 0;
  return opening - closing;
}
