// The issuers of tokens that a listener accepts, and where the payload of a verified token has who the client is.
import * as members from "../../contract/filter-document";
import {
  FAILURE,
  PAYLOAD_HEADER_BEGIN,
  PAYLOAD_HEADER_END,
  TOKEN_METADATA,
} from "../../contract/token-metadata";
import { constant, Span } from "../bytes/text/bytes";
import { Document, textOf } from "./document";

const METADATA = "metadata\0filter_metadata\0" + TOKEN_METADATA + "\0" + FAILURE;

/** Where a payload has a claim. */
export class Claim {
  /** Names of members, each inside the one before. */
  path: Span[] = [];
  /** For messages. */
  name: string = "";
}

export class TokenIssuer {
  /** The payload of the verified token in the head that was read last; empty without one. */
  payload: Span = new Span(0, 0);

  constructor(
    /** The header of the payload. */
    public header: Span,
    /** The property with why the issuer's token was rejected. */
    public failure: Span,
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
    const one = list[i];
    issuers.push(
      new TokenIssuer(
        constant(PAYLOAD_HEADER_BEGIN + i.toString() + PAYLOAD_HEADER_END),
        constant(METADATA + i.toString() + "\0message"),
        claimOf(from, one, constant(members.ISSUER_NAME)),
        claimOf(from, one, constant(members.ISSUER_USER)),
        optionalClaim(from, one, constant(members.ISSUER_GROUPS)),
        optionalClaim(from, one, constant(members.ISSUER_MODELS)),
        optionalClaim(from, one, constant(members.ISSUER_SESSION)),
      ),
    );
  }
  return issuers;
}

function optionalClaim(from: Document, node: u32, member: Span): Claim | null {
  return from.has(node, member) ? claimOf(from, node, member) : null;
}

function claimOf(from: Document, node: u32, member: Span): Claim {
  const claim = new Claim();
  const parts = from.items(node, member);
  for (let i = 0; i < parts.length; i++) {
    const part = textOf(from.tape, parts[i]);
    claim.path.push(constant(part));
    claim.name += (i == 0 ? "" : ".") + part;
  }
  return claim;
}
