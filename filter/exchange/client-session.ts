// The session of a request: what the requests of one conversation have in common (contract/session.ts). Read only if something
// needs it: a record, a trace, the choice of a target or key, or the key of a prompt cache.
import * as rows from "../../contract/session";
import { SessionHeaders } from "../config/session-headers";
import { writeHash } from "../hub/request/call-id";
import { Tape } from "../bytes/json/tape";
import { byteAt, isDigit, isLetter } from "../bytes/text/at";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { find } from "../bytes/text/find";
import { appendHexadecimal, hash64, spread, textHash } from "../bytes/text/hash";
import { HeldText } from "../bytes/text/held-text";
import { Client } from "./client";
import { watchHeaders } from "./request-head";

/** "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64". */
const MAX_ID: u32 = 64;

const AGENT = constant(rows.AGENT_HEADER);
const MEMBERS = spans(rows.SESSION_MEMBERS);
const USER_MARKS = spans(rows.USER_SESSION_MARKS);
const TURN_MARKS = spans([rows.TURN_METADATA_MARK]);
const OPEN_BRACE: u32 = 0x7b;
const METADATA = constant("metadata");
const USER_ID = constant("user_id");
const CONVERSATION = constant(rows.CONVERSATION_MEMBER);
const ID = constant("id");
/** Where a request has a system prompt besides its messages. */
const PROMPTS = spans(["system", "instructions"]);
const TOOLS = constant("tools");
const ROLE = constant("role");
const CONTENT = constant("content");
const TEXT = constant("text");
/** The roles before the first answer of the model. */
const FIRST_ROLES = spans(["system", "developer", "user"]);

/** Values of the head that was read last, in the order of the names. */
let head: SessionHeaders = new SessionHeaders([], [], [], [], false, false);

/** The value of the header that names the agent, in the head that was read last; empty if nothing records it. */
let agentHeader: Span = new Span(0, 0);

const id = scratchBuffer();

/** Has the values of the headers kept with each head. */
export function watchSessions(names: SessionHeaders): void {
  head = new SessionHeaders(
    watchHeaders(names.ids),
    watchHeaders(names.subagents),
    watchHeaders(names.parents),
    watchHeaders(names.purposes),
    names.isRecorded,
    names.isObserved,
  );
  agentHeader = names.isRecorded ? watchHeaders([AGENT])[0] : new Span(0, 0);
}

export class Session {
  /** Of at most 64 letters, digits and `-_.:`; null if the request has none. */
  id: HeldText | null = null;
  /** Whether the client names it; else it is a hash of how the conversation begins. */
  isNamed: bool = false;
  /** Name and version of the client, as it names itself. */
  agent: HeldText | null = null;
  subagent: HeldText | null = null;
  parent: HeldText | null = null;
  purpose: HeldText | null = null;
  /** The parts of the prompt (contract/prompt-parts.ts); null if they are not recorded. */
  prompt: HeldText | null = null;
  /** Whether the choice of a target, or of a key, was the session's. */
  isKept: bool = false;
  /** Whether the id is of one conversation by its definition: a cache key or a hash may be of all requests of an application. */
  private isOfOneConversation: bool = false;
  /** Distinguishes conversations with one id: a hash of how an agent's, one with tools, begins; 0 for other requests. */
  private conversationHash: u64 = 0;

  /** Reads the headers of the head that was read last. */
  constructor() {
    this.id = firstOf(head.ids);
    this.isNamed = this.id !== null;
    this.isOfOneConversation = this.isNamed;
    const agent = wordLength(agentHeader);
    if (agent > 0) this.agent = new HeldText(agentHeader.pointer, agent);
    this.subagent = firstOf(head.subagents);
    this.parent = firstOf(head.parents);
    this.purpose = firstOf(head.purposes);
  }

  /** Reads the body for a session that the client names there, unless a header has. */
  readNamed(tape: Tape): void {
    if (this.isNamed) return;
    const named = memberIn(tape);
    const conversation = conversationIn(tape);
    if (conversation !== null) {
      this.isOfOneConversation = true;
      if (named !== null) this.conversationHash = hash64(conversation.pointer, conversation.length);
    }
    this.id = named === null ? conversation : named;
    this.isNamed = this.id !== null;
  }

  /** Reads the body for the session, whether the client names it or not. */
  readBody(client: Client, tape: Tape): void {
    this.readNamed(tape);
    if (this.isOfOneConversation || !client.endpoint.row.isInference) return;
    const hash = beginHash(client, tape);
    if (hash == 0) return;
    const tools = tape.member(0, TOOLS);
    if (tape.isArray(tools) && tape.first(tools) < tape.next(tools)) this.conversationHash = hash;
    if (this.isNamed) return;
    id.clear();
    id.text(rows.DERIVED_PREFIX);
    appendHexadecimal(spread(hash), id);
    this.id = new HeldText(id.pointer, id.length);
  }

  /**
   * Returns a number that stands for the session, and is the same in each gateway; 0 if there is no reason to keep to it. Constant
   * examples before each question, and a constant cache key, would send an application's requests to one target and key.
   */
  get place(): u64 {
    const place = this.conversation;
    const subagent = this.subagent;
    if (subagent === null || place == 0) return place;
    // The prompt of a sub-agent has nothing in common with that of its session.
    return hash64(subagent.pointer, subagent.length, place);
  }

