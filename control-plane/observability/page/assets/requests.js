// The rows of requests, as they happen.
import { html } from "./preact.js";
import { apiOf } from "./filter.js";
import {
  clock,
  dateAndTime,
  compact,
  DASH,
  money,
  rate,
  statusClass,
  statusText,
  time,
} from "./format.js";
import { Panel } from "./tables.js";

/** The time of a request as a bar, in shares of the slowest row. */
export function Times({ row, longest }) {
  const scale = 96 / Math.max(longest, 1);
  const whole = Math.max(row.duration * scale, 1);
  const wait = Math.min((row.firstToken ?? row.duration) * scale, whole);
  const failed = (row.failedAttempts ?? []).reduce((sum, { ms }) => sum + ms, 0) * scale;
  return html`<svg class="times" viewBox="0 0 96 6" preserveAspectRatio="none" aria-hidden="true">
    <rect x="0" y="2.500" width="96" height="1" />
    <rect class="stream" x="0" y="0" width=${whole} height="6" />
    <rect class="wait" x="0" y="0" width=${Math.max(wait, 1)} height="6" />
    ${failed > 0 ? html`<rect class="failed" x="0" y="0" width=${Math.min(Math.max(failed, 1), whole)} height="6" />` : null}
  </svg>`;
}

export function Model({ row }) {
  const asked = row.requested;
  if (row.model === "")
    return html`<span class="none">${asked === undefined ? apiOf(row) : asked}</span>`;
  const isAlias = asked !== undefined && asked !== row.model && !row.model.endsWith(`/${asked}`);
  const from = row.firstTarget ?? (isAlias && asked !== "none" ? asked : undefined);
  return html`${
    from === undefined
      ? null
      : html`<span class=${row.firstTarget ? "warn-text" : "quiet"}>${from} → </span>`
  }${row.model}`;
}

export function End({ row }) {
  if (row.error !== "")
    return html`<span title=${row.message}
      ><span class="bad-text"
        >${row.errorCode ?? (row.error === String(row.status) ? "error" : row.error)}</span
      >${row.message === undefined ? null : html` <span class="quiet">${row.message}</span>`}</span
    >`;
  const words = [
    row.guard === "blocked" ? "blocked by guard" : undefined,
    row.promptTarget === undefined ? undefined : `→ ${row.promptTarget}`,
    row.finish?.replaceAll("_", " "),
  ];
  return html`<span class="quiet">${words.filter(Boolean).join(", ") || DASH}</span>`;
}

function Row({ row, longest, isFresh }) {
  const cost = row.isUnpriced ? html`<span class="none">no price</span>` : money(row.cost);
  return html`<tr class=${isFresh ? "fresh" : ""}>
    <td title=${dateAndTime(row.start)}>
      ${
        row.id === ""
          ? clock(row.start)
          : html`<a
              class="row"
              href=${`/requests/${encodeURIComponent(row.id)}`}
              aria-label=${`Request at ${clock(row.start)}`}
              >${clock(row.start)}</a
            >`
      }
    </td>
    <td><span class=${`badge ${statusClass(row)}`}>${statusText(row)}</span></td>
    <td class="wide" title=${row.model}><${Model} row=${row} /></td>
    <td class="phone-off">${row.key || html`<span class="none">${DASH}</span>`}</td>
    <td class="phone-off">
      ${apiOf(row)}${row.isStream ? html` <span class="tag">stream</span>` : null}${row.listener === "internal_egress" || row.listener === "own_egress" ? html` <span class="tag">model server</span>` : null}
    </td>
    <td class="n phone-off">${compact(row.input)}</td>
    <td class="n phone-off">${compact(row.cached)}</td>
    <td class="n phone-off">${compact(row.output)}</td>
    <td class="n">${cost}</td>
    <td class="n phone-off">${time(row.firstToken)}</td>
    <td class="n">${time(row.duration)}</td>
    <td class="phone-off"><${Times} row=${row} longest=${longest} /></td>
    <td class="n phone-off">${rate(row.rate)}</td>
    <td class="end phone-off"><${End} row=${row} /></td>
  </tr>`;
}

const HEAD = [
  ["Time", ""],
  ["Status", ""],
  ["Model", ""],
  ["Key", "phone-off"],
  ["API", "phone-off"],
  ["In", "n phone-off"],
  ["Cached", "n phone-off"],
  ["Out", "n phone-off"],
  ["Cost", "n"],
  ["First token", "n phone-off"],
  ["Duration", "n"],
  ["", "phone-off"],
  ["Tokens/s", "n phone-off"],
  ["End", "phone-off"],
];

/** @param rows the newest first, filtered already; footer: below the rows */
export function Requests({ rows, freshAfter, empty, footer, children }) {
  const longest = rows.reduce((most, { duration }) => Math.max(most, duration), 1);
  return html`<${Panel}
    ...${{ title: "Requests", kind: "requests", head: HEAD, empty, footer }}
    rows=${rows.map(
      (row) =>
        html`<${Row}
          key=${row.number}
          row=${row}
          longest=${longest}
          isFresh=${row.order > freshAfter}
        />`,
    )}
  >
    ${children}
  <//>`;
}
