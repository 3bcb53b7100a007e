// Budgets as bars: of all requests, models, keys, groups and users.
import { html } from "./preact.js";
import { dateAndTime, money } from "./format.js";
import { Panel } from "./tables.js";

/** A budget as a bar. The numbers are beside it, for those who do not see it. */
export function Bar({ limit, spent }) {
  const share = limit > 0 ? Math.min(spent / limit, 1) : 1;
  const kind = share >= 1 ? "bad" : share >= 0.8 ? "warn" : "good";
  return html`<span class="budget"
    ><svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="all" width="100" height="6" />
      <rect class=${kind} width=${share * 100} height="6" /></svg
    ><span
      ><span class=${spent >= limit ? "bad-text" : ""}>${money(Math.max(limit - spent, 0))}</span>
      ${` left of ${money(limit)}`}</span
    ></span
  >`;
}

const HEAD = [["Budget"], ["Left"], ["Spent", "n phone-off"], ["Resets", "phone-off"]];

/** @param budgets those of the gateway, with what was spent */
export function Budgets({ budgets = [] }) {
  if (budgets.length === 0) return null;
  const rows = budgets.map(
    ({ name, limit, spent, resets }) =>
      html`<tr key=${name}>
        <td class="wrap">${name}</td>
        <td><${Bar} limit=${limit} spent=${spent} /></td>
        <td class="n phone-off">${money(spent)}</td>
        <td class="wrap phone-off">${resets === undefined ? "never" : dateAndTime(resets)}</td>
      </tr>`,
  );
  return html`<${Panel} title="Budgets" head=${HEAD} rows=${rows} empty="" />`;
}
