// The one error that the command line shows without a stack: what happened, what to do, and the exit code.

/** 2: the user's configuration is to be changed. 3: the change needs a restart of Envoy. 1: anything else. */
export type ExitCode = 1 | 2 | 3;

export class GatewayError extends Error {
  /** One sentence on what to do about it. */
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;

  constructor(message: string, options: { hint?: string; exitCode?: ExitCode } = {}) {
    super(message);
    this.name = "GatewayError";
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? 1;
  }
}
