// What a step decides, and what the pipeline then does with the request.

/** A callout is in flight: the request is held. */
export const OUTCOME_WAIT: i32 = 0;
/** The request goes to its model; further steps are skipped. */
export const OUTCOME_SEND: i32 = 1;
/** The gateway responds with `prompt.text` (`answerPrompt`). */
export const OUTCOME_ANSWER: i32 = 2;
/** The gateway responds with `prompt.fault`. */
export const OUTCOME_FAULT: i32 = 3;
/** The next step runs. The pipeline never gets it. */
export const OUTCOME_NEXT: i32 = 4;
