// Lines of access_usage.log for the tests of spend.

export interface UsageLineOptions {
  /** Seconds since 1970. */
  at: number;
  /** Milliseconds. */
  duration?: number;
  status?: number;
  key?: string;
  group?: string;
  user?: string;
  target?: string;
  requested?: string;
  cost?: number;
  estimated?: 1;
  input?: number;
  output?: number;
  error?: string;
}

export function usageLine({
  at,
  duration = 0,
  status = 200,
  target = "openai/gpt",
  ...rest
}: UsageLineOptions): string {
  const record = { id: "0b6f2c0e", listener: "egress", target, ...rest };
  return `${at.toFixed(3)} ${String(status)} - ${String(duration)} 1 - - - 10 20 ${JSON.stringify(record)}`;
}
