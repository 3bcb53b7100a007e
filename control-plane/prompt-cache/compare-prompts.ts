// The parts of a recorded prompt (contract/prompt-parts.ts), and what differs between two. Pure.
import {
  BLOCK_MESSAGES,
  MAX_BLOCKS,
  MAX_LISTED,
  MAX_SYSTEM_BLOCKS,
  MAX_TOOLS,
  PART_CHARACTERS,
  PROMPT_SETTINGS,
  SETTING_CHARACTERS,
  TOOL_CHARACTERS,
} from "../../contract/prompt-parts.ts";
import type { PromptMembers } from "../usage/usage-line.ts";

export interface PromptParts {
  /** By name of the member. */
  settings: Map<string, string>;
  /** The hashes of each tool: description, schema, everything else. */
  tools: string[];
  system: string[];
  /** How many messages of the system come first. */
  lead: number;
  /** Undefined if the provider has the messages before: then none can be compared. */
  messages: Messages | undefined;
  /** Blocks of content of all messages. */
  blocks: number;
}

interface Messages {
  count: number;
  /** One for each BLOCK_MESSAGES of the first messages. */
  inBlocks: string[];
  /** The index of the first message that is listed. */
  start: number;
  listed: string[];
}

export function readPromptParts(members: PromptMembers): PromptParts {
  const { settings = "", tools = "", system = "", lead = 0, count, messages = "" } = members;
  return {
    settings: readSettings(settings),
    tools: cut(tools, 3 * TOOL_CHARACTERS),
    system: cut(system, PART_CHARACTERS),
    lead,
    messages: count === undefined ? undefined : readMessages(count, cut(messages, PART_CHARACTERS)),
    blocks: members.blocks ?? count ?? 0,
  };
}

function readSettings(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  for (const name of PROMPT_SETTINGS) {
    const isThere = at < text.length && text[at] !== ".";
    if (isThere) found.set(name, text.slice(at, at + SETTING_CHARACTERS));
    at += isThere ? SETTING_CHARACTERS : 1;
  }
  return found;
}

function readMessages(count: number, hashes: string[]): Messages {
  const blocks = Math.ceil(Math.max(count - MAX_LISTED, 0) / BLOCK_MESSAGES);
  const written = Math.min(blocks, MAX_BLOCKS);
  return {
    count,
    inBlocks: hashes.slice(0, written),
    start: blocks * BLOCK_MESSAGES,
    listed: hashes.slice(written),
  };
}

