// Sets values in a configuration file of an agent, and leaves everything else of its text as it is, comments too.
import { isRecord } from "../../model/is-record.ts";
import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, parse as parseJson, type ParseError } from "jsonc-parser";
import { parse as parseToml, stringify as writeToml } from "smol-toml";
import { parse as parseYaml, parseDocument } from "yaml";
import { GatewayError } from "../report/gateway-error.ts";

export type FileFormat = "json" | "toml" | "yaml";

/** A value at a path of members. Undefined: there is none. In TOML a text at the top level, or a whole table. */
export interface Entry {
  path: readonly string[];
  value: unknown;
}

const INDENTED = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** Returns the text with the values. Throws a GatewayError if the file is not valid, or has a form that cannot be changed. */
export function editText(format: FileFormat, text: string, entries: readonly Entry[]): string {
  const wanted = parseText(format, text);
  const changes = entries.filter(
    ({ path, value }) => value !== undefined || getIn(wanted, path) !== undefined,
  );
  const edited = EDITORS[format](text, changes);
  for (const { path, value } of changes) setIn(wanted, path, value);
  // A file can be written in more ways than an edit of its text foresees.
  if (isDeepStrictEqual(plain(parseText(format, edited)), plain(wanted))) return edited;
  throw new GatewayError("The file has a form that cannot be changed here.", {
    hint: "Set the values yourself: see docs/clients.md.",
  });
}

/** Returns the values at the paths in the text. */
export function readEntries(
  format: FileFormat,
  text: string,
  paths: readonly (readonly string[])[],
): Entry[] {
  const content = parseText(format, text);
  return paths.map((path) => ({ path, value: getIn(content, path) }));
}

const EDITORS: Readonly<Record<FileFormat, (text: string, entries: readonly Entry[]) => string>> = {
  json: (text, entries) =>
    entries.reduce(
      (edited, { path, value }) => applyEdits(edited, modify(edited, [...path], value, INDENTED)),
      text.trim() === "" ? "{}\n" : text,
    ),
  yaml(text, entries) {
    const document = parseDocument(text);
    for (const { path, value } of entries) {
      if (value === undefined) document.deleteIn(path);
      else document.setIn(path, value);
    }
    return document.toString();
  },
  toml: (text, entries) => entries.reduce(editToml, text),
};

type Members = Record<string, unknown>;

function parseText(format: FileFormat, text: string): Members {
  try {
    const content = PARSERS[format](text);
    if (content === null || content === undefined) return {};
    if (typeof content === "object" && !Array.isArray(content)) return content as Members;
  } catch (error) {
    throw notValid(format, (error as Error).message);
  }
  throw notValid(format, "it has no members");
}

function notValid(format: FileFormat, reason: string): GatewayError {
  return new GatewayError(`The file is not valid ${format.toUpperCase()}: ${reason}.`, {
    hint: "Mend it first: it was not changed.",
  });
}

const PARSERS: Readonly<Record<FileFormat, (text: string) => unknown>> = {
  json(text) {
    const errors: ParseError[] = [];
    const content: unknown = parseJson(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first !== undefined && text.trim() !== "")
      throw new Error(`unexpected text in line ${String(lineOf(text, first.offset))}`);
    return content;
  },
  toml: parseToml,
  yaml: (text) => parseYaml(text) as unknown,
};

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** A text at the top level has a line of its own before the first table; a table is a section. */
function editToml(text: string, { path, value }: Entry): string {
  const name = path.join(".");
  if (path.length > 1 || (typeof value === "object" && value !== null))
    return withSection(text, name, value as Members | undefined);
  const lines = text.split("\n");
  const tables = lines.findIndex((line) => line.trimStart().startsWith("["));
  const end = tables === -1 ? lines.length : tables;
  const at = lines.findIndex((line, number) => number < end && isMember(line, name));
  const own = value === undefined ? [] : [`${name} = ${JSON.stringify(value)}`];
  if (at === -1) lines.unshift(...own);
  else lines.splice(at, 1, ...own);
  return lines.join("\n");
}

function isMember(line: string, name: string): boolean {
  return line.startsWith(name) && line.slice(name.length).trimStart().startsWith("=");
}

function withSection(text: string, name: string, value: Members | undefined): string {
  const lines = text.split("\n");
  const isHeader = (line: string) => line.trimStart().startsWith("[");
  const start = lines.findIndex((line) => line.trim() === `[${name}]`);
  const section =
    value === undefined ? [] : [`[${name}]`, ...writeToml(value).trimEnd().split("\n")];
  if (start === -1) {
    const gap = text.trim() === "" ? "" : "\n";
    return value === undefined ? text : `${text.trimEnd()}\n${gap}${section.join("\n")}\n`;
  }
  const next = lines.findIndex((line, number) => number > start && isHeader(line));
  const end = next === -1 ? lines.length : next;
  lines.splice(start, end - start, ...section, ...(next === -1 || value === undefined ? [] : [""]));
  return `${lines.join("\n").trimEnd()}\n`;
}

function getIn(content: Members, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isRecord(value) ? value[name] : undefined),
    content,
  );
}

function setIn(content: Members, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    if (value === undefined) Reflect.deleteProperty(content, name);
    else content[name] = value;
    return;
  }
  const inner = content[name];
  if (!isRecord(inner) && value === undefined) return;
  const members = isRecord(inner) ? inner : {};
  content[name] = members;
  setIn(members, rest, value);
}

/** Returns the content as JSON has it, without members that hold nothing: removing the last value of an object may leave the object. */
function plain(content: Members): unknown {
  return withoutEmpty(JSON.parse(JSON.stringify(content)));
}

function withoutEmpty(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, one]) => [name, withoutEmpty(one)] as const);
  return Object.fromEntries(
    members.filter(([, one]) => !isRecord(one) || Object.keys(one).length > 0),
  );
}
