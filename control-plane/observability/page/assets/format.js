// Numbers and words as the page shows them. What is not known is a dash.

export const DASH = "–";

/** 950, 1.2k, 34k, 5.6M */
export function compact(value) {
  if (value === undefined || value === null) return DASH;
  if (Math.abs(value) < 1000) return String(Math.round(value));
  const [divisor, unit] =
    Math.abs(value) < 999_500 ? [1e3, "k"] : Math.abs(value) < 999.5e6 ? [1e6, "M"] : [1e9, "G"];
  const scaled = value / divisor;
  return `${scaled.toFixed(Math.abs(scaled) < 9.95 ? 1 : 0)}${unit}`;
}

/** A rate: 0.25, 3.1, 42, 1.2k */
export function rate(value) {
  if (value === undefined || value === null) return DASH;
  if (value === 0) return "0";
  if (value < 1) return value.toFixed(2);
  return value < 9.95 ? value.toFixed(1) : compact(value);
}

/** Nano-dollars: $0.0000001, $0.00042, $0.13, $1,204 */
export function money(nano) {
  if (nano === undefined || nano === null) return DASH;
  const dollars = nano / 1e9;
  if (dollars < 0.01) return `$${smallAmount(dollars)}`;
  if (dollars < 1000) return `$${dollars.toFixed(2)}`;
  return `$${Math.round(dollars).toLocaleString("en")}`;
}

/** Two digits other than leading zeros, down to a nano-dollar, and never an exponent. */
function smallAmount(dollars) {
  const digits = Math.min(1 - Math.floor(Math.log10(dollars)), 9);
  return dollars > 0 ? dollars.toFixed(digits).replace(/\.?0+$/, "") : "0";
}

/** Milliseconds as a number and a unit: 0.84 ms, 320 ms, 1.24 s, 2 m 05 s */
export function timeParts(ms) {
  if (ms === undefined || ms === null) return [DASH, ""];
  if (ms === 0) return ["0", "ms"];
  if (ms < 9.95) return [ms < 0.995 ? ms.toFixed(2) : ms.toFixed(1), "ms"];
  if (ms < 999.5) return [String(Math.round(ms)), "ms"];
  if (ms < 59_950) return [(ms / 1000).toFixed(ms < 9950 ? 2 : 1), "s"];
  const seconds = Math.round(ms / 1000);
  return [`${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")}`, "s"];
}

export function time(ms) {
  return timeParts(ms).join(" ").trim();
}

/** Microseconds. */
export const micro = (value) => (value === undefined || value === null ? undefined : value / 1000);

/** 14:03:27 */
export function clock(ms) {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

export function dateAndTime(ms) {
  return new Date(ms).toLocaleString(undefined, {
    ...{ year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
    ...{ second: "2-digit", timeZoneName: "short" },
  });
}

export function percent(part, whole) {
  if (!whole) return DASH;
  const share = (100 * part) / whole;
  return `${share === 0 || share >= 9.95 ? share.toFixed(0) : share.toFixed(1)} %`;
}

/** The class of a status: good, warn (the client's or a limit's), bad. */
export function statusClass({ status, error }) {
  if (error === "") return "";
  return status >= 400 && status < 500 ? "warn" : "bad";
}

export function statusText({ status }) {
  return status === 0 ? "none" : String(status);
}
