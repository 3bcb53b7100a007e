// Reads one line of an access log: the 15 fields of the interface, in their order. Pure.

export interface AccessLogEntry {
  /** ISO 8601 in UTC with milliseconds. */
  startTime: string;
  method: string;
  path: string;
  protocol: string;
  /** 0 when no response was produced. */
  responseCode: number;
  /** `-` in the log is null here, as in all fields that can be absent. */
  responseFlags: string | null;
  bytesReceived: number;
  bytesSent: number;
  /** Milliseconds. */
  duration: number | null;
  /** Milliseconds. */
  upstreamServiceTime: number | null;
  forwardedFor: string | null;
  userAgent: string | null;
  requestId: string | null;
  authority: string | null;
  /** `<ip>:<port>`. */
  upstreamHost: string | null;
}

/**
 * The fields up to the first quoted one that a client can fill with anything. No blank can stand in a path, so
 * that nothing in it passes for the fields behind it.
 */
const START =
  /^\[([^\]\s]+)\] "(\S+) (\S+) ([^\s"]+)" (\d+|-) (\S+) (\d+|-) (\d+|-) (\d+|-) (\d+|-) "(.*)"$/;
const QUOTED_FIELDS = 5;

/** Undefined for what is no such line. */
export function parseAccessLogLine(line: string): AccessLogEntry | undefined {
  const fields = START.exec(line.replace(/\r?\n$/, ""));
  if (fields === null) return undefined;
  const [, startTime, method, path, protocol, code, flags, received, sent, duration, upstream] =
    fields as unknown as string[];
  const quoted = splitQuoted(fields[11] ?? "");
  if (quoted === undefined) return undefined;
  const [forwardedFor, userAgent, requestId, authority, upstreamHost] = quoted.map(textOrNull);
  return {
    startTime: startTime ?? "",
    method: method ?? "",
    path: path ?? "",
    protocol: protocol ?? "",
    responseCode: numberOrNull(code) ?? 0,
    responseFlags: textOrNull(flags ?? "-"),
    bytesReceived: numberOrNull(received) ?? 0,
    bytesSent: numberOrNull(sent) ?? 0,
    duration: numberOrNull(duration),
    upstreamServiceTime: numberOrNull(upstream),
    forwardedFor: forwardedFor ?? null,
    userAgent: userAgent ?? null,
    requestId: requestId ?? null,
    authority: authority ?? null,
    upstreamHost: upstreamHost ?? null,
  };
}

/** Envoy does not escape a quote. Of the five fields only the user agent may well hold `" "`: it takes what is over. */
function splitQuoted(text: string): string[] | undefined {
  const parts = text.split('" "');
  const over = parts.length - QUOTED_FIELDS;
  if (over < 0) return undefined;
  return [...parts.slice(0, 1), parts.slice(1, 2 + over).join('" "'), ...parts.slice(2 + over)];
}

function textOrNull(text: string): string | null {
  return text === "-" || text === "" ? null : text;
}

function numberOrNull(text: string | undefined): number | null {
  return text === undefined || text === "-" ? null : Number(text);
}
