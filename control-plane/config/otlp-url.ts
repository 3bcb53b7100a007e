// The address of an OpenTelemetry collector.
import type { Path } from "../report/problem.ts";
import type { Reading } from "./reading.ts";

export const URL_EXPECTED = "an http:// or https:// URL";

/** Returns the URL; undefined after reporting a problem. @param example an address of this kind, for the hint */
export function readOtlpUrl(
  reading: Reading,
  path: Path,
  written: string,
  example: string,
): URL | undefined {
  const fault = faultOf(written, example);
  if (fault === undefined) return new URL(written);
  // A URL with credentials or a query is not repeated.
  const shown = /[@?#]/.test(written) ? "this URL" : reading.show(path, written);
  reading.problem(path, `${shown} ${fault.message}`, { hint: fault.hint });
  return undefined;
}

function faultOf(written: string, example: string): { message: string; hint?: string } | undefined {
  if (!/^https?:\/\//i.test(written) || !URL.canParse(written)) {
    const isHost = /^[\w.-]+(?::\d+)?$/.test(written);
    return {
      message: `is not ${URL_EXPECTED}`,
      hint: isHost ? `write http://${written} (or https://)` : `for example ${example}`,
    };
  }
  if (/[^\x21-\x7e]|["'\\<>^`{|}]/.test(written))
    return { message: "contains a character that is not allowed in a URL" };
  if (written.includes("@"))
    return { message: "holds credentials", hint: "use a reference in headers" };
  if (/[?#]/.test(written)) return { message: "has a query or a fragment; expected none" };
  return new URL(written).port === "0" ? { message: "has port 0" } : undefined;
}
