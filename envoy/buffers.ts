// How much of a request and of a response Envoy may buffer.
import type { GatewayModel } from "../control-plane/ir/model.ts";

const MEBIBYTE = 1_048_576;

/**
 * Returns the buffer limit in bytes: more than the configured limit, which the filter itself enforces. Envoy compares it
 * with the body after the filter has changed it, so a system prompt counts too. The same limit applies to a response that
 * the filter holds until it is complete, and to the part of a response that the client has not read yet: Envoy has one
 * number for all three.
 */
export function listenerBuffer(model: GatewayModel): number {
  const { requestBodyBytes } = model.limits;
  const prompts = model.targets.map(({ systemPrompt = "" }) =>
    Buffer.byteLength(JSON.stringify(systemPrompt)),
  );
  // Allowance for the bytes that a translation into another dialect adds.
  const growth = Math.max(MEBIBYTE, Math.ceil(requestBodyBytes / 4));
  return requestBodyBytes + growth + Math.max(0, ...prompts);
}

/**
 * Bytes that are read ahead on a provider's connection, and the maximum that the filter gets in one callback. The held
 * bytes of a request or a response count against the listener's limit alone.
 */
export const CLUSTER_BUFFER = MEBIBYTE;
