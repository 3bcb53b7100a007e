// The members that an attempt leaves out, each with its reason.
import { DIALECTS } from "../contract/dialects.ts";
import reasons from "./dropped-members.json" with { type: "json" };

export interface DroppedMember {
  /** As `x-gateway-dropped` lists it. */
  member: string;
  /** `changed`: the provider's request has the member with another value. `replaced`: another part may stand for it. */
  fate: "dropped" | "changed" | "replaced";
  /** A sentence, or the rule by which the provider's dialect writes the member. */
  reason: string;
}

const MEMBERS: Readonly<Record<string, Readonly<Record<string, string | number>>>> =
  reasons.members;
const NOTES: Readonly<Record<string, Readonly<Record<string, string>>>> = reasons.notes;

/** How a beta is listed (filter/dialects/anthropic/messages/hosted/hosted-request.ts). */
const BETA = "anthropic-beta=";
/** The parts of a response that can be left out: a fixed list (filter/hub/dropped.ts). */
const OF_RESPONSE = "response.";
/** What the gateway lists under a name that is no member. */
const OWN_NAMES = new Set(["prefill", "thought_signature"]);
const LIMITS = "the model does not support it (`limits` of its entry)";

/**
 * Returns the members of a list, with reasons.
 * @param list as `x-gateway-dropped` has it
 * @param client the client's dialect
 * @param provider the target's dialect
 * @param sent the provider's request body
 */
export function droppedMembers(
  list: string | undefined,
  client: string | undefined,
  provider: string,
  sent: string,
): DroppedMember[] {
  if (list === undefined) return [];
  const names = memberNames(sent);
  return list.split(",").map((member) => {
    const rule = reasonOf(member, client, provider);
    const isRule = isSlot(member, client) && client !== provider && rule !== LIMITS;
    if (!isRule) return { member, fate: "dropped", reason: rule };
    const reason = `the rule of ${titleOf(provider)}: ${rule.replaceAll(/,? which is listed[^;]*/g, "")}`;
    return { member, fate: names.has(member) ? "changed" : "replaced", reason };
  });
}

/** Returns the names of the members at the top of a JSON text; empty for any other text. */
function memberNames(text: string): Set<string> {
  try {
    return new Set(Object.keys(JSON.parse(text) as object));
  } catch {
    return new Set();
  }
}

function titleOf(dialect: string): string {
  return DIALECTS.find(({ name }) => name === dialect)?.title ?? dialect;
}

/** Returns whether every dialect can express a member. */
function isSlot(member: string, client = ""): boolean {
  return typeof findMember(member, client) === "number";
}

function findMember(member: string, client: string): string | number | undefined {
  const known = MEMBERS[client] ?? {};
  return known[member] ?? known[member.slice(0, member.lastIndexOf("."))];
}

/**
 * Returns a member of a list if the gateway knows it, or the member that it is a part of; undefined for one that a client
 * made up.
 */
export function knownMember(member: string): string | undefined {
  if (member.startsWith(BETA)) return BETA.slice(0, -1);
  if (member.startsWith(OF_RESPONSE) || OWN_NAMES.has(member)) return member;
  const parent = member.slice(0, member.lastIndexOf("."));
  const all = Object.values(MEMBERS);
  return [member, parent].find((one) => all.some((members) => one in members));
}

function reasonOf(member: string, client: string | undefined, provider: string): string {
  if (member.startsWith(BETA)) return "the cloud does not accept this beta";
  if (client === provider) return LIMITS;
  const found = findMember(member, client ?? "");
  if (found === undefined) return "the gateway does not know this member";
  if (typeof found === "number") return NOTES[provider]?.[String(found)] ?? LIMITS;
  return `${found}: not a part of ${titleOf(provider)}`;
}
