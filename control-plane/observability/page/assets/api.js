// Requests to the gateway for data. When the session is over, the browser goes to the form to log in.

/** Returns the JSON of a path. Throws an error with its sentence as `message`; of the admin API, also `fields`. */
export async function load(path) {
  const response = await fetch(path);
  if (response.status === 401) logIn();
  if (!response.ok) throw errorOf(response.status, await response.text());
  return response.json();
}

/** Returns the error of a response: a sentence, or JSON with one and what is wrong with each member (`{field, message}`). */
function errorOf(status, text) {
  try {
    const { message, fields = [] } = JSON.parse(text).error;
    return Object.assign(new Error(message), { fields });
  } catch {
    return new Error(text.trim() || `status ${status}`);
  }
}

/** Sends a change, and returns the JSON of the response; undefined if it has none. Throws as `load` does. */
export async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (response.status === 401) logIn();
  const text = await response.text();
  if (!response.ok) throw errorOf(response.status, text);
  return text === "" ? undefined : JSON.parse(text);
}

export function logIn() {
  location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Shows the state of the connection in the header. */
export function showConnection(kind, text) {
  const place = document.querySelector("#connection");
  if (place.dataset.text === text) return;
  place.dataset.text = text;
  const dot = document.createElement("span");
  dot.className = `dot ${kind}`;
  place.replaceChildren(...(text === "" ? [] : [dot, text]));
}

/**
 * Follows the events of the gateway. EventSource connects again by itself, except after an error status.
 * @param handlers by name of the event
 * @returns a function that ends it
 */
export function follow(handlers) {
  let source;
  let timer;
  const open = () => {
    source = new EventSource("/api/live");
    source.onopen = () => showConnection("good", "Live");
    source.onerror = () => {
      showConnection("warn", "Reconnecting");
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(() => {
        load("/api/settings").catch(() => undefined);
        open();
      }, 3000);
    };
    for (const [name, handle] of Object.entries(handlers))
      source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}

/** Milliseconds between two looks of who may not see live requests, and the least between two others. */
const POLL_MS = 5_000;
const PAUSE_MS = 1_000;

/**
 * Calls `onUse` after requests of sessions have ended, with the ids of these; undefined: it is not known which.
 * @returns a function that ends it
 */
export function followSessions(onUse) {
  let end;
  let timer;
  let isOver = false;
  let used = new Set();
  const later = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onUse(used);
      used = new Set();
    }, PAUSE_MS);
  };
  const begin = ({ can }) => {
    if (isOver) return;
    if (!can.seeLive) {
      const polling = setInterval(() => onUse(undefined), POLL_MS);
      end = () => clearInterval(polling);
      return;
    }
    end = follow({
      // The first ones ended before, perhaps after the page was read.
      rows({ rows, skipped }) {
        for (const { session } of rows) if (session !== undefined) used?.add(session);
        if (skipped > 0) used = undefined;
        if (used?.size !== 0) later();
      },
    });
  };
  load("/api/me").then(begin, () => showConnection("warn", "Not connected"));
  return () => {
    isOver = true;
    clearTimeout(timer);
    end?.();
  };
}
