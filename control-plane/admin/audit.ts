// The audit log's interface: each change of the admin API is recorded by one call, after it was made. Values are the objects that
// the API shows, which have no key and no hash.
import type { AuditEntry } from "../audit/audit-line.ts";
import type { Actor } from "./actor.ts";

export type AuditSink = (entry: AuditEntry) => void;

let sink: AuditSink | undefined;

/** Sets where entries are written; undefined: nowhere. */
export function setAuditSink(next: AuditSink | undefined): void {
  sink = next;
}

/**
 * Records a change. A failure to write is the sink's to report: the change has been made.
 * @param change what was there before and after; absent: it did not exist
 */
export function audit(
  actor: Actor,
  action: string,
  subject: string,
  change: Pick<AuditEntry, "before" | "after">,
): void {
  sink?.({ actor, action, subject, ...change });
}
