// One policy of `guards`: what it looks for, in whose requests and responses, and what becomes of it.
import { byteAt } from "../bytes/text/at";
import { sameSpan, Span } from "../bytes/text/bytes";
import { Finder } from "../guards/finder";
import { AllowedModels } from "./allowed-models";
import { ApiKey } from "./api-keys";
import { WildcardModel } from "./wildcard";

/** The words are GUARD_ACTIONS of contract/guard-kinds.ts. */
export const enum GuardAction {
  Block,
  Mask,
  Monitor,
}

const NO_FINDER = new Finder(0);
const COMMA: u32 = 0x2c;
const group = new Span(0, 0);

export class GuardPolicy {
  onRequests: bool = false;
  onResponses: bool = false;
  action: GuardAction = GuardAction.Block;
  /** Whether what cannot be checked passes. */
  failsOpen: bool = false;
  onIngress: bool = true;
  onEgress: bool = true;
  /** Names of client keys, and of groups; both empty: it applies to all requests. */
  keys: Span[] = [];
  groups: Span[] = [];
  /** Null: all models. */
  models: AllowedModels | null = null;
  /** What it finds. */
  finder: Finder = NO_FINDER;
  /** Whether the response has the values again in place of the request's placeholders. */
  isReversible: bool = false;

  constructor(
    public name: Span,
    /** Of the hash in placeholders. */
    public key: Span,
  ) {}

  /**
   * Returns whether it applies to the requests of a client for a model.
   * @param route index of its route, -1 for a request without a model
   */
  appliesTo(isIngress: bool, key: ApiKey | null, route: i32, model: WildcardModel | null): bool {
    if (!(isIngress ? this.onIngress : this.onEgress)) return false;
    const models = this.models;
    if (models !== null && !models.has(route, model)) return false;
    if (this.keys.length + this.groups.length == 0) return true;
    return key !== null && this.isOf(key);
  }

  private isOf(key: ApiKey): bool {
    if (isIn(this.keys, key.name)) return true;
    const groups = key.group;
    if (groups === null) return false;
    let from: u32 = 0;
    for (let at: u32 = 0; at <= groups.length; at++) {
      if (at < groups.length && byteAt(groups.pointer, at) != COMMA) continue;
      group.pointer = groups.pointer + from;
      group.length = at - from;
      if (isIn(this.groups, group)) return true;
      from = at + 1;
    }
    return false;
  }
}

function isIn(list: Span[], name: Span): bool {
  for (let i = 0; i < list.length; i++) {
    if (sameSpan(list[i], name)) return true;
  }
  return false;
}
