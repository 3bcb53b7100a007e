// Keys, groups and users: created, changed and revoked by the admin API.
import { html, useEffect, useRef, useState } from "./preact.js";
import { load, send } from "./api.js";
import { dateAndTime, money } from "./format.js";
import { RecordForm } from "./key-form.js";
import { Budgets } from "./budgets.js";
import { Buttons, limitsOf, OwnBudgets } from "./record-cells.js";
import { SaveButtons } from "./save-buttons.js";
import { DAYS, Spend } from "./spend.js";
import { Subjects, SUBJECTS } from "./subjects.js";
import { Panel } from "./tables.js";

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
    // The rows stay until others are there, and with them the focus.
    set((old) => ({ ...start, rows: old.rows, isLoading: true }));
    try {
      const { data, next } = await load(`/api/v1/keys?${query}`);
      if (own === run.current)
        set({ rows: [...start.rows, ...data], next, error: undefined, isLoading: false });
    } catch (error) {
      if (own === run.current) set({ ...start, error: error.message, isLoading: false });
    }
  };
  useEffect(() => {
    // Not for each letter of a search.
    const timer = setTimeout(() => void more(none), 150);
    return () => clearTimeout(timer);
  }, [filters.search, filters.group, filters.status, again]);
  return { ...state, more: () => void more(state) };
}

