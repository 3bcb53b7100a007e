// The prompts in flight, by the context id of their stream.
import { PromptFlow } from "./flow";

const flows = new Map<u32, PromptFlow>();

export function keepFlow(flow: PromptFlow): void {
  flows.set(flow.prompt.exchange.contextId, flow);
}

/** Returns the flow of a stream; null if it has none. */
export function flowOf(contextId: u32): PromptFlow | null {
  return flows.has(contextId) ? flows.get(contextId) : null;
}

/** Ends the flow of a stream, if it has one: the request was sent on or has its response, or the stream is gone. */
export function endFlow(contextId: u32): void {
  if (flows.size == 0 || !flows.has(contextId)) return;
  const flow = flows.get(contextId);
  flow.release();
  flows.delete(contextId);
}
