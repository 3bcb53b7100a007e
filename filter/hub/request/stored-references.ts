// Finds what a request refers to in the account of its provider: an earlier response, a conversation, a file and the like.
// Content of a client's own, such as a tool's schema and the arguments of a call, may have members of these names.
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { startsWith } from "../../bytes/text/at";
import { constant, Span } from "../../bytes/text/bytes";

/** A member that refers to an object by its id: a string, or a list of strings. */
const IDS: Span[] = [
  constant("previous_response_id"),
  constant("file_id"),
  constant("file_ids"),
  constant("vector_store_ids"),
  constant("container_id"),
  constant("cached_content"),
];
/** A member that is the id itself, or an object with it. */
const HOLDERS: Span[] = [constant("conversation"), constant("container")];
/** A member whose object may have an id; a string is a text. */
const OBJECTS: Span[] = [constant("prompt"), constant("audio")];
/** A member with content of the client's own. */
const OPAQUE: Span[] = [
  constant("parameters"),
  constant("input_schema"),
  constant("input_examples"),
  constant("schema"),
  constant("metadata"),
  constant("arguments"),
];

const ID = constant("id");
const TYPE = constant("type");
const INPUT = constant("input");
const SKILL_ID = constant("skill_id");
const ITEM_REFERENCE = constant("item_reference");
/** How the id of a skill begins that is not the provider's own. */
const STORED_SKILL = constant("skill_");
/** No format has references further in. */
const MAX_DEPTH: u32 = 16;

/** Returns the name of the first reference in a request of any dialect; null if it has none. */
export function findReference(tape: Tape): Span | null {
  const input = tape.member(tape.root(), INPUT);
  if (tape.isArray(input)) {
    const end = tape.next(input);
    for (let item = tape.first(input); item < end; item = tape.next(item)) {
      if (isReference(tape, item)) return ITEM_REFERENCE;
    }
  }
  return findInside(tape, tape.root(), 0);
}

/** An object without type and role is a reference, too: `{"id": "msg_1"}`. A call without its image refers to the image. */
function isReference(tape: Tape, item: u32): bool {
  if (!tape.isString(tape.member(item, ID))) return false;
  const type = tape.member(item, TYPE);
  if (tape.equals(type, constant("image_generation_call")))
    return !tape.isPresent(tape.member(item, constant("result")));
  return !tape.isPresent(type) && tape.member(item, constant("role")) == NO_NODE;
}

function findInside(tape: Tape, node: u32, depth: u32): Span | null {
  if (depth > MAX_DEPTH) return null;
  const isObject = tape.isObject(node);
  if (!isObject && !tape.isArray(node)) return null;
  const end = tape.next(node);
  for (let child = tape.first(node); child < end; child = tape.next(child)) {
    let found: Span | null = null;
    if (isObject) {
      const name = child++;
      found = referenceOf(tape, name, child);
      if (found === null && isOpaque(tape, name, child)) continue;
    }
    if (found === null) found = findInside(tape, child, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the name of a member that is a reference; null if it is none. */
function referenceOf(tape: Tape, name: u32, value: u32): Span | null {
  if (tape.equals(value, ITEM_REFERENCE)) return tape.equals(name, TYPE) ? ITEM_REFERENCE : null;
  const isText = tape.isString(value);
  if (isText || hasChildren(tape, value)) {
    const id = nameIn(IDS, tape, name);
    if (id !== null) return id;
  }
  const hasId = tape.isString(tape.member(value, ID));
  if (isText || hasId) {
    const holder = nameIn(HOLDERS, tape, name);
    if (holder !== null) return holder;
  }
  if (hasId) return nameIn(OBJECTS, tape, name);
  return isText && tape.equals(name, SKILL_ID) && isStoredSkill(tape, value) ? SKILL_ID : null;
}

function hasChildren(tape: Tape, value: u32): bool {
  return tape.isArray(value) && !tape.isEmpty(value);
}

function isStoredSkill(tape: Tape, value: u32): bool {
  return startsWith(tape.pointer(value), tape.size(value), STORED_SKILL);
}

/** The arguments of a call are an object in one dialect, whose member has the name of another's list of items. */
function isOpaque(tape: Tape, name: u32, value: u32): bool {
  if (tape.isObject(value) && tape.equals(name, INPUT)) return true;
  return nameIn(OPAQUE, tape, name) !== null;
}

function nameIn(names: Span[], tape: Tape, name: u32): Span | null {
  const at = tape.indexIn(name, names);
  return at < 0 ? null : unchecked(names[at]);
}
