// The prompts in flight, by the context id of their stream.
import { forgetCallout } from "./callouts";
import { PromptFlow } from "./flow";

const flows = new Map<u32, PromptFlow>();

export function keepFlow(flow: PromptFlow): void {
  flows.set(flow.prompt.exchange.contextId, flow);
}

/** Returns the flow of a stream; null if it has none. */
export function flowOf(contextId: i32): PromptFlow | null {
  return contextId >= 0 && flows.has(<u32>contextId) ? flows.get(<u32>contextId) : null;
}

/** Ends the flow of a stream, if it has one: the request was sent on or answered, or the stream is gone. */
export function endFlow(contextId: u32): void {
  if (flows.size == 0 || !flows.has(contextId)) return;
  const flow = flows.get(contextId);
  forgetCallout(flow.token);
  flow.release();
  flows.delete(contextId);
}