/** Returns the budgets of the gateway (the first thousand), and of some keys, by at most 100 names a request; without those that may not be read. */
async function loadBudgets(keys) {
  const queries = ["", "kind=group", "kind=user"];
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

const KEY_HEAD = [
  "Name",
  "Key",
  "Status",
  "Owner",
  "Groups",
  "Models",
  "Limits",
  "Budget",
  "Spent",
  "Expires",
];

/** What can be done with a key: the word, what is asked before, the request, and for whom and which keys it is. */
const ACTIONS = {
  change: { word: "Change", isFor: ({ can }) => can.changeAllKeys },
  disable: {
    word: "Disable",
    question: (name) =>
      `Disable the key ${name}? Requests with it are rejected until it is enabled.`,
    run: (path) => send("PATCH", path, { disabled: true }),
    isFor: ({ can }, { status }) => can.changeOwnKeys && status !== "disabled",
  },
  enable: {
    word: "Enable",
    run: (path) => send("PATCH", path, { disabled: false }),
    isFor: ({ can }, { status }) => can.changeAllKeys && status === "disabled",
  },
  rotate: {
    word: "Rotate",
    question: (name) => `Replace the key ${name} by a new one? The old one is valid for 24 hours.`,
    run: (path) => send("POST", `${path}/rotate`, { grace: "24h" }),
    isFor: ({ can }) => can.changeOwnKeys,
  },
  revoke: {
    word: "Revoke",
    question: (name) => `Revoke the key ${name}? Requests with it are rejected from now on.`,
    run: (path) => send("DELETE", path),
    isFor: ({ can }) => can.changeOwnKeys,
  },
};

function KeyRow({ me, row, budgets, spent, act }) {
  const { name, hint, status, owner, groups, models = [], ratelimits, budget, expires } = row;
  const none = html`<span class="none">–</span>`;
  return html`<tr>
    <td>${name}</td>
    <td class="phone-off"><code>${hint}</code></td>
    <td><span class=${status === "active" ? "" : "bad-text"}>${status}</span></td>
    <td class="phone-off">${owner ?? none}</td>
    <td class="phone-off">${groups.join(", ") || none}</td>
    <td class="wrap phone-off">${models.join(", ") || none}</td>
    <td class="wrap phone-off">${limitsOf(ratelimits) || none}</td>
    <td><${OwnBudgets} rows=${budget} kind="key" name=${name} budgets=${budgets} /></td>
    <td class="n phone-off">${money(spent)}</td>
    <td class="phone-off">${expires === undefined ? none : dateAndTime(Date.parse(expires))}</td>
    <td class="end">
      ${status === "revoked" ? null : html`<${Buttons} me=${me} row=${row} actions=${ACTIONS} act=${act} />`}
    </td>
  </tr>`;
}

const costOf = (rows, name) => rows.find((row) => row.name === name)?.cost ?? 0;

const PHONE_OFF = new Set(["Spent", "Key", "Owner", "Groups", "Models", "Limits", "Expires"]);

export function KeysPage() {
  const [me, setMe] = useState(undefined);
  const [filters, setFilters] = useState(DEFAULTS);
  const [again, setAgain] = useState(0);
  const [subjects, setSubjects] = useState({ group: [], user: undefined });
  const [budgets, setBudgets] = useState([]);
  const [days, setDays] = useState("30");
  const [spend, setSpend] = useState({ key: [], user: [], group: [] });
  const [form, setForm] = useState(undefined);
  const [created, setCreated] = useState(undefined);
  const [problem, setProblem] = useState(undefined);
  const [done, setDone] = useState("");
  const keys = useKeys(filters, again);
  const refresh = () => setAgain((count) => count + 1);
  useEffect(() => {
    load("/api/me").then(setMe, (error) => setProblem(error.message));
  }, []);
  useEffect(() => {
    for (const [kind, { path, isShown }] of Object.entries(SUBJECTS))
      if (me !== undefined && isShown(me))
        load(path).then(
          ({ data }) => setSubjects((old) => ({ ...old, [kind]: data })),
          () => undefined,
        );
  }, [again, me]);
  useEffect(() => {
    for (const by of ["key", "user", "group"])
      load(`/api/spend?by=${by}&days=${days}`).then(
        (rows) => setSpend((old) => ({ ...old, [by]: rows })),
        () => undefined,
      );
  }, [again, days]);
  const names = keys.rows.map(({ name }) => name);
  useEffect(() => {
    void loadBudgets(names).then(setBudgets);
  }, [names.join(), again]);
  // After a form, the focus is where it was before.
  const opener = useRef(null);
  const open = (next, button) => {
    opener.current = button;
    setForm(next);
  };
  const close = () => {
    setForm(undefined);
    opener.current?.focus();
  };
  const run = async ({ word, question, run: change }, path, name) => {
    if (question !== undefined && !confirm(question(name))) return;
    try {
      const { key, ...value } = (await change(path)) ?? {};
      if (key !== undefined) setCreated({ ...value, key });
      setProblem(undefined);
      setDone(`${word}: ${name}, done.`);
    } catch (error) {
      setProblem(error.message);
    }
    refresh();
  };
  const actOnKey = (action, row, button) => {
    if (action === "change") open({ kind: "key", row }, button);
    else void run(ACTIONS[action], `/api/v1/keys/${row.id}`, row.name);
  };
  const actOn = (kind) => (action, row, button) => {
    const { path, actions } = SUBJECTS[kind];
    if (action === "change") open({ kind, row }, button);
    else void run(actions[action], `${path}/${encodeURIComponent(row.name)}`, row.name);
  };
  if (me === undefined)
    return html`<p class=${problem === undefined ? "quiet" : "notice"}>
      ${problem ?? "Loading …"}
    </p>`;
  const change = (more) => setFilters({ ...filters, ...more });
  const saved = (value) => {
    close();
    setProblem(undefined);
    setDone(`${value.name} is saved.`);
    // Of a new key only.
    if (value.key !== undefined) setCreated(value);
    refresh();
  };
  const groupNames = me.can.changeAllKeys ? subjects.group.map(({ name }) => name) : me.groups;
  const newKey = me.can.changeAllKeys ? "key" : "ownKey";
  const head = KEY_HEAD.map((text) => [text, PHONE_OFF.has(text) ? "phone-off" : ""]);
  return html`
    <h1 class="skip">Keys</h1>
    ${problem === undefined && keys.error === undefined ? null : html`<p class="notice" role="alert">${problem ?? keys.error}</p>`}
    ${created === undefined ? null : html`<${NewKey} value=${created} onClose=${() => setCreated(undefined)} />`}
    <p class="quiet" role="status">${done}</p>
    ${
      form === undefined
        ? null
        : html`<${RecordForm}
            key=${`${form.kind} ${form.row?.name}`}
            ...${form}
            hints=${{ groups: groupNames.slice(0, 3).join(", ") }}
            onDone=${saved}
            onClose=${close}
          />`
    }
    <${Panel}
      title="Keys"
      head=${[...head, ["Actions"]]}
      rows=${keys.rows.map((row) => html`<${KeyRow} key=${row.id} me=${me} row=${row} budgets=${budgets} spent=${costOf(spend.key, row.name)} act=${actOnKey} />`)}
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
          ["Group", "group", subjects.group.map(({ name }) => name)],
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
        ${me.can.createKeys ? html`<button onClick=${(event) => open({ kind: newKey }, event.currentTarget)}>New key</button>` : null}
        <${SaveButtons} file="keys" rows=${keys.rows} />
      </div>
    <//>
    ${Object.entries(subjects).map(([kind, rows]) =>
      rows === undefined
        ? null
        : html`<${Subjects}
            key=${kind}
            ...${{ me, kind, rows, budgets }}
            act=${actOn(kind)}
            open=${(button) => open({ kind }, button)}
          />`,
    )}
    <${Budgets} budgets=${budgets} />
    <div class="toolbar">
      <label class="field"
        >Spend of
        <select value=${days} onChange=${(event) => setDays(event.target.value)}>
          ${Object.entries(DAYS).map(([value, text]) => html`<option value=${value} selected=${value === days}>${text}</option>`)}
        </select></label
      >
    </div>
    <${Spend} title="Spend by key" rows=${spend.key} days=${days} />
    <${Spend} title="Spend by person" rows=${spend.user} days=${days} />
    <${Spend} title="Spend by group" rows=${spend.group} days=${days} />
  `;
}
