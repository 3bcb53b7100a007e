// Options of the commands that have several, as commander hands them over.
import type { BudgetPeriod } from "../../model/budgets.ts";
import type { AccessLogName, AccessLogPlace, LogLevel } from "../../model/names.ts";

export interface UpOptions {
  foreground?: boolean;
  detach?: boolean;
  docker?: boolean;
  logDir?: string;
  watch?: boolean;
  accessLog: AccessLogPlace;
  logLevel: LogLevel;
  concurrency?: number;
  /** Milliseconds. */
  drainTime: number;
  /** Milliseconds. */
  reloadDrainTime: number;
  /** Set for the background process: it reports to the command that started it when it is ready. */
  announce?: boolean;
  /** The gateway ends after the last command that uses it. */
  endsUnused?: boolean;
}

/** Of commands that connect an agent to the gateway. */
export interface ConnectionOptions {
  config?: string;
  model?: string;
  /** The name of an API key of the configuration. */
  key?: string;
}

export interface SetupOptions extends ConnectionOptions {
  yes?: boolean;
  undo?: boolean;
}

export interface LogsOptions {
  access?: AccessLogName;
  follow?: boolean;
  requestId?: string;
  /** Health probes too. */
  probes?: boolean;
  /** `429`, `4xx`, `5xx` or `errors`. */
  status?: string;
  model?: string;
  key?: string;
  session?: string;
  /** Milliseconds since 1970. */
  since?: number;
  lines: number;
  logDir?: string;
  json?: boolean;
}

export interface SessionsOptions {
  config?: string;
  key?: string;
  /** Milliseconds since 1970. */
  since?: number;
  lines: number;
  logDir?: string;
  json?: boolean;
}

export interface SessionEndOptions {
  config?: string;
  key?: string;
  json?: boolean;
}

export interface SpendOptions {
  /** Milliseconds since 1970. */
  since?: number;
  per?: BudgetPeriod;
  by?: SpentBy;
  json?: boolean;
  csv?: boolean;
}

/** What the lines of `gateway spend` are of. */
export const SPENT_BY = ["key", "group", "user"] as const;
export type SpentBy = (typeof SPENT_BY)[number];

export interface TargetsOptions {
  config?: string;
  json?: boolean;
  /** Percent of the cases that have to be right. */
  require?: number;
}

export interface ReloadOptions {
  restart?: boolean;
  json?: boolean;
}

export interface ReplayOptions {
  /** The configuration that is compared with. */
  against?: string;
  json?: boolean;
}

export interface ExplainOptions {
  config?: string;
  /** The path of a file that has only a body. */
  endpoint?: string;
  /** The name of the API key that the request has. */
  key?: string;
  logDir?: string;
  json?: boolean;
}

export interface ModelsOptions {
  /** The name of an API key. */
  key?: string;
  json?: boolean;
  refresh?: boolean;
  acceptPrices?: boolean;
}

export interface UpgradeOptions {
  check?: boolean;
  json?: boolean;
}

export interface AuditOptions {
  directory?: string;
  /** Milliseconds since 1970. */
  since?: number;
  action?: string;
  actor?: string;
  denied?: boolean;
  lines: number;
  json?: boolean;
}

export interface VerifyAuditOptions {
  directory?: string;
  expect?: { line: number; hash: string };
  json?: boolean;
}
