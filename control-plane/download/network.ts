// The network settings of a download: the proxy of the environment, and the certificates that the machine trusts.
import { readFileSync } from "node:fs";
import { setGlobalProxyFromEnv } from "node:http";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Environment } from "../report/environment.ts";

/** Variables that name a file of CA certificates, of Node, OpenSSL, pip and curl. */
const CA_VARIABLES = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "PIP_CERT",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
] as const;

/**
 * Runs `work` with HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and with the certificates of the system and of the usual
 * variables. Afterwards this process has its own settings again.
 */
export async function withNetworkOf<Result>(
  environment: Environment,
  work: () => Promise<Result>,
): Promise<Result> {
  const own = getCACertificates("default");
  const restoreProxy = setGlobalProxyFromEnv({ ...environment });
  const all = [...own, ...getCACertificates("system"), ...named(environment)];
  setDefaultCACertificates([...new Set(all.map((certificate) => certificate.trim()))]);
  try {
    return await work();
  } finally {
    restoreProxy();
    setDefaultCACertificates(own);
  }
}

function named(environment: Environment): string[] {
  return CA_VARIABLES.flatMap((name) => {
    const file = environment[name];
    if (file === undefined || file === "") return [];
    try {
      const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
      return readFileSync(file, "latin1").match(certificates) ?? [];
    } catch {
      return []; // the other files may be enough
    }
  });
}
