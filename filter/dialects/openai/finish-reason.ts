// Reasons why a response ended that neither of OpenAI's APIs has a word for.
import { FINISH_CONTEXT, FINISH_PAUSE } from "../../hub/response/finish-reason";

/** Returns whether the client gets a word that means something else. */
export function isInexact(reason: i32): bool {
  return reason == FINISH_PAUSE || reason == FINISH_CONTEXT;
}
