// `headers` of a provider: names and values that are safe on the wire, with references kept apart from text.
import type { ProviderHeader } from "../../../model/model.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";
import { parseReferences, referenceTo } from "../reference.ts";
import { looksLikeSecret, namesCredential, suggestedVariable } from "../../report/secrets.ts";

/** What the gateway or HTTP itself sets, with what to write instead. */
const RESERVED = new Map<string, string | undefined>([
  ["host", "write it as http_host"],
  ["content-type", undefined],
  ["content-length", undefined],
  ["content-encoding", undefined],
  ["accept-encoding", undefined],
  ["transfer-encoding", undefined],
  ["connection", undefined],
  ["keep-alive", undefined],
  ["proxy-connection", undefined],
  ["te", undefined],
  ["trailer", undefined],
  ["upgrade", undefined],
  ["expect", undefined],
]);

const RESERVED_BEGINNINGS = ["x-gateway-", "x-envoy-", "x-forwarded-", "x-amz-"];

export function readHeaders(
  reading: Reading,
  path: Path,
  headers: Readonly<Record<string, string | undefined>>,
  provider: string | undefined,
): ProviderHeader[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([written, value]): ProviderHeader[] => {
    if (value === undefined) return [];
    const at = [...path, written];
    const name = written.toLowerCase();
    if (seen.has(name)) {
      reading.problem(at, "this header is set twice (upper and lower case mean the same)", {
        part: "key",
      });
    }
    seen.add(name);
    checkName(reading, at, name);
    return [{ name, parts: readValue(reading, at, name, value, provider) }];
  });
}

function checkName(reading: Reading, path: Path, name: string): void {
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name)) {
    reading.problem(path, "not a header name: letters, digits and - only", { part: "key" });
  } else if (RESERVED.has(name) || RESERVED_BEGINNINGS.some((start) => name.startsWith(start))) {
    reading.problem(path, "the gateway sets or removes this header itself", {
      part: "key",
      hint: RESERVED.get(name),
    });
  }
}

function readValue(
  reading: Reading,
  path: Path,
  name: string,
  value: string,
  provider: string | undefined,
): ProviderHeader["parts"] {
  const { parts, names } = parseReferences(value);
  const text = parts.map((part) => ("text" in part ? part.text : "")).join("");
  if (/[^\t\x20-\x7e]/.test(text)) {
    reading.problem(
      path,
      "a header's value is one line of ASCII characters, without control characters",
    );
  } else if (value.trim() === "") {
    reading.problem(path, "the header's value is empty", { hint: "remove the header" });
  } else if (value.length > 8192) {
    reading.problem(path, "the header's value is longer than 8192 characters");
  }
  if (holdsLiteralSecret(name, text, names.length)) {
    const variable = suggestedVariable(provider);
    const scheme = name === "authorization" ? "Bearer " : "";
    reading.problem(path, "a credential is not written in the file; expected a reference to it", {
      hint: `write ${name}: ${scheme}$${variable}, and set ${variable} in the environment or in .env`,
    });
  }
  for (const variable of names) {
    if (/[^\t\x20-\x7e]/.test(reading.environment[variable] ?? "")) {
      reading.problem(path, `the value of ${variable} holds a character that no header can carry`, {
        at: referenceTo(variable),
        hint: `set ${variable} to one line of ASCII characters`,
      });
    }
  }
  return parts;
}

/** In a header for credentials only a scheme word such as `Bearer` may stand beside the references. */
function holdsLiteralSecret(name: string, text: string, references: number): boolean {
  if (looksLikeSecret(text)) return true;
  if (!namesCredential(name)) return false;
  return references === 0 || !/^(?:[A-Za-z_-]{1,30}[ :=] ?){0,2}$/.test(text);
}
