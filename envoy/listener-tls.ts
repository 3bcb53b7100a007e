// TLS for clients. Envoy reads certificate and key from the user's own files, and reads them again when a file is moved
// into the directory of secrets; the gateway copies their bytes to no file.
import { join } from "node:path";
import type { GatewayModel, Listener } from "../model/model.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Fields } from "./envoy-types.ts";
import { extension, typed } from "./envoy-types.ts";

/** Returns the transport socket of a listener's filter chain; no fields if clients connect in plain text. */
export function listenerTls({ name, tls }: Listener, runtime: RuntimeEnvironment): Fields {
  if (tls === undefined) return {};
  const path = secretFile(name, runtime.secretsDirectory ?? "");
  const context = {
    common_tls_context: {
      tls_params: { tls_minimum_protocol_version: "TLSv1_2" },
      alpn_protocols: ["h2", "http/1.1"],
      tls_certificate_sds_secret_configs: [{ name, sds_config: { path_config_source: { path } } }],
    },
  };
  return {
    transport_socket: extension(
      "envoy.transport_sockets.tls",
      "extensions.transport_sockets.tls.v3.DownstreamTlsContext",
      context,
    ),
  };
}

/** A file that gives Envoy the paths of a listener's certificate and key. */
export interface ListenerSecret {
  file: string;
  text: string;
}

/** Returns one file for each listener with TLS; they must exist when Envoy starts. JSON is YAML. */
export function listenerSecrets(
  { ingress, egress }: Pick<GatewayModel, "ingress" | "egress">,
  directory: string,
): ListenerSecret[] {
  return [ingress, egress].flatMap(({ name, tls }) => {
    if (tls === undefined) return [];
    const secret = typed("extensions.transport_sockets.tls.v3.Secret", {
      name,
      tls_certificate: {
        certificate_chain: { filename: tls.certificate },
        private_key: { filename: tls.key },
        watched_directory: { path: directory },
      },
    });
    return [{ file: secretFile(name, directory), text: JSON.stringify({ resources: [secret] }) }];
  });
}

function secretFile(name: string, directory: string): string {
  return join(directory, `${name}.json`);
}
