// The members that an attempt leaves out, each with its reason.
import { DIALECTS } from "../../contract/dialects.ts";
import reasons from "./dropped-reasons.json" with { type: "json" };

export interface DroppedMember {
  /** As `x-gateway-dropped` lists it. */
  member: string;
  reason: string;
}

const MEMBERS: Readonly<Record<string, Readonly<Record<string, string | number>>>> =
  reasons.members;
const NOTES: Readonly<Record<string, Readonly<Record<string, string>>>> = reasons.notes;

/** How a beta is listed (filter/hub/envelope.ts). */
const BETA = "anthropic-beta=";
const LIMITS = "the model does not support it (`limits` of its entry)";

/**
 * Returns the members of a list, with reasons.
 * @param list as `x-gateway-dropped` has it
 * @param client the client's dialect
 * @param provider the target's dialect
 */
export function droppedMembers(
  list: string | undefined,
  client: string | undefined,
  provider: string,
): DroppedMember[] {
  if (list === undefined) return [];
  return list.split(",").map((member) => ({ member, reason: reasonOf(member, client, provider) }));
}

function reasonOf(member: string, client: string | undefined, provider: string): string {
  if (member.startsWith(BETA)) return "the cloud does not accept this beta";
  if (client === provider) return LIMITS;
  const known = MEMBERS[client ?? ""] ?? {};
  const found = known[member] ?? known[member.slice(0, member.lastIndexOf("."))];
  if (found === undefined) return "the gateway does not know this member";
  if (typeof found === "number") return NOTES[provider]?.[String(found)] ?? LIMITS;
  const title = DIALECTS.find(({ name }) => name === provider)?.title ?? provider;
  return `${found}: not a part of ${title}`;
}
