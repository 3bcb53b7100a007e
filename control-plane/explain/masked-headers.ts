// Headers and URLs as they may be shown: a credential is the name of its environment variable, or `***`.
import type { HeaderPair } from "../wasm-host/header-map.ts";

const CREDENTIALS = new Set([
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "x-gateway-api-key",
  "cookie",
]);

/**
 * Masks the credentials of clients. Those of the configuration are `$NAME` already, because the filter was given names.
 * @param variables names of the environment variables that the filter reads
 */
export function maskHeaders(
  headers: readonly HeaderPair[],
  variables: readonly string[],
): [name: string, value: string][] {
  const own = new Set(variables.map((name) => `$${name}`));
  return headers.map(([name, value]) => {
    if (!CREDENTIALS.has(name.toLowerCase())) return [name, value];
    const [, scheme = "", credential = ""] = /^((?:Bearer|Basic) )?(.*)$/is.exec(value) ?? [];
    return [name, own.has(credential) ? value : `${scheme}***`];
  });
}

/** The names that the access logs mask too (filter/bytes/text/query.ts). */
const CREDENTIAL_NAME =
  /(?:key|token|sig|signature|secret|password|passwd|credentials?|auth|authorization|bearer|jwt)[^a-z]*$/i;

/** Masks the credentials in the query of a path or URL. */
export function maskQuery(url: string): string {
  return url.replaceAll(/([?&;])([^=&;]+)=([^&;#]+)/g, (part, start: string, name: string) =>
    CREDENTIAL_NAME.test(name) ? `${start}${name}=***` : part,
  );
}
