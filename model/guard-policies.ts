// The part of the model that is about guards: policies that look into requests and responses. Plain data.

export const GUARD_DIRECTIONS = ["request", "response", "both"] as const;
export const GUARD_ON_FAILURE = ["deny", "allow"] as const;

export interface GuardPolicy {
  name: string;
  direction: (typeof GUARD_DIRECTIONS)[number];
  action: "block" | "mask" | "monitor";
  /** What cannot be checked passes. Absent: it is rejected. */
  failsOpen?: true;
  /** What it applies to; each absent: to all. */
  listeners?: ("ingress" | "egress")[];
  keys?: string[];
  groups?: string[];
  /** As in the allow-list of a key. */
  models?: string[];
  rules: GuardRules;
}

/** What a policy of each kind looks for. */
export type GuardRules = MaskRules;

export interface MaskRules {
  kind: "mask";
  /** Of GUARD_KINDS, in their order. */
  find: string[];
  /** The placeholders of a request are replaced by their values in the response. */
  isReversible?: true;
}
