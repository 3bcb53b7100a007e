// What `gateway doctor` found: one line for a person, and what to do about it. Holds names and places, never a secret.

export const CHECKS = [
  "versions",
  "downloads",
  "configuration",
  "catalogue",
  "keys",
  "proxies",
  "dns",
  "tls",
  "providers",
  "ports",
  "clock",
  "disk",
  "descriptors",
] as const;
export type CheckName = (typeof CHECKS)[number];

export type Level = "ok" | "warning" | "problem";

export interface Finding {
  check: CheckName;
  level: Level;
  message: string;
  /** What to do; absent for `ok`. */
  hint?: string;
}

/** The makers of findings of one check. */
export function findingsOf(check: CheckName) {
  const make =
    (level: Level) =>
    (message: string, hint?: string): Finding => ({
      check,
      level,
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  return { ok: make("ok"), warning: make("warning"), problem: make("problem") };
}
