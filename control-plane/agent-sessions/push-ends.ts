// Sends ended sessions of agents to an Envoy's filter: contract/session-ends-format.ts has the meaning of each member.
import {
  type ENDED,
  type ENDED_KEY,
  type ENDED_SESSION,
  type ENDED_UNTIL,
  SESSIONS_PATH,
} from "../../contract/session-ends-format.ts";
import type { EndedSessions } from "../observability/sign-in/page-session.ts";
import { pushToEnvoy } from "../spend/push-to-envoy.ts";
import { subjectOf } from "./ended-id.ts";

export interface EndsPush {
  [ENDED]: { [ENDED_SESSION]: string; [ENDED_KEY]?: string; [ENDED_UNTIL]: number }[];
}

/** Sessions of a push: it may have 4 MiB, and a session with the name of its key has 320 bytes. */
const MAX_ENDS = 10_000;
const TIMEOUT_MS = 10_000;

/** Returns how they are sent to an Envoy. */
export function endsTo(socket: string, { all }: Pick<EndedSessions, "all">) {
  return async (ids: readonly string[]): Promise<void> => {
    for (let at = 0; at < ids.length; at += MAX_ENDS) {
      const part = ids.slice(at, at + MAX_ENDS);
      const ended = part.map((id) => ({ ...subjectOf(id), until: Math.ceil(all.get(id) ?? 0) }));
      await pushToEnvoy(socket, SESSIONS_PATH, { ended } satisfies EndsPush, TIMEOUT_MS);
    }
  };
}
