// Settings of a rendered configuration that come from the machine: paths of the filter, the logs, the admin socket and
// the CA file.
import { existsSync } from "node:fs";
import { totalmem } from "node:os";
import { join, resolve } from "node:path";
import type { RuntimeEnvironment } from "../../envoy/runtime-environment.ts";
import type { ConfigurationFile } from "../config/diagnostics/configuration-problems.ts";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { Address } from "../../model/address.ts";
import type { GatewayModel } from "../../model/model.ts";
import { logDirectory } from "./log-directory.ts";
import { secretsDirectory, socketPath, stateDirectory, tokensDirectory } from "./state.ts";

/** The filter that the set-up compiled. */
export const FILTER_FILE = join(import.meta.dirname, "../../build/filter.wasm");

/** System roots of Debian, Ubuntu and Alpine; Fedora and Red Hat (two); SUSE; macOS and BSD; OpenBSD. */
const CA_FILES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
  "/usr/local/share/certs/ca-root-nss.crt",
] as const;

/**
 * Returns the environment that `gateway render` shows: that of this installation, without what only a running gateway
 * has.
 */
export function defaultRuntimeEnvironment(
  model: GatewayModel,
  file: ConfigurationFile,
  environment: Environment,
): RuntimeEnvironment {
  const directory = stateDirectory(file, environment);
  return {
    filterPath: FILTER_FILE,
    logDirectory: logDirectory({ model, file, environment }, undefined),
    adminSocketPath: socketPath(directory, "admin"),
    budgetsSocketPath: socketPath(directory, "budgets"),
    ownEgressSocketPath: socketPath(directory, "egress"),
    secretsDirectory: secretsDirectory(directory),
    tokensDirectory: tokensDirectory(directory),
    memoryBytes: memoryBytes(),
    caFile: findCaFile(environment) ?? CA_FILES[0],
    demonstrationSocketPath: socketPath(directory, "demonstration"),
    modelServerSocketPath: socketPath(directory, "modelServer"),
  };
}

/** Returns the memory limit of the container if it has one, else the memory of the machine. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Returns the file of CA certificates: SSL_CERT_FILE, else the system's. */
export function findCaFile(environment: Environment): string | undefined {
  const named = environment["SSL_CERT_FILE"];
  if (named) {
    if (existsSync(named)) return resolve(named);
    throw new GatewayError(`SSL_CERT_FILE is ${named}, which does not exist.`, {
      hint: "Set it to a PEM file with the CA certificates to trust, or unset it.",
    });
  }
  return CA_FILES.find((file) => existsSync(file));
}

interface CalledServer {
  /** For messages. */
  name: string;
  address: Address;
}

/** Returns what Envoy connects to. */
function calledServers({
  targets,
  prompt,
  tracing,
  ingress,
  egress,
}: GatewayModel): CalledServer[] {
  const issuers = [ingress, egress].flatMap(({ tokens = [] }) => tokens);
  return [
    ...targets,
    ...(prompt?.endpoints ?? []),
    ...(tracing === undefined ? [] : [{ name: "tracing.endpoint", address: tracing.address }]),
    ...issuers.flatMap(({ issuer, keySet }) =>
      typeof keySet === "object"
        ? [{ name: `jwks_uri of ${issuer}`, address: keySet.address }]
        : [],
    ),
  ];
}

function isProxyAlone(address: Address): boolean {
  return address.kind === "host" && !address.tls;
}

/** Returns the CA file, which only servers with TLS need. Throws if it is needed and missing. */
export function requireCaFile(model: GatewayModel, environment: Environment): string {
  const secure = calledServers(model).find(
    ({ address }) => address.kind === "host" && (address.tls || address.proxy?.tls === true),
  );
  if (secure === undefined) return CA_FILES[0];
  const file = findCaFile(environment);
  if (file !== undefined) return file;
  throw new GatewayError(
    `${secure.name} uses https${isProxyAlone(secure.address) ? " for its proxy" : ""}, but this machine has no CA certificates to verify it.`,
    {
      hint: "Install them (Debian, Ubuntu: apt-get install ca-certificates) or set SSL_CERT_FILE to a PEM file.",
    },
  );
}
