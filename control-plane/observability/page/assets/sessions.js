// The sessions of clients: what each conversation has used, the one that was used last first.
import { html, useEffect, useRef, useState } from "./preact.js";
import { followSessions, load } from "./api.js";
import { CacheBar } from "./cache-bar.js";
import { Choice, Select, Time, useFilters, useSettings } from "./controls.js";
import { compact, dateAndTime, DASH, money } from "./format.js";
import { SaveButtons } from "./save-buttons.js";
import { Panel } from "./tables.js";

const PAGE_SIZE = 100;
/** Seconds of the ranges. */
const RANGE_S = { "1h": 3600, "24h": 86_400, "7d": 604_800, "30d": 2_592_000, "90d": 7_776_000 };
const RANGES = {
  "1h": "1 hour",
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};
const DEFAULTS = { range: "24h", key: "", text: "", from: "", to: "" };
/** A session that was used in so many milliseconds is marked. */
const RECENT_MS = 60_000;

/** The address of a session's page. */
export function pathOfSession({ session, key, user }) {
  return `/sessions/${encodeURIComponent(session)}?${new URLSearchParams({ key, user })}`;
}

function queryOf({ range, key, text, from, to }) {
  const query = new URLSearchParams();
  if (key !== "") query.set("key", key);
  if (text !== "") query.set("text", text);
  const [start, end] = [Date.parse(from), Date.parse(to)];
  if (Number.isNaN(start)) query.set("last", RANGE_S[range]);
  else query.set("from", start / 1000);
  if (!Number.isNaN(end)) query.set("to", end / 1000);
  return query;
}

/** Loads pages of sessions; the first one again when `again` changes, as long as no others were asked for. */
function useSessions(filters, again) {
  const none = { rows: [], next: undefined, error: undefined, problem: undefined };
  const [state, set] = useState({ ...none, isLoading: true });
  const run = useRef(0);
  const isLonger = useRef(false);
  const read = async (start) => {
    const own = ++run.current;
    const wanted = start.rows.length + PAGE_SIZE;
    let { rows, next } = start;
    let problem;
    // The rows stay until others are there.
    set((old) => ({ ...old, isLoading: true }));
    try {
      do {
        const query = queryOf(filters);
        query.set("limit", wanted - rows.length);
        if (next !== undefined) query.set("before", next);
        const found = await load(`/api/sessions?${query}`);
        if (own !== run.current) return;
        rows = [...rows, ...found.rows];
        ({ next, problem } = found);
      } while (next !== undefined && rows.length < wanted);
      set({ rows, next, problem, error: undefined, isLoading: false });
    } catch (error) {
      if (own === run.current) set({ ...start, error: error.message, isLoading: false });
    }
  };
  useEffect(
    () => {
      isLonger.current = false;
      // Not for each letter of a search.
      const timer = setTimeout(() => void read(none), 150);
      return () => clearTimeout(timer);
    },
    Object.keys(DEFAULTS).map((name) => filters[name]),
  );
  useEffect(() => {
    if (again > 0 && !isLonger.current) void read(none);
  }, [again]);
  const more = () => {
    isLonger.current = true;
    void read(state);
  };
  return { ...state, more };
}

const HEAD = [
  ["Last"],
  ["Agent"],
  ["Model", "phone-off"],
  ["Key", "phone-off"],
  ["Person", "phone-off"],
  ["Turns", "n"],
  ["In", "n phone-off"],
  ["Cached"],
  ["Out", "n phone-off"],
  ["Cost", "n"],
  ["Session", "phone-off"],
  ["Last error", "phone-off"],
];

/** What the tokens cost, as far as prices are known. */
export function Cost({ cost, unpriced }) {
  if (unpriced > 0 && cost === 0) return html`<span class="none">no price</span>`;
  const title = unpriced > 0 ? `${unpriced} requests have no known price` : undefined;
  return html`<span title=${title}>${money(cost)}${unpriced > 0 ? "*" : ""}</span>`;
}

