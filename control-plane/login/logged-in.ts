// Who has logged in, by the claims of the identity provider, as a token can name it.
import { MAX_CLAIM_BYTES, MAX_CLAIM_ITEMS } from "../../contract/token-metadata.ts";
import { isUserName } from "../../model/keys.ts";
import type { Login } from "../../model/login.ts";
import type { SignIn } from "../../model/model.ts";
import {
  type Claims,
  type Identity,
  identityOf,
  isInOneOf,
} from "../observability/sign-in/person.ts";
import type { LoggedIn } from "./token-keys.ts";

export interface Rules {
  login: Pick<Login, "allowedGroups">;
  signIn: SignIn;
  /** Whether something is set for a group here. Throws if that cannot be found out now. */
  isKnownGroup: (group: string) => boolean;
}

/**
 * Returns the person, or why the claims allow no login, as a sentence.
 * @param before who it was when the session began
 */
export function loggedInOf(
  claims: Claims,
  session: string,
  { login, signIn, isKnownGroup }: Rules,
  before?: Identity,
): LoggedIn | string {
  const identity = identityOf(claims, signIn, before);
  if (typeof identity === "string") return identity;
  const { name, groups } = identity;
  if (!isInOneOf(groups, login.allowedGroups))
    return `${name} may not log in: none of the groups in the claim ${signIn.claims.groups} is in allowed_groups.`;
  // The filter accepts no other values of claims (docs/identity.md).
  if (!isUserName(name)) return "The name has a comma or a control character, or is too long.";
  const usable = groups.filter(isUserName);
  // A token without groups may use all models.
  if (usable.length === 0 && groups.length > 0)
    return "The names of all groups have a comma or a control character, or are too long.";
  const known = new Set(usable.filter(isKnownGroup));
  // What is not in the token would not restrict.
  if (known.size > MAX_CLAIM_ITEMS)
    return `${name} is in ${String(known.size)} groups of this gateway; a token has at most ${String(MAX_CLAIM_ITEMS)}.`;
  const isAllowed = (group: string) => login.allowedGroups.includes(group);
  const ordered = [...new Set([...known, ...usable.filter(isAllowed), ...usable])];
  const subject = String(claims["sub"]).slice(0, MAX_CLAIM_BYTES);
  return { session, subject, name, groups: ordered.slice(0, MAX_CLAIM_ITEMS) };
}
