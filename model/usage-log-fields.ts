// The fields of a line of access_usage.log before its record, in the order of the line, separated by blanks: Envoy writes
// them (envoy/usage-log.ts), and the control plane reads them (observability/usage-line.ts). All are numbers, `-` if absent,
// except the flags.

export const USAGE_LOG_FIELDS = {
  /** Seconds since 1970 with milliseconds. */
  startTime: "%START_TIME(%s.%3f)%",
  /** 0 when no response was produced. */
  status: "%RESPONSE_CODE%",
  /** Envoy's flags, separated by commas. */
  flags: "%RESPONSE_FLAGS%",
  /** Milliseconds. */
  duration: "%DURATION%",
  /** Attempts at a provider. */
  attempts: "%UPSTREAM_REQUEST_ATTEMPT_COUNT%",
  /** Microseconds from the client's first byte to the first byte of the provider's response body. */
  firstByte: "%COMMON_DURATION(DS_RX_BEG:US_RX_BODY_BEG:us)%",
  /** Microseconds from the client's last byte to the first one sent to the provider of the last attempt. */
  requestOverhead: "%COMMON_DURATION(DS_RX_END:US_TX_BEG:us)%",
  /** Microseconds from the provider's last byte to the last one sent to the client. */
  responseOverhead: "%COMMON_DURATION(US_RX_END:DS_TX_END:us)%",
  /** Bytes of the bodies. */
  bytesReceived: "%BYTES_RECEIVED%",
  bytesSent: "%BYTES_SENT%",
} as const satisfies Record<string, string>;

export type UsageLogField = keyof typeof USAGE_LOG_FIELDS;
