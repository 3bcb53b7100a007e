// A transform of the AssemblyScript compiler: constant texts of the filter become UTF-8 in one run of bytes.
//
// `constant("text")` becomes the address of a span in a table, without code at start, and so do `constant(NAME)` with a text of
// contract/ and the text of `out.text("text")`. Any other string stays what the compiler makes of it, an object of the program's data
// without code: its UTF-16 and its header pack well (pack-bytes.ts), and lists of such strings are data too. Notes for the
// documentation are left out, and constants of contract/ that the filter does not use. Without the transform the program means the same.
import { relative } from "node:path/posix";
import {
  ArrayLiteralExpression,
  CallExpression,
  DecoratorNode,
  ExportStatement,
  IdentifierExpression,
  ImportStatement,
  Node,
  type Parser,
  PropertyAccessExpression,
  type Range,
  type Source,
  type Statement,
  StringLiteralExpression,
  Token,
  VariableStatement,
} from "assemblyscript";
import { Transform } from "assemblyscript/transform";

/** filter/bytes/text/bytes.ts has the run, the table of spans, and what reads them. */
const MODULE = "filter/bytes/text/bytes";
const RUN = "CONSTANT_BYTES";
const SPANS = "CONSTANT_SPANS";
const PLACES = "CONSTANT_PLACES";
const LENGTHS = "CONSTANT_LENGTHS";
/** Bytes of a span: its pointer and its length. */
const SPAN_BYTES = 8;
/** What a place has room for: 16 bits, and 8 for the length of a text. */
const MAX_RUN = 0xfffe;
const MAX_LENGTH = 0xff;
/** The class of a span, and its name where it is imported: a file may import it by itself. */
const SPAN = "Span";
const SPAN_ALIAS = "ConstantSpan";

const IN_CONTRACT = /^contract\//;
/** Files whose texts are replaced. */
const TEXTS = /^(filter|contract)\//;

/** Calls whose texts are for the documentation alone (filter/hub/request/feature.ts, member-table.ts): the filter has a 0 instead. */
const NOTES = new Set(["about", "object", "reads", "writes"]);

/** How the compiler, which is written in its own language, makes the value of a number. */
type MakeI64 = (low: number) => Parameters<typeof Node.createIntegerLiteralExpression>[0];

// A default export, because the compiler asks for one.
export default class ConstantBytes extends Transform {
  afterParse(parser: Parser): void {
    const contract = parser.sources.filter(({ normalizedPath: path }) => IN_CONTRACT.test(path));
    const contractTexts = textsOf(contract);
    for (const { statements, normalizedPath } of parser.sources)
      if (TEXTS.test(normalizedPath)) writeTexts(statements, importsOf(statements), contractTexts);
    const ours = parser.sources.filter(({ normalizedPath: path }) =>
      /^(filter|contract)\//.test(path),
    );
    // What is taken out may have been the only use of others.
    while (removeUnused(ours));
    const run = new Run();
    const sources = parser.sources.filter(({ normalizedPath: path }) => TEXTS.test(path));
    for (const source of sources) {
      if (source.internalPath === MODULE) continue;
      const used = new Set<string>();
      replaceIn(source.statements, run, used);
      for (const name of used) source.statements.unshift(importOf(name, source));
    }
    const home = sources.find(({ internalPath }) => internalPath === MODULE);
    const { places, lengths } = run.places();
    if (run.bytes.length > MAX_RUN) throw new Error(`${RUN} has over ${String(MAX_RUN)} bytes`);
    setSize(home, SPANS, (lengths.length + 1) * SPAN_BYTES);
    fill(home, PLACES, places);
    fill(home, LENGTHS, lengths);
    fill(home, RUN, [...run.bytes]);
  }
}

/** Returns the texts of the contract by the names of their constants, which are replaced by name alone: two texts may not share one. */
function textsOf(sources: Source[]): Map<string, StringLiteralExpression> {
  const texts = new Map<string, StringLiteralExpression>();
  for (const statement of sources.flatMap(({ statements }) => statements))
    if (statement instanceof VariableStatement)
      for (const { name, initializer } of statement.declarations)
        if (initializer instanceof StringLiteralExpression) {
          const text = withoutType(initializer);
          if ((texts.get(name.text) ?? text).value !== text.value)
            throw new Error(`contract/ has two texts with the name ${name.text}`);
          texts.set(name.text, text);
        }
  return texts;
}

/** Of a declaration (`name?: type = default`) the filter needs no type but the words of a choice. */
function withoutType({ value, range }: StringLiteralExpression): StringLiteralExpression {
  const text = value.replace(/^([a-z_]+\??): [A-Za-z{}[\]]+(?= = |$)/, "$1");
  return Node.createStringLiteralExpression(text, range);
}

