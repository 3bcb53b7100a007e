// Groups and users: what all requests of one may use together.
import { html } from "./preact.js";
import { send } from "./api.js";
import { Buttons, limitsOf, OwnBudgets } from "./record-cells.js";
import { SaveButtons } from "./save-buttons.js";
import { Panel } from "./tables.js";

/** Whether one can be changed here: one of the configuration is changed there. */
function isOwn({ can }, { source }) {
  return can.changeGroups && source === "api";
}

/** What can be done, by kind: the word, what is asked before, the request, and for whom and which it is; whether somebody sees them. */
export const SUBJECTS = {
  group: {
    title: "Groups",
    path: "/api/v1/groups",
    empty: "There are no groups.",
    isShown: () => true,
    actions: {
      change: { word: "Change", isFor: isOwn },
      delete: {
        word: "Delete",
        question: (name) => `Delete the group ${name}?`,
        run: (path) => send("DELETE", path),
        // Without it, its keys would allow nothing.
        isFor: (me, row) => isOwn(me, row) && row.keys === 0,
      },
    },
  },
  user: {
    title: "Users",
    path: "/api/v1/users",
    empty: "No user has limits: each may use what the keys and groups allow.",
    isShown: ({ can }) => can.changeAllKeys,
    actions: {
      change: { word: "Change", isFor: isOwn },
      delete: {
        word: "Delete",
        question: (name) => `Remove the limits of ${name}? Keys stay.`,
        run: (path) => send("DELETE", path),
        isFor: isOwn,
      },
    },
  },
};

const HEAD = [
  ["Name"],
  ["Keys", "n"],
  ["Models", "phone-off"],
  ["Limits", "phone-off"],
  ["Budget"],
  ["Actions"],
];

function Row({ me, kind, row, budgets, act }) {
  const { name, keys, models = [], ratelimits } = row;
  return html`<tr>
    <td>${name}</td>
    <td class="n">${keys}</td>
    <td class="wrap phone-off">${models.join(", ") || "all"}</td>
    <td class="wrap phone-off">${limitsOf(ratelimits) || "–"}</td>
    <td><${OwnBudgets} rows=${row.budget} kind=${kind} name=${name} budgets=${budgets} /></td>
    <td class="end">
      <${Buttons} me=${me} row=${row} actions=${SUBJECTS[kind].actions} act=${act} />
    </td>
  </tr>`;
}

/** @param act called with the name of an action, the row and the button; open: with the button, for a new one */
export function Subjects({ me, kind, rows, budgets, act, open }) {
  const { title, empty } = SUBJECTS[kind];
  return html`<${Panel}
    ...${{ title, empty, head: HEAD }}
    rows=${rows.map((row) => html`<${Row} key=${row.name} me=${me} kind=${kind} row=${row} budgets=${budgets} act=${act} />`)}
  >
    <div class="toolbar">
      ${me.can.changeGroups ? html`<button onClick=${(event) => open(event.currentTarget)}>New ${kind}</button>` : null}
      <${SaveButtons} title=${title} file=${title.toLowerCase()} rows=${rows} />
    </div>
  <//>`;
}
