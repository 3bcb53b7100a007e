// Calls of the admin API by commands: over the control socket of the running gateway, which needs no token.
import { commandFor } from "../report/command-name.ts";
import { GatewayError } from "../report/gateway-error.ts";
import { fetchAt, type SocketRequest } from "../model-server/unix-socket.ts";
import { chooseRunning, notRunning } from "./find-running.ts";

const TIMEOUT_MS = 30_000;

interface ApiError {
  error?: { message?: string; fields?: { field: string; message: string }[] };
}

/** Sends a request to the running gateway. Throws a GatewayError with the reason if it is rejected. */
export async function callApi<Response>(
  config: string | undefined,
  method: SocketRequest["method"],
  path: string,
  body?: unknown,
): Promise<Response> {
  const running = chooseRunning(config, process.env);
  if (running === undefined)
    throw new GatewayError(notRunning(config), { hint: `Start one: ${commandFor("up")}` });
  const { controlSocket } = running.record;
  const response = await fetchAt(controlSocket, `http://gateway/api/v1${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new GatewayError(`The gateway did not respond: ${(error as Error).message}.`);
  });
  const text = await response.text();
  if (!text.startsWith("{"))
    throw new GatewayError(`The gateway responded with ${String(response.status)}.`, {
      hint: `It may be of an older version: ${commandFor("status")} shows it.`,
    });
  const parsed = JSON.parse(text) as Response & ApiError;
  if (response.ok) return parsed;
  const { message = `The gateway responded with ${String(response.status)}.`, fields = [] } =
    parsed.error ?? {};
  const hint = fields.map((one) => `${one.field}: ${one.message}`).join("\n");
  throw new GatewayError(message, hint === "" ? {} : { hint });
}