/** Returns the names that a file imports from the contract: of constants, and of whole files. */
function importsOf(statements: Statement[]): Set<string> {
  const imports = statements.filter((statement) => statement instanceof ImportStatement);
  const ofContract = imports.filter(({ internalPath }) => IN_CONTRACT.test(internalPath));
  return new Set(
    ofContract.flatMap(({ declarations, namespaceName }) =>
      [...(declarations ?? []).map(({ name }) => name), namespaceName ?? []]
        .flat()
        .map(({ text }) => text),
    ),
  );
}

/** Writes the text itself for the name in `constant(NAME)`. */
function writeTexts(
  parent: object,
  imported: ReadonlySet<string>,
  texts: ReadonlyMap<string, StringLiteralExpression>,
): void {
  if (parent instanceof CallExpression && isCallOf(parent, "constant")) {
    const [name] = parent.args;
    const isMember = name instanceof PropertyAccessExpression;
    const from = isMember ? name.expression : name;
    const isImported = from instanceof IdentifierExpression && imported.has(from.text);
    const constant = isMember ? name.property : from;
    const text = constant instanceof IdentifierExpression ? texts.get(constant.text) : undefined;
    if (isImported && text !== undefined) parent.args = [text];
  }
  for (const [member, child] of Object.entries(parent) as [string, unknown][])
    if (typeof child === "object" && child !== null && member !== "range")
      writeTexts(child, imported, texts);
}

/**
 * Takes those constants out of the contract that no file uses: the compiler would keep them, and their texts. Returns whether
 * there were any.
 */
function removeUnused(sources: Source[]): boolean {
  const used = new Set<string>();
  let hasRemoved = false;
  for (const { statements } of sources) {
    for (const statement of statements) {
      if (statement instanceof ImportStatement) continue;
      // A declaration's name is no use of it.
      const parts =
        statement instanceof VariableStatement
          ? statement.declarations.flatMap(({ initializer }) => initializer ?? [])
          : statement;
      addNames(parts, used);
    }
  }
  for (const { statements, normalizedPath } of sources) {
    for (const statement of statements)
      if (statement instanceof ImportStatement && IN_CONTRACT.test(statement.internalPath))
        statement.declarations =
          statement.declarations?.filter(({ foreignName }) => used.has(foreignName.text)) ?? null;
    if (!IN_CONTRACT.test(normalizedPath)) continue;
    for (const statement of statements) {
      if (!(statement instanceof VariableStatement)) continue;
      const kept = statement.declarations.filter(({ name }) => used.has(name.text));
      hasRemoved ||= kept.length < statement.declarations.length;
      statement.declarations = kept;
    }
  }
  return hasRemoved;
}

/** Adds the names in `parent`, a node or a list of nodes; the tree has no circles but through `range`. */
function addNames(parent: object, names: Set<string>): void {
  if (parent instanceof IdentifierExpression) names.add(parent.text);
  for (const [member, child] of Object.entries(parent) as [string, unknown][])
    if (typeof child === "object" && child !== null && member !== "range") addNames(child, names);
}

/** Texts one after the other, each once. */
class Run {
  bytes = Buffer.alloc(0);
  /** Offset in the table by text. The first place has the number of spans. */
  spans = new Map<string, number>();

  /** Offset in the table of a text's span. */
  span(text: string): number {
    const offset = this.spans.get(text) ?? (this.spans.size + 1) * SPAN_BYTES;
    this.spans.set(text, offset);
    return offset;
  }

  /**
   * Adds the texts of the spans, in their order, but for those that are in the run or in a longer one of them. Returns the content of
   * the table of places (filter/bytes/text/bytes.ts), and the lengths.
   */
  places(): { places: number[]; lengths: number[] } {
    const texts = [...this.spans.keys()];
    const long = texts.find((text) => Buffer.byteLength(text, "utf8") > MAX_LENGTH);
    if (long !== undefined)
      throw new Error(`constant("${long}") has over ${String(MAX_LENGTH)} bytes`);
    // What is between texts is in none of them, nor what could begin in one and end in the next.
    let longer = `${this.bytes.toString("latin1")}\0`;
    const added = new Set<string>();
    for (const text of texts.toSorted((a, b) => b.length - a.length)) {
      const bytes = Buffer.from(text, "utf8").toString("latin1");
      if (longer.includes(bytes)) continue;
      longer += `${bytes}\0`;
      added.add(text);
    }
    const begin = this.bytes.length;
    const own = texts.filter((text) => added.has(text)).map((text) => Buffer.from(text, "utf8"));
    this.bytes = Buffer.concat([this.bytes, ...own]);
    const rows = texts.map((text) => (added.has(text) ? 0 : this.place(text) + 1));
    return {
      places: [texts.length, begin, ...rows],
      lengths: texts.map((text) => Buffer.byteLength(text, "utf8")),
    };
  }

  /** Offset of the text in the run. */
  private place(text: string): number {
    const bytes = Buffer.from(text, "utf8");
    const found = this.bytes.indexOf(bytes);
    if (found >= 0) return found;
    this.bytes = Buffer.concat([this.bytes, bytes]);
    return this.bytes.length - bytes.length;
  }
}

