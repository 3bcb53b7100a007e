// The fields of a line of the access logs, in the order of the line: Envoy writes them (envoy/access-log.ts), and
// `gateway logs` reads them (cli/log/access-log-line.ts).

/** The type of a field by its `value`. `-` in the log is null, or 0 for a number that is always present. */
interface AccessLogValues {
  text: string;
  number: number;
  textOrNull: string | null;
  numberOrNull: number | null;
}

export interface AccessLogField {
  value: keyof AccessLogValues;
  /** Envoy's command for the value; a log can replace it. */
  command: string;
  /** The characters before and after the value. Between two fields is a blank. */
  before?: string;
  after?: string;
  /**
   * Whether the value is in quotes, because a client can fill it with anything. These fields are the last ones. Envoy does
   * not escape a quote: exactly one of the fields may contain `" "`.
   */
  quoted?: "without quotes" | "may contain quotes";
}

export const ACCESS_LOG_FIELDS = {
  /** ISO 8601 in UTC with milliseconds, Envoy's default. */
  startTime: { value: "text", command: "%START_TIME%", before: "[", after: "]" },
  method: { value: "text", command: "%REQ(:METHOD)%", before: '"' },
  /** Contains no blank, so that no part of it passes for the fields after it. */
  path: { value: "text", command: "%REQ(:PATH)%" },
  protocol: { value: "text", command: "%PROTOCOL%", after: '"' },
  /** 0 when no response was produced. */
  responseCode: { value: "number", command: "%RESPONSE_CODE%" },
  responseFlags: { value: "textOrNull", command: "%RESPONSE_FLAGS%" },
  bytesReceived: { value: "number", command: "%BYTES_RECEIVED%" },
  bytesSent: { value: "number", command: "%BYTES_SENT%" },
  /** Milliseconds. */
  duration: { value: "numberOrNull", command: "%DURATION%" },
  /**
   * Milliseconds from the last byte of the request to the first of the response; x-envoy-upstream-service-time does not
   * exist for attempts.
   */
  upstreamServiceTime: {
    value: "numberOrNull",
    command: "%COMMON_DURATION(US_TX_END:US_RX_BEG:ms)%",
  },
  forwardedFor: {
    value: "textOrNull",
    command: "%REQ(X-FORWARDED-FOR)%",
    quoted: "without quotes",
  },
  userAgent: { value: "textOrNull", command: "%REQ(USER-AGENT)%", quoted: "may contain quotes" },
  requestId: { value: "textOrNull", command: "%REQ(X-REQUEST-ID)%", quoted: "without quotes" },
  authority: { value: "textOrNull", command: "%REQ(:AUTHORITY)%", quoted: "without quotes" },
  /** `<ip>:<port>`. */
  upstreamHost: { value: "textOrNull", command: "%UPSTREAM_HOST%", quoted: "without quotes" },
} as const satisfies Record<string, AccessLogField>;

export type AccessLogFieldName = keyof typeof ACCESS_LOG_FIELDS;

/** The values of one line. */
export type AccessLogEntry = {
  -readonly [
    Name in AccessLogFieldName
  ]: AccessLogValues[(typeof ACCESS_LOG_FIELDS)[Name]["value"]];
};
