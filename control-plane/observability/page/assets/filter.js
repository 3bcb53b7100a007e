// Which requests the filters show. The browser filters live requests, the gateway those of the history.

/** @type {Readonly<Record<string, string>>} */
const DIALECTS = {
  openai_chat: "chat",
  anthropic_messages: "messages",
  openai_responses: "responses",
};

/**
 * The API that the client used.
 * @param {{dialect?: string | undefined, endpoint?: string | undefined}} row
 */
export function apiOf({ dialect = "", endpoint }) {
  if (endpoint !== undefined && !/\/(?:chat\/completions|messages|responses)$/.test(endpoint))
    return endpoint.replace(/^\/v1\//, "");
  return DIALECTS[dialect] ?? (dialect === "" ? "–" : dialect);
}

/** @type {Readonly<Record<string, (row: import("../../live/row.ts").RequestView) => boolean>>} */
const IS_STATUS = {
  ok: ({ error }) => error === "",
  errors: ({ error }) => error !== "",
  "4xx": ({ status }) => status >= 400 && status < 500,
  "5xx": ({ status }) => status >= 500,
  fallbacks: ({ firstTarget, failedAttempts }) =>
    firstTarget !== undefined || failedAttempts !== undefined,
};

export const STATUSES = Object.keys(IS_STATUS);

/**
 * Returns whether a request passes the filters; an empty filter passes all.
 * @param {import("../../live/row.ts").RequestView} row
 * @param {{model: string, key: string, status: string, text: string}} filters
 */
export function matches(row, { model, key, status, text }) {
  if (model !== "" && row.model !== model && row.firstTarget !== model) return false;
  if (key !== "" && row.key !== key) return false;
  if (status !== "" && !(IS_STATUS[status]?.(row) ?? true)) return false;
  if (text === "") return true;
  const words = [
    row.id,
    row.model,
    row.requested,
    row.session,
    row.agent,
    row.subagent,
    row.parent,
    row.purpose,
    row.key,
    row.error,
    row.errorCode,
    row.message,
    row.finish,
    row.promptTarget,
    row.listener,
    apiOf(row),
    String(row.status),
    row.firstTarget,
  ];
  return words.join("\n").toLowerCase().includes(text.toLowerCase());
}

/**
 * Returns whether a session has a text in its id, its names or its last error; an empty one is in all.
 * @param {import("../../history/session-history.ts").SessionSums} row
 * @param {string} text
 */
export function matchesSession({ session, agent, model, key, user, error }, text) {
  const words = [session, agent, model, key, user, error].join("\n").toLowerCase();
  return words.includes(text.toLowerCase());
}