  /** Returns the same with all its sub-agents, for the limits of a session. */
  get conversation(): u64 {
    const own = this.id;
    if (own === null || !(this.isOfOneConversation || this.conversationHash != 0)) return 0;
    return hash64(own.pointer, own.length) ^ this.conversationHash;
  }
}

/**
 * Returns a hash of what stays the same in a conversation and differs between two: the client, the system prompt and all
 * messages before the first answer of the model, as texts without their marks and blocks, which agents change. 0 if the
 * request continues what the provider stores, or has no messages.
 */
function beginHash(client: Client, tape: Tape): u64 {
  if (client.dialect.refersToState(tape)) return 0;
  let hash: u64 = 0;
  const key = client.apiKey;
  if (key !== null) {
    hash = hash64(key.name.pointer, key.name.length);
    const user = key.user;
    if (user !== null) hash = hash64(user.pointer, user.length, hash);
  }
  for (let i = 0; i < PROMPTS.length; i++)
    hash = contentHash(tape, tape.member(0, PROMPTS[i]), hash);
  const list = tape.member(0, client.dialect.conversation.list);
  const before = hash;
  if (tape.isString(list)) hash = contentHash(tape, list, hash);
  else if (!tape.isArray(list)) return 0;
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item)) {
    if (tape.indexIn(tape.member(item, ROLE), FIRST_ROLES) < 0) break;
    hash = contentHash(tape, tape.member(item, CONTENT), hash);
  }
  return hash == before ? 0 : hash;
}

/** Returns the session that a member of the body's top level names; null if it names none. */
function memberIn(tape: Tape): HeldText | null {
  for (let i = 0; i < MEMBERS.length; i++) {
    const named = textOf(tape, tape.member(0, MEMBERS[i]));
    if (named !== null) return named;
  }
  return null;
}

/** Returns the session of Claude Code's metadata, or the conversation that the provider stores; null without them. */
function conversationIn(tape: Tape): HeldText | null {
  const user = tape.member(tape.member(0, METADATA), USER_ID);
  if (tape.isString(user)) {
    const named = markedIn(new Span(tape.pointer(user), tape.size(user)), USER_MARKS);
    if (named !== null) return named;
  }
  const conversation = tape.member(0, CONVERSATION);
  return textOf(tape, tape.isString(conversation) ? conversation : tape.member(conversation, ID));
}

function textOf(tape: Tape, node: u32): HeldText | null {
  return tape.isString(node) ? kept(tape.pointer(node), tape.size(node)) : null;
}

function firstOf(values: Span[]): HeldText | null {
  for (let i = 0; i < values.length; i++) {
    const value = unchecked(values[i]);
    if (value.length == 0) continue;
    // Codex's metadata of a turn are a JSON text.
    return byteAt(value.pointer, 0) == OPEN_BRACE
      ? markedIn(value, TURN_MARKS)
      : kept(value.pointer, value.length);
  }
  return null;
}

/** Returns what follows the first mark that a text has, up to a character that ids do not have; null without one. */
function markedIn(text: Span, marks: Span[]): HeldText | null {
  const end = text.pointer + text.length;
  for (let i = 0; i < marks.length; i++) {
    const at = find(text.pointer, text.length, marks[i]);
    if (at == 0) continue;
    const start = at + marks[i].length;
    return kept(start, plainLength(start, <u32>(end - start)));
  }
  return null;
}

/** Copies an id, or a hash of one that is long or has other characters than ids have: it goes into logs and headers. */
function kept(pointer: usize, length: u32): HeldText | null {
  if (length == 0) return null;
  if (length <= MAX_ID && plainLength(pointer, length) == length)
    return new HeldText(pointer, length);
  id.clear();
  writeHash(pointer, length, id);
  return new HeldText(id.pointer, id.length);
}

/** Returns how many characters at the start are letters, digits or `-_.:`. */
function plainLength(pointer: usize, length: u32): u32 {
  for (let i: u32 = 0; i < length; i++) {
    const byte = byteAt(pointer, i);
    const isSign = byte == 0x2d || byte == 0x5f || byte == 0x2e || byte == 0x3a;
    if (!isLetter(byte) && !isDigit(byte) && !isSign) return i;
  }
  return length;
}

/** Returns how many visible characters a text begins with, at most MAX_ID. */
function wordLength(text: Span): u32 {
  const length = min(text.length, MAX_ID);
  for (let i: u32 = 0; i < length; i++) {
    const byte = byteAt(text.pointer, i);
    if (byte <= 0x20 || byte >= 0x7f) return i;
  }
  return length;
}

/** Adds the texts of a content to a hash: a string, or the texts of its blocks. */
function contentHash(tape: Tape, content: u32, hash: u64): u64 {
  if (tape.isString(content)) return textHash(tape.pointer(content), tape.size(content), hash);
  if (!tape.isArray(content)) return hash;
  const end = tape.next(content);
  for (let block = tape.first(content); block < end; block = tape.next(block)) {
    const text = tape.member(block, TEXT);
    if (tape.isString(text)) hash = textHash(tape.pointer(text), tape.size(text), hash);
  }
  return hash;
}

function spans(list: string[]): Span[] {
  return list.map<Span>((one) => constant(one));
}
