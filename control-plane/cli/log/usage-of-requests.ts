// What access_usage.log has of the requests in the access logs: model, key, tokens, cost and error.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AccessLogEntry } from "../../../model/access-log-fields.ts";
import { exactName } from "../../../model/known-models.ts";
import { accessLogFile, USAGE_LOG } from "../../../model/names.ts";
import { endOfLog, lastLines } from "../../log-files/log-files.ts";
import { errorType } from "../../observability/classify.ts";
import { priceFinder, recordedCost } from "../../usage/record-cost.ts";
import { readUsageLine } from "../../usage/usage-line.ts";
import type { UsageLine } from "../../usage/usage-line.ts";
import type { GatewayModel } from "../../../model/model.ts";
import { NANO_PER_DOLLAR } from "../../../model/budgets.ts";

/** What a request used, and why it failed. A member that is not known is null. */
export interface RequestUsage {
  /** `egress` or `ingress`. */
  listener: string;
  model: string | null;
  key: string | null;
  /** The session of the client, and its sub-agent (docs/sessions.md). */
  session: string | null;
  subagent: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
  /** Code or type of the error. */
  error: string | null;
  /** Its text. */
  message: string | null;
}

export interface UsageFilter {
  model?: string | undefined;
  key?: string | undefined;
  session?: string | undefined;
}

export interface UsageOfRequests {
  /** Path of the log. */
  file: string;
  /** Returns the name of a request that an access log has too. */
  keyOf: (line: UsageLine) => string;
  usageOf: (line: UsageLine) => RequestUsage;
  /** Returns the last requests in the log that pass the filter, by `keyOf`. */
  last: (count: number, isWanted: (line: UsageLine) => boolean) => Map<string, RequestUsage>;
}

/** Returns a reader of the log in a directory; undefined if there is none. @param model for the prices */
export function usageOfRequests(
  directory: string,
  model: GatewayModel | undefined,
): UsageOfRequests | undefined {
  const file = join(directory, accessLogFile(USAGE_LOG));
  if (!existsSync(file)) return undefined;
  const priceOf = model === undefined ? () => undefined : priceFinder(model);
  const usageOf = (line: UsageLine): RequestUsage => {
    const { record } = line;
    const cost = record === undefined ? undefined : recordedCost(record, priceOf);
    const error = errorType(line);
    return {
      listener: record?.listener ?? "client",
      model: record === undefined ? null : (exactName(record) ?? null),
      key: record?.key ?? null,
      session: record?.session ?? null,
      subagent: record?.subagent ?? null,
      inputTokens: record?.input ?? null,
      outputTokens: record?.output ?? null,
      costUsd: cost === undefined ? null : cost / NANO_PER_DOLLAR,
      error: error === "" ? null : (record?.error ?? record?.code ?? error),
      message: record?.message ?? null,
    };
  };
  const keyOf = ({ startTime, record }: UsageLine) =>
    requestName(record?.id ?? "", Math.round(startTime * 1000));
  return {
    file,
    usageOf,
    keyOf,
    last(count, isWanted) {
      const isWantedLine = (text: string): boolean => {
        const line = readUsageLine(text);
        return line !== undefined && isWanted(line);
      };
      const lines = lastLines(file, count, isWantedLine, endOfLog(file));
      return new Map(
        lines.flatMap((text): [string, RequestUsage][] => {
          const line = readUsageLine(text);
          return line === undefined ? [] : [[keyOf(line), usageOf(line)]];
        }),
      );
    },
  };
}

/** Returns whether a request passes the filter: a model by its full name, without its provider, or as the client named it. */
export function passes({ model, key, session }: UsageFilter, { record }: UsageLine): boolean {
  if (record === undefined) return false;
  if (session !== undefined && record.session !== session) return false;
  if (key !== undefined && record.key !== key) return false;
  if (model === undefined) return true;
  const name = exactName(record) ?? "";
  return model === name || model === record.requested || name.endsWith(`/${model}`);
}

/** Returns the name of a request, which both logs can make: several may share an id. */
export function nameOfRequest({ requestId, startTime }: AccessLogEntry): string {
  return requestName(requestId ?? "", Date.parse(startTime));
}

const requestName = (id: string, start: number) => `${id} ${String(start)}`;
