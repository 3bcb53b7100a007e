// TLS to providers: the certificate must be valid for the server name that is sent.
import { isIP } from "node:net";
import type { Address } from "../model/model.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Extension, Fields } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";

export function tlsOf(address: Address, runtime: RuntimeEnvironment): Fields {
  const socket = transportSocket(address, runtime);
  return socket === undefined ? {} : { transport_socket: socket };
}

function transportSocket(address: Address, runtime: RuntimeEnvironment): Extension | undefined {
  if (address.kind === "embedded" || !address.tls) return undefined;
  const { serverName } = address;
  const isAddress = isIP(serverName) !== 0;
  return extension(
    "envoy.transport_sockets.tls",
    "extensions.transport_sockets.tls.v3.UpstreamTlsContext",
    {
      // An IP address must not be sent as SNI (RFC 6066, section 3).
      ...(isAddress ? {} : { sni: serverName }),
      common_tls_context: {
        tls_params: { tls_minimum_protocol_version: "TLSv1_2" },
        validation_context: {
          trusted_ca: { filename: runtime.caFile },
          match_typed_subject_alt_names: [
            { san_type: isAddress ? "IP_ADDRESS" : "DNS", matcher: { exact: serverName } },
          ],
        },
      },
    },
  );
}
