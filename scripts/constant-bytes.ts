// A transform of the AssemblyScript compiler: texts of the filter become UTF-8 in one run of bytes.
//
// The compiler keeps a string literal as UTF-16 behind a header of 20 bytes; of such literals the filter had 66 KB, a third
// of it. `constant("text")` becomes a span of the run, and a sentence is decoded when it is used. Notes for the documentation are left out. Short strings stay, because
// some are used for every event of a stream. Without the transform the program means the same.
import { relative } from "node:path/posix";
import {
  ArrayLiteralExpression,
  CallExpression,
  IdentifierExpression,
  Node,
  type Parser,
  type Range,
  type Source,
  StringLiteralExpression,
  VariableStatement,
} from "assemblyscript";
import { Transform } from "assemblyscript/transform";

/** filter/bytes/text/bytes.ts has both functions, and the run under this name. */
const MODULE = "filter/bytes/text/bytes";
const RUN = "CONSTANT_BYTES";
const SPAN = "constantAt";
const TEXT = "sentenceAt";
/** Shorter ones would be no smaller as a call. Characters. */
const MIN_SENTENCE = 20;

/** Calls whose texts are for the documentation alone (filter/hub/feature.ts, member-table.ts): the filter has a 0 instead. */
const NOTES = new Set(["about", "object", "reads", "writes"]);

/** How the compiler, which is written in its own language, makes the value of a number. */
type MakeI64 = (low: number) => Parameters<typeof Node.createIntegerLiteralExpression>[0];

// A default export, because the compiler asks for one.
export default class ConstantBytes extends Transform {
  afterParse(parser: Parser): void {
    const run = new Run();
    const sources = parser.sources.filter(({ normalizedPath: path }) => path.startsWith("filter/"));
    for (const source of sources) {
      if (source.internalPath === MODULE) continue;
      const used = new Set<string>();
      replaceIn(source.statements, run, used);
      for (const name of used) source.statements.unshift(importOf(name, source));
    }
    const home = sources.find(({ internalPath }) => internalPath === MODULE);
    const list = home === undefined ? undefined : listOfRun(home);
    if (list === undefined) throw new Error(`${MODULE} has no ${RUN}`);
    list.elementExpressions = [...run.bytes].map((byte) => numberOf(byte, list.range));
  }
}

/** Texts one after the other, each once. */
class Run {
  bytes = Buffer.alloc(0);

  /** Offset of the text. */
  place(text: string): number {
    const bytes = Buffer.from(text, "utf8");
    const found = this.bytes.indexOf(bytes);
    if (found >= 0) return found;
    this.bytes = Buffer.concat([this.bytes, bytes]);
    return this.bytes.length - bytes.length;
  }
}

/** `parent` is a node or a list of nodes; the tree has no circles but through `range`. */
function replaceIn(parent: object, run: Run, used: Set<string>): void {
  const place = (name: string, text: string, range: Range): CallExpression => {
    used.add(name);
    return callOf(name, run.place(text), Buffer.byteLength(text, "utf8"), range);
  };
  for (const [member, child] of Object.entries(parent) as [string, unknown][]) {
    if (typeof child !== "object" || child === null || member === "range") continue;
    if (child instanceof CallExpression && isNote(child)) {
      Object.assign(parent, { [member]: numberOf(0, child.range) });
      continue;
    }
    const text = child instanceof CallExpression ? constantText(child) : undefined;
    if (child instanceof CallExpression && text !== undefined) {
      Object.assign(parent, { [member]: place(SPAN, text, child.range) });
    } else if (child instanceof StringLiteralExpression && isSentence(child.value)) {
      Object.assign(parent, { [member]: place(TEXT, child.value, child.range) });
    } else replaceIn(child, run, used);
  }
}

function isNote({ expression, args }: CallExpression): boolean {
  if (!(expression instanceof IdentifierExpression) || !NOTES.has(expression.text)) return false;
  return args.length > 0 && args.every((arg) => arg instanceof StringLiteralExpression);
}

/** The text of a call `constant("text")`. */
function constantText({ expression, args }: CallExpression): string | undefined {
  const [text] = args;
  const isIt = expression instanceof IdentifierExpression && expression.text === "constant";
  return isIt && text instanceof StringLiteralExpression ? text.value : undefined;
}

function isSentence(text: string): boolean {
  return text.length >= MIN_SENTENCE && text.includes(" ");
}

function callOf(name: string, offset: number, length: number, range: Range): CallExpression {
  const callee = Node.createIdentifierExpression(name, range);
  return Node.createCallExpression(
    callee,
    null,
    [numberOf(offset, range), numberOf(length, range)],
    range,
  );
}

function importOf(name: string, source: Source) {
  const { range, internalPath } = source;
  const identifier = Node.createIdentifierExpression(name, range);
  const declaration = Node.createImportDeclaration(identifier, identifier, range);
  const path = relative(internalPath.slice(0, internalPath.lastIndexOf("/")), MODULE);
  const from = path.startsWith(".") ? path : `./${path}`;
  return Node.createImportStatement(
    [declaration],
    Node.createStringLiteralExpression(from, range),
    range,
  );
}

/** The list in `const CONSTANT_BYTES = memory.data<u8>([…])`. */
function listOfRun({ statements }: Source): ArrayLiteralExpression | undefined {
  const variables = statements.flatMap((statement) =>
    statement instanceof VariableStatement ? statement.declarations : [],
  );
  const value = variables.find(({ name }) => name.text === RUN)?.initializer;
  const list = value instanceof CallExpression ? value.args[0] : undefined;
  return list instanceof ArrayLiteralExpression ? list : undefined;
}

function numberOf(value: number, range: Range) {
  const { i64_new: make } = globalThis as unknown as { i64_new: MakeI64 };
  return Node.createIntegerLiteralExpression(make(value), range);
}
