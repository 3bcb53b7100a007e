// The failed attempts of a request, for its usage record.
import { Target } from "../config/target";
import { Fault } from "../hub/faults/fault";
import { currentMilliseconds } from "../host/host";

/** Further ones are not kept. */
const MAX_KEPT: i32 = 32;

/** Why an attempt had no response; the words are RESET_WORDS of contract/usage-record.ts. */
export const enum ResetReason {
  /** There was a response. */
  None,
  /** The connection ended, or the provider was silent for too long: Envoy does not show which. */
  Reset,
  ConnectionFailure,
}

export class FailedAttempt {
  constructor(
    public target: Target,
    /** The status of the response, or of the error in it; 0 without a response. */
    public status: u32,
    /** The code of the error, may be empty; without a response it is `reset`. */
    public code: string,
    public reset: ResetReason,
    /** The message of the error; empty if it was not read. */
    public message: string,
    public milliseconds: i64,
  ) {}

  /** Of a request that is too long: the tokens that it needs and those that the model accepts; 0 if they are not known. */
  contextTokens: u32 = 0;
  contextLimit: u32 = 0;
}

export class FailedAttempts {
  list: FailedAttempt[] = [];
  /** When the current attempt began, in milliseconds. */
  private startedAt: i64 = 0;
  /** The current attempt, if it has failed: it is kept when a further attempt follows. */
  private failure: FailedAttempt | null = null;

  /** Starts an attempt. */
  begin(): void {
    this.startedAt = currentMilliseconds();
    const failure = this.failure;
    if (failure !== null && this.list.length < MAX_KEPT) this.list.push(failure);
    this.failure = null;
  }

  /** The current attempt has failed. */
  fail(
    target: Target | null,
    status: u32,
    code: string,
    reset: ResetReason,
    message: string = "",
    fault: Fault | null = null,
  ): void {
    if (target === null) return;
    const milliseconds = currentMilliseconds() - this.startedAt;
    const failure = new FailedAttempt(target, status, code, reset, message, milliseconds);
    this.failure = failure;
    if (fault === null) return;
    failure.contextTokens = fault.neededTokens;
    failure.contextLimit = fault.maxTokens;
  }
}
