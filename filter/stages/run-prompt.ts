// Stages that wait for callouts (prompt/). The steps of a prompt come before the attempt: on ingress, if prompt targets or a guard
// are configured; on egress, if it is guarded. A tool call of the model server is one step alone.
import { Client } from "../exchange/client";
import { Exchange } from "../exchange/exchange";
import { outOfMemory } from "../hub/faults/fault";
import { REQUEST_HEADERS, setHeaderNumber } from "../host/host";
import { respondToPrompt } from "../prompt/prompt-response";
import { TARGET_CALL } from "../../contract/endpoints";
import { PromptConfig } from "../config/prompt-target";
import { extendRequest } from "../prompt/extend-request";
import { CALL_STEPS, PROMPT_STEPS, PromptFlow } from "../prompt/flow";
import { endFlow, flowOf, keepFlow } from "../prompt/flows";
import { keepMetadata } from "../prompt/prompt-metadata";
import { StepOutcome } from "../prompt/outcome";
import { Prompt } from "../prompt/prompt";
import { Step } from "../prompt/steps/step";
import { readTargetCall } from "../prompt/target-call";
import { constant } from "../bytes/text/bytes";
import { Outcome, StageContext } from "./stage-context";

/** Envoy's headers for the time of a request: until the end of its response, and until the first byte of an attempt's. */
const RESPONSE_TIMEOUT = constant("x-envoy-upstream-rq-timeout-ms");

export function runPrompt(exchange: Exchange, context: StageContext): Outcome {
  const config = context.config.prompt;
  if (config === null || !hasSteps(config, exchange.client)) return Outcome.Next;
  return runSteps(PROMPT_STEPS, config, exchange, context);
}

/** Calls the target that a request of the model server names. */
export function callTarget(exchange: Exchange, context: StageContext): Outcome {
  const config = context.config.prompt;
  if (config === null || exchange.client.endpoint.row !== TARGET_CALL) return Outcome.Next;
  return runSteps(CALL_STEPS, config, exchange, context);
}

function runSteps(
  steps: StaticArray<Step>,
  config: PromptConfig,
  exchange: Exchange,
  context: StageContext,
): Outcome {
  const response = context.response;
  const waiting = flowOf(exchange.contextId);
  if (waiting !== null && response !== null)
    return end(waiting, waiting.onResponse(response), context);
  const flow = new PromptFlow(new Prompt(config, exchange, context.tape), steps);
  keepFlow(flow);
  const fault = steps === CALL_STEPS ? readTargetCall(flow.prompt) : null;
  return end(flow, fault === null ? flow.start() : flow.prompt.reject(fault), context);
}

/** Applies the outcome of a flow, and ends the flow unless it waits. */
function end(flow: PromptFlow, outcome: StepOutcome, context: StageContext): Outcome {
  const exchange = flow.prompt.exchange;
  const result = apply(outcome, flow, context);
  if (result != Outcome.Wait) endFlow(exchange.contextId);
  return result;
}

/** The model server's own requests have passed the guard as a part of the client's prompt. */
function hasSteps(config: PromptConfig, client: Client): bool {
  if (client.isIngress) return true;
  return config.guardsEgress && client.endpoint.row.isInference && !client.isModelServer;
}

function apply(outcome: StepOutcome, flow: PromptFlow, context: StageContext): Outcome {
  if (outcome == StepOutcome.Wait) return Outcome.Wait;
  const prompt = flow.prompt;
  const exchange = prompt.exchange;
  if (outcome == StepOutcome.Respond) {
    respondToPrompt(prompt);
    return Outcome.Responded;
  }
  if (outcome == StepOutcome.Send) {
    const target = prompt.target;
    if (prompt.apiStatus != 0 && target !== null) {
      if (!context.replaceBody(exchange.client, extendRequest(prompt, target)))
        return context.refuse(outOfMemory("request"));
      keepMetadata(prompt);
    }
    limitTime(exchange, max(flow.timeLeft(), 1));
    return Outcome.Next;
  }
  context.fault = prompt.fault;
  return Outcome.Refused;
}

/** Sets what the steps have left of the listener's timeout. The attempts at a stream that may be retried have their own limits. */
function limitTime(exchange: Exchange, milliseconds: u32): void {
  const route = exchange.route;
  if (!exchange.client.isStreaming)
    setHeaderNumber(REQUEST_HEADERS, RESPONSE_TIMEOUT, milliseconds);
  else if (route !== null && route.retryPolicy === null)
    setHeaderNumber(
      REQUEST_HEADERS,
      constant("x-envoy-upstream-rq-per-try-timeout-ms"),
      milliseconds,
    );
}
