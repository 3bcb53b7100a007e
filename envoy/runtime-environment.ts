// Settings of an Envoy that come from the machine, and not from the configuration. Paths of sockets have at most 107
// bytes (`man 7 unix`).

export interface RuntimeEnvironment {
  /** The compiled filter. */
  filterPath: string;
  /** Directory of the three access logs; it must exist. */
  logDirectory: string;
  /** Whether access log lines go to Envoy's standard output as well. */
  accessLogOnStdout?: boolean;
  /** Unix socket of Envoy's admin interface. */
  adminSocketPath: string;
  /** Unix socket on which the control plane sends the limits of budgets; required if the model has `budgets`. */
  budgetsSocketPath?: string;
  /** Unix socket on which the model server calls language models. */
  ownEgressSocketPath?: string;
  /** Directory of the files that name the listeners' certificates (`listenerSecrets`). */
  secretsDirectory?: string;
  /** Directory of the files with the access tokens of providers (`secretWith`). */
  tokensDirectory?: string;
  /** Values of the filter's variables that Envoy does not have in its environment; by name. */
  filterValues?: Readonly<Record<string, string>>;
  /** Memory of the machine or the container, in bytes; absent: 2 GiB. */
  memoryBytes?: number;
  /** PEM bundle of the certificate authorities that providers' certificates are verified against. */
  caFile: string;
  /** Unix socket on which the control plane serves the demonstration model. */
  demonstrationSocketPath?: string;
  /** Unix socket of the model server; required if the model has a `prompt`. */
  modelServerSocketPath?: string;
  /** Unix socket on which the control plane serves the login; required if the model has a `login`. */
  loginSocketPath?: string;
  /** Why the gateway is not ready, if the reason is outside Envoy; absent: a response alone proves readiness. */
  notReady?: string;
  /** What the readiness report has to add while the gateway is ready. */
  note?: string;
}
