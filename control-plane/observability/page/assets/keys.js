// Keys and groups: created, changed and revoked by the admin API.
import { html, useEffect, useRef, useState } from "./preact.js";
import { load, send } from "./api.js";
import { compact, dateAndTime, money } from "./format.js";
import { csvOfRows, jsonOf, save } from "./export.js";
import { Rows } from "./tables.js";

const PAGE_SIZE = 50;
const STATUSES = ["active", "expired", "disabled", "revoked"];
const DEFAULTS = { search: "", group: "", status: "" };

/** Loads pages of keys; the filters and `again` begin with the first one. */
function useKeys(filters, again) {
  const none = { rows: [], next: undefined, error: undefined, isLoading: true };
  const [state, set] = useState(none);
  const run = useRef(0);
  const more = async (start) => {
    const own = ++run.current;
    const query = new URLSearchParams({ limit: PAGE_SIZE });
    for (const [name, value] of Object.entries(filters)) if (value !== "") query.set(name, value);
    if (start.next !== undefined) query.set("after", start.next);
    set({ ...start, isLoading: true });
    try {
      const { data, next } = await load(`/api/v1/keys?${query}`);
      if (own === run.current)
        set({ rows: [...start.rows, ...data], next, error: undefined, isLoading: false });
    } catch (error) {
      if (own === run.current) set({ ...start, error: messageOf(error), isLoading: false });
    }
  };
  useEffect(() => {
    // Not for each letter of a search.
    const timer = setTimeout(() => void more(none), 150);
    return () => clearTimeout(timer);
  }, [filters.search, filters.group, filters.status, again]);
  return { ...state, more: () => void more(state) };
}

/** Returns the budgets of all groups and of some keys, by at most 100 names a request; without those that may not be read. */
async function loadBudgets(keys) {
  const queries = ["kind=group"];
  for (let at = 0; at < keys.length; at += 100)
    queries.push(
      new URLSearchParams([
        ["kind", "key"],
        ...keys.slice(at, at + 100).map((name) => ["name", name]),
      ]),
    );
  const lists = await Promise.all(
    queries.map((query) => load(`/api/budgets?${query}`).catch(() => [])),
  );
  return [...new Map(lists.flat().map((row) => [row.name, row])).values()];
}

/** Returns the sentence of an error of the API. */
function messageOf(error) {
  try {
    const { message, fields = [] } = JSON.parse(error.message).error;
    return [message, ...fields.map((one) => `${one.field}: ${one.message}`)].join(" ");
  } catch {
    return error.message;
  }
}

const listOf = (text) =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** A budget as a bar. The numbers are beside it, for those who do not see it. */
function Bar({ limit, spent }) {
  const share = limit > 0 ? Math.min(spent / limit, 1) : 1;
  const kind = share >= 1 ? "bad" : share >= 0.8 ? "warn" : "good";
  return html`<span class="budget"
    ><svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="all" width="100" height="6" />
      <rect class=${kind} width=${share * 100} height="6" /></svg
    >${money(Math.max(limit - spent, 0))} left of ${money(limit)}</span
  >`;
}

/** @param kind `key` or `group`; `name` is its name, and `budgets` are those of the gateway with what was spent */
function Budgets({ rows, kind, name, budgets }) {
  const own = budgets.filter(({ subject }) => subject?.kind === kind && subject.name === name);
  if (own.length > 0) return own.map((row) => html`<${Bar} ...${row} key=${row.name} />`);
  if (rows === undefined || rows.length === 0) return html`<span class="none">none</span>`;
  return rows.map(
    ({ amount, per }) => html`<span class="budget">${amount} ${inPeriod(per)}</span>`,
  );
}

const inPeriod = (per) => (per === "total" ? "in total" : `per ${per}`);

function limitsOf(rows = []) {
  return rows
    .map(({ unit, ...limit }) =>
      Object.entries(limit)
        .map(([name, value]) => `${value} ${name} per ${unit}`)
        .join(", "),
    )
    .join(", ");
}

