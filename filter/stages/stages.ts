// The request: THE list of what happens to it, in order. run.ts runs it; a stage that waits runs again with the next event.
// The response is a list of links, response/chain.ts.
import { Exchange } from "../exchange/exchange";
import {
  chooseFirstTarget,
  openMeter,
  requestLimitCheck,
  selectCluster,
  writeOnlyAttempt,
} from "./attempt-stages";
import { admitToMemory, awaitBody, checkLength, checkMemberNames, scanBody } from "./body-stages";
import { checkBudgets, checkStoredWork } from "./check-budgets";
import { chooseGuards } from "./choose-guards";
import { chooseModel } from "./choose-model";
import { checkClientKey, keepClientKey } from "./client-key";
import { guardRequest, guardUnread } from "./guard-request";
import { checkOrigin } from "./origin";
import { checkProvider, passToProvider } from "./one-provider";
import { checkSessionEnd, readSession, readSessionHeaders } from "./read-session";
import { Outcome, StageContext } from "./stage-context";
import { captureHead, readRequestHead, recogniseEndpoint, respondLocally } from "./recognise";
import { callTarget, runPrompt } from "./run-prompt";

export type Stage = (exchange: Exchange, context: StageContext) => Outcome;

export const STAGES: StaticArray<Stage> = [
  // With the headers. None of them can wait for a callout: the values of the head are those of the callback.
  readRequestHead, // all stages before the body read its values; an error needs the request id
  recogniseEndpoint, // an error needs the client's dialect; an unknown path is an error for everybody
  checkClientKey, // before the client costs anything: a listener with keys serves nobody else
  checkOrigin, // a listener without keys is open to programs, but not to the pages of other origins
  respondLocally, // /healthz, /readyz, /v1/models, OPTIONS and wrong methods: what follows is for models only
  keepClientKey, // the key for a pass-through provider, which writeOnlyAttempt or the upstream filter replaces
  readSessionHeaders, // before another request replaces the head
  captureHead, // for access_content.log, of those who may use models
  checkStoredWork, // before passToProvider, which ends the stages: a batch costs money too
  guardUnread, // before passToProvider too: no policy can check a body that passes
  passToProvider, // an endpoint without models has a provider now, and its body is not waited for
  checkLength, // a body that is announced too large, or missing, is not waited for
  admitToMemory, // the last reason not to hold a body

  // With the body. Those after scanBody can wait for a callout.
  awaitBody, // nothing below can be decided by a part of it
  scanBody, // all stages below read the tape
  callTarget, // a tool call of the model server, which needs no model: always responds
  checkMemberNames, // a misspelt member would be dropped without an error
  chooseModel, // by the hint header, else by `model`
  chooseGuards, // before the response, whatever becomes of the request; by key, group and model
  readSession, // before a prompt changes the body; the choice of the target reads it
  checkSessionEnd, // before its request costs anything
  guardRequest, // before anything sends a text, or its length counts
  checkProvider, // what is not translated needs a provider that serves the endpoint
  checkBudgets, // before the steps of a prompt, which cost money and may call an API
  runPrompt, // ingress, and a guarded egress: may respond itself, or extend the request; waits for callouts
  openMeter, // the rate limits of the name and of each target, which the choice of the target reads
  chooseFirstTarget, // the first one that supports the request and has budget left; writes its body
  selectCluster, // Envoy routes by it; after the target, because a request without one goes nowhere
  writeOnlyAttempt, // path, credential and headers; if there may be several attempts, the upstream filter writes them
  requestLimitCheck, // last: Envoy's rate limit service counts only what is sent
];
