// Parses YAML. The parser's messages are replaced by ours: they may quote the line, and the line may contain a key.
import { parseDocument, visit } from "yaml";
import type { Document } from "yaml";
import { wrongIndentation } from "./indentation.ts";

const MAX_FILE = 1024 * 1024;

const SYNTAX: Record<string, string> = {
  ALIAS_PROPS: "an alias (*name) takes no tag and no anchor",
  BAD_ALIAS: "this is no valid anchor (&name) or alias (*name)",
  BAD_DIRECTIVE: "this % directive is not known",
  BAD_DQ_ESCAPE:
    "this backslash sequence is not valid in double quotes; use single quotes, or \\\\",
  BAD_INDENT: "the indentation does not fit the lines above, or a bracket is not closed",
  BAD_PROP_ORDER: "an anchor or tag has to stand after the indicator",
  BAD_SCALAR_START: "a value cannot begin with this character unless it is quoted",
  BLOCK_AS_IMPLICIT_KEY:
    "a value cannot hold `: ` unless it is quoted, and each `key: value` has a line of its own",
  BLOCK_IN_FLOW: "a comma is missing here, or a block stands inside [ ] or { }",
  DUPLICATE_KEY: "this key is already set above in the same mapping",
  KEY_OVER_1024_CHARS: "a key is longer than 1024 characters",
  MISSING_CHAR:
    "something is missing here or just above: a closing quote or bracket, a comma, or `:` and a space",
  MULTILINE_IMPLICIT_KEY: "a key has to be on one line; is a `:` missing, or a quote not closed?",
  MULTIPLE_ANCHORS: "a value takes one anchor only",
  MULTIPLE_DOCS: "the file holds more than one document (`---`); the gateway reads one",
  MULTIPLE_TAGS: "a value takes one tag only",
  NON_STRING_KEY: "a key has to be a plain word",
  RESOURCE_EXHAUSTION: "the file is nested too deeply",
  TAB_AS_INDENT: "a tab cannot be used as indentation; use spaces",
  TAG_RESOLVE_FAILED: "this tag (!name) is not known; write the value without it",
  UNEXPECTED_TOKEN: "this is not expected here; check quotes, brackets and indentation",
  BAD_COLLECTION_TYPE: "this tag does not fit its value",
};

interface Fault {
  offset: number;
  message: string;
}

export interface Parsed {
  /** Undefined when not even a guess can be made. */
  document?: Document.Parsed;
  faults: Fault[];
  /** Whether the text is not YAML, so that the document is a guess. */
  isDamaged: boolean;
}

export function parseYaml(text: string): Parsed {
  if (text.length > MAX_FILE) return damaged("the file is larger than 1 MiB");
  let document: Document.Parsed;
  try {
    // Keys are compared by document.ts, which knows their paths.
    document = parseDocument(text, {
      prettyErrors: false,
      uniqueKeys: false,
      // Not "silent", which would also leave out the fault of a second document.
      logLevel: "error",
    });
  } catch {
    // It gives up only on absurd nesting (the stack).
    return damaged("not valid YAML: the file is nested too deeply");
  }
  const isDamaged = document.errors.length > 0;
  const problems = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  // The parser's second complaint is about what it made of the first.
  const [first] = problems;
  const faults =
    first === undefined ? [] : isDamaged ? [explain(text, document, first)] : problems.map(faultOf);
  return { document, faults, isDamaged };
}

type Problem = Document.Parsed["errors"][number] | Document.Parsed["warnings"][number];

function faultOf({ pos, code }: Problem): Fault {
  const words = SYNTAX[code] ?? "the parser does not understand this";
  return { offset: pos[0], message: `not valid YAML: ${words}` };
}

/** What people look for, where that can be found out; else what the parser met. */
function explain(text: string, document: Document.Parsed, problem: Problem): Fault {
  if (/^Missing closing ['"]/.test(problem.message)) {
    return {
      offset: openingQuote(document, problem.pos[0]),
      message: "not valid YAML: this quote is not closed",
    };
  }
  if (/end with a [}\]]/.test(problem.message)) {
    const bracket = openingBracket(text, document, problem.pos[0]);
    if (bracket !== undefined) {
      return {
        offset: bracket,
        message: `not valid YAML: this \`${text[bracket] ?? ""}\` is not closed`,
      };
    }
  }
  const fault = faultOf(problem);
  if (OF_THEIR_OWN.has(problem.code)) return fault;
  const space = missingSpace(text, fault.offset);
  if (space !== undefined) return space;
  const indentation = wrongIndentation(text);
  // A value that ends too late is met where it begins.
  const isNear =
    indentation !== undefined && linesBetween(text, fault.offset, indentation.offset) <= 1;
  return isNear ? indentation : fault;
}

/** What is certain whatever the indentation. */
const OF_THEIR_OWN = new Set([
  "TAB_AS_INDENT",
  "MULTIPLE_DOCS",
  "BAD_DQ_ESCAPE",
  "BAD_SCALAR_START",
]);

/** `key:value` in the line of a fault, or in the one before. */
function missingSpace(text: string, offset: number): Fault | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const line = text.slice(start).split("\n", 1)[0] ?? "";
  const [, before = "", key = ""] =
    /^(\s*(?:- +)*)([A-Za-z_][\w-]*):(?=[^\s/:])(?!.*: )/.exec(line) ?? [];
  if (key === "") return undefined;
  return {
    offset: start + before.length,
    message: `not valid YAML: a space is missing after \`${key}:\``,
  };
}

function linesBetween(text: string, from: number, to: number): number {
  return text.slice(Math.min(from, to), to).split("\n").length - 1;
}

/** Returns where the quote begins: the parser reports where it gave up. */
function openingQuote(document: Document.Parsed, end: number): number {
  let opening = end;
  visit(document, {
    Scalar(_key, { type, range }) {
      const isQuoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
      if (isQuoted && range && range[0] < end && end <= range[2]) opening = range[0];
    },
  });
  return opening;
}

/** The innermost bracket that was open where the parser gave up. */
function openingBracket(text: string, document: Document.Parsed, end: number): number | undefined {
  let opening: number | undefined;
  visit(document, {
    Collection(_key, { flow, range }) {
      const isOpen =
        flow === true && range && range[0] < end && !/[}\]]/.test(text[range[1] - 1] ?? "");
      if (isOpen) opening = range[0];
    },
  });
  return opening;
}

function damaged(message: string): Parsed {
  return { faults: [{ offset: 0, message }], isDamaged: true };
}
