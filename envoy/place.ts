// What the machine decides about an Envoy, and not the configuration: paths and one port.

export interface Place {
  /** The compiled filter. */
  filterPath: string;
  /** Directory of the three access logs; it has to be there. */
  logDirectory: string;
  /** Whether access log lines go to Envoy's standard output as well. */
  accessLogOnStdout?: boolean;
  /** Unix socket of Envoy's administration. At most 107 bytes (sun_path of `man 7 unix`). */
  adminSocketPath: string;
  /** Unix socket on which the model server asks language models where egress wants a key or TLS. As short as the other. */
  ownEgressSocketPath?: string;
  /** Directory of the files that tell Envoy where the listeners' certificates are (`listenerSecrets`). */
  secretsDirectory?: string;
  /** Memory of the machine or the container, in bytes; absent: 2 GiB. */
  memoryBytes?: number;
  /** PEM bundle of the certificate authorities that providers' certificates are verified against. */
  caFile: string;
  /** Where the control plane serves the demonstration model, on 127.0.0.1. */
  demonstrationPort: number;
  /** Where the model server listens, on 127.0.0.1; needed where the model has a `prompt`. */
  modelServerPort?: number;
  /** Why the gateway is not ready, as far as that is not seen by its answering at all. */
  notReady?: string;
}
