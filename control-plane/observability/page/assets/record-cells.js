// What the tables of keys, groups and users have in their cells.
import { html } from "./preact.js";
import { Bar } from "./budgets.js";

const inPeriod = (per) => (per === "total" ? "in total" : `per ${per}`);

/** @param kind `key`, `group` or `user`; `name` is its name, and `budgets` are those of the gateway with what was spent */
export function OwnBudgets({ rows, kind, name, budgets }) {
  const own = budgets.filter(({ subject }) => subject?.kind === kind && subject.name === name);
  if (own.length > 0) return own.map((row) => html`<${Bar} ...${row} key=${row.name} />`);
  if (rows === undefined || rows.length === 0) return html`<span class="none">none</span>`;
  return rows.map(
    ({ amount, per }) => html`<span class="budget">${amount} ${inPeriod(per)}</span>`,
  );
}

export function limitsOf(rows = []) {
  return rows
    .map(({ unit, ...limit }) =>
      Object.entries(limit)
        .map(([name, value]) => `${value} ${name} per ${unit}`)
        .join(", "),
    )
    .join(", ");
}

/** What can be done with a row. @param actions by name: the word on the button, and whether it is for somebody and a row */
export function Buttons({ me, row, actions, act }) {
  return Object.entries(actions)
    .filter(([, { isFor }]) => isFor(me, row))
    .map(
      ([name, { word }]) =>
        html`<button
          key=${name}
          aria-label=${`${word} ${row.name}`}
          onClick=${(event) => act(name, row, event.currentTarget)}
        >
          ${word}
        </button> `,
    );
}
