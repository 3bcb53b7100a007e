// Sums of the chosen range by model and by key, and the providers' health.
import { html } from "./preact.js";
import { compact, DASH, micro, money, rate, time } from "./format.js";

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

/** @param head text and classes of each column; a column without a text has none */
function Rows({ head, rows }) {
  return html`<table>
    <thead>
      <tr>
        ${head.map(([text, kind = ""]) => (text === "" ? html`<td class=${kind}></td>` : html`<th scope="col" class=${kind}>${text}</th>`))}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/**
 * A panel with a table that scrolls.
 * @param empty what stands in place of rows; footer: below them; children: beside the title
 */
export function Panel({ title, head, rows, empty, children, footer, kind = "" }) {
  return html`<section class=${`panel ${kind}`} aria-label=${title}>
    <header>
      <h2>${title}</h2>
      ${children}
    </header>
    <div class="scroll body" tabindex="0" role="region" aria-label=${`Rows of ${title}`}>
      <${Rows} head=${head} rows=${rows} />
      ${rows.length === 0 ? html`<p class="empty">${empty}</p>` : null} ${footer}
    </div>
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
  return html`<${Panel}
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
  return html`<${Panel}
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
  return html`<${Panel} title="Providers" head=${head} rows=${lines} empty=${empty} />`;
}
