// The playground's requests: passed from the page to the gateway's own egress listener, as any client sends them, so that
// keys, limits, logs and prices are the same. The client's key is in the page's memory only.
import { randomUUID } from "node:crypto";
import { request as requestPlain } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as requestByTls } from "node:https";
import type { Context, Hono } from "hono";
import { DIALECTS } from "../../../contract/dialects.ts";
import type { DialectRow } from "../../../contract/dialects.ts";
import { actorOf } from "../../admin/actor.ts";
import { audit } from "../../admin/audit.ts";
import { exampleKey } from "../../../model/client-keys.ts";
import { namesUnderWildcard } from "../../../model/known-models.ts";
import type { GatewayModel, Listener } from "../../../model/model.ts";
import { clientNames, isWildcard } from "../../../model/model-names.ts";
import { isLoopback, toConnectAddress, urlOf } from "../../../model/listener-url.ts";

/** Request header of the page with the client's key. */
const KEY_HEADER = "x-playground-key";
/** Response header with the gateway's request id. */
const ID_HEADER = "x-playground-id";
const MAX_BODY = 1_048_576;
/** Headers of the response that the page shows. */
const SHOWN = /^(?:content-type|retry-after|x-gateway-.*)$/;

/** The token of the metrics is for programs that read metrics. */
const NEEDS_KEYS =
  "The playground needs listeners.egress.api_keys if observability.metrics.address is not a loopback address.\n";

const CLIENT_DIALECTS = DIALECTS.filter(({ hasClients }) => hasClients);

/** Returns what the page has to know to write a request, and the curl for it. */
export function playgroundSettings(model: GatewayModel) {
  const { egress, defaultTarget, targets } = model;
  return {
    url: urlOf(egress),
    models: [
      ...clientNames(model).flatMap(({ name }) => (isWildcard(name) ? [] : [name])),
      ...takenNames(model),
    ],
    defaultModel: targets[defaultTarget]?.name,
    keyVariable: exampleKey(egress.apiKeys)?.variable,
    dialects: CLIENT_DIALECTS.map(({ name, path, credential, requiredHeaders }) => ({
      name,
      path,
      credential: { header: credential.header, prefix: credential.prefix },
      headers: requiredHeaders.map((header) => ({ name: header.name, value: header.value })),
    })),
  };
}

/** Returns the known models that wildcards take. */
function takenNames({ targets }: GatewayModel): string[] {
  const wildcards = targets.filter(({ wildcard }) => wildcard !== undefined);
  return wildcards.flatMap((one) =>
    namesUnderWildcard(one).map((bare) => `${one.provider}/${bare}`),
  );
}

/** Adds the route: `POST /api/playground/v1/messages`. */
export function addPlayground(app: Hono, model: () => GatewayModel | undefined): void {
  for (const dialect of CLIENT_DIALECTS) {
    app.post(`/api/playground${dialect.path}`, async (context) => {
      const active = model();
      if (active === undefined) return context.text("The gateway is not running.\n", 503);
      if (isOpenToOthers(active)) return context.text(NEEDS_KEYS, 403);
      if (context.req.header("content-type") !== "application/json")
        return context.text("The body must be application/json.\n", 415);
      if (Number(context.req.header("content-length") ?? MAX_BODY + 1) > MAX_BODY)
        return context.text("The request is larger than 1 MiB.\n", 413);
      return pass(context, active.egress, dialect);
    });
  }
}

/** Whether whoever may read the metrics from another machine could call models without a key. */
function isOpenToOthers({ observability, egress }: GatewayModel): boolean {
  const { address } = observability?.metrics ?? {};
  const needsKey =
    egress.apiKeys !== undefined ||
    egress.acceptsRuntimeKeys === true ||
    egress.tokens !== undefined;
  return address !== undefined && !isLoopback(address) && !needsKey;
}

async function pass(context: Context, listener: Listener, dialect: DialectRow) {
  const { credential, requiredHeaders, path } = dialect;
  // Of the response's ids, one may be the provider's.
  const id = randomUUID();
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "x-request-id": id,
  };
  for (const { name, value } of requiredHeaders) headers[name] = value;
  const key = context.req.header(KEY_HEADER);
  if (key !== undefined && key !== "") headers[credential.header] = credential.prefix + key;
  const body = Buffer.from(await context.req.arrayBuffer());
  try {
    const { signal } = context.req.raw;
    const response = await send(listener, { path, headers, signal }, body);
    auditRequest(context, id, { path, status: response.statusCode ?? 502 });
    const shown = Object.entries(response.headers).filter(([name]) => SHOWN.test(name));
    return new Response(ReadableStream.from(response) as ReadableStream<Uint8Array>, {
      status: response.statusCode ?? 502,
      headers: {
        ...Object.fromEntries(shown.map(([name, value]) => [name, String(value)])),
        [ID_HEADER]: id,
      },
    });
  } catch (error) {
    // It has timed out, or the page has left: the model may have been called.
    auditRequest(context, id, { path });
    const { code, message } = error as NodeJS.ErrnoException;
    return context.text(`The egress listener does not respond (${code ?? message}).\n`, 502);
  }
}

/** Who has asked is in no usage record: its key may be of several people. */
function auditRequest(context: Context, id: string, after: { path: string; status?: number }) {
  const actor = actorOf(context);
  if (actor !== undefined) audit(actor, "playground.request", id, { after });
}

function send(
  { address, port, tls }: Listener,
  { path, headers, signal }: { path: string; headers: Record<string, string>; signal: AbortSignal },
  body: Buffer,
): Promise<IncomingMessage> {
  const options = {
    host: toConnectAddress(address),
    port,
    method: "POST",
    path,
    headers: { ...headers, "content-length": body.length },
    signal,
    agent: false,
  };
  return new Promise((resolve, reject) => {
    // It is this machine, and the certificate is for the names that clients use.
    const outgoing =
      tls === undefined
        ? requestPlain(options, resolve)
        : requestByTls({ ...options, rejectUnauthorized: false }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
