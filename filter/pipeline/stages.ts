// The request: THE list of what happens to it, in order. run.ts runs it; a stage that waits runs again with the next event.
// The response is a table, upstream/response/table.ts.
import { Exchange } from "../exchange/exchange";
import {
  chooseFirstTarget,
  openMeter,
  requestLimitCheck,
  selectCluster,
  writeOnlyAttempt,
} from "./attempt";
import { admitToMemory, awaitBody, checkLength, checkMemberNames, scanBody } from "./body";
import { chooseModel } from "./choose-model";
import { checkClientKey, keepClientKey } from "./client-key";
import { checkOrigin } from "./origin";
import { Outcome, Turn } from "./outcome";
import { readRequestHead, recogniseEndpoint, respondLocally } from "./recognise";
import { runPrompt } from "./run-prompt";

export const STAGES: i32 = 18;

/** Runs a stage. A switch, because an array of functions is 500 bytes larger and cannot be inlined. */
export function runStage(index: i32, exchange: Exchange, turn: Turn): Outcome {
  // prettier-ignore
  switch (index) {
    // With the headers.
    case 0:  return readRequestHead(exchange, turn);    // all stages before the body read its values; an error needs the request id
    case 1:  return recogniseEndpoint(exchange, turn);  // an error needs the client's dialect; an unknown path is an error for everybody
    case 2:  return checkClientKey(exchange, turn);     // before the client costs anything: a listener with keys serves nobody else
    case 3:  return checkOrigin(exchange, turn);        // a listener without keys is open to programs, but not to the pages of other origins
    case 4:  return respondLocally(exchange, turn);     // /healthz, /readyz, /v1/models, OPTIONS and wrong methods: what follows is for models only
    case 5:  return keepClientKey(exchange, turn);      // the key for a pass-through provider, which Envoy removes from the headers later
    case 6:  return checkLength(exchange, turn);        // a body that is announced too large, or missing, is not waited for
    case 7:  return admitToMemory(exchange, turn);      // the last reason not to hold a body
    // With the body.
    case 8:  return awaitBody(exchange, turn);          // nothing below can be decided by a part of it
    case 9:  return scanBody(exchange, turn);           // all stages below read the tape
    case 10: return checkMemberNames(exchange, turn);   // a misspelt member would be dropped without an error
    case 11: return chooseModel(exchange, turn);        // by the hint header, else by `model`
    case 12: return runPrompt(exchange, turn);          // ingress only: may respond itself, or extend the request; waits for callouts
    case 13: return openMeter(exchange, turn);          // the rate limits of the name and of each target, which the choice of the target reads
    case 14: return chooseFirstTarget(exchange, turn);  // the first one that supports the request and has budget left; writes its body
    case 15: return selectCluster(exchange, turn);      // Envoy routes by it; after the target, because a request without one goes nowhere
    case 16: return writeOnlyAttempt(exchange, turn);   // path, credential and headers; if there may be several attempts, the upstream filter writes them
    case 17: return requestLimitCheck(exchange, turn);  // last: Envoy's rate limit service counts only what is sent
    default: return Outcome.Leave;
  }
}
