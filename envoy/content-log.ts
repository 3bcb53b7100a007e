// The log of the content of requests and responses: the filter's object (contract/content-record.ts), one per line. A request that is
// not captured has the line `-`.
import { join } from "node:path";
import { PROPERTY_CONTENT } from "../contract/content-record.ts";
import type { GatewayModel } from "../model/model.ts";
import { accessLogFile, CONTENT_LOG } from "../model/names.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Extension } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";

/** Returns the log; empty if nothing is captured. */
export function contentLogs(model: GatewayModel, runtime: RuntimeEnvironment): Extension[] {
  if (model.observability?.content === undefined) return [];
  return [
    extension("envoy.access_loggers.file", "extensions.access_loggers.file.v3.FileAccessLog", {
      path: join(runtime.logDirectory, accessLogFile(CONTENT_LOG)),
      log_format: {
        text_format_source: { inline_string: `%FILTER_STATE(wasm.${PROPERTY_CONTENT}:PLAIN)%\n` },
      },
    }),
  ];
}