function Row({ row, now }) {
  const none = html`<span class="none">${DASH}</span>`;
  const ended = row.ended * 1000;
  return html`<tr>
    <td>
      ${now - ended < RECENT_MS ? html`<span class="dot good" title="in use"></span>` : null}<a
        class="row"
        href=${pathOfSession(row)}
        aria-label=${`${dateAndTime(ended)}, session ${row.session}`}
        >${dateAndTime(ended)}</a
      >
    </td>
    <td class="wide">${row.agent || none}</td>
    <td class="wide phone-off">${row.model || none}</td>
    <td class="phone-off">${row.key || none}</td>
    <td class="phone-off">${row.user || none}</td>
    <td class="n">
      ${compact(row.turns)}${row.subagentTurns > 0 ? html`<span class="quiet" title="of sub-agents"> +${compact(row.subagentTurns)}</span>` : null}
    </td>
    <td class="n phone-off">${compact(row.input)}</td>
    <td><${CacheBar} ...${row} /></td>
    <td class="n phone-off">${compact(row.output)}</td>
    <td class="n"><${Cost} ...${row} /></td>
    <td class="wide phone-off"><span class="mono">${row.session}</span></td>
    <td class="end phone-off" title=${row.error}>
      ${
        row.error === ""
          ? none
          : html`<span class=${row.failed === row.ended ? "bad-text" : "quiet"}>${row.error}</span>`
      }
    </td>
  </tr>`;
}

export function SessionsPage() {
  const [filters, change] = useFilters(DEFAULTS, RANGES);
  const [again, setAgain] = useState(0);
  const found = useSessions(filters, again);
  const settings = useSettings();
  useEffect(() => followSessions(() => setAgain((count) => count + 1)), []);
  const isFiltered = ["key", "text", "from", "to"].some((name) => filters[name] !== "");
  const empty = isFiltered ? "No session matches the filters." : "No sessions in this time.";
  const keys = [...settings.keys, ...found.rows.map(({ key }) => key)].filter((key) => key !== "");
  const problem = found.error ?? found.problem;
  const now = Date.now();
  const footer =
    found.next === undefined
      ? null
      : html`<p class="more">
          <button disabled=${found.isLoading} onClick=${found.more}>Older</button>
        </p>`;
  return html`
    <h1 class="skip">Sessions</h1>
    ${problem === undefined ? null : html`<p class="notice" role="alert">${problem}</p>`}
    <${Panel}
      ...${{ title: "Sessions", kind: "requests", head: HEAD, footer }}
      rows=${found.rows.map((row) => html`<${Row} key=${`${row.session} ${row.key} ${row.user}`} row=${row} now=${now} />`)}
      empty=${found.isLoading ? "Searching …" : empty}
    >
      <div class="toolbar">
        <${Choice}
          label="Time range"
          name="range"
          value=${filters.range}
          values=${RANGES}
          onChange=${(range) => change({ range })}
        />
        <${Select}
          label="Key"
          none="all"
          value=${filters.key}
          values=${[...new Set(keys)].sort()}
          onChange=${(key) => change({ key })}
        />
        <input
          type="search"
          aria-label="Search sessions"
          placeholder="Search: id, agent, model, error …"
          value=${filters.text}
          onInput=${(event) => change({ text: event.target.value })}
        />
        <${Time} label="From" value=${filters.from} onChange=${(from) => change({ from })} />
        <${Time} label="To" value=${filters.to} onChange=${(to) => change({ to })} />
        ${isFiltered ? html`<button onClick=${() => change({ ...DEFAULTS, range: filters.range })}>Clear filters</button>` : null}
        <${SaveButtons} file="sessions" rows=${found.rows.map(exported)} />
      </div>
    <//>
  `;
}

/** A session with times and dollars that other programs read. */
function exported({ begun, ended, failed, cost, ...row }) {
  const time = (seconds) => (seconds === 0 ? null : new Date(seconds * 1000).toISOString());
  return {
    ...row,
    ...{ begun: time(begun), ended: time(ended), failed: time(failed), costUsd: cost / 1e9 },
  };
}
