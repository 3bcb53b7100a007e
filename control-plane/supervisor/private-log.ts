// The log with users' texts, which only the gateway's user may read. Envoy creates a missing file by the process's umask, so it
// is created before.
import { chmodSync, closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { GatewayModel } from "../../model/model.ts";
import { accessLogFile, CONTENT_LOG } from "../../model/names.ts";

const OWNER_ONLY = 0o600;

export function contentLogIn(directory: string): string {
  return join(directory, accessLogFile(CONTENT_LOG));
}

/** Creates the content log, if the configuration asks for one. An existing file becomes private. */
export function prepareContentLog({ observability }: GatewayModel, directory: string): void {
  if (observability?.content !== undefined) createPrivately(contentLogIn(directory));
}

export function createPrivately(file: string): void {
  closeSync(openSync(file, "a", OWNER_ONLY));
  chmodSync(file, OWNER_ONLY);
}
