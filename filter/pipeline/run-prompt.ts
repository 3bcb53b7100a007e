// Stage: the steps of a prompt (prompt/) come before the attempt: on ingress, if prompt targets or a guard are configured; on
// egress, if it is guarded.
import { PromptConfig } from "../config/prompt-target";
import { Client } from "../exchange/client";
import { Exchange } from "../exchange/exchange";
import { REQUEST_HEADERS, setHeaderNumber } from "../host/host";
import { answerPrompt } from "../prompt/answer-prompt";
import { PromptFlow } from "../prompt/flow";
import { endFlow, flowOf, keepFlow } from "../prompt/flows";
import { StepOutcome } from "../prompt/outcome";
import { Prompt } from "../prompt/prompt";
import { constant } from "../bytes/text/bytes";
import { Outcome, Turn } from "./outcome";

/** Envoy's headers for the time of a request: until the end of its response, and until the first byte of an attempt's. */
const RESPONSE_TIMEOUT = constant("x-envoy-upstream-rq-timeout-ms");
const FIRST_BYTE_TIMEOUT = constant("x-envoy-upstream-rq-per-try-timeout-ms");

export function runPrompt(exchange: Exchange, turn: Turn): Outcome {
  const config = turn.config.prompt;
  if (config === null || !hasSteps(config, exchange.client)) return Outcome.Next;
  const waiting = flowOf(<i32>exchange.contextId);
  let flow: PromptFlow;
  let outcome: StepOutcome;
  if (waiting === null) {
    flow = new PromptFlow(new Prompt(config, exchange, turn.tape, turn.body, turn.tape.length));
    turn.body = 0;
    keepFlow(flow);
    outcome = flow.start();
  } else {
    flow = waiting;
    outcome = flow.onResponse(turn.size);
  }
  const result = apply(outcome, flow, turn);
  flow.close();
  if (result != Outcome.Wait) endFlow(exchange.contextId);
  return result;
}

/** The model server's own requests have passed the guard as a part of the client's prompt. */
function hasSteps(config: PromptConfig, client: Client): bool {
  if (client.isIngress) return true;
  return config.guardsEgress && client.endpoint.row.isInference && !client.isModelServer;
}

function apply(outcome: StepOutcome, flow: PromptFlow, turn: Turn): Outcome {
  if (outcome == StepOutcome.Wait) return Outcome.Wait;
  const prompt = flow.prompt;
  const exchange = prompt.exchange;
  if (outcome == StepOutcome.Answer) {
    answerPrompt(prompt);
    return Outcome.Responded;
  }
  if (outcome == StepOutcome.Send) {
    limitTime(exchange, max(flow.timeLeft(), 1));
    turn.body = prompt.body;
    prompt.detachBody();
    return Outcome.Next;
  }
  turn.fault = prompt.fault;
  return Outcome.Refused;
}

/** Sets what the steps have left of the listener's timeout. The attempts at a stream that may be retried have their own limits. */
function limitTime(exchange: Exchange, milliseconds: u32): void {
  const route = exchange.route;
  if (!exchange.client.isStreaming)
    setHeaderNumber(REQUEST_HEADERS, RESPONSE_TIMEOUT, milliseconds);
  else if (route !== null && route.retryPolicy === null)
    setHeaderNumber(REQUEST_HEADERS, FIRST_BYTE_TIMEOUT, milliseconds);
}
