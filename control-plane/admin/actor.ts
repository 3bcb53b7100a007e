// Who calls the admin API: the user of the control socket, a program with the token, or a person who signed in.
import type { Context } from "hono";

export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export interface Actor {
  /** How the caller proved who it is: by a socket that only the gateway's user can open, by the token, or by signing in. */
  kind: "socket" | "token" | "user";
  /** For the audit log and for `created_by`: the account of this machine, `token`, or the person's name. */
  name: string;
  roles: readonly Role[];
  /** IP address of the caller; absent for the socket. */
  address?: string;
  /** Groups of a person, whose keys the person may use and create. Absent: not limited to groups. */
  groups?: readonly string[];
}

/** What the context of a request has for this module. */
const ACTOR = "actor";

/** Sets the caller of a request. Called once, by the middleware that has checked the credential. */
export function setActor(context: Context, actor: Actor): void {
  context.set(ACTOR, actor);
}

/** Returns the caller of a request; undefined if no middleware has recognised one, and the request must be rejected. */
export function actorOf(context: Context): Actor | undefined {
  return context.get(ACTOR) as Actor | undefined;
}
