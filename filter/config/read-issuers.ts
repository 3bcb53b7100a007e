// The issuers of tokens that a listener accepts: where Envoy's metadata has the claims of a verified token.
import * as members from "../../contract/filter-document";
import { PAYLOAD, TOKEN_METADATA } from "../../contract/token-metadata";
import { constant, sameSpan, Span } from "../bytes/text/bytes";
import { Document, textOf } from "./document";

const NUL = "\0";

export class Claim {
  /** The property of the value. */
  path: Span;

  constructor(
    /** For messages. */
    public name: string,
    path: string,
  ) {
    this.path = constant(path);
  }
}

export class TokenIssuer {
  constructor(
    /** Each payload has it, because Envoy has compared it. */
    public issuer: Claim,
    public name: Claim,
    public user: Claim,
    public groups: Claim | null,
    public models: Claim | null,
    /** Null: its sessions cannot be ended. */
    public session: Claim | null,
  ) {}
}

/** Returns the issuers in a member. */
export function readTokenIssuers(from: Document, node: u32, member: Span): TokenIssuer[] {
  const issuers = new Array<TokenIssuer>();
  const list = from.items(node, member);
  for (let i = 0; i < list.length; i++) {
    const before =
      "metadata" + NUL + "filter_metadata" + NUL + TOKEN_METADATA + NUL + PAYLOAD + i.toString();
    const issuer = new TokenIssuer(
      new Claim("iss", before + NUL + "iss"),
      new Claim("", ""),
      new Claim("", ""),
      null,
      null,
      null,
    );
    issuer.name = claimOf(from, list[i], constant(members.ISSUER_NAME), before);
    issuer.user = claimOf(from, list[i], constant(members.ISSUER_USER), before);
    // Read once for both.
    if (sameSpan(issuer.user.path, issuer.name.path)) issuer.user = issuer.name;
    if (from.has(list[i], constant(members.ISSUER_GROUPS)))
      issuer.groups = claimOf(from, list[i], constant(members.ISSUER_GROUPS), before);
    if (from.has(list[i], constant(members.ISSUER_MODELS)))
      issuer.models = claimOf(from, list[i], constant(members.ISSUER_MODELS), before);
    if (from.has(list[i], constant(members.ISSUER_SESSION)))
      issuer.session = claimOf(from, list[i], constant(members.ISSUER_SESSION), before);
    issuers.push(issuer);
  }
  return issuers;
}

function claimOf(from: Document, node: u32, member: Span, before: string): Claim {
  let path = before;
  let name = "";
  const parts = from.items(node, member);
  for (let i = 0; i < parts.length; i++) {
    const part = textOf(from.tape, parts[i]);
    path += NUL + part;
    name += (i == 0 ? "" : ".") + part;
  }
  return new Claim(name, path);
}
