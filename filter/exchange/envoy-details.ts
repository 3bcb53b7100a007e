// Parts of Envoy's details of a failed attempt, as clauses of a message. Envoy writes spaces as underscores.

/** A message repeats at most this much of the details. Characters. */
const MAX_SHOWN = 160;

/** Returns the verifier's last words: `…_error_at_depth_0:_unhandled_critical_extension:TLS_error_end`. */
export function verifierWords(details: string): string {
  const at = details.indexOf(":_", max(details.indexOf("_at_depth_"), 0));
  if (at < 0) return lastPart(details);
  const end = details.indexOf(":", at + 2);
  return words(details.substring(at + 2, end < 0 ? details.length : end));
}

/** Returns the names of a certificate: ` (a.test, b.test)`. */
export function certificateNames(details: string): string {
  const open = details.indexOf("[");
  const close = details.indexOf("]", open + 1);
  if (open < 0 || close < 0) return "";
  return " (" + shortened(details.substring(open + 1, close)).replaceAll(",_", ", ") + ")";
}

/** Returns the last part of the braces in the details, or all of the details. */
export function lastPart(details: string): string {
  const open = details.indexOf("{");
  const close = details.lastIndexOf("}");
  const inside = open >= 0 && close > open ? details.substring(open + 1, close) : details;
  const bar = inside.lastIndexOf("|");
  return words(bar >= 0 ? inside.substring(bar + 1) : inside);
}

/** Returns details as text. */
export function words(details: string): string {
  return shortened(details).replaceAll("_", " ").replaceAll("|", ", ");
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text;
}
