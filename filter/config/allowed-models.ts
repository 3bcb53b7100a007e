// The models that a client key may be used for (model/filter-document/client-keys.ts, `AllowedModels`).
import { Tape } from "../bytes/json/tape";
import { byteAt, startsWith } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { integerOf, onlyKnownMembers, reportProblem, spansOf } from "./document";
import { ModelList, readModelList } from "./model-list";
import { Target } from "./target";
import { matches, WildcardModel } from "./wildcard";

const SLASH: u32 = 0x2f;

/** Models of a wildcard that are allowed, if not all of them are. */
class AllowedNames {
  constructor(
    public route: i32,
    /** Bare names, in which `*` stands for any text. */
    public patterns: Span[],
  ) {}
}

export class AllowedModels {
  /** Whether each route is allowed, whatever model is requested. */
  routes: StaticArray<bool>;
  names: AllowedNames[] = [];
  /** Those of which all models are allowed. */
  providers: Span[] = [];
  /** What the client may see. */
  models: ModelList = new ModelList();

  constructor(routes: i32) {
    this.routes = new StaticArray<bool>(routes);
  }

  /** Returns whether the route is allowed. @param model that of a wildcard, for a name that is not configured */
  has(route: i32, model: WildcardModel | null): bool {
    if (route >= 0 && route < this.routes.length && this.routes[route]) return true;
    if (model === null) return false;
    for (let i = 0; i < this.names.length; i++) {
      const allowed = this.names[i];
      if (allowed.route != route) continue;
      for (let j = 0; j < allowed.patterns.length; j++) {
        if (matches(allowed.patterns[j], model.text)) return true;
      }
    }
    return false;
  }

  /** Returns whether all models of the target's provider are allowed. */
  hasProviderOf(target: Target): bool {
    const name = target.nameSpan;
    for (let i = 0; i < this.providers.length; i++) {
      const provider = this.providers[i];
      if (name.length <= provider.length || byteAt(name.pointer, provider.length) != SLASH)
        continue;
      if (startsWith(name.pointer, name.length, provider)) return true;
    }
    return false;
  }
}

/** @param routes how many routes there are */
export function readAllowedModels(tape: Tape, node: u32, routes: i32): AllowedModels {
  onlyKnownMembers(tape, node, constant("routes taken providers models"));
  const allowed = new AllowedModels(routes);
  const list = tape.member(node, constant("routes"));
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item)) {
    const route = integerOf(tape, item);
    if (route >= 0 && route < routes) allowed.routes[route] = true;
    else reportProblem("a key is allowed a route that is not there");
  }
  const taken = tape.member(node, constant("taken"));
  const stop = tape.next(taken);
  for (let one = tape.first(taken); one < stop; one = tape.next(one)) {
    onlyKnownMembers(tape, one, constant("route models"));
    const patterns = spansOf(tape, tape.member(one, constant("models")));
    allowed.names.push(
      new AllowedNames(integerOf(tape, tape.member(one, constant("route"))), patterns),
    );
  }
  allowed.providers = spansOf(tape, tape.member(node, constant("providers")));
  allowed.models = readModelList(tape, tape.member(node, constant("models")));
  return allowed;
}