/** Shows a key that was created, this once. */
function NewKey({ value, onClose }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => navigator.clipboard.writeText(value.key).then(() => setCopied(true));
  return html`<section class="panel new-key" aria-labelledby="new-key">
    <header><h2 id="new-key">The key ${value.name}</h2></header>
    <div class="body">
      <p>Copy it now: it is shown this once, and is not stored.</p>
      <p><code id="key-text">${value.key}</code></p>
      <p>
        <button onClick=${copy}>${isCopied ? "Copied" : "Copy"}</button>
        <button onClick=${onClose}>Done</button>
      </p>
    </div>
  </section>`;
}

function Field({ label, name, hint, required = false, ...more }) {
  return html`<label class="field"
    >${label}
    <input name=${name} required=${required} placeholder=${hint} autocomplete="off" ...${more} />
  </label>`;
}

/** Returns the members that a form sets, as the API wants them. */
function membersOf(form, lists) {
  const data = new FormData(form);
  const entries = [...data].flatMap(([name, value]) => {
    if (String(value).trim() === "") return [];
    return [[name, lists.includes(name) ? listOf(value) : String(value).trim()]];
  });
  const { amount, per, requests, tokens, unit, ...members } = Object.fromEntries(entries);
  if (amount !== undefined) members.budget = [{ amount, per }];
  const limit = Object.entries({ requests, tokens }).filter(([, value]) => value !== undefined);
  if (limit.length > 0)
    members.ratelimits = [
      { ...Object.fromEntries(limit.map(([name, value]) => [name, Number(value)])), unit },
    ];
  return members;
}

function Choice({ label, name, values }) {
  return html`<label class="field"
    >${label}
    <select name=${name}>
      ${values.map((value) => html`<option value=${value}>${value}</option>`)}
    </select></label
  >`;
}

/** What a key or a group may use. */
function AllowanceFields() {
  const count = { type: "number", min: 1 };
  return html`<${Field} label="Budget" name="amount" hint="20 USD" />
    <${Choice} label="per" name="per" values=${["month", "week", "day", "year", "total"]} />
    <${Field} label="Requests" name="requests" hint="60" ...${count} />
    <${Field} label="Tokens" name="tokens" hint="100000" ...${count} />
    <${Choice} label="each" name="unit" values=${["minute", "second", "hour", "day"]} />`;
}

function CreateKey({ me, groups, onDone, onClose }) {
  const [error, setError] = useState(undefined);
  const isOperator = me.can.changeAllKeys;
  const submit = async (event) => {
    event.preventDefault();
    try {
      onDone(await send("POST", "/api/v1/keys", membersOf(event.target, ["groups", "models"])));
    } catch (problem) {
      setError(messageOf(problem));
    }
  };
  return html`<form class="panel" aria-labelledby="create-key" onSubmit=${submit}>
    <header><h2 id="create-key">New key</h2></header>
    <div class="body toolbar">
      <${Field} label="Name" name="name" required=${true} />
      <${Field}
        label="Groups"
        name="groups"
        hint=${groups.map(({ name }) => name).join(", ")}
        required=${!isOperator}
      />
      ${
        isOperator
          ? html`<${Field} label="Owner" name="owner" />
              <${Field} label="Models" name="models" hint="openai/*, claude" />
              <${Field} label="Expires" name="expires" hint="90d" /><${AllowanceFields} />`
          : null
      }
      <button type="submit">Create</button>
      <button type="button" onClick=${onClose}>Cancel</button>
    </div>
    ${error === undefined ? null : html`<p class="notice" role="alert">${error}</p>`}
  </form>`;
}

function CreateGroup({ onDone, onClose }) {
  const [error, setError] = useState(undefined);
  const submit = async (event) => {
    event.preventDefault();
    try {
      await send("POST", "/api/v1/groups", membersOf(event.target, ["models"]));
      onDone();
    } catch (problem) {
      setError(messageOf(problem));
    }
  };
  return html`<form class="panel" aria-labelledby="create-group" onSubmit=${submit}>
    <header><h2 id="create-group">New group</h2></header>
    <div class="body toolbar">
      <${Field} label="Name" name="name" required=${true} />
      <${Field} label="Models" name="models" hint="openai/*, claude" />
      <${AllowanceFields} />
      <button type="submit">Create</button>
      <button type="button" onClick=${onClose}>Cancel</button>
    </div>
    ${error === undefined ? null : html`<p class="notice" role="alert">${error}</p>`}
  </form>`;
}

