// What a response has used, for the rate limits and budgets of its request: as the provider reports it, else estimated.
import { ResponseFacts } from "../hub/response/facts";
import { Usage } from "../hub/response/usage";

/** Estimated bytes of a token, where the provider reports no usage. */
const BYTES_PER_TOKEN: u64 = 4;

const NO_USAGE = new Usage();
/** What `read` and `estimateInput` return, until the next call. */
const used = new Usage();

export class UsageEstimate {
  /** Whether a provider has begun a response that is not an error, and that the client gets. */
  hasResponse: bool = false;
  /** Whether the response has reached its end, so that its usage is final. */
  isWhole: bool = false;
  /** Bytes of the response so far. */
  responseBytes: u64 = 0;
  /** Whether what `read` has returned is estimated. */
  isEstimated: bool = false;
  private mayRepeat: bool = false;

  constructor(
    /** Bytes of the request that the model reads (`promptByteCount` of hub/token-estimate.ts). */
    private requestBytes: u32,
    /** Whether a response without usage has an output to estimate. */
    private countsOutput: bool,
    /** Bytes of the request that a complete response in its dialect may repeat (`repeatedBytes` of the dialect). */
    private repeatedBytes: u32,
  ) {}

  /** An attempt has got the head of a response. `isTranslated`: it is of another dialect, and repeats nothing. */
  startResponse(status: u32, isTranslated: bool): void {
    this.responseBytes = 0;
    this.mayRepeat = !isTranslated;
    this.isWhole = false;
    this.hasResponse = status < 400;
  }

  /** Returns what the response has used; null if nothing is charged for it. */
  read(facts: ResponseFacts | null): Usage | null {
    if (!this.hasResponse || facts === null) return null;
    facts.settle();
    // The last usage of a stream that breaks is older than its last token.
    if (facts.isCutOff) this.isWhole = false;
    else if (facts.isFree) return null;
    this.isEstimated = this.estimate(facts.usage, facts.events, facts.textBytes);
    return used;
  }

  /**
   * Sets `used` to the usage, with estimates in place of what the provider has not reported, or not to the end: each event of
   * a stream is a token, and so are four bytes of its text, whichever are more. Returns whether there are any.
   */
  private estimate(usage: Usage, events: u32, textBytes: u64): bool {
    used.copy(usage);
    const hasInput = usage.freshInput >= 0;
    if (!hasInput) used.freshInput = this.estimatedInput;
    if (!this.countsOutput) return !hasInput;
    // Gemini leaves out an output of 0.
    if (this.isWhole && hasInput) return false;
    const output = events > 0 ? tokensOfStream(events, textBytes) : this.tokensOfResponse;
    const isFinal = this.isWhole || events == 0;
    if (usage.output >= 0 && (isFinal || usage.output > output)) return !hasInput;
    used.output = output;
    return true;
  }

  /** Returns the input alone, for a request that has no response. */
  estimateInput(): Usage {
    used.copy(NO_USAGE);
    used.freshInput = this.estimatedInput;
    return used;
  }

  /** What the response repeats of the request is no output. */
  private get tokensOfResponse(): i64 {
    const bytes = this.responseBytes;
    const repeated: u64 = this.mayRepeat ? this.repeatedBytes : 0;
    return bytes > repeated ? <i64>((bytes - repeated) / BYTES_PER_TOKEN) : 0;
  }

  private get estimatedInput(): i64 {
    return <i64>(this.requestBytes / BYTES_PER_TOKEN);
  }
}

function tokensOfStream(events: u32, textBytes: u64): i64 {
  return <i64>max(<u64>events, textBytes / BYTES_PER_TOKEN);
}
