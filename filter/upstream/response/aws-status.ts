// The statuses of AWS's errors that would mislead a client: SDKs retry 408 as their own timeout, and do not know 424.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
import { Target } from "../../config/target";
import { header, RESPONSE_HEADERS } from "../../host/host";
import { startsWith } from "../../bytes/text/at";
import { constant, Span } from "../../bytes/text/bytes";

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

/** Returns the status for the client of an error whose head was read last. */
export function statusOfAws(status: u32, target: Target | null): u32 {
  const type = header(RESPONSE_HEADERS, ERROR_TYPE);
  if (type.length == 0) return status;
  // The model took too long; the model failed.
  if (status == 408) return 504;
  if (status == 424) return 502;
  const isSigned = target !== null && target.credentials.length == 0 && !target.passesClientKey;
  return isSigned && isSignatureFault(type) ? 502 : status;
}

function isSignatureFault(type: Span): bool {
  for (let i = 0; i < SIGNATURE_FAULTS.length; i++) {
    if (startsWith(type.pointer, type.length, SIGNATURE_FAULTS[i])) return true;
  }
  return false;
}
