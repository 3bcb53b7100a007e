// What the span of a request shows so far (write-trace.ts).
import { Target } from "../config/target";
import { UNKNOWN_TOKENS } from "../hub/response/usage";

/** What has been written of a request. */
export class Trace {
  constructor(
    /** How many of 10,000 traces are recorded, if the client's span does not decide. */
    public sampled: u32,
    /** Whether the client's span decides. */
    public followsParent: bool,
  ) {}

  isStarted: bool = false;
  target: Target | null = null;
  hasFirstToken: bool = false;
  hasModel: bool = false;
  isOver: bool = false;
  /** Tokens of the stream so far. */
  input: i64 = UNKNOWN_TOKENS;
  output: i64 = UNKNOWN_TOKENS;
}