const KEY_HEAD = [
  "Name",
  "Key",
  "Status",
  "Owner",
  "Groups",
  "Models",
  "Limits",
  "Budget",
  "30 days",
  "Expires",
];

function KeyRow({ row, budgets, spent, act }) {
  const { id, name, hint, status, owner, groups, models = [], ratelimits, budget, expires } = row;
  const none = html`<span class="none">–</span>`;
  const isOver = status === "revoked";
  return html`<tr>
    <td>${name}</td>
    <td class="phone-off"><code>${hint}</code></td>
    <td><span class=${status === "active" ? "" : "bad-text"}>${status}</span></td>
    <td class="phone-off">${owner ?? none}</td>
    <td class="phone-off">${groups.join(", ") || none}</td>
    <td class="wrap phone-off">${models.join(", ") || none}</td>
    <td class="wrap phone-off">${limitsOf(ratelimits) || none}</td>
    <td><${Budgets} rows=${budget} kind="key" name=${name} budgets=${budgets} /></td>
    <td class="n phone-off">${money(spent)}</td>
    <td class="phone-off">${expires === undefined ? none : dateAndTime(Date.parse(expires))}</td>
    <td class="end">
      ${
        isOver
          ? null
          : html`<button onClick=${() => act("rotate", row)} aria-label=${`Rotate ${name}`}>
                Rotate
              </button>
              <button
                onClick=${() => act("revoke", row)}
                aria-label=${`Revoke ${name}`}
                id=${`revoke-${id}`}
              >
                Revoke
              </button>`
      }
    </td>
  </tr>`;
}

function Panel({ title, head, rows, empty, children, footer }) {
  return html`<section class="panel" aria-label=${title}>
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

const costOf = (rows, name) => rows.find((row) => row.name === name)?.cost ?? 0;

/** What was spent in 30 days, by person or by group. */
function Spend({ title, rows }) {
  const file = title.toLowerCase().replaceAll(" ", "-");
  return html`<${Panel}
    title=${title}
    head=${[["Name"], ["Requests", "n"], ["In", "n phone-off"], ["Out", "n phone-off"], ["Cost", "n"]]}
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
    empty="Nothing was spent in 30 days."
  >
    <div class="toolbar">
      <button
        aria-label=${`${title} as CSV`}
        onClick=${() => save(`${file}.csv`, "text/csv", csvOfRows(rows))}
      >
        CSV
      </button>
      <button
        aria-label=${`${title} as JSON`}
        onClick=${() => save(`${file}.json`, "application/json", jsonOf(rows))}
      >
        JSON
      </button>
    </div>
  <//>`;
}

const PHONE_OFF = new Set(["30 days", "Key", "Owner", "Groups", "Models", "Limits", "Expires"]);

