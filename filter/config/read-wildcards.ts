// Reads the entries for all models of a provider.
import { constant } from "../bytes/text/bytes";
import { Tape } from "../bytes/json/tape";
import { bytesOf, integerOf, onlyKnownMembers, reportProblem, spansOf } from "./document";
import { Family, Wildcard } from "./wildcard";

/** Returns the entries of the list, which may be missing. `routes`: how many routes there are. */
export function readWildcards(tape: Tape, list: u32, routes: i32): Wildcard[] {
  const wildcards = new Array<Wildcard>();
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    onlyKnownMembers(tape, node, constant("prefix bare_from bare families route"));
    const wildcard = new Wildcard();
    wildcard.prefix = bytesOf(tape, tape.member(node, constant("prefix")));
    wildcard.bareFrom = integerOf(tape, tape.member(node, constant("bare_from")));
    wildcard.bare = spansOf(tape, tape.member(node, constant("bare")));
    wildcard.route = routeOf(tape, node, routes);
    const families = tape.member(node, constant("families"));
    const last = tape.next(families);
    for (let one = tape.first(families); one < last; one = tape.next(one)) {
      onlyKnownMembers(tape, one, constant("models route"));
      const patterns = spansOf(tape, tape.member(one, constant("models")));
      wildcard.families.push(new Family(patterns, routeOf(tape, one, routes)));
    }
    wildcards.push(wildcard);
  }
  return wildcards;
}

function routeOf(tape: Tape, node: u32, routes: i32): i32 {
  const route = integerOf(tape, tape.member(node, constant("route")));
  if (route >= routes) reportProblem("a wildcard stands for a route that is not there");
  return route;
}
