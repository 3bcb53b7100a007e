// Where requests go, and the headers they get: of providers and of prompt targets.

/** Where a provider listens. `embedded` is the demonstration model, served by the control plane itself. */
export type Address =
  | {
      kind: "host";
      host: string;
      port: number;
      tls: boolean;
      /** TLS name to send and to verify */ serverName: string;
    }
  | { kind: "embedded" };

/** A header for the provider. A value may mix text with references to secrets, which only the filter resolves. */
export interface ProviderHeader {
  /** Lower case. */
  name: string;
  parts: ({ text: string } | { environment: string })[];
}
