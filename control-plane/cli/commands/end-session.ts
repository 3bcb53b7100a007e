// `gateway sessions end`: ends a session of an agent while the gateway runs.
import type { z } from "zod";
import type { endedSchema } from "../../agent-sessions/session-routes.ts";
import { printable } from "../../report/terminal.ts";
import { callApi } from "../admin-api.ts";
import type { SessionEndOptions } from "../command-options.ts";

export async function endSession(
  session: string,
  { config, key, json }: SessionEndOptions,
): Promise<void> {
  const path = `/sessions/${encodeURIComponent(session)}/end`;
  const body = key === undefined ? {} : { key };
  const ended = await callApi<z.output<typeof endedSchema>>(config, "POST", path, body);
  if (json === true) {
    console.log(JSON.stringify(ended));
    return;
  }
  const whose = ended.key === undefined ? "" : ` of key ${printable(ended.key)}`;
  console.log(`Ended session ${printable(ended.session)}${whose}, until ${ended.until}.`);
}
