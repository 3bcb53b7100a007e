// What a step decides, and what the pipeline then does with the request.

export const enum StepOutcome {
  /** The next step runs. The pipeline never gets it. */
  Next,
  /** A callout is in flight: the request is held. */
  Wait,
  /** The request goes to its model; further steps are skipped. */
  Send,
  /** The gateway responds with `prompt.text` (`respondToPrompt`). */
  Respond,
  /** The gateway responds with `prompt.fault`. */
  Refuse,
}
