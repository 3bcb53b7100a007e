// JSON for golden files: what fits on a line stands on one, so that a reviewer sees a record as a row.

const MAX_COLUMNS = 120;

/** Returns the value as JSON text; `indent` is the column where it begins. */
export function compactJson(value: unknown, indent = 0, before = 0): string {
  const line = onOneLine(value);
  if (indent + before + line.length < MAX_COLUMNS || typeof value !== "object" || value === null)
    return line;
  const inner = " ".repeat(indent + 2);
  const isArray = Array.isArray(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      const key = isArray ? "" : `${JSON.stringify(name)}: `;
      return `${inner}${key}${compactJson(member, indent + 2, key.length)}`;
    });
  const [open, close] = isArray ? "[]" : "{}";
  return `${String(open)}\n${members.join(",\n")}\n${" ".repeat(indent)}${String(close)}`;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
