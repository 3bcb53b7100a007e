// Whether a value of JSON or YAML has members.

/** Returns whether the value is an object, and neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
