// How the filter finds the session of a request, if something needs it.
import {
  PARENT_HEADERS,
  PURPOSE_HEADERS,
  SESSION_HEADERS,
  SUBAGENT_HEADERS,
} from "../../contract/session.ts";
import type { GatewayModel, TargetSet } from "../model.ts";
import { effectiveLimits } from "../model-limits.ts";
import { hasUsageRecords } from "./document-budgets.ts";
import type { FilterConfig } from "./document-types.ts";

/** Whether several targets of a set, or several keys of a target, share its requests, so that a session can keep to one. */
export function hasChoice({ targets, weights = [] }: TargetSet, model: GatewayModel): boolean {
  return (
    weights.length > 1 ||
    targets.some((index) => model.targets[index]?.auth.otherVariables !== undefined)
  );
}

export function keepsSessions(set: TargetSet, model: GatewayModel): boolean {
  return (set.affinity ?? model.sessions?.affinity) !== "off" && hasChoice(set, model);
}

export function filterSessions(model: GatewayModel): Pick<FilterConfig, "sessions"> {
  const { sessions, targetSets = [], targets, tracing, rateLimits = [] } = model;
  const isRecorded =
    hasUsageRecords(model) ||
    tracing !== undefined ||
    rateLimits.some(({ selector }) => selector === "session") ||
    targetSets.some((set) => keepsSessions(set, model));
  const isForCaches = targets.some(
    ({ limits = {}, promptCaching }) =>
      promptCaching === undefined && effectiveLimits(limits)?.cache_key !== undefined,
  );
  if (isRecorded) return { sessions: recordedSessions(model) };
  return isForCaches ? { sessions: sessionHeaders(sessions?.header) } : {};
}

/** Returns the headers with which the sessions of all requests are read. */
export function recordedSessions({
  sessions,
}: Pick<GatewayModel, "sessions">): NonNullable<FilterConfig["sessions"]> {
  return {
    ...sessionHeaders(sessions?.header),
    recorded: true,
    ...(sessions?.observe === "off" ? { unobserved: true } : {}),
  };
}

function sessionHeaders(own: string | undefined): NonNullable<FilterConfig["sessions"]> {
  const others = SESSION_HEADERS.filter((name) => name !== own);
  return {
    ids: own === undefined ? others : [own, ...others],
    subagents: SUBAGENT_HEADERS,
    parents: PARENT_HEADERS,
    purposes: PURPOSE_HEADERS,
  };
}
