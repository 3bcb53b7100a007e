// The models that a client key may be used for (contract/filter-document.ts, Allowed).
import * as members from "../../contract/filter-document";
import { byteAt, startsWith } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { Document } from "./document";
import { ModelList, readModelList } from "./model-list";
import { readFamilies } from "./read-wildcards";
import { Target } from "./target";
import { Family, matches, WildcardModel } from "./wildcard";

const SLASH: u32 = 0x2f;

export class AllowedModels {
  /** Whether each route is allowed, whatever model is requested. */
  routes: StaticArray<bool>;
  /** Models of wildcards that are allowed, if not all of them are. */
  names: Family[] = [];
  /** Those of which all models are allowed. */
  providers: Span[] = [];
  private models: ModelList = new ModelList();

  constructor(routes: i32) {
    this.routes = new StaticArray<bool>(routes);
  }

  /** Returns what the client may see. */
  list(): ModelList {
    return this.models;
  }

  setList(models: ModelList): void {
    this.models = models;
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

/** `routes`: how many routes there are. */
export function readAllowedModels(from: Document, node: u32, routes: i32): AllowedModels {
  const allowed = new AllowedModels(routes);
  const list = from.numbers(node, constant(members.ALLOWED_ROUTES));
  for (let i = 0; i < list.length; i++) {
    if (list[i] >= 0 && list[i] < routes) allowed.routes[list[i]] = true;
    else from.report("a key is allowed a route that is not there");
  }
  allowed.names = readFamilies(from, node, constant(members.ALLOWED_TAKEN), routes);
  allowed.providers = from.spans(node, constant(members.ALLOWED_PROVIDERS));
  allowed.setList(readModelList(from, node, constant(members.ALLOWED_MODELS)));
  return allowed;
}
