// One session as a timeline of its turns: what each has read from caches, what it cost, and how it ended.
import { html, useEffect, useRef, useState } from "./preact.js";
import { followSessions, load, send, showConnection } from "./api.js";
import { CacheBar } from "./cache-bar.js";
import { csvOf } from "./export.js";
import { clock, compact, dateAndTime, DASH, money, percent, time } from "./format.js";
import { statusClass, statusText } from "./format.js";
import { End as Outcome, Model, Times } from "./requests.js";
import { SaveButtons } from "./save-buttons.js";
import { Cost } from "./sessions.js";
import { Panel } from "./tables.js";

const HEAD = [
  ["Time"],
  ["Pause", "n phone-off"],
  ["Of", "phone-off"],
  ["Status"],
  ["Model"],
  ["In", "n phone-off"],
  ["Cached"],
  ["Out", "n phone-off"],
  ["Cost", "n"],
  ["Duration", "n phone-off"],
  ["", "phone-off"],
  ["Why the cache was not read", "phone-off"],
  ["End", "phone-off"],
];

/** The time between the end of the turn before, of the same agent, and the begin of this one: caches are kept for minutes. */
function pausesOf(turns) {
  const ends = new Map();
  return turns.map(({ start, duration, subagent = "" }) => {
    const before = ends.get(subagent);
    ends.set(subagent, start + duration);
    return before === undefined ? undefined : Math.max(start - before, 0);
  });
}

function Turn({ row, pause, longest, mayOpen }) {
  const at = clock(row.start);
  return html`<tr>
    <td title=${dateAndTime(row.start)}>
      ${
        mayOpen && row.id !== ""
          ? html`<a
              class="row"
              href=${`/requests/${encodeURIComponent(row.id)}`}
              aria-label=${`Request at ${at}`}
              >${at}</a
            >`
          : at
      }
    </td>
    <td class="n phone-off">${time(pause)}</td>
    <td class="phone-off">
      ${row.subagent ?? row.purpose?.replaceAll("_", " ") ?? html`<span class="none">${DASH}</span>`}
    </td>
    <td><span class=${`badge ${statusClass(row)}`}>${statusText(row)}</span></td>
    <td class="wide" title=${row.model}><${Model} row=${row} /></td>
    <td class="n phone-off">${compact(row.input)}</td>
    <td><${CacheBar} ...${row} /></td>
    <td class="n phone-off">${compact(row.output)}</td>
    <td class="n">
      ${row.isUnpriced ? html`<span class="none">no price</span>` : money(row.cost)}
    </td>
    <td class="n phone-off">${time(row.duration)}</td>
    <td class="phone-off"><${Times} row=${row} longest=${longest} /></td>
    <td class="wrap phone-off">
      <span class=${row.lost === undefined ? "quiet" : "warn-text"}>${row.cache ?? ""}</span>
    </td>
    <td class="end phone-off"><${Outcome} row=${row} /></td>
  </tr>`;
}

function factsOf({
  agent,
  model,
  key,
  user,
  turns,
  subagentTurns,
  errors,
  input,
  cached,
  ...more
}) {
  return [
    ["Agent", agent],
    ["Model", model],
    ["Key", key],
    ["Person", user],
    ["Turns", compact(turns)],
    ["Turns of sub-agents", subagentTurns > 0 ? compact(subagentTurns) : ""],
    ["Errors", errors > 0 ? compact(errors) : ""],
    ["Cost", html`<${Cost} ...${more} />`],
    ["Tokens in", input.toLocaleString("en")],
    [
      "of them cached",
      input > 0 ? `${cached.toLocaleString("en")} (${percent(cached, input)})` : "",
    ],
    ["Tokens out", more.output.toLocaleString("en")],
    ["Begun", dateAndTime(more.begun * 1000)],
    ["Last used", dateAndTime(more.ended * 1000)],
  ].filter(([, value]) => value !== "");
}