/** `parent` is a node or a list of nodes; the tree has no circles but through `range`. */
function replaceIn(parent: object, run: Run, used: Set<string>): void {
  for (const [member, child] of Object.entries(parent) as [string, unknown][]) {
    if (typeof child !== "object" || child === null || member === "range") continue;
    // Names outside of the program: of its files, and of what the host provides.
    if (child instanceof ImportStatement || child instanceof ExportStatement) continue;
    if (child instanceof DecoratorNode) continue;
    if (child instanceof CallExpression && isNote(child)) {
      Object.assign(parent, { [member]: numberOf(0, child.range) });
      continue;
    }
    const text = child instanceof CallExpression ? constantText(child) : undefined;
    const appended = child instanceof CallExpression ? appendedText(child) : undefined;
    if (text !== undefined) {
      used.add(SPANS).add(SPAN);
      Object.assign(parent, { [member]: spanAt(run.span(text), child.range) });
    } else if (child instanceof CallExpression && appended !== undefined) {
      used.add(SPANS).add(SPAN);
      const append = child.expression as PropertyAccessExpression;
      append.property = Node.createIdentifierExpression("span", append.property.range);
      child.args = [spanAt(run.span(appended), child.range)];
      replaceIn(append, run, used);
    } else replaceIn(child, run, used);
  }
}

function isCallOf({ expression }: CallExpression, name: string): boolean {
  return expression instanceof IdentifierExpression && expression.text === name;
}

function isNote({ expression, args }: CallExpression): boolean {
  if (!(expression instanceof IdentifierExpression) || !NOTES.has(expression.text)) return false;
  return args.length > 0 && args.every((arg) => arg instanceof StringLiteralExpression);
}

/** The text of a call `constant("text")`. */
function constantText(call: CallExpression): string | undefined {
  const [text] = call.args;
  const isIt = isCallOf(call, "constant");
  return isIt && text instanceof StringLiteralExpression ? text.value : undefined;
}

/** The text of a call `out.text("text")`: as a span it needs no string. */
function appendedText({ expression, args }: CallExpression): string | undefined {
  const [text, more] = args;
  const isIt =
    expression instanceof PropertyAccessExpression && expression.property.text === "text";
  return isIt && text instanceof StringLiteralExpression && !more ? text.value : undefined;
}

/** `changetype<ConstantSpan>(CONSTANT_SPANS + offset)`: without a call, because the compiler computes it only so. */
function spanAt(offset: number, range: Range): CallExpression {
  const table = Node.createIdentifierExpression(SPANS, range);
  const sum = Node.createBinaryExpression(Token.Plus, table, numberOf(offset, range), range);
  const type = Node.createNamedType(
    Node.createSimpleTypeName(SPAN_ALIAS, range),
    null,
    false,
    range,
  );
  const callee = Node.createIdentifierExpression("changetype", range);
  return Node.createCallExpression(callee, [type], [sum], range);
}

function importOf(name: string, source: Source) {
  const { range, internalPath } = source;
  const identifier = Node.createIdentifierExpression(name, range);
  const local = Node.createIdentifierExpression(name === SPAN ? SPAN_ALIAS : name, range);
  const declaration = Node.createImportDeclaration(identifier, local, range);
  const path = relative(internalPath.slice(0, internalPath.lastIndexOf("/")), MODULE);
  const from = path.startsWith(".") ? path : `./${path}`;
  return Node.createImportStatement(
    [declaration],
    Node.createStringLiteralExpression(from, range),
    range,
  );
}

/** Writes the size in `const <name> = memory.data(…)`. */
function setSize(source: Source | undefined, name: string, size: number): void {
  const call = dataOf(source, name);
  call.args = [numberOf(size, call.range)];
}

/** Writes the list in `const <name> = memory.data<…>([…])`. */
function fill(source: Source | undefined, name: string, numbers: number[]): void {
  const [list] = dataOf(source, name).args;
  if (!(list instanceof ArrayLiteralExpression)) throw new Error(`${name} is no list`);
  list.elementExpressions = numbers.map((number) => numberOf(number, list.range));
}

/** Returns the call that reserves the memory of a constant. */
function dataOf(source: Source | undefined, name: string): CallExpression {
  const variables = (source?.statements ?? []).flatMap((statement) =>
    statement instanceof VariableStatement ? statement.declarations : [],
  );
  const value = variables.find((variable) => variable.name.text === name)?.initializer;
  if (!(value instanceof CallExpression)) throw new Error(`${MODULE} has no ${name}`);
  return value;
}

function numberOf(value: number, range: Range) {
  const { i64_new: make } = globalThis as unknown as { i64_new: MakeI64 };
  return Node.createIntegerLiteralExpression(make(value), range);
}
