// Step 6: calls the target's API. Its response is the text for the language model, or the gateway's own response.
import { GET, POST } from "../../callouts/call";
import { CalloutResponse } from "../../callouts/callout-response";
import { PromptTarget } from "../../config/prompt-target";
import { PromptPart } from "../../exchange/prompt-times";
import { firstChoiceMessage } from "../completion";
import { apiFault, valueFault } from "../prompt-faults";
import { StepOutcome } from "../outcome";
import { Prompt } from "../prompt";
import { ApiRequest } from "../api-request";
import { Step } from "./step";
import { countCall } from "../../limits/rate-limiter";
import { escape, unescape } from "../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { maskInPlace } from "../../bytes/text/mask";
import { appendValidUtf8 } from "../../bytes/text/valid-utf8";

/** The request that is sent next; one is written at a time. */
const request = new ApiRequest();
const path = new Span(0, 0);
const plain = scratchBuffer();

export class CallApi extends Step {
  constructor(
    /** Whether the API's text is the response for every target: it is a tool's result. */
    private alwaysResponds: bool,
  ) {
    super("API", PromptPart.Api, u32.MAX_VALUE);
  }

  isNeeded(prompt: Prompt): bool {
    return prompt.target !== null;
  }

  request(prompt: Prompt): StepOutcome {
    const target = prompt.target;
    if (target === null) return StepOutcome.Next;
    const rejected = request.write(target, prompt);
    if (rejected !== null) return prompt.reject(valueFault(rejected));
    const call = this.call;
    call.method = target.isGet ? GET : POST;
    call.cluster = target.cluster;
    call.authority = target.authority;
    call.headers = target.headers;
    request.path.view(path);
    call.path = path;
    request.body.view(call.body);
    const limited = countCall(target.rateLimits);
    return limited === null ? StepOutcome.Next : prompt.reject(limited);
  }

  send(prompt: Prompt, timeoutMs: u32): bool {
    const target = prompt.target;
    if (target === null) return false;
    prompt.exchange.mayHaveActed = !target.isGet;
    prompt.exchange.promptTarget = target.name;
    return super.send(prompt, timeoutMs);
  }

  onResponse(prompt: Prompt, response: CalloutResponse): StepOutcome {
    const target = prompt.target;
    if (target === null) return StepOutcome.Next;
    prompt.apiStatus = response.status;
    const fault = apiFault(target, response);
    if (fault !== null) return prompt.reject(fault);
    const isResponse = this.alwaysResponds || !target.dispatches;
    const text = isResponse ? plain : prompt.text;
    text.clear();
    readText(target, response, text);
    maskInPlace(text, target.secrets);
    if (!isResponse) return StepOutcome.Next;
    prompt.text.clear();
    escape(text.pointer, text.length, prompt.text);
    return StepOutcome.Respond;
  }
}

/** Appends the text of a response: of a default target's chat completion the message, else all of it. */
function readText(target: PromptTarget, response: CalloutResponse, out: ByteBuffer): void {
  if (target.isDefault && response.readObject()) {
    const json = response.json;
    const content = json.member(firstChoiceMessage(json), constant("content"));
    if (json.isString(content)) {
      unescape(json.pointer(content), json.size(content), out);
      return;
    }
  }
  appendValidUtf8(response.pointer, response.size, out);
}
