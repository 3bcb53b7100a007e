// How much of a request and of a reply Envoy may hold.
import type { GatewayModel } from "../control-plane/ir/model.ts";

const MEBIBYTE = 1_048_576;

/**
 * Bytes: more than the configured limit, which the filter itself watches. Envoy compares it with the body after the filter has
 * changed it, so a system prompt counts too. The same limit holds for a reply that the filter holds until it is whole, and
 * for what a client has not read yet of its reply: Envoy has one number for all three.
 */
export function listenerBuffer(model: GatewayModel): number {
  const { requestBodyBytes } = model.limits;
  const prompts = model.targets.map(({ systemPrompt = "" }) =>
    Buffer.byteLength(JSON.stringify(systemPrompt)),
  );
  // What a translation into another dialect may add, at least.
  const growth = Math.max(MEBIBYTE, Math.ceil(requestBodyBytes / 4));
  return requestBodyBytes + growth + Math.max(0, ...prompts);
}

/**
 * Bytes that a provider's connection is read ahead of its client, and that the filter gets in one callback. What is held, of a
 * request or a reply, counts for the listener's limit alone.
 */
export const CLUSTER_BUFFER = MEBIBYTE;
