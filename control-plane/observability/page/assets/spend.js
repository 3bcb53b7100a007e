// What was spent, by person or by group, over days that can be chosen, and as files.
import { html } from "./preact.js";
import { compact, money } from "./format.js";
import { SaveButtons } from "./save-buttons.js";
import { Panel } from "./tables.js";

/** Days of UTC that end today. */
export const DAYS = { 1: "today", 7: "7 days", 30: "30 days", 90: "90 days", 365: "365 days" };

const HEAD = [
  ["Name"],
  ["Requests", "n"],
  ["In", "n phone-off"],
  ["Out", "n phone-off"],
  ["Cost", "n"],
];

export function Spend({ title, rows, days }) {
  const file = `${title.toLowerCase().replaceAll(" ", "-")}-${days}-days`;
  return html`<${Panel}
    title=${title}
    head=${HEAD}
    rows=${rows.map(
      (row) =>
        html`<tr key=${row.name}>
          <td>${row.name}</td>
          <td class="n">${compact(row.requests)}</td>
          <td class="n phone-off">${compact(row.input)}</td>
          <td class="n phone-off">${compact(row.output)}</td>
          <td class="n">${money(row.cost)}</td>
        </tr>`,
    )}
    empty="Nothing was spent in this time."
  >
    <div class="toolbar">
      <${SaveButtons} title=${title} file=${file} rows=${rows} />
    </div>
  <//>`;
}
