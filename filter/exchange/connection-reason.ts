// Why there is no connection to a provider, read from Envoy's details of a failed attempt, and what to do about it.

/** A text of Envoy or BoringSSL in the details, and its meaning. */
class Reason {
  constructor(
    public needle: string,
    public clause: string,
    public advice: string,
  ) {}
}

const ADD_AUTHORITY = "Set SSL_CERT_FILE to a bundle that contains it.";
const CHECK_CLOCK = "Check the certificate and the clock of the gateway's machine.";
const CHECK_ADDRESS = "Check base_url, and that the server is running.";
const CHECK_NETWORK = "Check the network, DNS and proxy settings.";

/** Reasons about the certificate; the first match counts. */
const CERTIFICATE: Reason[] = [
  new Reason("SAN_matcher", "it is for another name", "Check base_url and http_host."),
  new Reason(
    "self_signed_certificate_in_certificate_chain",
    "its root certificate is not trusted",
    ADD_AUTHORITY,
  ),
  new Reason("self_signed_certificate", "it is self-signed", ADD_AUTHORITY),
  new Reason("issuer_certificate", "its authority is not trusted", ADD_AUTHORITY),
  new Reason("signature_failure", "its authority is not trusted", ADD_AUTHORITY),
  new Reason("has_expired", "it has expired", CHECK_CLOCK),
  new Reason("not_yet_valid", "it is not valid yet", CHECK_CLOCK),
];

/** Reasons about the handshake. */
const HANDSHAKE: Reason[] = [
  new Reason(
    "WRONG_VERSION_NUMBER",
    "the server does not use TLS",
    "Write http:// if that is right, else check the port.",
  ),
  new Reason("HTTP_REQUEST", "the server does not use TLS", "Write http:// or check the port."),
  new Reason(
    "HANDSHAKE_FAILURE",
    "no common TLS version or cipher",
    "The gateway uses TLS 1.2 and 1.3.",
  ),
  new Reason(
    "PROTOCOL_VERSION",
    "no common TLS version or cipher",
    "The gateway uses TLS 1.2 and 1.3.",
  ),
  new Reason(
    "UNSUPPORTED_PROTOCOL",
    "no common TLS version or cipher",
    "The gateway uses TLS 1.2 and 1.3.",
  ),
  new Reason(
    "Connection_reset_by_peer",
    "the server closed the connection during the handshake",
    "Check the port and any proxy in between.",
  ),
];

/** Reasons about the connection. */
const CONNECTION: Reason[] = [
  new Reason("Connection_refused", "connection refused", CHECK_ADDRESS),
  new Reason("connection_timeout", "no connection within connect_timeout", CHECK_NETWORK),
  new Reason(
    "remote_connection_failure",
    "the server closed the connection",
    "Check the port and any proxy in between.",
  ),
  new Reason("unreachable", "the network is unreachable", CHECK_NETWORK),
  new Reason("No_route_to_host", "there is no route to it", CHECK_NETWORK),
];

/** A message repeats at most this much of the details. Characters. */
const MAX_SHOWN = 160;

/** Returns the message for a rejected certificate. @param whom its owner */
export function certificateMessage(details: string, whom: string): string {
  const found = reasonIn(CERTIFICATE, details);
  const what = "Cannot verify the certificate of " + whom + ": ";
  if (found === null) return what + verifierWords(details) + ". " + ADD_AUTHORITY;
  const names = found === CERTIFICATE[0] ? namesIn(details) : "";
  return what + found.clause + names + ". " + found.advice;
}

/** Returns the message for a failed handshake. */
export function handshakeMessage(details: string, whom: string): string {
  return message("No TLS connection to " + whom + ": ", HANDSHAKE, details);
}

/** Returns the message for a failed connection. */
export function connectionMessage(details: string, whom: string): string {
  return message("Cannot connect to " + whom + ": ", CONNECTION, details);
}

function message(what: string, reasons: Reason[], details: string): string {
  const found = reasonIn(reasons, details);
  if (found === null) return what + rest(details) + ". " + CHECK_NETWORK;
  return what + found.clause + ". " + found.advice;
}

function reasonIn(reasons: Reason[], details: string): Reason | null {
  for (let i = 0; i < reasons.length; i++) {
    if (details.includes(reasons[i].needle)) return reasons[i];
  }
  return null;
}

/** Returns the verifier's last words: `…_error_at_depth_0:_unhandled_critical_extension:TLS_error_end`. */
function verifierWords(details: string): string {
  const at = details.indexOf(":_", max(details.indexOf("_at_depth_"), 0));
  if (at < 0) return rest(details);
  const end = details.indexOf(":", at + 2);
  return words(details.substring(at + 2, end < 0 ? details.length : end));
}

/** Returns the names of a certificate: ` (a.test, b.test)`. */
function namesIn(details: string): string {
  const open = details.indexOf("[");
  const close = details.indexOf("]", open + 1);
  if (open < 0 || close < 0) return "";
  return " (" + shortened(details.substring(open + 1, close)).replaceAll(",_", ", ") + ")";
}

/** Returns the last part of the braces in the details, or all of the details, as a clause. */
export function rest(details: string): string {
  const open = details.indexOf("{");
  const close = details.lastIndexOf("}");
  const inside = open >= 0 && close > open ? details.substring(open + 1, close) : details;
  const bar = inside.lastIndexOf("|");
  return words(bar >= 0 ? inside.substring(bar + 1) : inside);
}

/** Returns details as text: Envoy writes spaces as underscores. */
export function words(details: string): string {
  return shortened(details).replaceAll("_", " ").replaceAll("|", ", ");
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text;
}
