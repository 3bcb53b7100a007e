// Who signed in, by the claims of the identity provider: name, groups, and the roles that the configuration gives to groups.
import { ROLES } from "../../admin/actor.ts";
import type { Role } from "../../admin/actor.ts";
import type { SignIn } from "../../../model/model.ts";

export type Claims = Readonly<Record<string, unknown>>;

export interface Identity {
  name: string;
  groups: string[];
}

export interface Person extends Identity {
  roles: Role[];
}

/** Stands for every person in a list of groups. */
const EVERYBODY = "*";
/** Of a person: who has more is refused, because one that is left out could be one that restricts. */
const MAX_GROUPS = 5_000;
const MAX_TEXT = 200;

/** Returns the person, or why the claims give none, as a sentence. */
export function personOf(claims: Claims, settings: SignIn): Person | string {
  const identity = identityOf(claims, settings);
  if (typeof identity === "string") return identity;
  const { name, groups } = identity;
  const roles = rolesOf(groups, settings);
  if (roles === undefined)
    return `${name} has no role here: none of the groups in the claim ${settings.claims.groups} has one.`;
  return { name, groups, roles };
}

/** Returns the roles of groups, none for somebody who only has the own keys; undefined for who may not sign in. */
export function rolesOf(
  groups: readonly string[],
  { roles: groupsOf, selfService }: Pick<SignIn, "roles" | "selfService">,
): Role[] | undefined {
  const roles = ROLES.filter((role) => isInOneOf(groups, groupsOf[role]));
  return roles.length > 0 || isInOneOf(groups, selfService) ? roles : undefined;
}

/** Whether a person in these groups is meant. @param wanted groups, or `*` for everybody */
export function isInOneOf(groups: readonly string[], wanted: readonly string[] = []): boolean {
  return wanted.some((group) => group === EVERYBODY || groups.includes(group));
}

/**
 * Returns who the claims are of, whatever that person may do, or why they do not identify one, as a sentence.
 * @param before who it was when the session began: a provider may leave claims out of a refresh
 */
export function identityOf(claims: Claims, settings: SignIn, before?: Identity): Identity | string {
  const { claims: names } = settings;
  const name = textAt(claims, names.name) ?? before?.name ?? textAt(claims, "sub");
  if (name === undefined) return `The claim ${names.name} is missing.`;
  const verified = claims["email_verified"];
  const wasVerified = verified === undefined && name === before?.name;
  if (names.name === "email" && !wasVerified && !isVerified(verified, settings))
    return `The identity provider has not verified the address ${name}: the claim email_verified is not true.`;
  if (hasTooManyGroups(claims, names.groups))
    return "The identity provider left the groups out, because there are too many; use application roles instead.";
  const claim = valueAt(claims, names.groups);
  if (claim === undefined) return { name, groups: before?.groups ?? [] };
  const groups = usableGroups(claim);
  if (groups.length > MAX_GROUPS)
    return `${name} is in more than ${String(MAX_GROUPS)} groups; have the identity provider send fewer.`;
  // A person without groups may do what a group does not allow.
  return groups.length === 0 && !isEmptyList(claim)
    ? `The claim ${names.groups} of ${name} has no group that can be used: it must be a list of names.`
    : { name, groups };
}

/** Returns what names a person that has no role here. */
export function nameOf(claims: Claims): string {
  return textAt(claims, "email") ?? textAt(claims, "sub") ?? "unknown";
}

/** Whether the claims lack what decides the roles, and the userinfo endpoint may have it. */
export function lacksClaims(claims: Claims, { claims: names }: SignIn): boolean {
  const needed = [names.name, names.groups, ...(names.name === "email" ? ["email_verified"] : [])];
  return needed.some((name) => valueAt(claims, name) === undefined);
}

/** Some providers send the claim as a text, and some send none. */
function isVerified(claim: unknown, { needsVerifiedEmail }: SignIn): boolean {
  return claim === true || claim === "true" || (claim === undefined && !needsVerifiedEmail);
}

/** Entra ID names a claim that it left out in `_claim_names`. */
function hasTooManyGroups(claims: Claims, name: string): boolean {
  const left = claims["_claim_names"];
  return typeof left === "object" && left !== null && Object.hasOwn(left, name);
}

/** Returns a member by its name, or by a path of names with dots: `resource_access.gateway.roles`. */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Claims)[name];
  }
  return value;
}

function textAt(claims: Claims, path: string): string | undefined {
  const value = valueAt(claims, path);
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_TEXT) : undefined;
}

/** @param claim a list, or one group as a text */
function usableGroups(claim: unknown): string[] {
  const all: unknown[] = Array.isArray(claim) ? claim : [claim];
  return all.filter(
    (one): one is string => typeof one === "string" && one !== "" && one.length <= MAX_TEXT,
  );
}

function isEmptyList(claim: unknown): boolean {
  return Array.isArray(claim) && claim.length === 0;
}
