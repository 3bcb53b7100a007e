// `--tls`: the cases with TLS to the provider or to the clients. The load generator and the fake provider speak HTTP/1.1 in
// plain text, so an Envoy that is not measured, on their core, has the other end of the TLS connections.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { protocols } from "../envoy/cluster-settings.ts";
import { tlsOf } from "../envoy/tls.ts";
import { extension, type Fields, typed } from "../envoy/envoy-types.ts";
import { createAuthority } from "../test/gateway/certificates.ts";

export const HOST = "127.0.0.1";

/** Which side has TLS, the protocol on it, and the PEM files of an authority and a certificate for this machine. */
export interface Tls {
  side: "provider" | "clients";
  protocol: "http/1.1" | "h2";
  authority: string;
  certificate: string;
  key: string;
}

/** The values of `--tls`. */
export const TLS_NAMES = ["provider", "provider-h2", "clients", "clients-h2"];

/** Returns what a value of `--tls` stands for. Writes the certificates to `directory`. */
export function makeTls(name: string, directory: string): Tls {
  mkdirSync(directory, { recursive: true });
  const authority = createAuthority();
  const { cert, key } = authority.issue(HOST);
  const write = (file: string, pem: string): string => {
    writeFileSync(join(directory, file), pem, { mode: 0o600 });
    return join(directory, file);
  };
  return {
    side: name.startsWith("provider") ? "provider" : "clients",
    protocol: name.endsWith("-h2") ? "h2" : "http/1.1",
    authority: write("ca.crt", authority.cert),
    certificate: write("tls.crt", cert),
    key: write("tls.key", key),
  };
}

/** Returns the fields of a filter chain that serves TLS with these protocols. */
export function serving({ certificate, key }: Tls, alpn_protocols: string[]): Fields {
  const common_tls_context = {
    tls_params: { tls_minimum_protocol_version: "TLSv1_2" },
    alpn_protocols,
    tls_certificates: [
      { certificate_chain: { filename: certificate }, private_key: { filename: key } },
    ],
  };
  return {
    transport_socket: extension(
      "envoy.transport_sockets.tls",
      "extensions.transport_sockets.tls.v3.DownstreamTlsContext",
      { common_tls_context },
    ),
  };
}

/** What a cluster does not need. */
const NOWHERE = { filterPath: "", logDirectory: "", adminSocketPath: "" };

/** Returns the fields that the gateway renders for the cluster of a provider with TLS. */
export function connecting({ authority }: Tls, port: number): Fields {
  const address = { kind: "host", host: HOST, port, tls: true, serverName: HOST } as const;
  return { ...tlsOf(address, { ...NOWHERE, caFile: authority }), ...protocols(address, []) };
}

/** Returns the same for a cluster that has one protocol instead of the negotiated one. */
export function connectingBy(tls: Tls, port: number): Fields {
  const explicit_http_config: Fields =
    tls.protocol === "h2" ? { http2_protocol_options: {} } : { http_protocol_options: {} };
  const options = typed("extensions.upstreams.http.v3.HttpProtocolOptions", {
    explicit_http_config,
  });
  return {
    ...connecting(tls, port),
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": options,
    },
  };
}