export function KeysPage() {
  const [me, setMe] = useState(undefined);
  const [filters, setFilters] = useState(DEFAULTS);
  const [again, setAgain] = useState(0);
  const [groups, setGroups] = useState([]);
  const [budgets, setBudgets] = useState([]);
  const [spend, setSpend] = useState({ key: [], user: [], group: [] });
  const [form, setForm] = useState(undefined);
  const [created, setCreated] = useState(undefined);
  const [problem, setProblem] = useState(undefined);
  const keys = useKeys(filters, again);
  const refresh = () => setAgain((count) => count + 1);
  useEffect(() => {
    load("/api/me").then(setMe, (error) => setProblem(messageOf(error)));
  }, []);
  useEffect(() => {
    load("/api/v1/groups").then(
      ({ data }) => setGroups(data),
      () => undefined,
    );
    for (const by of ["key", "user", "group"])
      load(`/api/spend?by=${by}`).then(
        (rows) => setSpend((old) => ({ ...old, [by]: rows })),
        () => undefined,
      );
  }, [again]);
  const names = keys.rows.map(({ name }) => name);
  useEffect(() => {
    void loadBudgets(names).then(setBudgets);
  }, [names.join(), again]);
  const act = async (action, { id, name }) => {
    const question =
      action === "revoke"
        ? `Revoke the key ${name}? Requests with it are rejected from now on.`
        : `Replace the key ${name} by a new one? The old one is valid for 24 hours.`;
    if (!confirm(question)) return;
    try {
      if (action === "revoke") await send("DELETE", `/api/v1/keys/${id}`);
      else setCreated(await send("POST", `/api/v1/keys/${id}/rotate`, { grace: "24h" }));
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
    refresh();
  };
  if (me === undefined)
    return html`<p class=${problem === undefined ? "quiet" : "notice"}>
      ${problem ?? "Loading …"}
    </p>`;
  const change = (more) => setFilters({ ...filters, ...more });
  const done = (value) => {
    setForm(undefined);
    setCreated(value);
    refresh();
  };
  const head = KEY_HEAD.map((text) => [text, PHONE_OFF.has(text) ? "phone-off" : ""]);
  return html`
    <h1 class="skip">Keys</h1>
    ${problem === undefined && keys.error === undefined ? null : html`<p class="notice" role="alert">${problem ?? keys.error}</p>`}
    ${created === undefined ? null : html`<${NewKey} value=${created} onClose=${() => setCreated(undefined)} />`}
    ${form === "key" ? html`<${CreateKey} me=${me} groups=${groups} onDone=${done} onClose=${() => setForm(undefined)} />` : null}
    ${form === "group" ? html`<${CreateGroup} onDone=${() => done(undefined)} onClose=${() => setForm(undefined)} />` : null}
    <${Panel}
      title="Keys"
      head=${[...head, ["Actions"]]}
      rows=${keys.rows.map((row) => html`<${KeyRow} key=${row.id} row=${row} budgets=${budgets} spent=${costOf(spend.key, row.name)} act=${act} />`)}
      empty=${keys.isLoading ? "Loading …" : "There are no keys here."}
      footer=${keys.next === undefined ? null : html`<p class="more"><button disabled=${keys.isLoading} onClick=${keys.more}>More</button></p>`}
    >
      <div class="toolbar">
        <input
          type="search"
          aria-label="Search keys"
          placeholder="Search: name, owner, id"
          value=${filters.search}
          onInput=${(event) => change({ search: event.target.value })}
        />
        ${[
          ["Group", "group", groups.map(({ name }) => name)],
          ["Status", "status", STATUSES],
        ].map(
          ([label, name, values]) =>
            html`<label class="field"
              >${label}
              <select
                value=${filters[name]}
                onChange=${(event) => change({ [name]: event.target.value })}
              >
                <option value="">all</option>
                ${values.map((value) => html`<option value=${value}>${value}</option>`)}
              </select></label
            >`,
        )}
        <button onClick=${() => setForm("key")}>New key</button>
        <button onClick=${() => save("keys.csv", "text/csv", csvOfRows(keys.rows))}>CSV</button>
      </div>
    <//>
    <${Panel}
      title="Groups"
      head=${[["Name"], ["Keys", "n"], ["Models", "phone-off"], ["Limits", "phone-off"], ["Budget"]]}
      rows=${groups.map(
        (row) =>
          html`<tr key=${row.name}>
            <td>${row.name}</td>
            <td class="n">${row.keys}</td>
            <td class="wrap phone-off">${(row.models ?? []).join(", ") || "all"}</td>
            <td class="wrap phone-off">${limitsOf(row.ratelimits) || "–"}</td>
            <td>
              <${Budgets} rows=${row.budget} kind="group" name=${row.name} budgets=${budgets} />
            </td>
          </tr>`,
      )}
      empty="There are no groups."
    >
      <div class="toolbar">
        ${me.can.changeGroups ? html`<button onClick=${() => setForm("group")}>New group</button>` : null}
      </div>
    <//>
    <${Spend} title="Spend by person" rows=${spend.user} />
    <${Spend} title="Spend by group" rows=${spend.group} />
  `;
}
