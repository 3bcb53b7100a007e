// Rewrites Envoy's lines about failed tunnels (envoy/tunnels.ts) for people: which proxy, which server, why, and what to do.

/** Between two lines about the same failure: every request of a proxy that is down would write one. */
const PAUSE_MS = 30_000;

const NEEDS_CREDENTIAL =
  "set the right user and password in the proxy's URL (HTTPS_PROXY, or the variable of upstream.proxy.url), then run `gateway reload --restart`";

const ADVICE: Readonly<Record<string, string>> = {
  401: NEEDS_CREDENTIAL,
  403: "allow the host and the port in the proxy's rules",
  407: NEEDS_CREDENTIAL,
  502: "the proxy cannot reach the server: check its log",
  503: "the proxy cannot reach the server: check its log",
  504: "the proxy cannot reach the server: check its log",
};

/** Returns a function that words the message of such a line; undefined if the same failure was reported a moment ago. */
export function tunnelFailures(
  now: () => number = Date.now,
): (message: string) => string | undefined {
  const reported = new Map<string, number>();
  return (message) => {
    const text = wordsOf(message);
    const last = reported.get(text);
    if (last !== undefined && now() - last < PAUSE_MS) return undefined;
    // One for each failing server, of which a configuration has few.
    reported.set(text, now());
    return text;
  };
}

function wordsOf(message: string): string {
  const [destination = "", proxy = "", ...details] = message.split(" ");
  const all = details.join(" ");
  const status = /tunnel_response:(\d{3})/.exec(all)?.[1];
  if (status !== undefined) {
    const advice = ADVICE[status] ?? "check the proxy's log";
    return `The proxy ${proxy} refuses a tunnel to ${destination} with ${status}: ${advice}.`;
  }
  const reason = /connect_error:_([\w:]+)/.exec(all)?.[1]?.replaceAll("_", " ");
  if (reason !== undefined)
    return `Cannot connect to the proxy ${proxy} for ${destination}: ${reason}. Check that it runs, and its URL.`;
  if (/^(?:-|DT,UF) /.test(all))
    return `The proxy ${proxy} opened no tunnel to ${destination} in time (upstream.connect_timeout). Check the proxy and its log.`;
  return `No tunnel to ${destination} through the proxy ${proxy} (${all.replaceAll(" -", "").trim()}). Check that it runs, its URL, and its log.`;
}
