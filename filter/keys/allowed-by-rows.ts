// The models that a client may use by rows that come at run time: of its key, its groups and its user. Names and beginnings of names
// are compared when a request comes, because the routes of the configuration are not known to who writes the rows.
import { AllowedModels } from "../config/allowed-models";
import { ModelList } from "../config/model-list";
import { Config } from "../config/read-config";
import { Target } from "../config/target";
import { matches, WildcardModel } from "../config/wildcard";
import { byteAt, startsWith } from "../bytes/text/at";
import { sameSpan, scratchBuffer, Span } from "../bytes/text/bytes";
import { findByte } from "../bytes/text/find";
import { HeldText } from "../bytes/text/held-text";
import { NEWLINE } from "./read-use";

const SLASH: u32 = 0x2f;
const STAR: u32 = 0x2a;

const pattern = new Span(0, 0);
const full = scratchBuffer();
const fullName = new Span(0, 0);
const id = scratchBuffer();

/** Points `span` at the part of a text from `at` up to a separator. Returns where the next part begins. */
export function readPart(text: HeldText, at: u32, separator: u32, span: Span): u32 {
  const end = text.pointer + text.length;
  span.pointer = text.pointer + at;
  const found = findByte(span.pointer, end, separator);
  span.length = <u32>((found == 0 ? end : found) - span.pointer);
  return at + span.length + 1;
}

export class AllowedByRows extends AllowedModels {
  /** Lists of names, one a line: a model must be in each of them. */
  private lists: HeldText[] = [];
  private visible: ModelList | null = null;

  constructor(
    private config: Config,
    /** What the configuration allows; null: all models. */
    private configured: AllowedModels | null,
  ) {
    super(0);
  }

  addList(list: HeldText): void {
    this.lists.push(list);
  }

  has(route: i32, model: WildcardModel | null): bool {
    const configured = this.configured;
    if (configured !== null && !configured.has(route, model)) return false;
    for (let i = 0; i < this.lists.length; i++) {
      if (!this.isIn(this.lists[i], route, model)) return false;
    }
    return true;
  }

  hasProviderOf(target: Target): bool {
    const configured = this.configured;
    if (configured !== null && !configured.hasProviderOf(target)) return false;
    const name = target.nameSpan;
    for (let i = 0; i < this.lists.length; i++) {
      if (!hasWholeProvider(this.lists[i], name)) return false;
    }
    return true;
  }

  list(): ModelList {
    let visible = this.visible;
    if (visible === null) {
      visible = this.readVisible();
      this.visible = visible;
    }
    return visible;
  }

  /** The known models of wildcards are added for each response, as for all clients. */
  private readVisible(): ModelList {
    const visible = new ModelList();
    const all = this.config.models;
    for (let i = 0; i < all.ids.length; i++) {
      id.clear();
      id.text(all.ids[i]);
      if (!this.has(this.config.names.get(id.pointer, id.length), null)) continue;
      visible.ids.push(all.ids[i]);
      visible.owners.push(all.owners[i]);
    }
    const configured = this.configured;
    id.clear();
    if (configured !== null) id.text(configured.list().text);
    for (let i = 0; i < this.lists.length; i++) {
      const list = this.lists[i];
      if (id.length > 0) id.text("; of these: ");
      for (let at: u32 = 0; at < list.length;) {
        if (at > 0) id.text(", ");
        at = readPart(list, at, NEWLINE, pattern);
        id.span(pattern);
      }
    }
    visible.text = id.toText();
    return visible;
  }

  /** Returns whether a list has the name that stands for the route, or every model of the route. */
  private isIn(list: HeldText, route: i32, model: WildcardModel | null): bool {
    for (let at: u32 = 0; at < list.length;) {
      at = readPart(list, at, NEWLINE, pattern);
      if (this.standsFor(pattern, route, model)) return true;
    }
    if (route < 0 || route >= this.config.routes.length) return false;
    const targets = this.config.routes[route].targets;
    for (let i = 0; i < targets.length; i++) {
      if (!hasName(list, nameOf(targets[i], model))) return false;
    }
    return targets.length > 0;
  }

  /** Returns whether requests for a name go to the route, and to this model of a wildcard. */
  private standsFor(name: Span, route: i32, model: WildcardModel | null): bool {
    if (model !== null && !sameSpan(name, model.text)) return false;
    const config = this.config;
    const found = config.names.get(name.pointer, name.length);
    if (model === null || found >= 0) return model === null && found == route && found >= 0;
    const other = config.routeOfOther(name.pointer, name.length);
    const taken = config.taken;
    if (taken !== null) taken.release();
    config.taken = null;
    return other == route;
  }
}

/** Returns the name of a target with its provider, until the next call: of a wildcard, that of its model. */
function nameOf(target: Target, model: WildcardModel | null): Span {
  const name = target.nameSpan;
  if (!target.isWildcard || model === null) return name;
  full.clear();
  full.bytes(name.pointer, providerLength(name));
  full.span(model.text);
  return full.view(fullName);
}

/** Returns the length of the provider and its slash. */
function providerLength(name: Span): u32 {
  let length: u32 = 0;
  while (length < name.length && byteAt(name.pointer, length) != SLASH) length++;
  return min(length + 1, name.length);
}

function hasName(list: HeldText, name: Span): bool {
  for (let at: u32 = 0; at < list.length;) {
    at = readPart(list, at, NEWLINE, pattern);
    if (matches(pattern, name)) return true;
  }
  return false;
}

/** Returns whether a list has all models of the provider of a name. */
function hasWholeProvider(list: HeldText, name: Span): bool {
  const length = providerLength(name);
  for (let at: u32 = 0; at < list.length;) {
    at = readPart(list, at, NEWLINE, pattern);
    if (pattern.length == 0 || byteAt(pattern.pointer, pattern.length - 1) != STAR) continue;
    pattern.length--;
    if (startsWith(name.pointer, length, pattern)) return true;
  }
  return false;
}
