// The statuses of AWS's errors that would mislead a client: SDKs retry 408 as their own timeout, and do not know 424.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
import { Fault } from "../hub/faults/fault";
import { excerpt } from "../hub/faults/read-fault";
import { Target } from "../config/target";
import { providerOf } from "../exchange/envoy-errors";
import { header, RESPONSE_HEADERS } from "../host/host";
import { startsWith } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";

const ERROR_TYPE = constant("x-amzn-errortype");
/** The gateway's signature is wrong or missing: no fault of the client. */
const SIGNATURE_FAULTS: Span[] = [
  constant("InvalidSignature"),
  constant("IncompleteSignature"),
  constant("SignatureDoesNotMatch"),
  constant("UnrecognizedClient"),
  constant("InvalidClientTokenId"),
  constant("ExpiredToken"),
  constant("MissingAuthenticationToken"),
];

/** Returns whether an error whose head was read last is AWS's. */
export function isOfAws(): bool {
  return header(RESPONSE_HEADERS, ERROR_TYPE).length > 0;
}

/** Returns the status for the client of an error whose head was read last. */
export function statusOfAws(status: u32): u32 {
  if (!isOfAws()) return status;
  // The model took too long; the model failed.
  if (status == 408) return 504;
  if (status == 424) return 502;
  return status;
}

/** Returns the fault for an error of AWS whose head was read last, if it rejects the gateway's signature; else null. */
export function signatureFault(target: Target | null): Fault | null {
  const type = header(RESPONSE_HEADERS, ERROR_TYPE);
  const isSigned = target !== null && target.credentials.length == 0 && !target.passesClientKey;
  if (type.length == 0 || !isSigned || !isSignatureFault(type)) return null;
  return new Fault(
    502,
    providerOf(target) +
      " rejected the gateway's signature (" +
      nameOf(type) +
      "). Check the AWS credentials of the gateway: see docs/credentials.md.",
  );
}

/** Returns the name of an error type; a URL may follow it. */
function nameOf(type: Span): string {
  const text = excerpt(type.pointer, type.length);
  const colon = text.indexOf(":");
  return colon < 0 ? text : text.substring(0, colon);
}

function isSignatureFault(type: Span): bool {
  for (let i = 0; i < SIGNATURE_FAULTS.length; i++) {
    if (startsWith(type.pointer, type.length, SIGNATURE_FAULTS[i])) return true;
  }
  return false;
}
