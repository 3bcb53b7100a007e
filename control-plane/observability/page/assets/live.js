// The live page: now, the history, and requests as they happen.
import { html, useEffect, useMemo, useRef, useState } from "./preact.js";
import { follow, load } from "./api.js";
import { Chart } from "./chart.js";
import { Choice, Select, Time, useFilters, useSettings } from "./controls.js";
import { compact, micro, money, time } from "./format.js";
import { csvOf } from "./export.js";
import { matches, STATUSES } from "./filter.js";
import { Requests } from "./requests.js";
import { Budgets } from "./budgets.js";
import { SaveButtons } from "./save-buttons.js";
import { Keys, Models, Providers } from "./tables.js";
import { Tiles } from "./tiles.js";

/** Rows that are kept in memory. */
const KEPT = 1000;
/** Rows that are drawn of the live ones, and that one click on "Older" adds. */
const SHOWN = 100;
const RANGES = {
  "1h": "1 hour",
  "6h": "6 hours",
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};
/** Milliseconds between two looks at the history. */
const HISTORY_MS = {
  "1h": 5_000,
  "6h": 15_000,
  "24h": 30_000,
  "7d": 60_000,
  "30d": 300_000,
  "90d": 300_000,
};

const DEFAULTS = { range: "1h", model: "", key: "", status: "", text: "", from: "", to: "" };
/** Those that choose requests. */
const CHOICES = ["model", "key", "status", "text", "from", "to"];

/** Rows by number, the newest last. A browser that connects again gets some of them a second time. */
function useLive() {
  const [snapshot, setSnapshot] = useState(undefined);
  const [isPaused, setPaused] = useState(false);
  const [rows, setRows] = useState([]);
  const state = useRef({ rows: [], numbers: new Set(), order: 0, skipped: 0, isPaused: false });
  useEffect(
    () =>
      follow({
        snapshot: setSnapshot,
        rows({ rows: fresh, skipped }) {
          const own = state.current;
          own.skipped += skipped;
          const isFirst = own.rows.length === 0;
          for (const row of fresh) {
            if (own.numbers.has(row.number)) continue;
            own.numbers.add(row.number);
            own.rows.push({ ...row, order: isFirst ? 0 : ++own.order });
          }
          for (const old of own.rows.splice(0, Math.max(0, own.rows.length - KEPT)))
            own.numbers.delete(old.number);
          if (!own.isPaused) setRows(own.rows.slice().reverse());
        },
      }),
    [],
  );
  const pause = (value) => {
    state.current.isPaused = value;
    setPaused(value);
    if (!value) setRows(state.current.rows.slice().reverse());
  };
  return { snapshot, rows, isPaused, pause, skipped: state.current.skipped };
}

