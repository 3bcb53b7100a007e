// Whether a stream that Envoy decompresses has come to its end: Envoy cuts what is corrupt, and reports nothing.
import { FINISH_NONE } from "../hub/response/finish-reason";
import { Tape } from "../bytes/json/tape";
import { ProviderDialect } from "./provider-dialect";

export class StreamEnd {
  /** Whether nothing of the response follows: its end or an error has come. */
  private isOver: bool = false;
  private hasReason: bool = false;
  /** Whether an event is not JSON. */
  private isGarbled: bool = false;

  constructor(private dialect: ProviderDialect) {}

  /** Whether the stream was cut, if nothing follows. */
  get isCut(): bool {
    return !this.isOver && (this.isGarbled || !this.hasReason);
  }

  readEvent(tape: Tape): void {
    const dialect = this.dialect;
    if (dialect.readFinish(tape) != FINISH_NONE) this.hasReason = true;
    if (dialect.isLastEvent(tape) || dialect.failureOf(tape) !== null) this.end();
  }

  /** An event is not JSON. */
  rejectEvent(): void {
    this.isGarbled = true;
  }

  /** The end mark, an error, or what cannot be read has come. */
  end(): void {
    if (!this.isGarbled) this.isOver = true;
  }
}