function cut(text: string, length: number): string[] {
  return Array.from({ length: Math.floor(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

/** A part of a prompt that is not as it was. */
export interface ChangedPart {
  /** `tools[3].description`, `system[1]`, `thinking`, `messages[4]`; `messages[16–31]` if it is one of several. */
  path: string;
  how: "changed" | "added" | "removed" | "moved";
}

export interface PromptDifference {
  /** The first difference of each kind of part, by the order of a prompt; empty if the later prompt has all of the earlier one. */
  changed: (ChangedPart & { part: "tools" | "system" | "settings" | "messages" })[];
  /** The first of them. */
  first: PromptDifference["changed"][number] | undefined;
  /** Whether they have tools, or a system prompt, and the same. */
  hasSameTools: boolean;
  hasSameSystem: boolean;
  /** Whether the tools and the system prompt both differ. */
  isOther: boolean;
  /** How many messages at the start are equal, those of the system not counted. */
  sharedMessages: number;
  /** Of the earlier messages that are listed, the share that the later prompt has, wherever. */
  keptShare: number;
  /** New blocks of content. */
  addedBlocks: number;
}

/** Compares a prompt with one of an earlier turn. @param dialect of the client, which names the members */
export function comparePrompts(
  before: PromptParts,
  after: PromptParts,
  dialect: string | undefined,
): PromptDifference {
  const isResponses = dialect === "openai_responses";
  const list = isResponses ? "input" : "messages";
  const tools = changedTool(before.tools, after.tools, dialect);
  const system = changedSystem(
    before.system,
    after.system,
    isResponses ? "instructions" : "system",
  );
  const setting = changedSetting(before.settings, after.settings);
  const message = firstMessage(before.messages, after.messages);
  const isOfLead = message !== undefined && message.index < before.lead;
  const shared =
    message === undefined ? (before.messages?.count ?? 0) : Math.max(message.index, before.lead);
  const ofMessage = message && { path: `${list}[${message.name}]`, how: message.how };
  const changed: PromptDifference["changed"] = [
    tools && { ...tools, part: "tools" as const },
    system && { ...system, part: "system" as const },
    isOfLead ? ofMessage && { ...ofMessage, part: "system" as const } : undefined,
    setting && { ...setting, part: "settings" as const },
    isOfLead ? undefined : ofMessage && { ...ofMessage, part: "messages" as const },
  ].filter((part) => part !== undefined);
  return {
    changed,
    first: changed[0],
    hasSameTools: tools === undefined && before.tools.length > 0,
    hasSameSystem: system === undefined && !isOfLead && before.system.length + before.lead > 0,
    isOther: tools !== undefined && (system !== undefined || isOfLead),
    sharedMessages: Math.max(shared - before.lead, 0),
    keptShare: keptShare(before, after),
    addedBlocks: after.blocks - before.blocks,
  };
}

function changedTool(
  before: readonly string[],
  after: readonly string[],
  dialect: string | undefined,
): ChangedPart | undefined {
  const index = firstDifference(before, after);
  if (index === undefined) return undefined;
  const path = index < MAX_TOOLS ? `tools[${String(index)}]` : `tools[${String(MAX_TOOLS)}–]`;
  const one = before[index];
  const other = after[index];
  if (one === undefined) return { path, how: "added" };
  if (other === undefined) return { path, how: "removed" };
  if ([...before].sort().join() === [...after].sort().join()) return { path, how: "moved" };
  if (after[index + 1] === one && !before.includes(other)) return { path, how: "added" };
  if (before[index + 1] === other && !after.includes(one)) return { path, how: "removed" };
  const differs = [0, 1, 2].filter((part) => toolHash(one, part) !== toolHash(other, part));
  const schema = dialect === "anthropic_messages" ? "input_schema" : "parameters";
  const inside = dialect === "openai_chat" ? ".function" : "";
  if (index >= MAX_TOOLS || differs.length > 1 || differs[0] === 2) return { path, how: "changed" };
  return { path: `${path}${inside}.${differs[0] === 0 ? "description" : schema}`, how: "changed" };
}

function toolHash(tool: string, part: number): string {
  return tool.slice(part * TOOL_CHARACTERS, (part + 1) * TOOL_CHARACTERS);
}

function changedSystem(
  before: readonly string[],
  after: readonly string[],
  name: string,
): ChangedPart | undefined {
  const index = firstDifference(before, after);
  if (index === undefined) return undefined;
  const isWhole = before.length <= 1 && after.length <= 1;
  const last = index < MAX_SYSTEM_BLOCKS ? "" : "–";
  return {
    path: isWhole ? name : `${name}[${String(index)}${last}]`,
    how: howOf(before[index], after[index]),
  };
}

function changedSetting(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): ChangedPart | undefined {
  const path = PROMPT_SETTINGS.find((name) => before.get(name) !== after.get(name));
  return path === undefined ? undefined : { path, how: howOf(before.get(path), after.get(path)) };
}

function howOf(one: string | undefined, other: string | undefined): ChangedPart["how"] {
  if (one === undefined) return "added";
  return other === undefined ? "removed" : "changed";
}

/** Returns the first index at which two lists differ; undefined if they are equal. */
function firstDifference(one: readonly string[], other: readonly string[]): number | undefined {
  const index = one.findIndex((value, at) => value !== other[at]);
  if (index >= 0) return index;
  return other.length > one.length ? one.length : undefined;
}

interface ChangedMessage {
  index: number;
  /** The index, or the indices of a block. */
  name: string;
  how: ChangedPart["how"];
}

/** Returns the first message of the earlier prompt that the later one does not have in its place. */
function firstMessage(
  before: Messages | undefined,
  after: Messages | undefined,
): ChangedMessage | undefined {
  if (before === undefined || after === undefined) return undefined;
  const count = Math.min(before.count, after.count);
  const from = Math.max(before.start, after.start);
  // Blocks as far as either has them: one has a block, or all messages of it.
  for (let block = 0; block * BLOCK_MESSAGES < Math.min(from, count); block++) {
    const one = blockHash(before, block);
    const other = blockHash(after, block);
    if (one === undefined || other === undefined || one === other) continue;
    const index = block * BLOCK_MESSAGES;
    return {
      index,
      name: `${String(index)}–${String(index + BLOCK_MESSAGES - 1)}`,
      how: "changed",
    };
  }
  for (let index = from; index < count; index++) {
    const one = listedHash(before, index);
    const other = listedHash(after, index);
    if (one === other) continue;
    const how = howInList(before, after, index);
    return { index, name: String(index), how };
  }
  return before.count > after.count
    ? { index: after.count, name: String(after.count), how: "removed" }
    : undefined;
}

function howInList(before: Messages, after: Messages, index: number): ChangedPart["how"] {
  const one = listedHash(before, index);
  const other = listedHash(after, index);
  if (one !== undefined && listedHash(after, index + 1) === one) return "added";
  return other !== undefined && before.listed.indexOf(other) > index - before.start
    ? "removed"
    : "changed";
}

function listedHash({ start, listed }: Messages, index: number): string | undefined {
  return listed[index - start];
}

/** Returns the hash of a block, also of one whose messages are listed; undefined if there is none. */
function blockHash(messages: Messages, block: number): string | undefined {
  const written = messages.inBlocks[block];
  if (written !== undefined) return written;
  const from = block * BLOCK_MESSAGES - messages.start;
  const hashes = messages.listed.slice(Math.max(from, 0), from + BLOCK_MESSAGES);
  return from < 0 || hashes.length < BLOCK_MESSAGES ? undefined : foldedHash(hashes);
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Returns what the filter writes for a block of messages with these hashes (`fold24` of filter/bytes/text/hash.ts). */
export function foldedHash(hashes: readonly string[]): string {
  let folded = 0;
  for (const hash of hashes) {
    const value = hash.split("").reduce((sum, digit) => sum * 64 + DIGITS.indexOf(digit), 0);
    const product = Math.imul(folded ^ value, 0x9e3779b1) >>> 0;
    folded = (product ^ (product >>> 15)) & 0xffffff;
  }
  return [18, 12, 6, 0].map((shift) => DIGITS[(folded >>> shift) & 63]).join("");
}

function keptShare(before: PromptParts, after: PromptParts): number {
  const own = before.messages?.listed.slice(before.messages.start === 0 ? before.lead : 0) ?? [];
  const others = new Set(after.messages?.listed);
  return own.length === 0 ? 0 : own.filter((hash) => others.has(hash)).length / own.length;
}