function useHistory({ range, model, key }) {
  const [summary, set] = useState(undefined);
  useEffect(() => {
    let isOver = false;
    let timer;
    const query = new URLSearchParams({ range });
    if (model !== "") query.set("model", model);
    if (key !== "") query.set("key", key);
    const look = async () => {
      try {
        const found = await load(`/api/history?${query}`);
        if (!isOver) set(found);
      } catch {
        // The connection's state is in the header.
      }
      if (!isOver) timer = setTimeout(look, HISTORY_MS[range]);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [range, model, key]);
  return summary;
}

/**
 * Requests of the history, the newest first: those of a time, or all after `more` was called.
 * @returns rows; more() reads the next ones; isMore: whether there may be any
 */
function useHistoryRows(filters) {
  const none = { rows: [], next: undefined, isMore: true, isLoading: false, error: undefined };
  const [state, set] = useState(none);
  const run = useRef(0);
  const isTime = filters.from !== "" || filters.to !== "";
  const more = async (start) => {
    const own = ++run.current;
    let { rows, next } = start;
    // The live ones are the first of them.
    const wanted = rows.length === 0 && !isTime ? 2 * SHOWN : rows.length + SHOWN;
    set({ ...start, isLoading: true });
    try {
      do {
        const query = new URLSearchParams({ limit: wanted - rows.length });
        for (const name of ["model", "key", "status", "text"])
          if (filters[name] !== "") query.set(name, filters[name]);
        const from = Date.parse(filters.from);
        const to = Date.parse(filters.to);
        if (!Number.isNaN(from)) query.set("from", from / 1000);
        if (!Number.isNaN(to)) query.set("to", to / 1000);
        if (next !== undefined) query.set("before", next);
        const found = await load(`/api/requests?${query}`);
        if (own !== run.current) return;
        rows = [...rows, ...found.rows];
        next = found.next;
      } while (next !== undefined && rows.length < wanted);
      set({ rows, next, isMore: next !== undefined, isLoading: false });
    } catch (error) {
      if (own === run.current) set({ ...start, isLoading: false, error: error.message });
    }
  };
  useEffect(
    () => {
      run.current++;
      set(none);
      // Not for each letter of a search.
      const timer = isTime ? setTimeout(() => void more(none), 200) : undefined;
      return () => clearTimeout(timer);
    },
    CHOICES.map((name) => filters[name]),
  );
  const reset = () => {
    run.current++;
    set(none);
  };
  return { ...state, isTime, reset, more: () => void more(state) };
}

const micros = (values) => values.map((value) => (value === null ? null : value / 1000));

/** A point of a chart, by its seconds. */
const PER = { 60: "per minute", 3600: "per hour", 21600: "per 6 hours", 86400: "per day" };

function Charts({ summary }) {
  const { points, from, step, total } = summary ?? {};
  const data = useMemo(() => {
    if (points === undefined) return undefined;
    return {
      times: points.requests.map((_, at) => from + at * step),
      // Of successful and failed requests, one upon the other.
      first50: micros(points.firstToken50),
      first95: micros(points.firstToken95),
      cost: points.cost.map((nano) => nano / 1e9),
    };
  }, [summary]);
  if (data === undefined)
    return html`${[1, 2, 3, 4].map(
      () =>
        html`<section class="panel">
          <header></header>
          <div class="chart">
            <div class="legend"></div>
            <div class="plot"></div>
          </div>
        </section>`,
    )}`;
  const { times } = data;
  const per = PER[step] ?? `per ${step / 60} minutes`;
  return html`
    <${Chart}
      title=${`Requests ${per}`}
      times=${times}
      show=${compact}
      series=${[
        {
          label: "all",
          color: "accent",
          values: points.requests,
          total: compact(total.requests),
          isFilled: true,
        },
        {
          label: "errors",
          color: "bad",
          values: points.errors,
          total: compact(total.errors),
          isFilled: true,
        },
      ]}
    />
    <${Chart}
      title=${`Tokens ${per}`}
      times=${times}
      show=${compact}
      series=${[
        {
          label: "in",
          color: "accent",
          values: points.input,
          total: compact(total.input),
          isFilled: true,
        },
        { label: "cached", color: "good", values: points.cached, total: compact(total.cached) },
        { label: "out", color: "violet", values: points.output, total: compact(total.output) },
      ]}
    />
    <${Chart}
      title=${`Cost ${per}`}
      times=${times}
      show=${(dollars) => money(dollars * 1e9)}
      series=${[
        {
          label: "total",
          color: "good",
          values: data.cost,
          total: money(total.cost),
          isFilled: true,
        },
      ]}
    />
    <${Chart}
      title="Time to first token"
      times=${times}
      show=${(ms) => time(ms ?? undefined)}
      series=${[
        {
          label: "p50",
          color: "accent",
          values: data.first50,
          total: time(micro(total.firstToken.p50)),
        },
        {
          label: "p95",
          color: "warn",
          values: data.first95,
          total: time(micro(total.firstToken.p95)),
        },
      ]}
    />
  `;
}

export function LivePage() {
  const [filters, change] = useFilters(DEFAULTS, RANGES);
  const { snapshot, rows, isPaused, pause, skipped } = useLive();
  const summary = useHistory(filters);
  const settings = useSettings();
  const used = (summary?.models ?? []).map(({ name }) => name).filter((name) => name !== "");
  const past = useHistoryRows(filters);
  const shown = useMemo(() => {
    if (past.isTime || past.rows.length > 0) return past.rows;
    return rows.filter((row) => matches(row, filters)).slice(0, SHOWN);
  }, [rows, filters, past.rows, past.isTime]);
  const older = () => {
    if (!past.isTime) pause(true);
    past.more();
  };
  const search = useRef(null);
  useEffect(() => {
    const onKey = (event) => {
      if (event.key !== "/" || event.target.closest("input, select, textarea")) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const isFiltered = CHOICES.some((name) => filters[name] !== "");
  const empty = isFiltered
    ? "No request matches the filters."
    : "No requests yet. Requests appear here as they end.";
  const problem = snapshot?.problem ?? summary?.problem;
  const togglePause = () => {
    past.reset();
    pause(!isPaused);
  };
  const footer = html`<p class="more">
    ${past.error === undefined ? null : html`<span class="bad-text">${past.error}</span> `}
    ${past.isMore ? html`<button disabled=${past.isLoading} onClick=${older}>Older</button>` : html`<span class="quiet">The history has no older requests.</span>`}
  </p>`;
  return html`
    <h1 class="skip">Live</h1>
    ${problem === undefined ? null : html`<p class="notice" role="alert">${problem}</p>`}
    <${Tiles} snapshot=${snapshot} />
    <div class="toolbar" role="group" aria-label="Filters of all requests">
      <${Choice}
        label="Time range"
        name="range"
        value=${filters.range}
        values=${RANGES}
        onChange=${(range) => change({ range })}
      />
      <${Select}
        label="Model"
        none="all"
        value=${filters.model}
        values=${[...new Set([...settings.models, ...used])].sort()}
        onChange=${(model) => change({ model })}
      />
      <${Select}
        label="Key"
        none="all"
        value=${filters.key}
        values=${settings.keys}
        onChange=${(key) => change({ key })}
      />
      ${isFiltered ? html`<button onClick=${() => change({ ...DEFAULTS, range: filters.range })}>Clear filters</button>` : null}
    </div>
    <div class="grid4"><${Charts} summary=${summary} /></div>
    <div class="tables">
      <${Models} rows=${summary?.models} onChoose=${(model) => change({ model })} />
      <${Keys} rows=${summary?.keys} onChoose=${(key) => change({ key })} />
      <${Providers} snapshot=${snapshot} />
      <${Budgets} budgets=${snapshot?.budgets} />
    </div>
    <${Requests}
      rows=${shown}
      freshAfter=${0}
      empty=${past.isLoading ? "Searching …" : empty}
      footer=${footer}
    >
      <div class="toolbar">
        ${
          past.isTime
            ? null
            : html`<button aria-pressed=${isPaused} onClick=${togglePause}>
                ${isPaused ? "Resume" : "Pause"}
              </button>`
        }
        <${Select}
          label="Status"
          none="all"
          value=${filters.status}
          values=${STATUSES}
          onChange=${(status) => change({ status })}
        />
        <input
          ref=${search}
          type="search"
          aria-label="Search requests"
          placeholder="Search: id, model, key, error …"
          value=${filters.text}
          onInput=${(event) => change({ text: event.target.value })}
        />
        <${Time} label="From" value=${filters.from} onChange=${(from) => change({ from })} />
        <${Time} label="To" value=${filters.to} onChange=${(to) => change({ to })} />
        <${SaveButtons} file="requests" rows=${shown} csv=${csvOf} />
      </div>
      <span class="right" role="status"
        >${isPaused ? "paused" : ""}${skipped > 0 ? ` ${compact(skipped)} not shown` : ""}</span
      >
    <//>
  `;
}
