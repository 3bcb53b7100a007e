// The rate limits of the model, as the filter's document has them.
import { takesName } from "../model-names.ts";
import type { GatewayModel, RateLimit, RateUnit, Target } from "../model.ts";
import type { FilterRateLimit } from "./document-types.ts";

const SECONDS: Readonly<Record<RateUnit, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
};

/** @param targets the models */
export function filterRateLimits(
  limits: readonly RateLimit[] = [],
  targets: readonly Target[] = [],
): FilterRateLimit[] {
  return limits.map((limit) => {
    const { amount, counts, unit, selector } = limit;
    const isOfKey = "key" in limit.subject;
    const subject = (isOfKey ? "key " : "") + nameOf(limit.subject, targets) + selected(selector);
    return {
      id: rateLimitId(limit, targets),
      label: `${String(amount)} ${counts} ${aOrAn(unit)} ${unit} for ${subject}`,
      ...(selector === "session" || selector === "user" ? { each: selector } : selector),
      amount,
      counts,
      seconds: SECONDS[unit],
    };
  });
}

/** Everything about a limit but its amount. */
export function rateLimitId(limit: RateLimit, targets: readonly Target[]): string {
  const { counts, unit, selector } = limit;
  const { subject } = limit;
  const selected = typeof selector === "object" ? selector : undefined;
  const parts = [
    kindOf(subject),
    nameOf(subject, targets),
    selected?.header,
    selected?.value,
    counts,
    unit,
    ...(typeof selector === "string" ? [selector] : []),
  ];
  return parts.map((part) => (part === undefined ? "" : encodeURIComponent(part))).join("/");
}

/** Indices of the limits of a model: its own, and those of wildcards that its name matches. */
export function rateLimitsOfTarget(model: GatewayModel, target: number): number[] {
  const name = model.targets[target]?.name ?? "";
  return indicesOf(model, ({ subject }) => {
    if (!("target" in subject)) return false;
    const limited = model.targets[subject.target];
    return subject.target === target || (limited !== undefined && takesName(limited, name));
  });
}

/** Indices of the limits of a prompt target, in the list of its configuration. */
export function rateLimitsOfPromptTarget(limits: readonly RateLimit[], name: string): number[] {
  return limits.flatMap(({ subject }, index) =>
    "promptTarget" in subject && subject.promptTarget === name ? [index] : [],
  );
}

/** Indices of the limits of a client key. */
export function rateLimitsOfKey(model: GatewayModel, name: string): number[] {
  return indicesOf(model, ({ subject }) => "key" in subject && subject.key === name);
}

/** Indices of the limits of a name. */
export function rateLimitsOfName(model: GatewayModel, name: string): number[] {
  return indicesOf(model, ({ subject }) => "alias" in subject && subject.alias === name);
}

function indicesOf(model: GatewayModel, fits: (limit: RateLimit) => boolean): number[] {
  return (model.rateLimits ?? []).flatMap((limit, index) => (fits(limit) ? [index] : []));
}

function kindOf(subject: RateLimit["subject"]): string {
  if ("alias" in subject) return "alias";
  if ("key" in subject) return "key";
  return "target" in subject ? "model" : "prompt target";
}

function nameOf(subject: RateLimit["subject"], targets: readonly Target[]): string {
  if ("alias" in subject) return subject.alias;
  if ("key" in subject) return subject.key;
  return "target" in subject ? (targets[subject.target]?.name ?? "") : subject.promptTarget;
}

function selected(selector: RateLimit["selector"]): string {
  if (selector === undefined) return "";
  if (typeof selector === "string") return ` and each ${selector}`;
  const { header, value } = selector;
  return value === undefined ? ` and each ${header}` : ` and ${header} '${value}'`;
}

function aOrAn(unit: RateUnit): string {
  return unit === "hour" ? "an" : "a";
}
