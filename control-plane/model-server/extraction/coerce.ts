// A value as its parameter's type wants it, or nothing when it cannot be that.
import { numberWord } from "./number-words.ts";
import type { Parameter } from "./parameter.ts";

export type Coerced = { ok: true; value: unknown } | { ok: false };

const NO: Coerced = { ok: false };
/** Nobody says a longer value in a prompt. Characters. */
const MAX_TEXT = 4096;
const MAX_JSON = 16 * 1024;

/** Text that holds a number or a JSON list is taken as one; an enum's value is written as it is configured. */
export function coerce(parameter: Parameter, value: unknown): Coerced {
  if (value === null || value === undefined || value === "") return NO;
  if (JSON.stringify(value).length > MAX_JSON) return NO;
  const typed = ofType(parameter, value);
  if (!typed.ok || parameter.enum === undefined || parameter.enum.length === 0) return typed;
  const wanted = String(typed.value).trim().toLowerCase();
  const found = parameter.enum.find((option) => String(option).toLowerCase() === wanted);
  return found === undefined ? NO : { ok: true, value: found };
}

function ofType({ type }: Parameter, value: unknown): Coerced {
  switch (type) {
    case "string":
      return asText(value);
    case "integer":
    case "number":
      return asNumber(value, type);
    case "boolean":
      return asBoolean(value);
    case "array":
      return asJson(value, Array.isArray);
    case "object":
      return asJson(value, (found) => typeof found === "object" && !Array.isArray(found));
  }
}

function asText(value: unknown): Coerced {
  if (typeof value === "number" || typeof value === "boolean") {
    return { ok: true, value: String(value) };
  }
  if (typeof value !== "string" || value.length > MAX_TEXT || value.trim() === "") return NO;
  return { ok: true, value: value.trim() };
}

function asNumber(value: unknown, type: "integer" | "number"): Coerced {
  const number =
    typeof value === "string"
      ? (numberWord(value.trim().toLowerCase()) ?? Number(value.trim().replaceAll(",", "") || NaN))
      : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return NO;
  // A whole number above 2^53 has been read as another one.
  const isExact = Number.isSafeInteger(number) || (type === "number" && !Number.isInteger(number));
  return isExact ? { ok: true, value: number } : NO;
}

function asBoolean(value: unknown): Coerced {
  if (typeof value === "boolean") return { ok: true, value };
  const said = String(value).trim().toLowerCase();
  if (/^(?:true|yes|on|1)$/.test(said)) return { ok: true, value: true };
  return /^(?:false|no|off|0)$/.test(said) ? { ok: true, value: false } : NO;
}

function asJson(value: unknown, suits: (value: unknown) => boolean): Coerced {
  if (typeof value !== "string") return suits(value) ? { ok: true, value } : NO;
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed !== null && suits(parsed) ? { ok: true, value: parsed } : NO;
  } catch {
    return NO;
  }
}
