// How long the callouts for a prompt took, for its usage record.

/** The parts of a prompt's time; the words are STEP_WORDS of contract/usage-record.ts. */
export const enum PromptPart {
  Guard,
  Target,
  Extract,
  Api,
}

/** Of no part. */
export const NO_TIME: i64 = -1;

export class PromptTimes {
  /** Milliseconds by part, NO_TIME for a part without a callout. */
  parts: StaticArray<i64> = [NO_TIME, NO_TIME, NO_TIME, NO_TIME];

  add(part: PromptPart, milliseconds: i64): void {
    const before = unchecked(this.parts[part]);
    unchecked((this.parts[part] = max(before, 0) + max(milliseconds, 0)));
  }
}
