// What a response has used, for the rate limits and budgets of its request: as the provider reports it, else estimated.
import { Usage } from "../hub/usage";

/** Estimated bytes of a token, where the provider reports no usage. */
const BYTES_PER_TOKEN: u32 = 4;
/** A larger request is large because of its images. */
const MAX_ESTIMATED_TOKENS: u32 = 32768;

export class Tally {
  /** Whether a provider has begun a response that is not an error, and that the client gets. */
  hasResponse: bool = false;
  /** Whether the response has reached its end, so that its usage is final. */
  isWhole: bool = false;
  /** Bytes of the response so far. */
  responseBytes: u32 = 0;

  constructor(
    private requestBytes: u32,
    /** Whether a response without usage has an output to estimate. */
    private countsOutput: bool,
  ) {}

  /** An attempt has got the head of a response. */
  startResponse(status: u32): void {
    this.responseBytes = 0;
    this.isWhole = false;
    this.hasResponse = status < 400;
  }

  /**
   * Sets `used` to the usage, with estimates in place of what the provider has not reported, or not to the end: each event of
   * a stream is a token. Returns whether there are any.
   */
  estimate(usage: Usage, events: u32, used: Usage): bool {
    used.copy(usage);
    const hasInput = usage.freshInput >= 0;
    if (!hasInput)
      used.freshInput = <i64>min(this.requestBytes / BYTES_PER_TOKEN, MAX_ESTIMATED_TOKENS);
    if (!this.countsOutput) return !hasInput;
    // Gemini leaves out an output of 0.
    if (this.isWhole && hasInput) return false;
    const output = <i64>(events > 0 ? events : this.responseBytes / BYTES_PER_TOKEN);
    const isFinal = this.isWhole || events == 0;
    if (usage.output >= 0 && (isFinal || usage.output > output)) return !hasInput;
    used.output = output;
    return true;
  }
}
