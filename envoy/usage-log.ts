// The log of usage records: one line per client request, for the control plane. Numbers of Envoy, then the filter's record
// (contract/usage-record.ts), which is the only part that a client can fill and is JSON. The columns are those of
// model/usage-log-fields.ts.
import { join } from "node:path";
import { PROPERTY_USAGE } from "../contract/usage-record.ts";
import { hasUsageRecords } from "../model/filter-document/document-budgets.ts";
import type { GatewayModel } from "../model/model.ts";
import { accessLogFile, USAGE_LOG } from "../model/names.ts";
import { USAGE_LOG_FIELDS } from "../model/usage-log-fields.ts";
import { exceptLogin } from "./login-routes.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Extension } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";

/** Returns the log; empty if nothing is to be recorded. */
export function usageLogs(model: GatewayModel, runtime: RuntimeEnvironment): Extension[] {
  if (!hasUsageRecords(model)) return [];
  const record = `%FILTER_STATE(wasm.${PROPERTY_USAGE}:PLAIN)%`;
  const line = [...Object.values(USAGE_LOG_FIELDS), record].join(" ");
  const log = extension(
    "envoy.access_loggers.file",
    "extensions.access_loggers.file.v3.FileAccessLog",
    {
      path: join(runtime.logDirectory, accessLogFile(USAGE_LOG)),
      log_format: { text_format_source: { inline_string: `${line}\n` } },
    },
  );
  return [{ ...log, ...exceptLogin(model) }];
}
