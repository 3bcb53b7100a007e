// The request headers by which the session of a request is found, by what their values are.
import * as members from "../../contract/filter-document";
import { NO_NODE } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";
import { Document } from "./document";

export class SessionHeaders {
  constructor(
    /** The first that a request has counts. */
    public ids: Span[],
    public subagents: Span[],
    public parents: Span[],
    public purposes: Span[],
    /** Whether it is needed for more than the keys of prompt caches: of each request, even if its client names none. */
    public isRecorded: bool,
    /** Whether the usage record has the parts of a prompt. */
    public isObserved: bool,
  ) {}
}

/** Returns null if nothing needs the session. */
export function readSessions(from: Document, node: u32): SessionHeaders | null {
  if (node == NO_NODE) return null;
  return new SessionHeaders(
    from.spans(node, constant(members.SESSIONS_IDS)),
    from.spans(node, constant(members.SESSIONS_SUBAGENTS)),
    from.spans(node, constant(members.SESSIONS_PARENTS)),
    from.spans(node, constant(members.SESSIONS_PURPOSES)),
    from.flag(node, constant(members.SESSIONS_RECORDED)),
    !from.flag(node, constant(members.SESSIONS_UNOBSERVED)),
  );
}
