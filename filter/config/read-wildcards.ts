// Reads the entries for all models of a provider.
import * as members from "../../contract/filter-document";
import { constant, Span } from "../bytes/text/bytes";
import { Document } from "./document";
import { Family, Wildcard } from "./wildcard";

/** Returns the entries, which may be missing. `routes`: how many routes there are. */
export function readWildcards(from: Document, root: u32, routes: i32): Wildcard[] {
  const wildcards = new Array<Wildcard>();
  const list = from.items(root, constant(members.DOCUMENT_WILDCARDS));
  for (let i = 0; i < list.length; i++) {
    const wildcard = new Wildcard();
    wildcard.prefix = from.bytes(list[i], constant(members.WILDCARD_PREFIX));
    wildcard.bareFrom = from.number(list[i], constant(members.WILDCARD_BARE_FROM));
    wildcard.bare = from.spans(list[i], constant(members.WILDCARD_BARE));
    wildcard.route = from.index(list[i], constant(members.WILDCARD_ROUTE), routes);
    wildcard.families = readFamilies(from, list[i], constant(members.WILDCARD_FAMILIES), routes);
    wildcards.push(wildcard);
  }
  return wildcards;
}

export function readFamilies(from: Document, node: u32, member: Span, routes: i32): Family[] {
  const families = new Array<Family>();
  const list = from.items(node, member);
  for (let i = 0; i < list.length; i++) {
    const patterns = from.spans(list[i], constant(members.FAMILY_MODELS));
    const route = from.index(list[i], constant(members.FAMILY_ROUTE), routes);
    families.push(new Family(patterns, route));
  }
  return families;
}
