// The buttons that save the rows of a table as files.
import { html } from "./preact.js";
import { csvOfRows, jsonOf, save } from "./export.js";

/** @param title what is saved, where a page has several tables; file: its name without the ending */
export function SaveButtons({ title, file, rows, csv = csvOfRows }) {
  const files = { CSV: ["csv", "text/csv", csv], JSON: ["json", "application/json", jsonOf] };
  return Object.entries(files).map(
    ([word, [ending, type, textOf]]) =>
      html`<button
        key=${word}
        aria-label=${title === undefined ? word : `${title} as ${word}`}
        disabled=${rows.length === 0}
        onClick=${() => save(`${file}.${ending}`, type, textOf(rows))}
      >
        ${word}
      </button>`,
  );
}
