// The discovery document of an issuer: where its public keys are. Its content is checked before it is used (OpenID Connect
// Discovery 1.0, section 4.3).
import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { discoveryUrl } from "../../model/json-web-tokens.ts";

const TIMEOUT_MS = 5_000;
/** Those of the usual issuers have 2 to 5 KB. */
const MAX_BYTES = 262_144;

/**
 * Returns the URL of the issuer's keys. Rejects with the reason, which ends a sentence, if the document cannot be read or used.
 * @param authorities certificate authorities in PEM; absent: those of Node
 */
export async function discoverKeySet(
  issuer: string,
  authorities: string | undefined,
  signal: AbortSignal,
): Promise<URL> {
  const url = new URL(discoveryUrl(issuer));
  const text = await readText(url, authorities, signal);
  const document = parseObject(text);
  if (document === undefined) throw new Error("the response is no JSON object");
  if (document["issuer"] !== issuer)
    throw new Error(
      `the document is of another issuer, ${shown(document["issuer"])}: write the issuer exactly as there`,
    );
  const keys = typeof document["jwks_uri"] === "string" ? URL.parse(document["jwks_uri"]) : null;
  if (keys === null) throw new Error("the document has no jwks_uri");
  // Whoever can change the keys on their way can sign tokens.
  const isSafe =
    keys.protocol === "https:" || (keys.protocol === "http:" && url.protocol === "http:");
  if (!isSafe || keys.username !== "")
    throw new Error(`jwks_uri is ${shown(keys.href)}, and not an https:// URL`);
  return keys;
}

function shown(value: unknown): string {
  return value === undefined ? "without a name" : JSON.stringify(value).slice(0, 200);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a document. The default proxy of the process applies; redirects are not followed. */
function readText(url: URL, ca: string | undefined, signal: AbortSignal): Promise<string> {
  const options = {
    headers: { accept: "application/json" },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  };
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) => {
      textOf(response).then(resolve, reject);
    };
    const request: ClientRequest =
      url.protocol === "https:"
        ? requestTls(url, { ...options, ...(ca === undefined ? {} : { ca }) }, onResponse)
        : requestPlain(url, options, onResponse);
    request.once("error", (error: NodeJS.ErrnoException) => {
      reject(new Error(error.name === "AbortError" ? "no response in 5 s" : reasonOf(error)));
    });
    request.end();
  });
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code ?? message;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const { statusCode: status = 0 } = response;
  if (status !== 200) {
    response.destroy();
    throw new Error(`status ${String(status)}`);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BYTES) throw new Error("the response is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
