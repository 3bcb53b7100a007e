// One line of the audit log: who did what, from where, what was there before and after, and the hash of the line before.
import { createHash } from "node:crypto";
import { beginsLikeKey } from "../report/secrets.ts";

/** Who did it. */
export interface AuditActor {
  /** How the actor was identified: `token`, `socket`, `user`, `process` … */
  kind: string;
  name: string;
  roles?: readonly string[] | undefined;
  /** Where the request came from. */
  address?: string | undefined;
}

type AuditResult = "done" | "denied" | "failed";

/** What is recorded. */
export interface AuditEntry {
  actor: AuditActor;
  /** `<noun>.<verb>`: `keys.create`, `configuration.reload`. */
  action: string;
  /** What it was done to: a key's id, a group's name, a path. */
  subject?: string | undefined;
  result?: AuditResult | undefined;
  before?: unknown;
  after?: unknown;
}

/** A line as it is written. */
export interface AuditLine extends AuditEntry {
  /** 1 for the first line; each further line has one more, over all files. */
  line: number;
  time: string;
  result: AuditResult;
  /** SHA-256 of the line before, without its end. */
  previous: string;
}

/** Stands for the line before the first one. */
export const NO_PREVIOUS = "0".repeat(64);

/** Actions of the log about itself. */
export const CUT_ACTION = "audit.cut";
export const MISSING_ACTION = "audit.missing";
export const REMOVED_ACTION = "audit.removed";
export const LOST_ACTION = "audit.lost";
export const MORE_DENIED_ACTION = "audit.more_denied";

const MAX_VALUE_BYTES = 65_536;
const MAX_NAME_LENGTH = 300;
const HIDDEN = "(not shown)";

/** Members that hold a secret whatever it looks like; `hash` is what a stolen key is searched by. */
const SECRET_MEMBERS = new Set(
  "key secret token password authorization cookie hash client_secret access_token refresh_token id_token".split(
    " ",
  ),
);

/** Returns the SHA-256 of the bytes, in hexadecimal digits. */
export function hashOf(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Returns the text of a line, without its end. */
export function auditText(
  entry: AuditEntry,
  place: Pick<AuditLine, "line" | "time" | "previous">,
): string {
  const { actor, action, subject, result = "done", before, after } = entry;
  const { line, time, previous } = place;
  const { kind, name, roles, address } = actor;
  return JSON.stringify({
    line,
    time,
    action,
    subject: subject === undefined ? undefined : shortText(subject),
    result,
    actor: { kind, name: shortText(name), roles, address },
    before: bounded(before),
    after: bounded(after),
    previous,
  });
}

/** Returns a line; undefined for one that was cut off or changed into something else. */
export function readAuditLine(text: string): AuditLine | undefined {
  try {
    const line = JSON.parse(text) as Partial<AuditLine> | null;
    const isLine =
      typeof line?.line === "number" &&
      typeof line.previous === "string" &&
      typeof line.action === "string" &&
      typeof line.time === "string" &&
      typeof line.actor === "object";
    return isLine ? (line as AuditLine) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a value without secrets; of one that is too long, how long it was and its hash. */
function bounded(value: unknown): unknown {
  if (value === undefined) return undefined;
  const shown = withoutSecrets("", JSON.parse(JSON.stringify(value)));
  const text = JSON.stringify(shown);
  if (Buffer.byteLength(text) <= MAX_VALUE_BYTES) return shown;
  return { too_long: Buffer.byteLength(text), sha256: hashOf(text) };
}

/** @param name of the member; items of a list have that of the list */
function withoutSecrets(name: string, value: unknown): unknown {
  if (typeof value === "string")
    return SECRET_MEMBERS.has(name.toLowerCase()) ? HIDDEN : withoutKeys(value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(name, item));
  if (typeof value !== "object" || value === null) return value;
  // Names of metadata are texts of whoever creates a key.
  return Object.fromEntries(
    Object.entries(value).map(([own, item]) => [withoutKeys(own), withoutSecrets(own, item)]),
  );
}

function shortText(text: string): string {
  return withoutKeys(text.slice(0, MAX_NAME_LENGTH));
}

function withoutKeys(text: string): string {
  return beginsLikeKey(text) ? HIDDEN : text;
}
