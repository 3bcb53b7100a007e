// Sessions of agents that were ended at run time, between control plane and filter: each request of one is rejected. The control plane
// keeps them (control-plane/supervisor/ended-sessions.ts), and sends them as JSON: `POST /sessions` on the unix socket of
// contract/budget-format.ts, at most 4 MiB at once: all when Envoy starts, then each as it ends. Compiled by tsc and asc.

/** The path; its only method is POST. */
export const SESSIONS_PATH = "/sessions";

/** List of objects: what has ended. */
export const ENDED = "ended";
/** Text: the session, as usage records have it (USAGE_SESSION of contract/usage-record.ts). */
export const ENDED_SESSION = "session";
/** Text: the name of the only client key whose session it is. Left out: of all keys, and of requests without one. */
export const ENDED_KEY = "key";
/** Number: seconds since 1970; from then on its requests pass again. 0: at once. */
export const ENDED_UNTIL = "until";

/** A longer session is rejected; so is a longer name of a key. Bytes. */
export const MAX_SESSION_BYTES = 64;
