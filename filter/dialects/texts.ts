// The texts of a request as its client sent it, each with its role: what a guard reads, and what masking replaces. They are visited
// in the order of the body. A form that the gateway does not know is walked like the others, so that no text is passed over.
import { Tape } from "../bytes/json/tape";
import { endsWith } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";

export const enum TextRole {
  System,
  User,
  Assistant,
  /** What the assistant thought. It may be signed: then the provider rejects a changed text. */
  Reasoning,
  /** Of a document or a search result that is a part of a message. */
  Document,
  /** A string of JSON, or a string inside of an object. */
  ToolArguments,
  ToolResult,
  /** Of a file, or of the user that the request is for. */
  Name,
}

export abstract class TextVisitor {
  /** A message, or an item with a role, begins. */
  beginMessage(_role: TextRole): void {}

  /** @param text a node of `tape`: a string */
  abstract visit(tape: Tape, text: u32, role: TextRole): void;
}

/** Members with texts, of a body, or of a message, an item or a part in it. */
export class TextMembers {
  constructor(
    public names: Span[],
    /** The role of the texts; INHERITED: that of the object. */
    public role: i32,
    /** Whether every string inside of them is a text, whatever its name. */
    public isWhole: bool = false,
  ) {}
}

const INHERITED: i32 = -1;

/** A member that is in no row has no text, as an id, a URL or a signature. */
const MEMBERS: TextMembers[] = [
  new TextMembers(
    [
      constant("text"),
      constant("content"),
      constant("refusal"),
      constant("tool_calls"),
      constant("function_call"),
      constant("function"),
      constant("custom"),
      constant("title"),
      constant("context"),
      constant("citations"),
      constant("cited_text"),
      constant("document_title"),
      constant("logs"),
      constant("file"),
    ],
    INHERITED,
  ),
  new TextMembers([constant("filename"), constant("file_name")], TextRole.Name),
  new TextMembers([constant("variables")], INHERITED, true),
  new TextMembers(
    [
      constant("thinking"),
      constant("summary"),
      constant("reasoning"),
      constant("reasoning_content"),
      constant("reasoning_details"),
      constant("thinking_blocks"),
    ],
    TextRole.Reasoning,
  ),
  new TextMembers(
    [
      constant("arguments"),
      constant("input"),
      constant("action"),
      constant("operation"),
      constant("code"),
      constant("queries"),
    ],
    TextRole.ToolArguments,
    true,
  ),
  new TextMembers(
    [
      constant("output"),
      constant("outputs"),
      constant("results"),
      constant("stdout"),
      constant("stderr"),
    ],
    TextRole.ToolResult,
  ),
];

/** The members of a body, in each dialect, that name the client's user, or describe the request. */
export const NAME_MEMBERS = new TextMembers(
  [constant("user"), constant("safety_identifier"), constant("metadata")],
  TextRole.Name,
  true,
);

/** Visits the texts of the members of a body that are in `members`. */
export function visitTexts(tape: Tape, members: TextMembers[], visitor: TextVisitor): void {
  const end = tape.next(0);
  for (let key = tape.first(0); key < end; key = tape.next(key + 1)) {
    const member = memberOf(members, tape, key);
    if (member === null) continue;
    if (tape.isString(key + 1) && member.role == TextRole.User) visitor.beginMessage(TextRole.User);
    visitMember(tape, key + 1, member, TextRole.User, visitor);
  }
}

function visitMember(
  tape: Tape,
  node: u32,
  member: TextMembers,
  role: TextRole,
  visitor: TextVisitor,
): void {
  const own = member.role == INHERITED ? role : <TextRole>member.role;
  if (member.isWhole) visitStrings(tape, node, own, visitor);
  else visitContent(tape, node, own, visitor);
}

/** Visits a string, a list or an object. The scanner limits the depth of a body (`MAX_DEPTH`), and so the recursion. */
function visitContent(tape: Tape, node: u32, role: TextRole, visitor: TextVisitor): void {
  if (tape.isString(node)) {
    visitor.visit(tape, node, role);
  } else if (tape.isArray(node)) {
    const end = tape.next(node);
    for (let item = tape.first(node); item < end; item = tape.next(item))
      visitContent(tape, item, role, visitor);
  } else if (tape.isObject(node)) {
    visitObject(tape, node, role, visitor);
  }
}

function visitObject(tape: Tape, object: u32, outer: TextRole, visitor: TextVisitor): void {
  const word = tape.member(object, constant("role"));
  let role = outer;
  if (tape.isString(word)) {
    role = roleOf(tape, word);
    visitor.beginMessage(role);
  }
  const type = tape.member(object, constant("type"));
  role = roleOfType(tape, type, role);
  const isText = tape.equals(type, constant("text"));
  const end = tape.next(object);
  for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
    const member = memberOf(MEMBERS, tape, key);
    if (member !== null) visitMember(tape, key + 1, member, role, visitor);
    else if (isSource(tape, key, isText)) visitContent(tape, key + 1, role, visitor);
  }
}

/** Returns whether a member is the source of a document, or the text in one: any other source is a URL, or has a file in base64. */
function isSource(tape: Tape, key: u32, isText: bool): bool {
  if (tape.isObject(key + 1)) return tape.equals(key, constant("source"));
  return isText && tape.equals(key, constant("data"));
}

/** Visits every string of a value but the names of members. */
function visitStrings(tape: Tape, node: u32, role: TextRole, visitor: TextVisitor): void {
  if (tape.isString(node)) {
    visitor.visit(tape, node, role);
    return;
  }
  const step: u32 = tape.isObject(node) ? 1 : 0;
  if (step == 0 && !tape.isArray(node)) return;
  const end = tape.next(node);
  for (let item = tape.first(node); item < end; item = tape.next(item + step))
    visitStrings(tape, item + step, role, visitor);
}

function memberOf(members: TextMembers[], tape: Tape, key: u32): TextMembers | null {
  for (let i = 0; i < members.length; i++) {
    const member = unchecked(members[i]);
    if (tape.indexIn(key, member.names) >= 0) return member;
  }
  return null;
}

/** A role that no dialect has is the system's: whoever may send it has a say in what the model does. */
function roleOf(tape: Tape, word: u32): TextRole {
  if (tape.equals(word, constant("user"))) return TextRole.User;
  if (tape.equals(word, constant("assistant"))) return TextRole.Assistant;
  if (tape.equals(word, constant("tool")) || tape.equals(word, constant("function")))
    return TextRole.ToolResult;
  return TextRole.System;
}

function roleOfType(tape: Tape, type: u32, role: TextRole): TextRole {
  if (!tape.isString(type) || role == TextRole.ToolResult) return role;
  // `tool_result`, and those of a provider's own tools: `web_search_tool_result`.
  if (endsWith(tape.pointer(type), tape.size(type), constant("tool_result")))
    return TextRole.ToolResult;
  if (tape.equals(type, constant("reasoning"))) return TextRole.Reasoning;
  const isDocument = tape.equals(type, constant("document"));
  return isDocument || tape.equals(type, constant("search_result")) ? TextRole.Document : role;
}
