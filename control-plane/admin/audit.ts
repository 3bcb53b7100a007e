// The audit log's interface: each change of the admin API is recorded by one call, after it was made. Values are the objects that
// the API shows, which have no key and no hash.
import type { Actor } from "./actor.ts";

export interface AuditEntry {
  actor: Actor;
  /** What was done: `keys.create`, `groups.update`. */
  action: string;
  /** What it was done to: a key's id or a group's name. */
  subject: string;
  /** Absent: it did not exist. */
  before?: unknown;
  /** Absent: it no longer exists. */
  after?: unknown;
}

export type AuditSink = (entry: AuditEntry) => void;

let sink: AuditSink | undefined;

/** Sets where entries are written; undefined: nowhere. */
export function setAuditSink(next: AuditSink | undefined): void {
  sink = next;
}

/** Records a change. A failure to write is the sink's to report: the change has been made. */
export function audit(
  actor: Actor,
  action: string,
  subject: string,
  { before, after }: { before?: unknown; after?: unknown },
): void {
  sink?.({
    actor,
    action,
    subject,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  });
}
