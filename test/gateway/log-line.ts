// One line of an access log, read strictly (the fields of model/access-log-fields.ts), so that a test sees a wrong quote.

export interface LogLine {
  startTime: string;
  method: string;
  path: string;
  protocol: string;
  /** 0 when no response was produced. */
  code: number;
  flags: string;
  bytesReceived: number;
  bytesSent: number;
  /** Milliseconds. */
  duration: number;
  /** Milliseconds, or `-`. */
  upstreamServiceTime: string;
  forwardedFor: string;
  userAgent: string;
  requestId: string;
  authority: string;
  upstreamHost: string;
  line: string;
}

const LINE =
  /^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\] "(\S+) (.*?) (HTTP\/(?:1\.0|1\.1|2))" (\d+) (\S+) (\d+) (\d+) (\d+) (\d+|-) "(.*?)" "(.*?)" "(.*?)" "(.*?)" "(.*?)"$/;

/** Throws when the line does not have the 15 fields in their order and quoting. */
export function parseLogLine(line: string): LogLine {
  const fields = LINE.exec(line);
  if (fields === null) throw new Error(`not the 15 fields: ${line}`);
  const text = (index: number): string => fields[index] ?? "";
  return {
    startTime: text(1),
    method: text(2),
    path: text(3),
    protocol: text(4),
    code: Number(text(5)),
    flags: text(6),
    bytesReceived: Number(text(7)),
    bytesSent: Number(text(8)),
    duration: Number(text(9)),
    upstreamServiceTime: text(10),
    forwardedFor: text(11),
    userAgent: text(12),
    requestId: text(13),
    authority: text(14),
    upstreamHost: text(15),
    line,
  };
}
