// Who has logged in, by the claims of the identity provider, as a token can name it.
import { MAX_CLAIM_BYTES, MAX_CLAIM_ITEMS } from "../../contract/token-metadata.ts";
import type { Login } from "../../model/login.ts";
import type { SignIn } from "../../model/model.ts";
import { type Claims, identityOf, isInOneOf } from "../observability/sign-in/person.ts";
import type { LoggedIn } from "./token-keys.ts";

export interface Rules {
  login: Pick<Login, "allowedGroups">;
  signIn: SignIn;
  /** Groups of the configuration, which a token has before others. */
  knownGroups: readonly string[];
}

/** Returns the person, or why the claims allow no login, as a sentence. */
export function loggedInOf(
  claims: Claims,
  session: string,
  { login, signIn, knownGroups }: Rules,
): LoggedIn | string {
  const identity = identityOf(claims, signIn);
  if (typeof identity === "string") return identity;
  const { name, groups } = identity;
  if (!isInOneOf(groups, login.allowedGroups))
    return `${name} may not log in: none of the groups in the claim ${signIn.claims.groups} is in allowed_groups.`;
  if (!fitsClaim(name)) return "The name has a comma or a control character, or is too long.";
  const usable = groups.filter(fitsClaim);
  // A token without groups may use all models.
  if (usable.length === 0 && groups.length > 0)
    return "The names of all groups have a comma or a control character, or are too long.";
  const isKnown = (group: string) => knownGroups.includes(group);
  const ordered = [...usable.filter(isKnown), ...usable.filter((group) => !isKnown(group))];
  const subject = String(claims["sub"]).slice(0, MAX_CLAIM_BYTES);
  return { session, subject, name, groups: ordered.slice(0, MAX_CLAIM_ITEMS) };
}

/** The filter accepts no other values of claims (docs/identity.md). */
function fitsClaim(text: string): boolean {
  const isPlain = !/[,\p{Cc}]/u.test(text);
  return isPlain && text !== "" && Buffer.byteLength(text) <= MAX_CLAIM_BYTES;
}
