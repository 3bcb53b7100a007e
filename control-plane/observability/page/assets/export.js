// The shown requests as files.

/** Columns of the CSV, by member of a request. Times are milliseconds. */
const COLUMNS = {
  start: "time",
  id: "id",
  status: "status",
  model: "model",
  requested: "requested",
  firstTarget: "first_target",
  key: "key",
  session: "session",
  subagent: "subagent",
  agent: "agent",
  listener: "listener",
  endpoint: "endpoint",
  input: "input_tokens",
  cached: "cached_tokens",
  output: "output_tokens",
  cost: "cost_usd",
  firstToken: "first_token_ms",
  duration: "duration_ms",
  finish: "finish_reason",
  error: "error",
  errorCode: "error_code",
  message: "error_message",
};

function valueOf(row, member) {
  const value = row[member];
  if (value === undefined) return "";
  if (member === "start") return new Date(value).toISOString();
  return member === "cost" ? (value / 1e9).toFixed(9) : value;
}

/** A text that a spreadsheet would read as a formula begins with an apostrophe. */
function cell(value) {
  const text =
    typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns CSV (RFC 4180) with a line of names. */
export function csvOf(rows) {
  const lines = rows.map((row) => Object.keys(COLUMNS).map((name) => cell(valueOf(row, name))));
  return [Object.values(COLUMNS), ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** Returns CSV of rows of texts, numbers and lists, with their members as names. */
export function csvOfRows(rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const text = (value) => (typeof value === "object" ? JSON.stringify(value) : (value ?? ""));
  const lines = rows.map((row) => names.map((name) => cell(text(row[name]))));
  return [names, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** Returns the requests with the members of the page's API. */
export function jsonOf(rows) {
  return `${JSON.stringify(
    rows.map(({ order: _, ...row }) => row),
    undefined,
    2,
  )}\n`;
}

/** Saves a text as a file. */
export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
