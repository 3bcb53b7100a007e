// Where requests go, and the headers they get: of providers and of prompt targets.

/** Where a provider listens. `embedded` is the demonstration model, served by the control plane itself. */
export type Address =
  | {
      kind: "host";
      host: string;
      port: number;
      tls: boolean;
      /** TLS name to send and to verify */ serverName: string;
      /** Absent: it is reached directly. */
      proxy?: Proxy;
    }
  | { kind: "embedded" };

/** A proxy that is asked for a tunnel (CONNECT). */
export interface Proxy {
  host: string;
  port: number;
  /** TLS to the proxy itself. */
  tls: boolean;
  /** Environment variable whose URL has the user and the password; absent: none. */
  credential?: string;
}

/** The proxy of all providers that do not set one, and of the gateway's own requests. */
export interface DefaultProxy {
  proxy: Proxy;
  /** Hosts that are reached without it, as NO_PROXY has them: names, domains, `host:port`, addresses, networks. */
  exceptions: string[];
}

/** A header for the provider. A value may mix text with references to secrets, which only the filter resolves. */
export interface ProviderHeader {
  /** Lower case. */
  name: string;
  parts: ({ text: string } | { environment: string })[];
}
