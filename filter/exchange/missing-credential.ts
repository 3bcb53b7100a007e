// Targets for which Envoy had no credential a moment ago. Envoy does not retry its own response, so the request that found
// it out has failed; the next ones use their fallbacks.
import { Target } from "../config/target";
import { currentMilliseconds } from "../host/host";

/** The details of Envoy's response. */
const DETAILS = "failed_to_inject_credential";
/** Clients retry sooner. Milliseconds. */
const PAUSE: i64 = 5000;

/** Notes the target of a response of Envoy with these details, if it had no credential. */
export function noteMissingCredential(target: Target | null, details: string): void {
  if (target !== null && details == DETAILS)
    target.model.lackedCredentialAt = currentMilliseconds();
}

export function lacksCredential(attempted: Target): bool {
  const target = attempted.model;
  if (target.lackedCredentialAt == 0) return false;
  if (currentMilliseconds() - target.lackedCredentialAt < PAUSE) return true;
  target.lackedCredentialAt = 0;
  return false;
}
