// The smaller settings: `version`, `limits`, `access_log`.
import type { AccessLog, Limits } from "../ir/model.ts";
import { readHomePath } from "./home-path.ts";
import { parseSize } from "./quantity.ts";
import type { Reading } from "./reading.ts";
import type { Configuration } from "./schema.ts";
import type { Draft } from "./shape.ts";

const VERSION = "v0.1.0";
const REQUEST_BODY_BYTES = 32 * 1024 ** 2;
const REQUEST_HEADERS_BYTES = 60 * 1024;
const LOG_FILE_BYTES = 100 * 1024 ** 2;
const KEPT_FILES = 5;

export function readVersion(reading: Reading, version: string | undefined): string {
  if (version !== undefined && !/^v?0\.\d{1,3}(?:\.\d{1,3})?$/.test(version)) {
    const shown = reading.show(["version"], version);
    reading.problem(["version"], `expected ${VERSION}, not ${shown}`, {
      hint: `write ${VERSION}`,
    });
  }
  return version ?? VERSION;
}

export function readLimits(
  reading: Reading,
  limits: Draft<NonNullable<Configuration["limits"]>>,
): Limits {
  const { connections, concurrent_requests: concurrentRequests } = limits;
  const headers = bytes(limits.request_headers, REQUEST_HEADERS_BYTES);
  const requestBodyBytes = bytes(limits.request_body, REQUEST_BODY_BYTES);
  const memoryBytes = limits.memory === undefined ? undefined : parseSize(limits.memory);
  if (memoryBytes !== undefined && memoryBytes < 2 * requestBodyBytes) {
    reading.problem(["limits", "memory"], "one request body could fill half of this memory", {
      hint: "expected twice limits.request_body at least, which is 32MiB unless you set it",
    });
  }
  return {
    requestBodyBytes,
    requestHeadersKib: Math.ceil(headers / 1024),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(connections === undefined ? {} : { connections }),
    ...(concurrentRequests === undefined ? {} : { concurrentRequests }),
  };
}

export function readAccessLog(
  reading: Reading,
  log: Draft<NonNullable<Configuration["access_log"]>>,
): AccessLog {
  const directory = readHomePath(reading, ["access_log", "directory"], log.directory);
  return {
    ...(directory === undefined ? {} : { directory }),
    maxFileBytes: bytes(log.max_file_size, LOG_FILE_BYTES),
    keepFiles: log.keep_files ?? KEPT_FILES,
  };
}

function bytes(value: string | number | undefined, otherwise: number): number {
  return (value === undefined ? undefined : parseSize(value)) ?? otherwise;
}
