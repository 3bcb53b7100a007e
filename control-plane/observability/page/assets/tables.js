// Sums of the chosen range by model and by key, and the providers' health.
import { html } from "./preact.js";
import { compact, DASH, dateAndTime, micro, money, rate, time } from "./format.js";

function Count({ value, kind }) {
  return html`<td class="n">
    ${value > 0 ? html`<span class=${kind}>${compact(value)}</span>` : html`<span class="none">0</span>`}
  </td>`;
}

function Cost({ row }) {
  const note = row.unpriced > 0 ? `${row.unpriced} requests have no known price` : undefined;
  const isUnknown = row.cost === 0 && row.unpriced > 0;
  return html`<td class="n" title=${note}>
    ${isUnknown ? html`<span class="none">no price</span>` : money(row.cost)}${!isUnknown && row.unpriced > 0 ? "*" : ""}
  </td>`;
}

/** Times to the first token of streams, and durations. */
const TIMES = [
  ["TTFT p50", "n phone-off"],
  ["TTFT p95", "n"],
  ["Duration p50", "n phone-off"],
  ["Duration p95", "n phone-off"],
];

function Times({ row: { firstToken, duration } }) {
  return html`<td class="n phone-off">${time(micro(firstToken.p50))}</td>
    <td class="n">${time(micro(firstToken.p95))}</td>
    <td class="n phone-off">${time(micro(duration.p50))}</td>
    <td class="n phone-off">${time(micro(duration.p95))}</td>`;
}

function Name({ name, none, onChoose }) {
  if (name === "") return html`<span class="none">${none}</span>`;
  return html`<button class="name" title=${`Show only ${name}`} onClick=${() => onChoose(name)}>
    ${name}
  </button>`;
}

/** @param head text and classes of each column */
export function Rows({ head, rows }) {
  return html`<table>
    <thead>
      <tr>
        ${head.map(([text, kind = ""]) => html`<th scope="col" class=${kind}>${text}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function Table({ title, head, rows, empty }) {
  return html`<section class="panel">
    <header><h2>${title}</h2></header>
    <div class="scroll" tabindex="0" role="region" aria-label=${title}>
      <${Rows} head=${head} rows=${rows} />
    </div>
    ${rows.length === 0 ? html`<p class="empty">${empty}</p>` : null}
  </section>`;
}

export function Models({ rows = [], onChoose }) {
  const head = [
    ["Model"],
    ["Calls", "n"],
    ["Errors", "n"],
    ["Fallbacks", "n phone-off"],
    ["In", "n phone-off"],
    ["Cached", "n phone-off"],
    ["Out", "n phone-off"],
    ["Cost", "n"],
    ...TIMES,
    ["Tokens/s", "n phone-off"],
  ];
  const lines = rows.map(
    (row) =>
      html`<tr key=${row.name}>
        <td class="wide"><${Name} name=${row.name} none="no model" onChoose=${onChoose} /></td>
        <td class="n">${compact(row.name === "" ? row.requests : row.calls)}</td>
        <${Count} value=${row.errors} kind="bad-text" />
        <td class="n phone-off">
          ${row.fallbacks > 0 ? html`<span class="warn-text">${compact(row.fallbacks)}</span>` : html`<span class="none">0</span>`}
        </td>
        <td class="n phone-off">${compact(row.input)}</td>
        <td class="n phone-off">${compact(row.cached)}</td>
        <td class="n phone-off">${compact(row.output)}</td>
        <${Cost} row=${row} />
        <${Times} row=${row} />
        <td class="n phone-off">${rate(row.rate.p50)}</td>
      </tr>`,
  );
  return html`<${Table}
    title="Models"
    head=${head}
    rows=${lines}
    empty="No requests in this time."
  />`;
}

export function Keys({ rows = [], onChoose }) {
  const head = [
    ["Key"],
    ["Requests", "n"],
    ["Errors", "n"],
    ["In", "n phone-off"],
    ["Out", "n phone-off"],
    ["Cost", "n"],
    ...TIMES,
  ];
  const lines = rows.map(
    (row) =>
      html`<tr key=${row.name}>
        <td class="wide"><${Name} name=${row.name} none="without a key" onChoose=${onChoose} /></td>
        <td class="n">${compact(row.requests)}</td>
        <${Count} value=${row.errors} kind="bad-text" />
        <td class="n phone-off">${compact(row.input)}</td>
        <td class="n phone-off">${compact(row.output)}</td>
        <${Cost} row=${row} />
        <${Times} row=${row} />
      </tr>`,
  );
  return html`<${Table}
    title="Keys"
    head=${head}
    rows=${lines}
    empty="No requests in this time."
  />`;
}

/** Returns the state of a provider: hosts that Envoy skips, else the attempts of the last five minutes. */
export function stateOf({ ejected, hosts }, { attempts = 0, failed = 0, lastError } = {}) {
  const why = failed === 0 ? undefined : lastError;
  if (ejected > 0) {
    const text = hosts > 1 ? `${ejected} of ${hosts} ejected` : "ejected";
    return { kind: ejected < hosts ? "warn" : "bad", text, why };
  }
  if (attempts === 0) return { kind: "none", text: "no requests" };
  if (failed === 0) return { kind: "good", text: "healthy" };
  return {
    kind: 2 * failed >= attempts ? "bad" : "warn",
    text: `${failed} of ${attempts} failed`,
    why,
  };
}

export function Budgets({ budgets = [] }) {
  if (budgets.length === 0) return null;
  const head = [["Budget"], ["Limit", "n"], ["Spent", "n phone-off"], ["Left", "n"], ["Resets"]];
  const lines = budgets.map(({ name, limit, spent, resets }) => {
    const left = Math.max(limit - spent, 0);
    return html`<tr key=${name}>
      <td class="wrap">${name}</td>
      <td class="n">${money(limit)}</td>
      <td class="n phone-off">${money(spent)}</td>
      <td class="n"><span class=${left === 0 ? "bad-text" : ""}>${money(left)}</span></td>
      <td class="wrap">${resets === undefined ? "never" : dateAndTime(resets)}</td>
    </tr>`;
  });
  return html`<${Table} title="Budgets" head=${head} rows=${lines} empty="" />`;
}

export function Providers({ snapshot }) {
  const { envoy } = snapshot ?? {};
  const head = [["Provider"], ["State"], ["Open", "n"]];
  const recent = new Map((snapshot?.providers ?? []).map((row) => [row.name, row]));
  const lines = (envoy?.providers ?? []).map((row) => {
    const { kind, text, why } = stateOf(row, recent.get(row.name));
    return html`<tr key=${row.name}>
      <td>${row.name}</td>
      <td class="state" title=${why}>
        <span class=${`dot ${kind}`}></span>${text}
        ${why === undefined ? null : html`<span class="quiet why">${why}</span>`}
      </td>
      <td class="n">${compact(row.open)}</td>
    </tr>`;
  });
  const empty = snapshot === undefined || envoy !== undefined ? DASH : "Envoy does not respond.";
  return html`<${Table} title="Providers" head=${head} rows=${lines} empty=${empty} />`;
}
