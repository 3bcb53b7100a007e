// The policies of `guards` in the filter's document.
import { GUARD_KINDS } from "../../contract/guard-kinds.ts";
import type { GuardPolicy } from "../guard-policies.ts";
import type { GatewayModel } from "../model.ts";
import { allowedModels, type Names } from "./document-client-keys.ts";
import type { FilterConfig, FilterPolicy } from "./document-types.ts";

/** @param names as for the allow-lists of keys */
export function filterGuards(model: GatewayModel, names: Names): Pick<FilterConfig, "guards"> {
  const { guards = [] } = model;
  return guards.length === 0
    ? {}
    : { guards: guards.map((policy) => filterPolicy(policy, model, names)) };
}

function filterPolicy(policy: GuardPolicy, model: GatewayModel, names: Names): FilterPolicy {
  const { name, direction, action, failsOpen, listeners, keys, groups, models, rules } = policy;
  const [listener, other] = [...new Set(listeners)];
  return {
    name,
    direction,
    action,
    ...(failsOpen === true ? { fails_open: true } : {}),
    ...(listener === undefined || other !== undefined ? {} : { listener }),
    ...(keys === undefined ? {} : { keys }),
    ...(groups === undefined ? {} : { groups }),
    // Nobody is shown the list.
    ...(models === undefined
      ? {}
      : { models: { ...allowedModels(models, model, names), models: [] } }),
    find: rules.find.map((kind) => GUARD_KINDS.indexOf(kind)),
    ...(rules.isReversible === true ? { reversible: true } : {}),
  };
}
