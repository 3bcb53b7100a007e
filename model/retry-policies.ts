// What Envoy has to know of the sets of targets: how many attempts there may be, and how long one may take.
import type { GatewayModel, Retry, Target, TargetSet } from "./model.ts";

/** Sets that agree in these share a route. */
export interface RetryPolicy extends Pick<
  Retry,
  "afterRefusal" | "afterReset" | "perTryTimeoutMs" | "firstByteTimeoutMs"
> {
  /** Attempts after the first one, at most. */
  retries: number;
  /** Whether a provider may be asked again, which then is given a rest. */
  repeats: boolean;
  /** How many models can be asked. */
  models: number;
}

type Model = Pick<GatewayModel, "targets" | "targetSets">;

/** Name → policy. The filter sends the name in place of a cluster. */
export function retryPolicies(model: Model): Map<string, RetryPolicy> {
  const policies = new Map<string, RetryPolicy>();
  for (const set of model.targetSets ?? [])
    policies.set(policyName(set, model), policyOf(set, model));
  return policies;
}

/** `retry/2+models=3+refusal+reset+try=10000ms`: as long as what it says, so that only equal policies have equal names. */
export function policyName(set: TargetSet, model: Model): string {
  const policy = policyOf(set, model);
  const { perTryTimeoutMs, firstByteTimeoutMs } = policy;
  const parts = [
    `retry/${String(policy.retries)}`,
    ...(policy.repeats ? ["again"] : []),
    ...(policy.models > 1 ? [`models=${String(policy.models)}`] : []),
    ...(policy.afterRefusal ? ["refusal"] : []),
    ...(policy.afterReset ? ["reset"] : []),
    ...(perTryTimeoutMs === undefined ? [] : [`try=${String(perTryTimeoutMs)}ms`]),
    ...(firstByteTimeoutMs === undefined ? [] : [`first=${String(firstByteTimeoutMs)}ms`]),
  ];
  return parts.join("+");
}

function policyOf({ targets, retry }: TargetSet, model: Model): RetryPolicy {
  const { attempts, afterRefusal, afterReset, perTryTimeoutMs, firstByteTimeoutMs } = retry;
  const keys = targets.map((index) => keyCount(model.targets[index]));
  // Each further key of a target allows one more attempt.
  const all = keys.reduce((sum, count) => sum + attempts + count - 1, 0);
  return {
    // One more at least, for a connection that was not made.
    retries: Math.max(1, all - 1),
    repeats: attempts > 1,
    models: targets.length,
    afterRefusal,
    afterReset,
    ...(perTryTimeoutMs === undefined ? {} : { perTryTimeoutMs }),
    ...(firstByteTimeoutMs === undefined ? {} : { firstByteTimeoutMs }),
  };
}

function keyCount(target: Target | undefined): number {
  return 1 + (target?.auth.otherVariables?.length ?? 0);
}