/** Loads the newest turns again as they happen; `more()` adds those before. */
function useTurns(id, name) {
  const [state, set] = useState({ turns: [], isLoading: true });
  const before = useRef([]);
  const query = (place) =>
    `/api/sessions/${encodeURIComponent(id)}?${new URLSearchParams({ ...name, ...(place === undefined ? {} : { before: place }) })}`;
  const read = async () => {
    try {
      const found = await load(query());
      const known = new Set(found.turns.map(({ number }) => number));
      const older = before.current.filter(({ number }) => !known.has(number));
      set((old) => ({
        ...found,
        turns: [...older, ...found.turns],
        next: before.current.length > 0 ? old.next : found.next,
        isLoading: false,
      }));
    } catch (error) {
      set((old) => ({ ...old, error: error.message, isLoading: false }));
    }
  };
  const more = async () => {
    set((old) => ({ ...old, isLoading: true }));
    try {
      const found = await load(query(state.next));
      before.current = [...found.turns, ...state.turns];
      set({ ...found, turns: before.current, isLoading: false });
    } catch (error) {
      set((old) => ({ ...old, error: error.message, isLoading: false }));
    }
  };
  useEffect(() => {
    void read();
    return followSessions((used) => {
      if (used === undefined || used.has(id)) void read();
    });
  }, []);
  return { ...state, more };
}

/** Ends the session, after a question, for who may; of one that has ended, how long it stays so. */
function End({ session: { session, key } }) {
  const [ended, set] = useState(undefined);
  const [error, setError] = useState(undefined);
  const isThis = (one) => one.session === session && (one.key === undefined || one.key === key);
  useEffect(() => {
    load("/api/v1/sessions/ended").then(
      ({ data }) => set(data.find(isThis)),
      // Nothing can end it here, and the button reports why.
      () => undefined,
    );
  }, []);
  if (ended !== undefined)
    return html`<span class="bad-text" role="status">
      ended until ${dateAndTime(Date.parse(ended.until))}
    </span>`;
  const end = async () => {
    const whose = key === "" ? "of all keys" : `of the key ${key}`;
    if (!confirm(`End the session ${session} ${whose}? Its requests are rejected from now on.`))
      return;
    try {
      const path = `/api/v1/sessions/${encodeURIComponent(session)}/end`;
      set(await send("POST", path, key === "" ? {} : { key }));
    } catch (failed) {
      setError(failed.message);
    }
  };
  return html`<button onClick=${end}>End session</button>
    ${error === undefined ? null : html`<span class="wrong" role="alert">${error}</span>`}`;
}

export function SessionPage() {
  const id = decodeURIComponent(location.pathname.slice("/sessions/".length));
  const query = new URLSearchParams(location.search);
  const name = Object.fromEntries(
    ["key", "user"].flatMap((one) => (query.has(one) ? [[one, query.get(one)]] : [])),
  );
  const { session, others = 0, turns, next, isLoading, error, problem, more } = useTurns(id, name);
  const [me, setMe] = useState(undefined);
  useEffect(() => {
    load("/api/me").then(setMe, () => showConnection("warn", "Not connected"));
  }, []);
  const longest = turns.reduce((most, { duration }) => Math.max(most, duration), 1);
  const pauses = pausesOf(turns);
  const file = `session-${id.replaceAll(/[^\w.-]/g, "_")}`;
  const all = [error, problem].filter((one) => one !== undefined);
  // The last turn is the first row.
  const rows = turns
    .map(
      (row, at) =>
        html`<${Turn}
          key=${row.number}
          row=${row}
          pause=${pauses[at]}
          longest=${longest}
          mayOpen=${me?.can.seeStories === true}
        />`,
    )
    .reverse();
  return html`
    <div class="title">
      <h1>Session <span class="mono">${id}</span></h1>
      <button onClick=${() => navigator.clipboard?.writeText(id)}>Copy id</button>
      ${session !== undefined && me?.can.endSessions === true ? html`<${End} session=${session} />` : null}
    </div>
    ${others > 0 && name.key === undefined ? html`<p class="quiet">Other keys or people have ${others} more with this id: the list of sessions has each.</p>` : null}
    ${all.map((text) => html`<p class="notice" role="alert">${text}</p>`)}
    ${
      session === undefined
        ? html`<section class="panel">
            <p class="empty">
              ${isLoading ? "Loading …" : "The history has no session with this id. A session appears when its first request has ended."}
            </p>
          </section>`
        : html`<section class="panel">
              <dl class="facts">
                ${factsOf(session).map(
                  ([title, value]) =>
                    html`<div>
                      <dt>${title}</dt>
                      <dd>${value}</dd>
                    </div>`,
                )}
              </dl>
            </section>
            <${Panel}
              ...${{ title: "Turns", kind: "requests", head: HEAD, rows }}
              empty="The history has the sums of this session only: its requests are older than what is kept."
              footer=${next === undefined ? null : html`<p class="more"><button disabled=${isLoading} onClick=${more}>Earlier</button></p>`}
            >
              <div class="toolbar">
                <${SaveButtons} file=${file} rows=${turns} csv=${csvOf} />
              </div>
            <//>`
    }
  `;
}
